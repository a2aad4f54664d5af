//! The manifests as a whole: `make deploy`, replicas under their account, a rolling restart under load, `make undeploy`.

use std::{
    collections::BTreeMap,
    net::{SocketAddr, TcpListener},
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use example_test_support::cluster::{installed, make};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Pod, Service},
};
use kube::{
    Api, ResourceExt,
    api::{ListParams, PostParams},
};
use kube_codegen_runtime::client::ErrorExt as _;
use kube_codegen_testenv::{
    ControlPlane, Error, Process, Proxy, TestResult, eventually, scrape, skip,
};

use crate::cluster::stage::{Stage, WITHIN};

const NAME: &str = "crdkind-operator";
const OBJECTS: i64 = 12;

/// The account of Prometheus, which may read the metrics, and another one, which may not.
const SCRAPERS: &str = "
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

fn directory() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the arguments of the container, with addresses of this machine.
fn arguments(deployment: &Deployment, health: SocketAddr, metrics: SocketAddr) -> Vec<String> {
    let spec = deployment.spec.clone().unwrap().template.spec.unwrap();
    let args = spec.containers[0].args.clone().unwrap();
    let mut replaced = 0;
    let mut local = |arg: String| {
        for (port, address) in [(":8081", health), (":8443", metrics)] {
            if let Some(flag) = arg.strip_suffix(port) {
                replaced += 1;
                return format!("{flag}{address}");
            }
        }
        arg
    };
    let args: Vec<String> = args.into_iter().map(&mut local).collect();
    assert_eq!(replaced, 2, "{args:?}");
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
        proxy: &Proxy,
        deployment: &Deployment,
        log: &str,
    ) -> Result<Self, Error> {
        let kubeconfig = proxy.kubeconfig_for(NAME, NAME).await?;
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
            match scrape(&url, "/readyz", None).await {
                Ok((200, _)) => Ok(()),
                other => Err(format!("{other:?}; {}", self.process.log())),
            }
        })
        .await
    }

    async fn scrape(&self, token: Option<&str>) -> Result<(u16, String), Error> {
        scrape(&format!("https://{}", self.metrics), "/metrics", token).await
    }

    /// Stops it as the kubelet does.
    async fn stop(self) -> TestResult {
        let status = self.process.terminate(WITHIN).await?;
        let log = self.process.log();
        assert!(status.success(), "{log}");
        assert!(!log.to_lowercase().contains("forbidden"), "{log}");
        Ok(())
    }
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
    let rejected = pods.create(&dry_run, &pod).await.unwrap_err();
    assert!(rejected.is_forbidden(), "{rejected}");
    let message = rejected.to_string();
    assert!(
        message.contains("violates PodSecurity \"restricted"),
        "{message}"
    );
    Ok(())
}

/// Asserts that only accounts with the right read the metrics.
async fn check_metrics(plane: &ControlPlane, replica: &Replica) -> TestResult {
    plane.apply(SCRAPERS).await?;
    let token = async |account: &str| {
        let token = plane.kubectl(["create", "token", account, "-n", "default"]);
        Ok::<_, Error>(token.await?.trim().to_owned())
    };
    let (prometheus, other) = (token("prometheus").await?, token("default").await?);
    let body = eventually("the metrics", WITHIN, async || {
        match replica.scrape(Some(&prometheus)).await {
            Ok((200, body)) => Ok(body),
            other => Err(format!("{other:?}")),
        }
    })
    .await?;
    assert!(
        body.contains("controller_runtime_reconcile_total"),
        "{body}"
    );
    assert_eq!(replica.scrape(Some(&other)).await?.0, 403);
    assert_eq!(replica.scrape(None).await?.0, 401);
    Ok(())
}

fn name(index: i64) -> String {
    format!("kind-{index}")
}

/// What was asked of an object.
#[derive(Clone, Copy, Default)]
struct Asked {
    replicas: i64,
    changes: i64,
}

