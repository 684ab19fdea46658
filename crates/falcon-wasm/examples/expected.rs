//! Prints keys and signatures that the native `falcon-core` makes from fixed seeds, one pair on
//! each line, with bytes in hexadecimal: parameter set, seed of the key, seed of the signature,
//! message, signing key, padded signature. `tests/native.test.mjs` compares them with those of
//! WebAssembly.

use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey};

fn print<P: Parameters>(number: u8) {
    // A seed of zeros is refused where a random one is wanted.
    let seed = [number + 1; 32];
    let fresh = [number ^ 0xff; 32];
    let message: Vec<u8> = (0..=255).cycle().take(usize::from(number) * 37).collect();
    let key = SigningKey::<P>::from_seed_boxed(&seed).expect("no fault");
    let mut stream = key.sign_stream_from_seed(&fresh);
    stream.update(&message);
    let signature = stream.finish().expect("no fault").to_bytes();
    let encoded = key.to_bytes();
    let bytes: [&[u8]; 5] = [
        &seed,
        &fresh,
        &message,
        (*encoded).as_ref(),
        signature.as_bytes(),
    ];
    let fields: Vec<String> = bytes
        .into_iter()
        .map(base16ct::lower::encode_string)
        .collect();
    println!("{}\t{}", P::NAME, fields.join("\t"));
}

fn main() {
    for number in 0..16 {
        print::<Falcon512>(number);
        print::<Falcon1024>(number);
    }
}
