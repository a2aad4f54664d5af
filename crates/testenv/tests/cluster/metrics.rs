//! A manager's secure metrics endpoint, with tokens that a real API server reviews.
use std::{future::pending, path::Path};

use clap::Parser;
use kube_codegen_runtime::manager::{Manager, ManagerArgs};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually, scrape};

use crate::cluster::support::WITHIN;

/// The operator's account, a scraper with the right to read metrics, and one without.
const ACCOUNTS: &str = r#"
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: operator, namespace: NAMESPACE}}
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: scraper, namespace: NAMESPACE}}
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: other, namespace: NAMESPACE}}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: NAMESPACE-operator}
  rules:
  - {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
  - {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRoleBinding
  metadata: {name: NAMESPACE-operator}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAMESPACE-operator}
  subjects: [{kind: ServiceAccount, name: operator, namespace: NAMESPACE}]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: NAMESPACE-reader}
  rules: [{nonResourceURLs: ["/metrics", "/debug/*"], verbs: [get]}]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRoleBinding
  metadata: {name: NAMESPACE-reader}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAMESPACE-reader}
  subjects: [{kind: ServiceAccount, name: scraper, namespace: NAMESPACE}]
"#;

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,
}

/// Returns the bearer token of a kubeconfig.
fn token(kubeconfig: &Path) -> String {
    let config = kube::config::Kubeconfig::read_from(kubeconfig).unwrap();
    let user = serde_json::to_value(&config.auth_infos[0]).unwrap();
    user["user"]["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_service_account_with_the_right_reads_the_metrics_of_a_manager() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("metrics").await?;
    let name = namespace.name();
    plane.apply(&ACCOUNTS.replace("NAMESPACE", name)).await?;
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let url = format!("https://{free}");
    let kubeconfig = plane.kubeconfig_for(name, "operator").await?;
    let args = Args::parse_from([
        "operator",
        &format!("--kubeconfig={}", kubeconfig.display()),
        &format!("--metrics-bind-address={free}"),
        "--health-probe-bind-address=0",
    ]);
    let manager: Manager = args.manager.builder("operator").await?.build()?;
    let running = tokio::spawn(manager.run(pending()));

    let scraper = token(&plane.kubeconfig_for(name, "scraper").await?);
    // RBAC caches of the API server follow within seconds.
    let body = eventually("the metrics", WITHIN, async || {
        match scrape(&url, "/metrics", Some(&scraper)).await {
            Ok((200, body)) => Ok(body),
            other => Err(format!("{other:?}")),
        }
    })
    .await?;
    // The reviews themselves are requests of the operator.
    assert!(
        body.contains("rest_client_requests_total{code=\"201\""),
        "{body}"
    );
    let informers = scrape(&url, "/debug/informers", Some(&scraper)).await?;
    assert_eq!(informers, (200, "[]\n".to_owned()));
    let queues = scrape(&url, "/debug/queues", Some(&scraper)).await?;
    assert_eq!(queues, (200, "{}\n".to_owned()));

    assert_eq!(scrape(&url, "/metrics", None).await?.0, 401);
    assert_eq!(scrape(&url, "/metrics", Some("forged")).await?.0, 401);
    let other = token(&plane.kubeconfig_for(name, "other").await?);
    let denied = format!("Authorization denied for user system:serviceaccount:{name}:other\n");
    assert_eq!(scrape(&url, "/metrics", Some(&other)).await?, (403, denied));
    running.abort();
    Ok(())
}
