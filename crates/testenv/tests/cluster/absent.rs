//! A controller whose CRD comes, goes and comes back on a real API server, beside one that always works.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::{
    api::core::v1::ConfigMap,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, ResourceExt,
    api::{ApiResource, DeleteParams, DynamicObject, PostParams},
    core::discovery::Scope,
};
use kube_codegen_runtime::{
    Object,
    controller::{Action, Controller, OnError},
    informer::{ObjectKey, SharedInformer},
    manager::Manager,
};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::json;

use crate::cluster::support::{WITHIN, config_map};

/// What was reconciled, with a sign that says whether the object existed.
type Seen = Arc<Mutex<Vec<String>>>;

fn control<K: Object>(manager: &mut Manager, informer: &SharedInformer<K>) -> Seen {
    let seen = Seen::default();
    let reconcile = |key: ObjectKey, object: Option<Arc<K>>, seen: Arc<Seen>| async move {
        // The control plane writes this one into each namespace, at any time.
        if key.name != "kube-root-ca.crt" {
            let sign = if object.is_some() { '+' } else { '-' };
            seen.lock().unwrap().push(format!("{sign}{}", key.name));
        }
        Ok::<_, Infallible>(Action::await_change())
    };
    let context = Arc::new(Arc::clone(&seen));
    let controller = Controller::for_informer(informer);
    manager.controller(controller, move |controller| {
        controller.run_keyed(reconcile, |_, _, _| OnError::Backoff, context)
    });
    seen
}

async fn until(what: &str, seen: &Seen, last: &str) -> TestResult {
    eventually(what, WITHIN, async || {
        let seen = seen.lock().unwrap();
        if seen.last().is_some_and(|it| it == last) {
            return Ok(());
        }
        Err(format!("{seen:?}"))
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_controller_follows_its_crd_and_the_others_work() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("absent").await?;
    let client = plane.client()?;
    let group = "absent.example.com";
    let crd: CustomResourceDefinition = serde_json::from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("latecomers.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"kind": "Latecomer", "listKind": "LatecomerList", "plural": "latecomers", "singular": "latecomer"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    }))?;
    let resource = ApiResource {
        group: group.into(),
        version: "v1".into(),
        api_version: format!("{group}/v1"),
        kind: "Latecomer".into(),
        plural: "latecomers".into(),
    };
    let crds = Api::<CustomResourceDefinition>::all(client.clone());
    let objects =
        Api::<DynamicObject>::namespaced_with(client.clone(), namespace.name(), &resource);
    let install = async |name: &str| {
        eventually("the CRD is created", WITHIN, async || {
            let created = crds.create(&PostParams::default(), &crd).await;
            created.map(drop).map_err(|error| error.to_string())
        })
        .await?;
        let object = DynamicObject::new(name, &resource);
        eventually("its kind is served", WITHIN, async || {
            let created = objects.create(&PostParams::default(), &object).await;
            created.map(drop).map_err(|error| error.to_string())
        })
        .await
    };

    let mut manager = Manager::builder(client.clone(), "absent")
        .informers(|it| it.namespace(namespace.name()))
        .build()?;
    let maps = manager.factory().informer::<ConfigMap>();
    let latecomers = manager
        .factory()
        .dynamic_informer::<DynamicObject>(&resource, &Scope::Namespaced);
    let (all_maps, all_late) = (
        control(&mut manager, &maps),
        control(&mut manager, &latecomers),
    );
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(manager.run(async { drop(stopped.await) }));

    let api = Api::<ConfigMap>::namespaced(client.clone(), namespace.name());
    api.create(&PostParams::default(), &config_map("first", 1))
        .await?;
    until("the others work", &all_maps, "+first").await?;
    assert!(!latecomers.is_served() && all_late.lock().unwrap().is_empty());

    install("one").await?;
    until("the controller starts", &all_late, "+one").await?;
    assert!(latecomers.is_served());

    crds.delete(&crd.name_any(), &DeleteParams::default())
        .await?;
    until("the object is gone", &all_late, "-one").await?;
    eventually("the kind is gone", WITHIN, async || {
        let is_gone = !latecomers.is_served() && latecomers.lister().all().is_empty();
        is_gone
            .then_some(())
            .ok_or_else(|| "it is served".to_owned())
    })
    .await?;
    api.create(&PostParams::default(), &config_map("second", 1))
        .await?;
    until("the others still work", &all_maps, "+second").await?;

    install("two").await?;
    until("the controller starts again", &all_late, "+two").await?;
    let metrics = latecomers.metrics();
    println!("{} failures were reported", metrics.failures);
    assert!(metrics.failures < 8, "{}", metrics.failures);
    drop(stop);
    tokio::time::timeout(Duration::from_secs(30), running).await???;
    crds.delete(&crd.name_any(), &DeleteParams::default())
        .await?;
    Ok(())
}
