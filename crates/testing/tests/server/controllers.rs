//! The small controllers.
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::{
    apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet},
    batch::v1::Job,
    core::v1::{Node, PersistentVolumeClaim, Pod, Service},
    discovery::v1::EndpointSlice,
};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams},
};
use kube_codegen_testing::{ApiServer, Controllers, PodPlan};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

fn server(controllers: Controllers) -> ApiServer {
    ApiServer::builder()
        .namespaces()
        .controllers(controllers)
        .build()
}

fn typed<K: DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

fn template(image: &str) -> Value {
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": image, "ports": [{"name": "http", "containerPort": 8080}]}]}})
}

fn workload<K: DeserializeOwned>(replicas: i64) -> K {
    typed(
        json!({"metadata": {"name": "web"}, "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template("nginx:1")}}),
    )
}

fn rolled_out(server: &ApiServer, replicas: i32) -> Option<Deployment> {
    let deployment: Deployment = server.get("default", "web")?;
    let status = deployment.status.clone()?;
    let generation = deployment.metadata.generation;
    let done = status.observed_generation == generation
        && status.replicas == Some(replicas)
        && status.updated_replicas == Some(replicas)
        && status.available_replicas == Some(replicas);
    done.then_some(deployment)
}

#[tokio::test(start_paused = true)]
async fn a_deployment_rolls_out_without_losing_availability() {
    let server = server(Controllers::new().ready_after(Duration::from_secs(5)));
    let api: Api<Deployment> = Api::namespaced(server.client(), "default");
    let start = Instant::now();
    api.create(&kube::api::PostParams::default(), &workload(4))
        .await
        .unwrap();
    server.until(|server| rolled_out(server, 4)).await;
    assert_eq!(start.elapsed(), Duration::from_secs(5));
    assert_eq!(server.list::<Pod>().len(), 4);

    let watching = tokio::spawn({
        let server = server.clone();
        async move {
            let mut least = 4;
            let mut most = 0;
            server
                .until(|server| {
                    let pods = server.list::<Pod>();
                    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
                    least = least.min(ready);
                    most = most.max(pods.len());
                    rolled_out(server, 4).filter(|it| image(it) == "nginx:2")
                })
                .await;
            (least, most)
        }
    });
    let change = json!({"spec": {"template": template("nginx:2")}});
    api.patch("web", &PatchParams::default(), &Patch::Strategic(&change))
        .await
        .unwrap();
    assert_eq!(watching.await.unwrap(), (3, 5), "25 % of 4 Pods");
    let deployment = rolled_out(&server, 4).unwrap();
    let conditions = deployment.status.unwrap().conditions.unwrap();
    let reasons: Vec<_> = conditions
        .iter()
        .filter_map(|it| it.reason.as_deref())
        .collect();
    assert_eq!(
        reasons,
        ["MinimumReplicasAvailable", "NewReplicaSetAvailable"]
    );
    let revision = &deployment.metadata.annotations.unwrap()["deployment.kubernetes.io/revision"];
    assert_eq!(revision, "2");
    let sizes: Vec<_> = server
        .list::<ReplicaSet>()
        .iter()
        .map(|set| set.spec.as_ref().unwrap().replicas.unwrap())
        .collect();
    assert_eq!(sizes.iter().sum::<i32>(), 4);
    assert_eq!(sizes.len(), 2);

    // A controller that has nothing more to do writes nothing.
    sleep(Duration::from_secs(60)).await;
    let revision = server.revision();
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(server.revision(), revision);
}

fn image(deployment: &Deployment) -> &str {
    let spec = deployment.spec.as_ref().unwrap().template.spec.as_ref();
    spec.unwrap().containers[0].image.as_deref().unwrap()
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|it| it.conditions.as_ref());
    conditions.is_some_and(|all| {
        all.iter()
            .any(|it| it.type_ == "Ready" && it.status == "True")
    })
}

#[tokio::test(start_paused = true)]
async fn pods_crash_stay_pending_and_lose_their_node() {
    let server = server(Controllers::new().nodes(2).plan(|pod| {
        let labels = pod.metadata.labels.clone().unwrap_or_default();
        match labels.get("plan").map(String::as_str) {
            Some("crash") => PodPlan::Crash(Duration::from_secs(1)),
            Some("pending") => PodPlan::Pending,
            _ => PodPlan::Ready(Duration::from_secs(1)),
        }
    }));
    let pods: Api<Pod> = Api::namespaced(server.client(), "default");
    for plan in ["crash", "pending", "ready"] {
        let pod = json!({"metadata": {"name": plan, "labels": {"plan": plan}}, "spec": {"containers": [{"name": "a", "image": "a"}]}});
        pods.create(&kube::api::PostParams::default(), &typed(pod))
            .await
            .unwrap();
    }
    sleep(Duration::from_secs(60)).await;
    let state = |name: &str| {
        let pod: Pod = server.get("default", name).unwrap();
        let status = pod.status.clone().unwrap();
        let first = status
            .container_statuses
            .unwrap_or_default()
            .into_iter()
            .next();
        let waiting = first
            .as_ref()
            .and_then(|it| it.state.clone()?.waiting?.reason);
        (
            status.phase.unwrap(),
            waiting,
            first.map_or(0, |it| it.restart_count),
        )
    };
    let crash = state("crash");
    assert_eq!(
        (crash.0.as_str(), crash.1.as_deref()),
        ("Running", Some("CrashLoopBackOff"))
    );
    // After 1, 11 and 31 seconds.
    assert_eq!(crash.2, 3);
    assert_eq!(state("pending"), ("Pending".to_owned(), None, 0));
    let ready: Pod = server.get("default", "ready").unwrap();
    assert!(is_ready(&ready));

    let node = ready.spec.unwrap().node_name.unwrap();
    server
        .edit::<Node>("", &node, |node| {
            node["status"]["conditions"][0]["status"] = "Unknown".into();
        })
        .unwrap();
    server
        .until(|server| {
            server
                .get::<Pod>("default", "ready")
                .filter(|pod| !is_ready(pod))
        })
        .await;
    sleep(Duration::from_secs(301)).await;
    assert!(server.get::<Pod>("default", "ready").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_stateful_set_grows_in_order_with_its_claims() {
    let server = server(Controllers::new());
    let mut set: StatefulSet = workload(3);
    let spec = set.spec.as_mut().unwrap();
    spec.service_name = Some("web".into());
    spec.volume_claim_templates = Some(vec![typed(
        json!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}),
    )]);
    let api: Api<StatefulSet> = Api::namespaced(server.client(), "default");
    let start = Instant::now();
    api.create(&kube::api::PostParams::default(), &set)
        .await
        .unwrap();
    let ready = |server: &ApiServer| {
        let set: StatefulSet = server.get("default", "web")?;
        let status = set.status?;
        let done = status.ready_replicas == Some(3)
            && status.current_revision == status.update_revision
            && status.observed_generation == set.metadata.generation;
        done.then_some(status)
    };
    let first = server.until(ready).await;
    assert_eq!(
        start.elapsed(),
        Duration::from_secs(3),
        "one after the other"
    );
    let names: Vec<_> = server
        .list::<Pod>()
        .into_iter()
        .map(|pod| pod.metadata.name.unwrap())
        .collect();
    assert_eq!(names, ["web-0", "web-1", "web-2"]);
    assert_eq!(server.list::<PersistentVolumeClaim>().len(), 3);

    let change = json!({"spec": {"template": template("nginx:2")}});
    api.patch("web", &PatchParams::default(), &Patch::Strategic(&change))
        .await
        .unwrap();
    let second = server
        .until(|server| ready(server).filter(|it| it.current_revision != first.current_revision))
        .await;
    assert_eq!(second.updated_replicas, Some(3));
}

#[tokio::test(start_paused = true)]
async fn a_daemon_set_has_a_pod_on_each_node() {
    let server = server(Controllers::new().nodes(3));
    let api: Api<DaemonSet> = Api::namespaced(server.client(), "default");
    let mut set: Value = serde_json::to_value(workload::<Deployment>(1)).unwrap();
    set["spec"].as_object_mut().unwrap().remove("replicas");
    set["spec"].as_object_mut().unwrap().remove("strategy");
    set["apiVersion"] = "apps/v1".into();
    set["kind"] = "DaemonSet".into();
    api.create(&kube::api::PostParams::default(), &typed(set))
        .await
        .unwrap();
    server
        .until(|server| {
            let status = server.get::<DaemonSet>("default", "web")?.status?;
            (status.number_available == Some(3)).then_some(())
        })
        .await;
    Api::<Node>::all(server.client())
        .delete("node-2", &DeleteParams::default())
        .await
        .unwrap();
    server
        .until(|server| {
            let status = server.get::<DaemonSet>("default", "web")?.status?;
            (status.desired_number_scheduled == 2 && status.number_available == Some(2))
                .then_some(())
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn jobs_complete_or_fail() {
    let server = server(Controllers::new());
    let api: Api<Job> = Api::namespaced(server.client(), "default");
    let job = |name: &str, annotations: Value| -> Job {
        typed(
            json!({"metadata": {"name": name}, "spec": {"completions": 3, "parallelism": 2, "backoffLimit": 1, "template": {
            "metadata": {"annotations": annotations},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}}}}),
        )
    };
    api.create(&kube::api::PostParams::default(), &job("good", json!({})))
        .await
        .unwrap();
    api.create(
        &kube::api::PostParams::default(),
        &job("bad", json!({"kube-codegen.dev/pod": "crash"})),
    )
    .await
    .unwrap();
    let end = |server: &ApiServer, name: &str| {
        let status = server.get::<Job>("default", name)?.status?;
        let conditions = status.conditions.clone()?;
        let last = conditions.last()?;
        Some((
            last.type_.clone(),
            last.reason.clone()?,
            status.succeeded,
            status.failed,
        ))
    };
    let good = server.until(|server| end(server, "good")).await;
    assert_eq!(
        good,
        (
            "Complete".into(),
            "CompletionsReached".into(),
            Some(3),
            None
        )
    );
    let bad = server.until(|server| end(server, "bad")).await;
    assert_eq!(
        bad,
        (
            "Failed".into(),
            "BackoffLimitExceeded".into(),
            None,
            Some(2)
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_service_has_the_addresses_of_its_ready_pods() {
    let server = server(Controllers::new());
    let service: Service = typed(
        json!({"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}}),
    );
    let services: Api<Service> = Api::namespaced(server.client(), "default");
    services
        .create(&kube::api::PostParams::default(), &service)
        .await
        .unwrap();
    let api: Api<Deployment> = Api::namespaced(server.client(), "default");
    api.create(&kube::api::PostParams::default(), &workload(2))
        .await
        .unwrap();
    let slice = server
        .until(|server| {
            let slice = server.list::<EndpointSlice>().into_iter().next()?;
            let ready = slice.endpoints.iter().filter(|it| {
                it.conditions
                    .as_ref()
                    .is_some_and(|it| it.ready == Some(true))
            });
            (ready.count() == 2).then_some(slice)
        })
        .await;
    assert_eq!(slice.ports.unwrap()[0].port, Some(8080));
    assert_eq!(
        slice.metadata.labels.unwrap()["kubernetes.io/service-name"],
        "web"
    );
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_not_restarted_succeeds_if_asked() {
    for (controllers, phase) in [
        (Controllers::new(), "Running"),
        (Controllers::new().end_unrestarted(), "Succeeded"),
    ] {
        let server = server(controllers);
        let pods: Api<Pod> = Api::namespaced(server.client(), "default");
        for policy in ["Never", "Always"] {
            let pod = json!({"metadata": {"name": policy.to_lowercase()}, "spec": {"restartPolicy": policy, "containers": [{"name": "test", "image": "test"}]}});
            pods.create(&kube::api::PostParams::default(), &typed(pod))
                .await
                .unwrap();
        }
        sleep(Duration::from_secs(60)).await;
        let of = |name: &str| server.get::<Pod>("default", name).unwrap().status.unwrap();
        assert_eq!(of("never").phase.as_deref(), Some(phase));
        assert_eq!(of("always").phase.as_deref(), Some("Running"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_ends_though_a_pod_that_was_counted_is_deleted() {
    let server = server(Controllers::new().done_after(Duration::from_secs(10)));
    let jobs: Api<Job> = Api::namespaced(server.client(), "default");
    let pods: Api<Pod> = Api::namespaced(server.client(), "default");
    let spec = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    let job = json!({"metadata": {"name": "web"}, "spec": {"completions": 2, "template": {"spec": spec}}});
    jobs.create(&kube::api::PostParams::default(), &typed(job))
        .await
        .unwrap();
    let ended = |server: &ApiServer, count: i32| {
        let status = server.get::<Job>("default", "web")?.status?;
        status.succeeded.filter(|found| *found == count)
    };
    server.until(|server| ended(server, 1)).await;
    let succeeded = server.list::<Pod>().into_iter().find(|pod| {
        let status = pod.status.as_ref();
        status.and_then(|it| it.phase.as_deref()) == Some("Succeeded")
    });
    let name = succeeded.unwrap().metadata.name.unwrap();
    pods.delete(&name, &DeleteParams::default()).await.unwrap();
    server.until(|server| ended(server, 2)).await;
    assert!(server.warnings().is_empty(), "{:?}", server.warnings());
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_suspended_after_a_success_ends() {
    let first: Arc<Mutex<Option<String>>> = Arc::default();
    let server = server(Controllers::new().plan(move |pod| {
        let mut first = first.lock().unwrap();
        let name = pod.metadata.name.clone().unwrap();
        if *first.get_or_insert_with(|| name.clone()) == name {
            PodPlan::Ready(Duration::from_secs(1))
        } else {
            PodPlan::Ready(Duration::from_secs(3600))
        }
    }));
    let jobs: Api<Job> = Api::namespaced(server.client(), "default");
    let spec = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    let job = json!({"metadata": {"name": "web"}, "spec": {"parallelism": 2, "template": {"spec": spec}}});
    jobs.create(&kube::api::PostParams::default(), &typed(job))
        .await
        .unwrap();
    let status = |server: &ApiServer| server.get::<Job>("default", "web")?.status;
    server
        .until(|server| status(server)?.succeeded.filter(|it| *it == 1))
        .await;
    let suspend = Patch::Merge(json!({"spec": {"suspend": true}}));
    jobs.patch("web", &PatchParams::default(), &suspend)
        .await
        .unwrap();
    sleep(Duration::from_secs(60)).await;
    let conditions = status(&server).unwrap().conditions.unwrap_or_default();
    let is_complete = conditions.iter().any(|it| it.type_ == "Complete");
    assert!(is_complete, "{conditions:?} {:?}", server.warnings());
    assert!(server.warnings().is_empty(), "{:?}", server.warnings());
}

#[tokio::test(start_paused = true)]
async fn objects_with_long_names_have_events() {
    let server = server(Controllers::new().nodes(0));
    let pods: Api<Pod> = Api::namespaced(server.client(), "default");
    let name = "a".repeat(250);
    let pod =
        json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    pods.create(&kube::api::PostParams::default(), &typed(pod))
        .await
        .unwrap();
    sleep(Duration::from_secs(1)).await;
    let warnings = server.warnings();
    assert!(warnings[0].starts_with("FailedScheduling"), "{warnings:?}");
}
