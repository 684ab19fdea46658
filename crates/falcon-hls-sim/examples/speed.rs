//! Prints the transforms simulated per second, by preset:
//!
//! ```sh
//! cargo run --release -p falcon-hls-sim --example speed
//! ```
//!
//! prints the median and the best of 101 rounds, in which the presets take turns. Other users of
//! the machine disturb the best round least.

use falcon_hls_sim::accelerator::{Accelerator, Error};
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::nest::Transform;
use std::time::{Duration, Instant};

const ROUNDS: usize = 101;
/// Shortest time for which a preset is measured in a round.
const LEAST: Duration = Duration::from_millis(20);

/// Measures how many FFT-512 are simulated in a second.
fn speed(accelerator: &Accelerator) -> Result<f64, Error> {
    let (start, mut transforms) = (Instant::now(), 0);
    loop {
        let mut f: Vec<f64> = (0..512).map(f64::from).collect();
        accelerator.transform(Transform::Fft, 9, &mut f, &mut ())?;
        transforms += 1;
        let elapsed = start.elapsed();
        if elapsed >= LEAST {
            return Ok(f64::from(transforms) / elapsed.as_secs_f64());
        }
    }
}

fn main() -> Result<(), Error> {
    let mut speeds = Preset::ALL.map(|preset| (preset, Vec::new()));
    for _ in 0..ROUNDS {
        for (preset, speeds) in &mut speeds {
            speeds.push(speed(&Accelerator::new(preset.design())?)?);
        }
    }
    println!("preset            FFT-512 a second: median     best");
    for (preset, speeds) in &mut speeds {
        speeds.sort_by(f64::total_cmp);
        let (median, best) = (speeds[ROUNDS / 2], speeds[ROUNDS - 1]);
        println!("{:<16}{median:>26.0}{best:>9.0}", preset.name());
    }
    Ok(())
}
