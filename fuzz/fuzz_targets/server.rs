//! Sends arbitrary requests to the API server in memory.
#![no_main]
#[path = "../src/server.rs"]
mod server;

use kube_codegen_testing::ApiServer;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::sync::OnceLock;
use tokio::runtime::Builder;

static SERVER: OnceLock<ApiServer> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().start_paused(true);
    let runtime = builder.build().expect("a runtime");
    let server = SERVER.get_or_init(|| ApiServer::builder().namespaces().build());
    runtime.block_on(server::requests(&server.fork(), data));
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let changed = server::mutate(&data[..size], seed.into());
    if seed.is_multiple_of(4) || changed.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
});
