//! kube's own finalizer helper, whose patches `test` a field that is not there.
use std::sync::Arc;
use std::sync::Mutex;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, PostParams};
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{Event, finalizer};
use kube_codegen_testing::ApiServer;

use super::support::{map, maps};

#[tokio::test]
async fn kubes_finalizer_helper_goes_its_whole_way() {
    let server = ApiServer::new();
    let maps = maps(&server);
    maps.create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    let seen = Mutex::new(Vec::new());
    let step = async || {
        let object: Arc<ConfigMap> = Arc::new(maps.get("a").await.unwrap());
        finalizer(&maps, "x.io/clean", object, |event| {
            seen.lock().unwrap().push(match event {
                Event::Apply(_) => "apply",
                Event::Cleanup(_) => "cleanup",
            });
            std::future::ready(Ok::<_, std::io::Error>(Action::await_change()))
        })
        .await
        .unwrap();
    };
    step().await;
    step().await;
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(server.is_terminating::<ConfigMap>("default", "a"));
    step().await;
    assert_eq!(*seen.lock().unwrap(), ["apply", "cleanup"]);
    assert!(server.get::<ConfigMap>("default", "a").is_none());
}
