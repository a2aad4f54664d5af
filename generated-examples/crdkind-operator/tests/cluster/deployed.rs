//! The manifests in `deploy/` as a whole: installed and removed as an administrator does, with the operator under their account.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Pod, Service},
};
use kube::{
    Api, ResourceExt as _,
    api::{ListParams, PostParams},
};
use kube_codegen_runtime::client::ErrorExt as _;
use kube_codegen_testenv::{ControlPlane, Error, Process, TestResult, eventually, skip};

use crate::stage::{Stage, WITHIN};

const NAME: &str = "crdkind-operator";

/// The account of Prometheus, which may read the metrics.
const SCRAPER: &str = "
apiVersion: v1
kind: ServiceAccount
metadata: {name: prometheus, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: prometheus}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: crdkind-operator-metrics}
subjects: [{kind: ServiceAccount, name: prometheus, namespace: default}]
";

fn manifests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy")
}

/// Runs kubectl with the kustomization of the manifests.
async fn kustomized(plane: &ControlPlane, args: &[&str]) -> Result<String, Error> {
    let manifests = manifests();
    let path = manifests.to_str().unwrap_or_default();
    plane.kubectl([args, &["-k", path]].concat()).await
}

/// Returns the arguments of the container, with addresses of this machine.
fn arguments(deployment: &Deployment, health: SocketAddr, metrics: SocketAddr) -> Vec<String> {
    let spec = deployment.spec.clone().unwrap().template.spec.unwrap();
    let args = spec.containers[0].args.clone().unwrap();
    let mut found = 0;
    let mut local = |arg: String, port: &str, address: SocketAddr| match arg.strip_suffix(port) {
        Some(flag) => {
            found += 1;
            format!("{flag}{address}")
        }
        None => arg,
    };
    let args = args
        .into_iter()
        .map(|arg| local(arg, ":8081", health))
        .collect::<Vec<_>>();
    let args = args.into_iter().map(|arg| local(arg, ":8443", metrics));
    let args = args.collect();
    assert_eq!(found, 2, "{args:?}");
    args
}

/// Returns a local address that is free.
fn free() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// A replica of the Deployment, as a process with the token of its account.
struct Replica {
    process: Process,
    health: SocketAddr,
    metrics: SocketAddr,
}

impl Replica {
    async fn start(
        plane: &ControlPlane,
        deployment: &Deployment,
        log: &str,
    ) -> Result<Self, Error> {
        let kubeconfig = plane.kubeconfig_for(NAME, NAME).await?;
        let (health, metrics) = (free(), free());
        let mut command = Command::new(env!("CARGO_BIN_EXE_crdkind-operator"));
        command
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .arg(format!("--leader-elect-resource-namespace={NAME}"))
            .args(arguments(deployment, health, metrics));
        Ok(Self {
            process: plane.spawn(log, command)?,
            health,
            metrics,
        })
    }

    /// Waits until the readiness probe succeeds.
    async fn ready(&self) -> Result<(), Error> {
        let url = format!("http://{}", self.health);
        eventually("readiness", WITHIN, async || {
            match get(&url, "/readyz", None).await {
                Ok((200, _)) => Ok(()),
                other => Err(format!("{other:?}; {}", self.process.log())),
            }
        })
        .await
    }

    async fn scrape(&self, token: Option<&str>) -> Result<(u16, String), String> {
        get(&format!("https://{}", self.metrics), "/metrics", token).await
    }
}

