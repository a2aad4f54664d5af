//! Successful responses that are not the Lease, as a broken proxy in front of the API server sends them.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Client, client::Body};
use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector, Term};
use kube_codegen_testing::ApiServer;
use tokio::{task::JoinHandle, time::sleep};
use tower::{BoxError, ServiceExt as _, service_fn};

const SECOND: Duration = Duration::from_secs(1);

/// Bodies of a response with status 200 that decode as a Lease, because every field of it is optional.
const OTHERS: [&str; 4] = [
    "{}",
    r#"{"type":"ERROR","object":{"kind":"Status","code":410}}"#,
    r#"{"metadata":{"name":"another","namespace":"default","resourceVersion":"3"},"spec":{"holderIdentity":"b"}}"#,
    r#"{"metadata":{"name":"election","namespace":"default"},"spec":{"holderIdentity":"b"}}"#,
];

/// Returns a client whose requests for leases by these methods get `body` while `broken` is set, and do not reach the server.
fn client(
    server: &ApiServer,
    methods: &'static [Method],
    body: &'static str,
    broken: &Arc<AtomicBool>,
) -> Client {
    let (server, broken) = (server.clone(), Arc::clone(broken));
    let service = service_fn(move |request: Request<Body>| {
        let (server, broken) = (server.clone(), Arc::clone(&broken));
        async move {
            let is_lease = request.uri().path().contains("/leases");
            if is_lease && methods.contains(request.method()) && broken.load(Ordering::Relaxed) {
                return Ok::<_, BoxError>(Response::new(Body::from(body.as_bytes().to_vec())));
            }
            let response = server.service().oneshot(request).await?;
            let (parts, body) = response.into_parts();
            let body = body.collect().await.map_err(BoxError::from)?.to_bytes();
            Ok(Response::from_parts(parts, Body::from(body)))
        }
    });
    Client::new(service, "default")
}

fn lead(client: &Client, identity: &str) -> (Term, JoinHandle<String>) {
    let config = LeaderElectionConfig::new("election")
        .namespace("default")
        .identity(identity)
        .seed(1);
    let elector = LeaderElector::new(client, config).unwrap();
    let term = elector.term();
    let task = tokio::spawn(async move {
        let led = elector.run(async |_| std::future::pending::<()>().await);
        led.await.unwrap_err().to_string()
    });
    (term, task)
}

#[tokio::test(start_paused = true)]
async fn a_candidate_does_not_lead_by_a_response_that_is_not_its_lease() {
    let all: &[Method] = &[Method::GET, Method::POST, Method::PUT];
    for methods in [all, &[Method::POST, Method::PUT], &[Method::GET]] {
        for body in OTHERS {
            let server = ApiServer::new();
            let (first, _leads) = lead(&server.client(), "a");
            first.started().await.unwrap();
            let broken = Arc::new(AtomicBool::new(true));
            let (second, _waits) = lead(&client(&server, methods, body, &broken), "b");
            for _ in 0..600 {
                sleep(SECOND / 10).await;
                assert!(first.is_active(), "{methods:?} {body}");
                assert!(!second.is_active(), "{methods:?} {body}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_renewal_counts_only_if_the_response_is_the_lease() {
    for body in OTHERS {
        let server = ApiServer::new();
        let broken = Arc::new(AtomicBool::new(false));
        let methods = &[Method::GET, Method::PUT];
        let (first, led) = lead(&client(&server, methods, body, &broken), "b");
        first.started().await.unwrap();
        let (second, _leads) = lead(&server.client(), "a");
        sleep(5 * SECOND).await;
        broken.store(true, Ordering::Relaxed);
        let error = tokio::time::timeout(11 * SECOND, led).await;
        let error = error.expect(body).unwrap();
        assert!(
            error.contains("the response is not the Lease default/election"),
            "{body}: {error}"
        );
        assert!(!first.is_active());
        second.started().await.unwrap();
        let lease: Lease = server.get("default", "election").unwrap();
        assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some("a"));
    }
}
