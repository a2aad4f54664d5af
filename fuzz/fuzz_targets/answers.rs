//! Gives arbitrary answers to informers and clients.
#![no_main]
#[path = "../src/answers.rs"]
mod answers;
#[path = "../src/values.rs"]
mod values;
#[path = "../src/words.rs"]
mod words;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use tokio::runtime::Builder;

fuzz_target!(|data: &[u8]| {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().start_paused(true);
    let runtime = builder.build().expect("a runtime");
    runtime.block_on(answers::answers(data));
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let changed = answers::mutate(&data[..size], seed.into());
    if seed.is_multiple_of(4) || changed.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
});