/// Changes one object after the other until the flag is set.
async fn load(stage: &Stage<'_>, stop: &AtomicBool) -> Result<BTreeMap<String, Asked>, Error> {
    let mut all: BTreeMap<String, Asked> = BTreeMap::new();
    let mut round = 0;
    while !stop.load(Ordering::Relaxed) {
        for index in 0..OBJECTS {
            let replicas = 1 + (round + index) % 3;
            stage
                .change(&name(index), |spec| spec.replicas = Some(replicas))
                .await?;
            let asked = all.entry(name(index)).or_default();
            asked.replicas = replicas;
            asked.changes += 1;
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        round += 1;
    }
    Ok(all)
}

/// The children by name: the generation of the Deployment, and the version of the Service.
type Written = BTreeMap<String, (i64, Option<String>)>;

async fn written(stage: &Stage<'_>) -> Result<Written, Error> {
    let all = ListParams::default();
    let mut services = BTreeMap::new();
    for service in stage.services.list(&all).await? {
        services.insert(service.name_any(), service.resource_version());
    }
    let mut written = BTreeMap::new();
    for deployment in stage.deployments.list(&all).await? {
        let name = deployment.name_any();
        let service = services.remove(&name).flatten();
        let generation = deployment.metadata.generation.unwrap_or_default();
        written.insert(name, (generation, service));
    }
    Ok(written)
}

/// Asserts that nothing was written twice: at most one write of a Deployment per change of its object, none of a Service, and at most one
/// request beside them per new leader, which applies each child once to learn that it is as it should be.
async fn check_writes(
    proxy: &Proxy,
    stage: &Stage<'_>,
    before: Written,
    asked: &BTreeMap<String, Asked>,
) -> TestResult {
    const LEADERS: i64 = 3;
    let mut requests: BTreeMap<String, i64> = BTreeMap::new();
    let prefix = format!("/namespaces/{}/", stage.namespace.name());
    for request in proxy.requests() {
        if let Some((_, path)) = request.uri.path().split_once(&prefix)
            && request.method != "GET"
            && !path.starts_with("events")
        {
            *requests.entry(path.to_owned()).or_default() += 1;
        }
    }
    let after = written(stage).await?;
    assert_eq!(after.len(), before.len());
    let mut followed = 0;
    for (name, (generation, service)) in after {
        let (first, first_service) = &before[&name];
        assert_eq!(&service, first_service, "the Service {name} was written");
        let changes = asked[&name].changes;
        followed += usize::from(generation > *first);
        assert!(
            generation - first <= changes,
            "{name}: {generation} after {changes} changes"
        );
        for (kind, writes) in [("deployments", generation), ("services", 1)] {
            let sent = requests[&format!("{kind}/{name}")];
            assert!(
                (writes..writes + LEADERS).contains(&sent),
                "{sent} requests for {writes} writes of {kind}/{name}"
            );
        }
    }
    // A leader sees changes that came before its time as one, which may lead back to the first state.
    assert!(
        followed * 2 > before.len(),
        "{followed} of {} have changed",
        before.len()
    );
    Ok(())
}

/// Waits until the garbage collector has removed the children of the objects.
async fn no_children(stage: &Stage<'_>) -> Result<(), Error> {
    let all = ListParams::default();
    eventually("no children", WITHIN, async || {
        let deployments: Vec<Deployment> = stage.deployments.list(&all).await?.items;
        let services: Vec<Service> = stage.services.list(&all).await?.items;
        let names = deployments.iter().map(ResourceExt::name_any);
        let names: Vec<String> = names
            .chain(services.iter().map(ResourceExt::name_any))
            .collect();
        if names.is_empty() {
            Ok(())
        } else {
            Err(Box::<dyn std::error::Error + Send + Sync>::from(format!(
                "{names:?}"
            )))
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manifests_run_the_operator_and_leave_nothing() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    if !plane.has_controllers() {
        return Ok(skip("Deployments get no Pods here")?);
    }
    assert_eq!(installed(&plane, directory()).await?, [""; 0]);
    make(&plane, directory(), "install").await?;
    make(&plane, directory(), "deploy").await?;
    let wait = "wait --for=condition=established crd/crdplural.iksoon.test.com --timeout=60s";
    plane.kubectl(wait.split(' ')).await?;
    assert!(installed(&plane, directory()).await?.len() > 15);
    // The stand-in for kubelets runs no program; the Pods of the Deployment exist and are admitted.
    let wait = "wait --for=condition=available deployment/crdkind-operator -n crdkind-operator --timeout=60s";
    plane.kubectl(wait.split(' ')).await?;
    let deployments: Api<Deployment> = Api::namespaced(plane.client()?, NAME);
    let deployment = deployments.get(NAME).await?;
    check_pod_security(&plane, &deployment).await?;

    let proxy = plane.proxy().await?;
    let first = Replica::start(&plane, &proxy, &deployment, "first").await?;
    let second = Replica::start(&plane, &proxy, &deployment, "second").await?;
    first.ready().await?;
    second.ready().await?;
    check_metrics(&plane, &first).await?;

    // A rolling restart under load: each replica is replaced, the leader among them.
    let stage = Stage::new(&plane, "load").await?;
    for index in 0..OBJECTS {
        stage.create(&name(index), Some("mysql"), Some(1)).await?;
    }
    for index in 0..OBJECTS {
        stage.settled(&name(index), "iksoon_mysql", 1).await?;
    }
    let before = written(&stage).await?;
    let stop = AtomicBool::new(false);
    let restart = async {
        let third = Replica::start(&plane, &proxy, &deployment, "third").await?;
        third.ready().await?;
        first.stop().await?;
        let fourth = Replica::start(&plane, &proxy, &deployment, "fourth").await?;
        fourth.ready().await?;
        second.stop().await?;
        // The next leader has to have some work.
        tokio::time::sleep(Duration::from_secs(5)).await;
        stop.store(true, Ordering::Relaxed);
        TestResult::Ok([third, fourth])
    };
    let (asked, replicas) = tokio::join!(load(&stage, &stop), restart);
    let ([third, fourth], asked) = (replicas?, asked?);
    for (name, asked) in &asked {
        let replicas = i32::try_from(asked.replicas)?;
        stage.settled(name, "iksoon_mysql", replicas).await?;
    }
    check_writes(&proxy, &stage, before, &asked).await?;

    // The CRD and the objects go first, while the operator can still do its work.
    make(&plane, directory(), "undeploy").await?;
    assert_eq!(installed(&plane, directory()).await?, [""; 0]);
    no_children(&stage).await?;
    make(&plane, directory(), "uninstall").await?;
    third.process.terminate(WITHIN).await?;
    fourth.process.terminate(WITHIN).await?;
    Ok(())
}
