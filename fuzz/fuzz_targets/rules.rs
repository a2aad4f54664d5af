//! Uses arbitrary texts as expressions of CEL, and as arguments of its functions.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| kube_codegen_fuzz::rules(&String::from_utf8_lossy(data)));
