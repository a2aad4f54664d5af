//! CAs and certificates change while requests arrive.
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube_codegen_runtime::webhook::{OwnCertificates, Rejection, Request, Webhook, Webhooks};
use kube_codegen_testenv::{ControlPlane, TestResult};
use tokio::time::sleep;

use crate::stage::{Maps, Serving, only};

/// Several lives of a CA.
const LOAD: Duration = Duration::from_secs(48);
/// Between two requests: what fails for a moment is seen, and other tests have the processor.
const PAUSE: Duration = Duration::from_millis(10);

fn mark(map: &mut ConfigMap, _: &Request) -> Result<(), Rejection> {
    map.data
        .get_or_insert_default()
        .insert("webhook".into(), "yes".into());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_fails_while_certificates_and_authorities_are_renewed() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("rotation").await?;
    let client = plane.client()?;
    let own = OwnCertificates::new()
        .namespace(namespace.name())
        .validity(Duration::from_secs(30), Duration::from_secs(15))
        .propagation(Duration::from_secs(3));
    let webhook = Webhook::defaulting(mark).namespace_selector(only(namespace.name()));
    let webhooks = Webhooks::new("rotation").webhook(webhook);
    let serving = Serving::start(client.clone(), webhooks, own);
    let maps = Maps::new(client.clone(), namespace.name());
    maps.webhooks_are_called().await?;

    let secrets = Api::<Secret>::namespaced(client, namespace.name());
    let (mut authorities, mut certificates) = (BTreeSet::new(), BTreeSet::new());
    let (mut writes, mut both) = (0, 0);
    let started = Instant::now();
    while started.elapsed() < LOAD {
        let map = maps.write(&format!("map-{writes}")).await?;
        assert!(map.data.is_some(), "the webhook was not called");
        writes += 1;
        sleep(PAUSE).await;
        if writes % 10 == 0 {
            let data = secrets.get("rotation-webhook-cert").await?.data.unwrap();
            let bundle = String::from_utf8(data["ca.crt"].0.clone())?;
            let all: Vec<_> = bundle.split("-----END").map(str::to_owned).collect();
            both += usize::from(all.len() > 2);
            authorities.extend(all.into_iter().filter(|pem| pem.contains("BEGIN")));
            certificates.insert(data["tls.crt"].0.clone());
        }
    }
    serving.stop().await;
    println!(
        "{writes} writes, {} CAs, {} certificates",
        authorities.len(),
        certificates.len()
    );
    assert!(writes > 50, "{writes}");
    assert!(authorities.len() >= 3, "{} CAs", authorities.len());
    assert!(
        certificates.len() >= 4,
        "{} certificates",
        certificates.len()
    );
    assert!(both > 0, "never two CAs at a time");
    Ok(())
}
