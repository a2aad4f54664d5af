//! The proxy: forwarding, and the fault of each rule.

use std::time::Duration;

use futures::{AsyncBufReadExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{ListParams, ObjectMeta, PostParams, WatchEvent, WatchParams},
};
use kube_codegen_testenv::{ControlPlane, Error, Fault, Rule, TestResult, eventually};

use crate::cluster::support::WITHIN;

fn config_map(name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}

fn code(error: kube::Error) -> u16 {
    match error {
        kube::Error::Api(status) => status.code,
        other => panic!("{other:?}"),
    }
}

/// Returns the lines of a watch on the namespace's `ConfigMaps` from the beginning.
async fn watch(
    client: &Client,
    namespace: &str,
) -> Result<impl futures::TryStream<Ok = String, Error = std::io::Error> + Unpin, Error> {
    let uri = format!(
        "/api/v1/namespaces/{namespace}/configmaps?watch=1&fieldSelector=metadata.name!%3Dkube-root-ca.crt"
    );
    let request = http::Request::get(uri).body(Vec::new()).unwrap();
    Ok(client.request_stream(request).await?.lines())
}

#[tokio::test]
async fn without_rules_nothing_changes() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("proxy").await?;
    let proxy = plane.proxy().await?;
    let config_maps: Api<ConfigMap> = Api::namespaced(proxy.client()?, ns.name());
    let made = config_maps
        .create(&PostParams::default(), &config_map("a"))
        .await?;
    let direct: Api<ConfigMap> = Api::namespaced(plane.client()?, ns.name());
    assert_eq!(direct.get("a").await?, made);

    let params = WatchParams::default().fields("metadata.name=a");
    let mut events = Box::pin(config_maps.watch(&params, "0").await?);
    assert!(matches!(events.try_next().await?, Some(WatchEvent::Added(seen)) if seen == made));
    direct
        .delete("a", &kube::api::DeleteParams::default())
        .await?;
    let mut next = events.try_next().await?;
    while let Some(WatchEvent::Bookmark(_)) = next {
        next = events.try_next().await?;
    }
    assert!(matches!(next, Some(WatchEvent::Deleted(_))), "{next:?}");

    let seen = proxy.requests();
    let methods: Vec<_> = seen
        .iter()
        .map(|request| (request.method.as_str(), request.is_watch()))
        .collect();
    assert_eq!(methods, [("POST", false), ("GET", true)]);
    plane
        .kubectl([
            "--kubeconfig",
            proxy.kubeconfig().to_str().unwrap(),
            "get",
            "nodes",
        ])
        .await?;
    Ok(())
}

#[tokio::test]
async fn the_token_of_the_client_is_forwarded() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("proxy-rights").await?;
    plane
        .kubectl(["create", "serviceaccount", "unprivileged", "-n", ns.name()])
        .await?;
    let proxy = plane.proxy().await?;
    let kubeconfig = proxy.kubeconfig_for(ns.name(), "unprivileged").await?;
    let refused = plane
        .kubectl(["--kubeconfig", kubeconfig.to_str().unwrap(), "get", "pods"])
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains(&format!("system:serviceaccount:{ns}:unprivileged")),
        "{refused}"
    );

    let mut stranger = proxy.config();
    stranger.auth_info = kube::config::AuthInfo::default();
    let pods: Api<ConfigMap> = Api::namespaced(Client::try_from(stranger)?, ns.name());
    assert!(matches!(
        code(pods.list(&ListParams::default()).await.unwrap_err()),
        401 | 403
    ));
    Ok(())
}

#[tokio::test]
async fn responses_get_the_fault_as_often_as_the_rule_says() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("proxy-answers").await?;
    let proxy = plane.proxy().await?;
    let config_maps: Api<ConfigMap> = Api::namespaced(proxy.client()?, ns.name());
    for (fault, expected) in [
        (
            Fault::TooManyRequests {
                retry_after: Duration::from_secs(1),
            },
            429,
        ),
        (Fault::InternalError, 500),
        (Fault::Unavailable, 503),
        (Fault::Gone, 410),
    ] {
        let rule = proxy.add(Rule::new(fault).method("GET").path("/configmaps").times(1));
        assert_eq!(
            code(config_maps.list(&ListParams::default()).await.unwrap_err()),
            expected
        );
        config_maps.list(&ListParams::default()).await?;
        assert_eq!(rule.hits(), 1);
    }
    let rule = proxy.add(Rule::new(Fault::Refuse).method("POST"));
    assert!(
        config_maps
            .create(&PostParams::default(), &config_map("a"))
            .await
            .is_err()
    );
    rule.remove();
    config_maps
        .create(&PostParams::default(), &config_map("a"))
        .await?;

    let rule = proxy.add(Rule::new(Fault::Delay(Duration::from_secs(3600))).times(1));
    let delayed = tokio::spawn({
        let config_maps = config_maps.clone();
        async move { config_maps.get("a").await }
    });
    eventually("the delayed request", WITHIN, async || {
        (rule.hits() == 1).then_some(()).ok_or("not sent")
    })
    .await?;
    config_maps.get("a").await?;
    assert!(
        !delayed.is_finished(),
        "a later request overtakes the delayed one"
    );
    delayed.abort();

    proxy.add(Rule::new(Fault::Cut { after: 20 }).times(1));
    assert!(config_maps.get("a").await.is_err());
    proxy.add(
        Rule::new(Fault::Slow {
            piece: 64,
            pause: Duration::from_millis(1),
        })
        .times(1),
    );
    config_maps.get("a").await?;
    Ok(())
}

