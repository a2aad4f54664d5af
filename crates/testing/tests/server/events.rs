//! The Events of the small controllers.
use std::{collections::BTreeSet, time::Duration};

use k8s_openapi::api::{
    apps::v1::{Deployment, StatefulSet},
    batch::v1::Job,
    core::v1::{Event, Pod},
};
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use kube_codegen_testing::{ApiServer, Controllers, PodPlan};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::sleep;

fn server(controllers: Controllers) -> ApiServer {
    ApiServer::builder()
        .namespaces()
        .controllers(controllers)
        .build()
}

async fn create<K>(server: &ApiServer, value: Value)
where
    K: kube::Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>
        + DeserializeOwned
        + serde::Serialize
        + Clone
        + std::fmt::Debug,
{
    let api: Api<K> = Api::namespaced(server.client(), "default");
    let object: K = serde_json::from_value(value).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap();
}

fn workload(replicas: i64) -> Value {
    json!({"metadata": {"name": "web"}, "spec": {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
        },
    }})
}

/// Returns the Events about objects of a kind, with their generated names replaced.
fn events(server: &ApiServer, kind: &str) -> Vec<String> {
    let events = server.list::<Event>();
    let mut about: Vec<&Event> = events
        .iter()
        .filter(|it| it.involved_object.kind.as_deref() == Some(kind))
        .collect();
    // Names end with a number that grows.
    about.sort_by_key(|it| {
        it.metadata
            .name
            .as_ref()
            .unwrap()
            .rsplit_once('.')
            .unwrap()
            .1
            .to_owned()
    });
    let shown = about.iter().map(|it| {
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let words = text(&it.message);
        let words: Vec<&str> = words
            .split(' ')
            .map(|word| match word.strip_prefix("web-") {
                Some(rest) if rest.len() > 1 => "NAME",
                _ if word.starts_with("default/web-") => "NAME",
                _ => word,
            })
            .collect();
        let by = text(&it.reporting_component);
        format!(
            "{} {} {}: {}",
            by,
            text(&it.type_),
            text(&it.reason),
            words.join(" ")
        )
    });
    shown.collect()
}

#[tokio::test(start_paused = true)]
async fn a_deployment_and_its_pods_have_the_events_of_a_cluster() {
    let server = server(Controllers::new());
    create::<Deployment>(&server, workload(1)).await;
    let available = |server: &ApiServer| {
        let status = server.get::<Deployment>("default", "web")?.status?;
        status.available_replicas
    };
    server.until(available).await;
    assert_eq!(
        events(&server, "Deployment"),
        ["deployment-controller Normal ScalingReplicaSet: Scaled up replica set NAME from 0 to 1"]
    );
    assert_eq!(
        events(&server, "ReplicaSet"),
        ["replicaset-controller Normal SuccessfulCreate: Created pod: NAME"]
    );
    assert_eq!(
        events(&server, "Pod"),
        [
            "default-scheduler Normal Scheduled: Successfully assigned NAME to node-1",
            "kubelet Normal Pulled: Container image \"nginx:1\" already present on machine",
            "kubelet Normal Created: Container created",
            "kubelet Normal Started: Container started",
        ]
    );
    let api: Api<Deployment> = Api::namespaced(server.client(), "default");
    let resize = |replicas: i64| json!({"spec": {"replicas": replicas}});
    for replicas in [2, 1, 2] {
        let change = Patch::Merge(resize(replicas));
        api.patch("web", &PatchParams::default(), &change)
            .await
            .unwrap();
        let counted =
            |server: &ApiServer| available(server).filter(|it| i64::from(*it) == replicas);
        server.until(counted).await;
    }
    let scaled: Vec<Event> = server.list::<Event>();
    let scaled = scaled
        .iter()
        .filter(|it| it.reason.as_deref() == Some("ScalingReplicaSet"));
    let counts: Vec<Option<i32>> = scaled.map(|it| it.count).collect();
    assert_eq!(
        counts,
        [Some(1), Some(2), Some(1)],
        "the same Event is counted"
    );
    let deleted = events(&server, "ReplicaSet");
    assert!(
        deleted.contains(
            &"replicaset-controller Normal SuccessfulDelete: Deleted pod: NAME".to_owned()
        ),
        "{deleted:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn jobs_and_stateful_sets_have_events() {
    let server = server(Controllers::new());
    let job = json!({"metadata": {"name": "web"}, "spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "main", "image": "nginx:1"}],
    }}}});
    create::<Job>(&server, job).await;
    let completed = |server: &ApiServer| events(server, "Job").get(1).cloned();
    server.until(completed).await;
    assert_eq!(
        events(&server, "Job"),
        [
            "job-controller Normal SuccessfulCreate: Created pod: NAME",
            "job-controller Normal Completed: Job completed",
        ]
    );
    let mut set = workload(1);
    set["spec"]["serviceName"] = "web".into();
    set["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
    }}]);
    create::<StatefulSet>(&server, set).await;
    server
        .until(|server| events(server, "StatefulSet").get(1).cloned())
        .await;
    assert_eq!(
        events(&server, "StatefulSet"),
        [
            "statefulset-controller Normal SuccessfulCreate: Create Claim data-web-0 Pod web-0 in StatefulSet web success",
            "statefulset-controller Normal SuccessfulCreate: Create Pod web-0 in StatefulSet web successful",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn failures_are_written_once_and_end_after_an_hour() {
    let plan = |_: &Pod| PodPlan::Pending;
    let server = server(Controllers::new().plan(plan));
    let range = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}}]}});
    server.apply(&range.to_string()).await.unwrap();
    let mut big = workload(3);
    big["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"cpu": "3"}});
    create::<Deployment>(&server, big).await;
    server
        .until(|server| events(server, "ReplicaSet").first().cloned())
        .await;
    let failed = events(&server, "ReplicaSet");
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(
        failed[0].ends_with("is forbidden: maximum cpu usage per Container is 2, but limit is 3")
            && failed[0]
                .starts_with("replicaset-controller Warning FailedCreate: Error creating: pods"),
        "{failed:?}"
    );
    let pod = json!({"metadata": {"name": "lost"}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}});
    create::<Pod>(&server, pod.clone()).await;
    server
        .until(|server| events(server, "Pod").first().cloned())
        .await;
    assert_eq!(
        events(&server, "Pod"),
        [
            "default-scheduler Warning FailedScheduling: 0/1 nodes are available: the Pod stays pending."
        ]
    );
    let before = names(&server);
    sleep(Duration::from_secs(3700)).await;
    let mut later = pod;
    later["metadata"]["name"] = "later".into();
    create::<Pod>(&server, later).await;
    // What still fails is written again.
    let are_new = |server: &ApiServer| {
        let left = names(server);
        (left.len() == 3 && before.is_disjoint(&left)).then_some(())
    };
    server.until(are_new).await;
}

fn names(server: &ApiServer) -> BTreeSet<String> {
    let events = server.list::<Event>().into_iter();
    events.filter_map(|it| it.metadata.name).collect()
}
