//! Tests the engine with the test driver: which kernel images it loads, how it reports them, and
//! its streams.

#![cfg(all(feature = "cuda", target_os = "linux"))]

use falcon_core::batch::{BatchError, BatchSign, SignJob};
use falcon_core::{Falcon512, Signature, SigningKey};
use falcon_gpu::{CUBINS, GpuContext, GpuError, IMAGES, ImageForm, Options, PTX};
use std::process::Command;

/// Runs the test `name` of this file in a new process, on the driver for tests with the fault
/// `fault`. `device` is the compute capability of its device.
fn on_the_test_driver(name: &str, fault: &str, device: &str) {
    let Some(folder) = falcon_gpu_host::DRIVER_FOLDER else {
        eprintln!("NOT TESTED: the test driver needs a C++17 compiler");
        return;
    };
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env("LD_LIBRARY_PATH", folder)
        .env("FALCON_TEST_DRIVER", fault)
        .env("FALCON_TEST_DEVICE", device)
        .output()
        .expect("this program runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{fault}, {device}: {said}");
    assert!(said.contains("1 passed"), "{said}");
}

/// Signs one message and compares with the processor.
fn sign(context: &GpuContext) -> Result<(), BatchError> {
    let key = SigningKey::<Falcon512>::from_seed(&[1; 32]).expect("no fault");
    let jobs = [SignJob::new(&key, b"images")];
    let mut out = [Signature::EMPTY];
    context.sign_batch(&[2; 32], &jobs, &mut out)?;
    let mut expected = [Signature::EMPTY];
    let engine = falcon_core::Engine::best();
    engine
        .sign_batch(&[2; 32], &jobs, &mut expected)
        .expect("the processor");
    assert!(out == expected);
    Ok(())
}

/// Returns the images that a context has loaded or refused: number, form, and true if refused.
fn tried(context: &GpuContext) -> Vec<(usize, ImageForm, bool)> {
    let loaded = context.loaded();
    for image in &loaded {
        println!("{image}");
    }
    let image =
        |image: &falcon_gpu::LoadedImage| (image.number, image.form, image.refused.is_some());
    loaded.iter().map(image).collect()
}

const fn cubin(major: u32, minor: u32) -> ImageForm {
    ImageForm::Cubin {
        capability: (major, minor),
    }
}

const TEXT: ImageForm = ImageForm::Ptx { capability: (8, 0) };

#[test]
fn the_matching_cubin_is_loaded() {
    on_the_test_driver("loads_a_cubin", "", "80");
    on_the_test_driver("loads_a_cubin", "", "86");
    on_the_test_driver("loads_a_cubin", "", "89");
    on_the_test_driver("loads_a_cubin", "", "90");
}

#[test]
#[ignore = "for the driver for tests"]
fn loads_a_cubin() {
    let device = std::env::var("FALCON_TEST_DEVICE").expect("a device");
    let context = GpuContext::new(0).expect("the driver for tests");
    assert!(tried(&context).is_empty(), "before the first batch");
    sign(&context).expect("a batch");
    let (number, form) = match &*device {
        "80" | "86" => (2, cubin(8, 0)),
        "89" => (3, cubin(8, 9)),
        _ => (4, cubin(9, 0)),
    };
    assert_eq!(tried(&context), [(number, form, false)]);
    // The second batch loads no image.
    sign(&context).expect("a batch");
    assert_eq!(tried(&context), [(number, form, false)]);
}

#[test]
fn the_order_of_images_is_nothing() {
    on_the_test_driver("loads_the_best_of_all", "", "89");
    on_the_test_driver("loads_the_best_of_all", "", "90");
}

#[test]
#[ignore = "for the driver for tests"]
fn loads_the_best_of_all() {
    let device = std::env::var("FALCON_TEST_DEVICE").expect("a device");
    let mut images = IMAGES;
    images.reverse();
    let context = GpuContext::with_images(0, Options::default(), &images).expect("images");
    sign(&context).expect("a batch");
    let (number, form) = match &*device {
        "89" => (4, cubin(8, 9)),
        _ => (3, cubin(9, 0)),
    };
    assert_eq!(tried(&context), [(number, form, false)]);
}

#[test]
fn without_a_matching_cubin_text_is_compiled() {
    on_the_test_driver("compiles_text", "", "100");
    on_the_test_driver("compiles_text", "", "120");
}