#[tokio::test]
async fn watches_get_faults_line_by_line() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("proxy-watch").await?;
    let proxy = plane.proxy().await?;
    let client = proxy.client()?;
    let config_maps: Api<ConfigMap> = Api::namespaced(plane.client()?, ns.name());
    config_maps
        .create(&PostParams::default(), &config_map("a"))
        .await?;

    let whole = watch(&client, ns.name())
        .await?
        .try_next()
        .await
        .unwrap()
        .unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&whole).unwrap()["type"] == "ADDED");

    proxy.add(Rule::new(Fault::Duplicate).watch(true).times(1));
    let mut twice = watch(&client, ns.name()).await?;
    assert_eq!(twice.try_next().await.unwrap().as_ref(), Some(&whole));
    assert_eq!(twice.try_next().await.unwrap().as_ref(), Some(&whole));

    proxy.add(Rule::new(Fault::Garble).watch(true).times(1));
    let half = watch(&client, ns.name())
        .await?
        .try_next()
        .await
        .unwrap()
        .unwrap();
    assert!(whole.starts_with(&half) && serde_json::from_str::<serde_json::Value>(&half).is_err());

    proxy.add(Rule::new(Fault::WatchExpired).watch(true).times(1));
    let mut expired = watch(&client, ns.name()).await?;
    let event: serde_json::Value =
        serde_json::from_str(&expired.try_next().await.unwrap().unwrap()).unwrap();
    assert_eq!(
        (&event["type"], &event["object"]["code"]),
        (&"ERROR".into(), &410.into())
    );
    assert_eq!(expired.try_next().await.unwrap(), None);

    proxy.add(
        Rule::new(Fault::Stall {
            after: whole.len() + 1,
        })
        .watch(true)
        .times(1),
    );
    let mut stalled = watch(&client, ns.name()).await?;
    assert_eq!(stalled.try_next().await.unwrap().as_ref(), Some(&whole));
    config_maps
        .create(&PostParams::default(), &config_map("b"))
        .await?;
    assert!(
        tokio::time::timeout(Duration::from_secs(1), stalled.try_next())
            .await
            .is_err()
    );
    assert!(proxy.cut(&Rule::new(Fault::Refuse).watch(true)) >= 1);
    assert!(stalled.try_next().await.is_err());
    Ok(())
}

#[tokio::test]
async fn the_proxy_is_down_with_its_server() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let proxy = plane.proxy().await?;
    let config_maps: Api<ConfigMap> = Api::default_namespaced(proxy.client()?);
    let mut events = Box::pin(config_maps.watch(&WatchParams::default(), "0").await?);
    plane.api_server()?.kill();
    assert!(config_maps.list(&ListParams::default()).await.is_err());
    while let Ok(Some(_)) = events.try_next().await {}
    plane.api_server()?.restart().await?;
    config_maps.list(&ListParams::default()).await?;
    Ok(())
}

#[tokio::test]
async fn expired_tokens_get_401_until_a_client_has_a_new_one() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("expiry").await?;
    let proxy = plane.proxy().await?;
    plane
        .kubectl([
            "create",
            "rolebinding",
            "view",
            "--clusterrole=view",
            &format!("--serviceaccount={ns}:default"),
            "-n",
            ns.name(),
        ])
        .await?;
    let kubectl = async |kubeconfig: &std::path::Path| {
        let kubeconfig = format!("--kubeconfig={}", kubeconfig.display());
        plane.kubectl([&kubeconfig, "get", "configmaps"]).await
    };
    let old = proxy.kubeconfig_for(ns.name(), "default").await?;
    kubectl(&old).await?;
    assert_eq!(proxy.expire_tokens(), 1);
    let error = kubectl(&old).await.unwrap_err().to_string();
    assert!(error.contains("Unauthorized"), "{error}");
    // A token request within one second may give the same token.
    tokio::time::sleep(Duration::from_secs(1)).await;
    kubectl(&proxy.kubeconfig_for(ns.name(), "default").await?).await?;
    Ok(())
}
