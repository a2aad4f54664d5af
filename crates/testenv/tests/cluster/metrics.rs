//! A manager's secure metrics endpoint, with tokens that a real API server reviews.
use std::{future::pending, net::SocketAddr, path::Path};

use clap::Parser;
use kube_codegen_runtime::manager::{Manager, ManagerArgs};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};

use crate::support::WITHIN;

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

/// Gets a path over TLS, and returns status and body. The certificate is self-signed.
async fn get(
    address: SocketAddr,
    path: &str,
    token: Option<&str>,
) -> Result<(u16, String), String> {
    let mut config = kube::Config::new(format!("https://{address}").parse().unwrap());
    config.accept_invalid_certs = true;
    config.auth_info.token = token.map(|token| token.to_owned().into());
    let client = kube::Client::try_from(config).unwrap();
    let request = http::Request::get(path).body(kube::client::Body::empty());
    let response = client.send(request.unwrap()).await;
    let response = response.map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let body = response.into_body().collect_bytes().await;
    let body = body.map_err(|error| error.to_string())?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
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
        match get(free, "/metrics", Some(&scraper)).await {
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
    let informers = get(free, "/debug/informers", Some(&scraper)).await?;
    assert_eq!(informers, (200, "[]\n".to_owned()));
    let queues = get(free, "/debug/queues", Some(&scraper)).await?;
    assert_eq!(queues, (200, "{}\n".to_owned()));

    assert_eq!(get(free, "/metrics", None).await?.0, 401);
    assert_eq!(get(free, "/metrics", Some("forged")).await?.0, 401);
    let other = token(&plane.kubeconfig_for(name, "other").await?);
    let denied = format!("Authorization denied for user system:serviceaccount:{name}:other\n");
    assert_eq!(get(free, "/metrics", Some(&other)).await?, (403, denied));
    running.abort();
    Ok(())
}
