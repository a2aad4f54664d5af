//! Sends arbitrary texts to the webhooks of an operator.
#![no_main]
#[path = "../src/values.rs"]
mod values;
#[path = "../src/webhooks.rs"]
mod webhooks;
#[path = "../src/words.rs"]
mod words;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|data: &[u8]| {
    webhooks::reviews(&String::from_utf8_lossy(data));
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let text = String::from_utf8_lossy(&data[..size]).into_owned();
    let changed = webhooks::mutate(&text, seed.into());
    if seed.is_multiple_of(4) || changed.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(changed.as_bytes());
    changed.len()
});
