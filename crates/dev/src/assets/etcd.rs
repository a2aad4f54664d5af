//! The program `etcd`: it says that it is healthy, and stores nothing.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
    time::Duration,
};

use kube_codegen_testing::serving;

use super::{Flags, end_with_parent};

const CLIENTS: &str = "listen-client-urls";
const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\nConnection: close\r\n\r\n{\"health\":\"true\"}";
/// A client that sends nothing does not stop the others for longer.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) fn run(flags: &Flags) -> Result<(), String> {
    if flags.help(
        "Says that it is healthy: the API server keeps its objects in memory.",
        &[CLIENTS],
    ) {
        return Ok(());
    }
    let url = flags.get(CLIENTS).unwrap_or("http://127.0.0.1:2379");
    let first = url.split(',').next().unwrap_or(url);
    let address = first
        .split_once("://")
        .map_or(first, |(_, it)| it)
        .trim_end_matches('/');
    let failed = |error| format!("cannot listen at {address} (--{CLIENTS}): {error}");
    let listener = TcpListener::bind(address).map_err(failed)?;
    end_with_parent();
    loop {
        match listener.accept() {
            Ok((mut stream, _)) => {
                stream.set_read_timeout(Some(PATIENCE)).ok();
                let _request = stream.read(&mut [0; 4096]);
                stream.write_all(ANSWER.as_bytes()).ok();
            }
            Err(error) if serving::is_of_client(&error) => {}
            // Such as too many open files: another attempt at once would fail as well.
            Err(_) => thread::sleep(serving::PAUSE),
        }
    }
}
