//! Parses arbitrary bytes as CRDs.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| kube_codegen_fuzz::parse(&String::from_utf8_lossy(data)));
