//! The program `etcd`: it says that it is healthy, and stores nothing.

use std::convert::Infallible;

use http::{Response, header};
use http_body_util::Full;
use hyper::body::Bytes;
use kube_codegen_testing::serving;
use tokio::{net::TcpListener, runtime};

use super::{Flags, end_with_parent};

const CLIENTS: &str = "listen-client-urls";
const HEALTHY: &str = r#"{"health":"true"}"#;

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
    end_with_parent();
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start the event loop: {error}"))?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let serve = |stream| {
            serving::connection(stream, |_| async {
                let mut answer = Response::new(Full::new(Bytes::from_static(HEALTHY.as_bytes())));
                let json = header::HeaderValue::from_static("application/json");
                answer.headers_mut().insert(header::CONTENT_TYPE, json);
                Ok::<_, Infallible>(answer)
            })
        };
        match serving::accept(listener, serve).await {}
    })
}