/// Gets a path, and returns status and body. The certificate is self-signed.
async fn get(url: &str, path: &str, token: Option<&str>) -> Result<(u16, String), String> {
    let mut config = kube::Config::new(url.parse().unwrap());
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

/// Asserts that the namespace admits the Pods of the Deployment, and none with more privileges.
async fn check_pod_security(plane: &ControlPlane, deployment: &Deployment) -> TestResult {
    let template = deployment.spec.clone().unwrap().template;
    let mut pod = Pod {
        metadata: template.metadata.unwrap(),
        spec: template.spec,
        ..Pod::default()
    };
    pod.metadata.name = Some("pod-security".to_owned());
    let pods: Api<Pod> = Api::namespaced(plane.client()?, NAME);
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    pods.create(&dry_run, &pod).await?;
    pod.spec.as_mut().unwrap().security_context = None;
    let refused = pods.create(&dry_run, &pod).await.unwrap_err();
    assert!(refused.is_forbidden(), "{refused}");
    let message = refused.to_string();
    assert!(
        message.contains("violates PodSecurity \"restricted"),
        "{message}"
    );
    Ok(())
}

#[tokio::test]
async fn the_manifests_run_the_operator_and_leave_nothing() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    if !plane.has_controllers() {
        return Ok(skip("Deployments get no Pods here")?);
    }
    kustomized(&plane, &["apply", "--server-side"]).await?;
    let wait = "wait --for=condition=established crd/crdplural.iksoon.test.com --timeout=60s";
    plane.kubectl(wait.split(' ')).await?;
    let deployments: Api<Deployment> = Api::namespaced(plane.client()?, NAME);
    let deployment = deployments.get(NAME).await?;
    check_pod_security(&plane, &deployment).await?;

    let first = Replica::start(&plane, &deployment, "first").await?;
    first.ready().await?;
    plane.apply(SCRAPER).await?;
    let token = plane.kubectl(["create", "token", "prometheus", "-n", "default"]);
    let token = token.await?.trim().to_owned();
    let body = eventually("the metrics", WITHIN, async || {
        match first.scrape(Some(&token)).await {
            Ok((200, body)) => Ok(body),
            other => Err(format!("{other:?}")),
        }
    })
    .await?;
    assert!(
        body.contains("controller_runtime_reconcile_total"),
        "{body}"
    );
    assert_eq!(first.scrape(None).await?.0, 401);

    // A rolling restart under load: the second replica takes over, and nothing is lost.
    let stage = Stage::new(&plane, "load").await?;
    let second = Replica::start(&plane, &deployment, "second").await?;
    let mut ended = None;
    for index in 0..12 {
        stage
            .create(&format!("kind-{index}"), Some("mysql"), Some(1))
            .await?;
        if index == 5 {
            ended = Some(first.process.terminate(WITHIN).await?);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(
        ended.is_some_and(|status| status.success()),
        "{}",
        first.process.log()
    );
    second.ready().await?;
    for index in 0..12 {
        stage
            .settled(&format!("kind-{index}"), "iksoon_mysql", 1)
            .await?;
    }
    let status = second.process.terminate(WITHIN).await?;
    assert!(status.success(), "{}", second.process.log());
    for log in [first.process.log(), second.process.log()] {
        assert!(!log.to_lowercase().contains("forbidden"), "{log}");
    }

    // Uninstall: nothing is left, and the garbage collector removes the children.
    kustomized(&plane, &["delete", "--ignore-not-found"]).await?;
    let cluster = "namespaces,crds,clusterroles,clusterrolebindings,priorityclasses";
    let left = plane.kubectl(["get", cluster, "-o", "name"]).await?;
    let left: Vec<&str> = left
        .lines()
        .filter(|it| it.contains("crdkind") || it.contains("iksoon"))
        .collect();
    assert_eq!(left, [""; 0]);
    let namespace = stage.namespace.name();
    let children = eventually("no children", WITHIN, async || {
        let deployments: Api<Deployment> = Api::namespaced(plane.client()?, namespace);
        let services: Api<Service> = Api::namespaced(plane.client()?, namespace);
        let all = ListParams::default();
        let mut names: Vec<String> = Vec::new();
        names.extend(deployments.list(&all).await?.iter().map(|it| it.name_any()));
        names.extend(services.list(&all).await?.iter().map(|it| it.name_any()));
        if names.is_empty() {
            Ok(())
        } else {
            Err(Box::<dyn std::error::Error>::from(format!("{names:?}")))
        }
    });
    children.await?;
    Ok(())
}
