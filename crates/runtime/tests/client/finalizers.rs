//! Finalizers are added before the first step and removed after the last.
use std::{
    cell::Cell,
    sync::{Arc, Mutex},
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch};
use kube_codegen_runtime::{
    client::TypedClient,
    controller::Action,
    finalizer::{Step, finalize},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;

const NAME: &str = "example.com/bucket";

struct Stage {
    maps: TypedClient<ConfigMap>,
    steps: Mutex<Vec<&'static str>>,
    fails: Cell<bool>,
}

impl Stage {
    async fn new(server: &ApiServer) -> (Self, Arc<ConfigMap>) {
        let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
        let map = json!({"metadata": {"name": "a", "finalizers": ["example.com/other"]}});
        let map = maps
            .create(&serde_json::from_value(map).unwrap())
            .await
            .unwrap();
        let (steps, fails) = (Mutex::default(), Cell::new(false));
        (Self { maps, steps, fails }, Arc::new(map))
    }

    /// Reconciles an object; returns the steps, and whether it succeeded.
    async fn reconcile(&self, map: Arc<ConfigMap>) -> (Vec<&'static str>, bool) {
        let result = finalize(&self.maps, NAME, map, async |step| {
            self.steps.lock().unwrap().push(match &step {
                Step::Apply(map) => {
                    assert!(
                        map.metadata
                            .finalizers
                            .as_ref()
                            .unwrap()
                            .contains(&NAME.to_owned())
                    );
                    "apply"
                }
                Step::Cleanup(_) => "cleanup",
            });
            if self.fails.get() {
                self.maps.get("missing").await?;
            }
            Ok::<_, kube::Error>(Action::await_change())
        });
        let is_ok = result.await.is_ok();
        (std::mem::take(&mut *self.steps.lock().unwrap()), is_ok)
    }

    async fn finalizers(&self) -> Vec<String> {
        let map = self.maps.get("a").await.unwrap();
        map.metadata.finalizers.unwrap_or_default()
    }
}

#[tokio::test]
async fn the_finalizer_is_added_before_and_removed_after_the_steps() {
    let server = ApiServer::new();
    let (stage, first) = Stage::new(&server).await;
    assert_eq!(
        stage.reconcile(Arc::clone(&first)).await,
        (vec!["apply"], true)
    );
    assert_eq!(stage.finalizers().await, ["example.com/other", NAME]);
    // The cached object is outdated.
    assert_eq!(
        stage.reconcile(Arc::clone(&first)).await,
        (vec!["apply"], true)
    );
    assert_eq!(stage.finalizers().await, ["example.com/other", NAME]);
    let writes = server.writes().len();
    let cached = Arc::new(stage.maps.get("a").await.unwrap());
    assert_eq!(stage.reconcile(cached).await, (vec!["apply"], true));
    assert_eq!(server.writes().len(), writes);

    let _ = stage
        .maps
        .delete("a", &DeleteParams::default())
        .await
        .unwrap();
    let cached = Arc::new(stage.maps.get("a").await.unwrap());
    stage.fails.set(true);
    assert_eq!(
        stage.reconcile(Arc::clone(&cached)).await,
        (vec!["cleanup"], false)
    );
    assert_eq!(stage.finalizers().await.len(), 2);
    stage.fails.set(false);
    let label = Patch::Merge(json!({"metadata": {"labels": {"a": "b"}}}));
    stage.maps.patch("a", &label).await.unwrap();
    assert_eq!(
        stage.reconcile(Arc::clone(&cached)).await,
        (vec!["cleanup"], true)
    );
    assert_eq!(stage.finalizers().await, ["example.com/other"]);

    // The last finalizer is gone, and so is the object.
    let none = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    stage.maps.patch("a", &none).await.unwrap();
    assert_eq!(stage.reconcile(cached).await, (vec!["cleanup"], true));
}

#[tokio::test]
async fn an_object_that_is_deleted_already_gets_no_finalizer() {
    let server = ApiServer::new();
    let (stage, first) = Stage::new(&server).await;
    let _ = stage
        .maps
        .delete("a", &DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(stage.reconcile(Arc::clone(&first)).await, (vec![], true));
    let cached = Arc::new(stage.maps.get("a").await.unwrap());
    assert_eq!(stage.reconcile(cached).await, (vec![], true));
    assert_eq!(stage.finalizers().await, ["example.com/other"]);
    let none = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    stage.maps.patch("a", &none).await.unwrap();
    assert_eq!(stage.reconcile(first).await, (vec![], true));
}
