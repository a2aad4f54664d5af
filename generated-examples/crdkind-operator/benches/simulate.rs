//! Measures how many schedules of faults a second the simulation runs on one core, with three objects, and whether its memory stays flat.
//!
//! `cargo bench -p crdkind-operator --bench simulate` runs ten parts of different seeds. `SIMULATE_BUDGET` sets the length of each: a time, or a
//! number of schedules; 3 seconds by default.

use std::{fs, time::Duration};

use crdkind_operator::{
    REPORTER,
    generated::iksoon_test_com::v1::CrdKind,
    register,
    settings::{Images, Settings},
};
use kube::CustomResourceExt as _;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::{Budget, Simulation};

// The system's allocator takes a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let (mut schedules, mut seconds) = (0, 0.0);
    for seed in 1..=10 {
        let before = processor_time();
        let summary = Simulation::new(REPORTER)
            .crd(&CrdKind::crd())
            .objects(3)
            .threads(1)
            .seed(seed)
            .budget(Budget::Time(Duration::from_secs(3)))
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
        let spent = processor_time() - before;
        match summary {
            Ok(summary) => {
                println!("{} MiB resident, seed {seed}: {summary}", resident());
                schedules += summary.schedules;
                seconds += spent;
            }
            Err(found) => println!("{found}"),
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = schedules as f64 / seconds;
    println!("{schedules} schedules: {rate:.0} per second of processor time");
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
