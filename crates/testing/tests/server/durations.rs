//! Every duration that a test may set, with the shortest and the longest values.
use std::{fmt::Debug, time::Duration};

use futures::StreamExt as _;
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        apps::v1::Deployment,
        batch::v1::Job,
        core::v1::{ConfigMap, Pod},
    },
};
use kube::{
    Api, Resource,
    api::{DeleteParams, PostParams, WatchParams},
};
use kube_codegen_testing::{Action, ApiServer, Controllers, EventAction, Failure, On};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{
    extremes::EXTREMES,
    support::{map, maps},
};

const MINUTE: Duration = Duration::from_secs(60);

async fn create<K>(server: &ApiServer, spec: Value)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Serialize + DeserializeOwned + Clone + Debug,
{
    let object = json!({"metadata": {"name": "web"}, "spec": spec});
    let api = Api::<K>::namespaced(server.client(), "default");
    let object = serde_json::from_value(object).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn pods_take_any_time() {
    for duration in EXTREMES {
        let controllers = Controllers::new()
            .ready_after(duration)
            .done_after(duration)
            .ends_after(duration);
        let server = ApiServer::builder().namespaces().controllers(controllers);
        let server = server.build();
        let template = |policy: &str| {
            json!({
                "metadata": {"labels": {"app": policy}},
                "spec": {"restartPolicy": policy, "containers": [{"name": "web", "image": "web:1"}]},
            })
        };
        let selector = json!({"matchLabels": {"app": "Always"}});
        let deployment =
            json!({"replicas": 1, "selector": selector, "template": template("Always")});
        create::<Deployment>(&server, deployment).await;
        create::<Job>(&server, json!({"template": template("Never")})).await;
        sleep(MINUTE).await;
        let deployment: Deployment = server.get("default", "web").unwrap();
        let ready = deployment.status.and_then(|status| status.ready_replicas);
        let job: Job = server.get("default", "web").unwrap();
        let done = job.status.and_then(|status| status.succeeded);
        let expected = (duration < MINUTE).then_some(1);
        assert_eq!((ready, done), (expected, expected), "{duration:?}");
        let pods: Api<Pod> = Api::namespaced(server.client(), "default");
        let all = pods.list(&kube::api::ListParams::default()).await.unwrap();
        for pod in all {
            let name = pod.metadata.name.unwrap();
            pods.delete(&name, &DeleteParams::default()).await.unwrap();
        }
        sleep(MINUTE).await;
    }
}

#[tokio::test(start_paused = true)]
async fn requests_and_events_take_any_time() {
    for duration in EXTREMES {
        let server = ApiServer::new();
        let params = WatchParams {
            timeout: None,
            ..WatchParams::default()
        };
        let mut events = maps(&server).watch(&params, "0").await.unwrap().boxed();
        server.intercept_events(move |_| EventAction::Delay(duration));
        server.fail_next(On::any(), Failure::delay(duration));
        server.intercept(move |request| match request.verb {
            "get" => Action::Delay(duration),
            _ => Action::Pass,
        });
        let api = maps(&server);
        let is_short = duration < MINUTE;
        let params = PostParams::default();
        let created = timeout(MINUTE, api.create(&params, &map("a"))).await;
        assert_eq!(created.is_ok(), is_short, "{duration:?}");
        let found = timeout(MINUTE, api.get_opt("a")).await;
        assert_eq!(found.is_ok(), is_short, "{duration:?}");
        server.clear_faults();
        api.create(&params, &map("b")).await.unwrap();
        let event = timeout(MINUTE, events.next()).await;
        assert_eq!(event.is_ok(), is_short, "{duration:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_takes_any_period() {
    for seconds in [0, 1, i64::from(u32::MAX), i64::MAX] {
        let server = ApiServer::new();
        let path = format!("/api/v1/configmaps?watch=true&timeoutSeconds={seconds}");
        let request = http::Request::get(path).body(Vec::new()).unwrap();
        let client = server.client();
        let events = client.request_events::<ConfigMap>(request);
        let mut events = events.await.unwrap().boxed();
        let ends = timeout(MINUTE, events.next()).await.is_ok();
        assert_eq!(ends, seconds == 1, "{seconds}");
    }
}
