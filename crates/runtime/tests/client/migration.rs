//! Storage migration against the API server in memory.
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::migration::{Error, Migration};
use kube_codegen_testing::{Action, ApiServer, Failure};
use serde_json::{Value, json};

fn crd(storage: &str) -> Value {
    let version = |name: &str| {
        json!({
            "name": name, "served": true, "storage": name == storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": [version("v1"), version("v2")],
        },
    })
}

async fn stored(crds: &Api<CustomResourceDefinition>) -> Vec<String> {
    let crd = crds.get("widgets.example.com").await.unwrap();
    crd.status.unwrap().stored_versions.unwrap()
}

/// A kind with objects in v1, whose storage version is v2.
async fn to_migrate(objects: usize) -> (ApiServer, Api<CustomResourceDefinition>) {
    let server = ApiServer::new();
    let client = server.client();
    let crds = Api::<CustomResourceDefinition>::all(client.clone());
    let created: CustomResourceDefinition = serde_json::from_value(crd("v1")).unwrap();
    crds.create(&PostParams::default(), &created).await.unwrap();
    let resource = ApiResource {
        group: "example.com".into(),
        version: "v1".into(),
        api_version: "example.com/v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
    };
    for index in 0..objects {
        let api =
            Api::<DynamicObject>::namespaced_with(client.clone(), ["a", "b"][index % 2], &resource);
        let mut widget = DynamicObject::new(&format!("w{index}"), &resource);
        widget.data = json!({"spec": {"size": index}});
        api.create(&PostParams::default(), &widget).await.unwrap();
    }
    assert_eq!(stored(&crds).await, ["v1"]);
    let moved = Patch::Merge(json!({"spec": {"versions": crd("v2")["spec"]["versions"]}}));
    crds.patch("widgets.example.com", &PatchParams::default(), &moved)
        .await
        .unwrap();
    assert_eq!(stored(&crds).await, ["v1", "v2"]);
    (server, crds)
}

#[tokio::test]
async fn all_objects_are_rewritten_and_old_versions_forgotten() {
    let (server, crds) = to_migrate(25).await;
    let client = server.client();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let migration = Migration::of("widgets.example.com")
        .chunk(10)
        .on_progress(|progress| seen.lock().unwrap().push((progress.seen, progress.total)));
    let report = migration.run(&client).await.unwrap();
    assert_eq!((report.rewritten, report.skipped), (25, 0));
    assert_eq!(report.stored_versions, ["v2"]);
    assert_eq!(stored(&crds).await, ["v2"]);
    assert_eq!(
        *seen.lock().unwrap(),
        [(10, Some(25)), (20, Some(25)), (25, Some(25))]
    );

    // There is nothing left to do.
    let again = Migration::of("widgets.example.com")
        .run(&client)
        .await
        .unwrap();
    assert_eq!(
        (again.rewritten, again.stored_versions),
        (0, vec!["v2".to_owned()])
    );
    let missing = Migration::of("gadgets.example.com")
        .run(&client)
        .await
        .unwrap_err();
    assert!(matches!(missing, Error::Request(_)), "{missing}");
}

#[tokio::test]
async fn a_server_that_migrates_is_asked_to() {
    let (server, crds) = to_migrate(25).await;
    let migration = Migration::of("widgets.example.com").by_server();
    let report = migration.run(&server.client()).await.unwrap();
    assert_eq!((report.rewritten, report.skipped), (0, 0));
    assert_eq!(report.stored_versions, ["v2"]);
    assert_eq!(stored(&crds).await, ["v2"]);
    let versions = server
        .filter_map(|object| (object["kind"] == "Widget").then(|| object["apiVersion"].clone()));
    assert_eq!(versions, vec!["example.com/v2"; 25]);
    let left = server
        .filter_map(|object| (object["kind"] == "StorageVersionMigration").then(|| object.clone()));
    assert!(left.is_empty(), "{left:?}");
}

/// Expires the list after each `lifetime` updates, and returns how often a list answered 410. Without `fresh`, that answer has no token.
fn compacted(server: &ApiServer, lifetime: usize, fresh: bool) -> Arc<AtomicUsize> {
    let (token, gone) = (Arc::new(Mutex::new(String::new())), Arc::default());
    let (updates, last, this) = (AtomicUsize::new(0), Arc::clone(&token), server.clone());
    server.intercept(move |request| {
        if (request.verb, request.resource.as_str()) == ("update", "widgets")
            && (updates.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(lifetime)
        {
            this.expire_list(&last.lock().unwrap());
        }
        Action::Pass
    });
    let counted: Arc<AtomicUsize> = Arc::clone(&gone);
    server.intercept_answers(move |request, answer| {
        if request.verb == "list" && request.resource == "widgets" {
            let next = answer["metadata"]["continue"].as_str().unwrap_or_default();
            if request.status == 410 {
                counted.fetch_add(1, Ordering::Relaxed);
                if !fresh {
                    let mut answer = answer.clone();
                    answer["metadata"] = json!({});
                    return Action::Answer(410, answer);
                }
            }
            next.clone_into(&mut token.lock().unwrap());
        }
        Action::Pass
    });
    gone
}

#[tokio::test(start_paused = true)]
async fn a_migration_goes_on_after_its_list_has_expired() {
    for fresh in [true, false] {
        goes_on(fresh).await;
    }
}

async fn goes_on(fresh: bool) {
    let (server, crds) = to_migrate(100).await;
    let gone = compacted(&server, 35, fresh);
    let seen = Mutex::new(Vec::new());
    let migration = Migration::of("widgets.example.com").chunk(10);
    let migration = migration.on_progress(|progress| {
        assert!(progress.total <= Some(100), "{progress:?}");
        seen.lock().unwrap().push(progress.seen);
    });
    let report = migration.run(&server.client()).await.unwrap();
    assert_eq!((report.rewritten, report.skipped), (100, 0));
    assert_eq!(stored(&crds).await, ["v2"]);
    assert!(gone.load(Ordering::Relaxed) >= 2);
    let seen = seen.into_inner().unwrap();
    assert!(seen.is_sorted() && seen.last() == Some(&100), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_always_expires_ends_the_migration() {
    let (server, _) = to_migrate(20).await;
    server.intercept(|request| {
        let later = request.path.contains("continue=");
        match (request.verb, later) {
            ("list", true) => Action::Fail(Failure::status(410)),
            _ => Action::Pass,
        }
    });
    let started = tokio::time::Instant::now();
    let migration = Migration::of("widgets.example.com").chunk(10);
    let error = migration.run(&server.client()).await.unwrap_err();
    assert!(matches!(error, Error::Request(_)), "{error}");
    assert!(
        started.elapsed() > std::time::Duration::from_secs(10),
        "it waits in between"
    );
}
