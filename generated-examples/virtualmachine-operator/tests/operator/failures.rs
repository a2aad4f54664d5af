//! Webhooks that reject, panic, are slow, or are down.
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::webhook::{
    Defaulter, FailurePolicy, FieldErrors, OwnCertificates, Rejection, Request, Webhook, Webhooks,
};
use kube_codegen_testenv::{ControlPlane, TestResult};

use crate::stage::{Maps, Serving, only};

struct Handler;

impl Defaulter<ConfigMap> for Handler {
    async fn set_defaults(&self, map: &mut ConfigMap, request: &Request) -> Result<(), Rejection> {
        match &*request.name {
            "panic" => panic!("no idea"),
            "slow" => tokio::time::sleep(Duration::from_secs(60)).await,
            "rejected" => {
                let mut errors = FieldErrors::new();
                errors.invalid("metadata.name", "rejected", "must be another one");
                errors.finish(map)?;
            }
            _ => {}
        }
        map.data
            .get_or_insert_default()
            .insert("webhook".into(), request.user().into());
        Ok(())
    }
}

fn webhooks(name: &str, namespace: &str, policy: FailurePolicy) -> Webhooks {
    let webhook = Webhook::defaulting(Handler)
        .failure_policy(policy)
        .timeout(Duration::from_secs(2))
        .namespace_selector(only(namespace));
    Webhooks::new(name).webhook(webhook)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_failure_policy_decides_and_the_client_gets_the_reason() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let (fail, ignore) = (
        plane.namespace("fail").await?,
        plane.namespace("ignore").await?,
    );
    let client = plane.client()?;
    let start = |name, namespace, policy| {
        let webhooks = webhooks(name, namespace, policy);
        Serving::start(client.clone(), webhooks, OwnCertificates::new())
    };
    let strict = start("strict", fail.name(), FailurePolicy::Fail);
    let lax = start("lax", ignore.name(), FailurePolicy::Ignore);
    let failing = Maps::new(client.clone(), fail.name());
    let ignoring = Maps::new(client.clone(), ignore.name());
    failing.webhooks_are_called().await?;
    ignoring.webhooks_are_called().await?;

    let user = failing.write("a").await?.data.unwrap()["webhook"].clone();
    assert_eq!(user, "admin");
    for maps in [&failing, &ignoring] {
        let rejected = maps.rejection("rejected").await;
        let message = r#"ConfigMap "rejected" is invalid: metadata.name: Invalid value: "rejected": must be another one"#;
        assert!(rejected.contains(message), "{rejected}");
    }
    let panicked = failing.rejection("panic").await;
    assert!(
        panicked.contains("the webhook panicked: no idea"),
        "{panicked}"
    );
    assert_eq!(ignoring.write("panic").await?.data, None);

    let started = Instant::now();
    let slow = failing.rejection("slow").await;
    assert!(slow.contains("the webhook took longer than 1.8s"), "{slow}");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(ignoring.write("slow").await?.data, None);

    strict.stop().await;
    lax.stop().await;
    let down = failing.rejection("a").await;
    assert!(down.contains("failed calling webhook"), "{down}");
    assert_eq!(ignoring.write("a").await?.data, None);
    Ok(())
}