#[test]
#[ignore = "for the driver for tests"]
fn compiles_text() {
    let context = GpuContext::new(0).expect("the driver for tests");
    sign(&context).expect("a batch");
    assert_eq!(tried(&context), [(0, TEXT, false)]);
    let refused = GpuContext::with_images(0, Options::default(), &CUBINS).map(|_| ());
    assert!(
        matches!(refused, Err(GpuError::Driver { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_refused_cubin_leaves_the_text() {
    on_the_test_driver("falls_back_to_text", "cubin", "90");
    on_the_test_driver("falls_back_to_text", "cubin", "89");
}

#[test]
#[ignore = "for the driver for tests"]
fn falls_back_to_text() {
    let device = std::env::var("FALCON_TEST_DEVICE").expect("a device");
    let context = GpuContext::new(0).expect("the driver for tests");
    sign(&context).expect("a batch");
    let expected = match &*device {
        // On this device, the cubin for 8.0 is tried after the one for 8.9.
        "89" => vec![
            (3, cubin(8, 9), true),
            (2, cubin(8, 0), true),
            (0, TEXT, false),
        ],
        _ => vec![(4, cubin(9, 0), true), (0, TEXT, false)],
    };
    // `prng` is also in the images of degree 1024, so the driver tries those images, too. This test
    // compares only the images of degree 512.
    let of_512 = |images: Vec<(usize, ImageForm, bool)>| -> Vec<_> {
        let of_512 = [0, 2, 3, 4];
        images
            .into_iter()
            .filter(|image| of_512.contains(&image.0))
            .collect()
    };
    assert_eq!(of_512(tried(&context)), expected);
    let refused = context.loaded().into_iter().find_map(|image| image.refused);
    assert!(refused.expect("a reason").contains("error 200"));
    let before = context.loaded();
    sign(&context).expect("a batch");
    assert_eq!(context.loaded(), before, "nothing is tried again");

    // Without PTX, no image is left. The batch returns the last reason as its error.
    let context = GpuContext::with_images(0, Options::default(), &CUBINS).expect("cubins");
    match sign(&context) {
        Err(BatchError::Engine(text)) => {
            assert!(text.starts_with("kernel "), "{text}");
            assert!(text.contains("error 200"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn images_may_be_cubins_alone_or_text_alone() {
    on_the_test_driver("loads_what_it_is_given", "", "90");
}

#[test]
#[ignore = "for the driver for tests"]
fn loads_what_it_is_given() {
    let options = Options::default;
    let context = GpuContext::with_images(0, options(), &CUBINS).expect("cubins");
    sign(&context).expect("a batch");
    assert_eq!(tried(&context), [(2, cubin(9, 0), false)]);
    let context = GpuContext::with_images(0, options(), &PTX).expect("text");
    sign(&context).expect("a batch");
    assert_eq!(tried(&context), [(0, TEXT, false)]);
    let damaged = &IMAGES[2][..1000];
    let refused = GpuContext::with_images(0, options(), &[damaged]).map(|_| ());
    assert_eq!(
        refused,
        Err(GpuError::Driver {
            doing: "read a cubin",
            cause: "it is truncated or damaged".to_owned(),
        })
    );
}

#[test]
fn a_batch_goes_through_sixteen_streams() {
    on_the_test_driver("uses_sixteen_streams", "", "90");
}

#[test]
#[ignore = "for the driver for tests"]
fn uses_sixteen_streams() {
    let mut options = Options::default();
    (options.streams, options.chunk) = (Some(16), Some(1));
    let context = GpuContext::with_options(0, options).expect("the driver for tests");
    let key = SigningKey::<Falcon512>::from_seed(&[1; 32])
        .expect("no fault")
        .expand();
    let messages: Vec<_> = (0..40u8).map(|number| [number]).collect();
    let jobs: Vec<_> = messages
        .iter()
        .map(|message| SignJob::new(&key, message))
        .collect();
    let mut out = vec![Signature::EMPTY; jobs.len()];
    context
        .sign_batch(&[3; 32], &jobs, &mut out)
        .expect("a batch");
    let mut expected = out.clone();
    expected.fill(Signature::EMPTY);
    let engine = falcon_core::Engine::best();
    engine
        .sign_batch(&[3; 32], &jobs, &mut expected)
        .expect("the processor");
    assert!(out == expected);
}
