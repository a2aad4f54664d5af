//! Generates from CRDs that are mutated as trees and as bytes.
#![no_main]
use kube_codegen_fuzz::{generate, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|data: &[u8]| generate(&String::from_utf8_lossy(data)));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // Bytes now and then, for what no tree contains.
    let changed = if seed.is_multiple_of(4) {
        None
    } else {
        let text = String::from_utf8_lossy(&data[..size]);
        mutate(&text, seed.into()).filter(|changed| changed.len() <= max_size)
    };
    match changed {
        Some(changed) => {
            data[..changed.len()].copy_from_slice(changed.as_bytes());
            changed.len()
        }
        None => fuzzer_mutate(data, size, max_size),
    }
});
