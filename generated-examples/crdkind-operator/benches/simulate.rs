//! Measures how many schedules of faults a second the simulation runs on one core, with three objects, and whether its memory stays flat.
//!
//! `cargo bench -p crdkind-operator --bench simulate`. `SIMULATE_BUDGET` sets the length of each of the four parts: a time or a number of
//! schedules, 10 seconds by default.

use std::{fs, time::Duration};

use crdkind_operator::{
    REPORTER,
    generated::iksoon_test_com::v1::CrdKind,
    register,
    settings::{Images, Settings},
};
use kube::CustomResourceExt as _;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::Simulation;

fn main() {
    for seed in 1..=4 {
        let before = processor_time();
        let summary = Simulation::new(REPORTER)
            .crd(&CrdKind::crd())
            .objects(3)
            .seed(seed)
            .operator(|client| async move {
                let mut manager = Manager::builder(client, REPORTER).build()?;
                let settings = Settings {
                    look_again: Duration::from_secs(10),
                    images: Images::default(),
                };
                register(&mut manager, settings);
                manager.run(std::future::pending()).await
            })
            .explore();
        let seconds = processor_time() - before;
        match summary {
            #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
            Ok(summary) => println!(
                "{:.0} schedules per second of processor time, {} MiB resident: {summary}",
                summary.schedules as f64 / seconds,
                resident()
            ),
            Err(found) => println!("seed {seed}: {}", found.message),
        }
    }
}

/// Returns the resident memory of this process in MiB; 0 where /proc does not show it.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Returns the processor time of this thread in seconds, which other processes do not change.
fn processor_time() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next();
    nanoseconds
        .and_then(|it| it.parse::<f64>().ok())
        .unwrap_or(f64::NAN)
        / 1e9
}
