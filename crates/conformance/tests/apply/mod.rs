//! Typed configurations against hand-written ones, on the API server in memory and on a real one: the results are the same, `extract` returns what
//! was applied, and `diff` is empty exactly if the server changes nothing but a time.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod kinds;
mod random;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::{NamespaceResourceScope, api::apps::v1::Deployment};
use kube::Client;
use kube_codegen_conformance::{Session, definitions};
use kube_codegen_record::apply::{Apply, Fields, extract};
use kube_codegen_runtime::{
    Object,
    client::{ErrorExt, FieldManager, TypedClient},
};
use kube_codegen_testenv::ControlPlane;
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use testresult::TestResult;

use kinds::Widget;

/// The number of random objects, half of them of each kind; `KUBE_CODEGEN_APPLY_OBJECTS` sets another one.
const OBJECTS: u64 = 200;
/// The number of applies of each object.
const STEPS: usize = 4;
const MANAGERS: [&str; 3] = ["one", "two", "three"];

/// What happened, to show that each case did.
#[derive(Debug, Default)]
struct Tally {
    applied: usize,
    unchanged: usize,
    conflicts: usize,
    invalid: usize,
}

fn named(config: &Value, name: &str) -> Value {
    let mut config = config.clone();
    config["metadata"]["name"] = name.into();
    config
}

/// Returns the typed form of a hand-written configuration.
fn typed<K: Fields>(config: &Value) -> Apply<K> {
    let apply = Apply::<K>::from(serde_json::from_value::<K>(config.clone()).unwrap());
    // The one required field with a meaningful blank value.
    if config["spec"]["enabled"] == false {
        return apply.own(".spec.enabled");
    }
    apply
}

/// Removes what differs between two objects that have the same history.
fn normal(object: &impl serde::Serialize) -> Value {
    let mut object = serde_json::to_value(object).unwrap();
    let metadata = object["metadata"].as_object_mut().unwrap();
    for name in ["name", "uid", "resourceVersion", "creationTimestamp"] {
        metadata.remove(name);
    }
    for entry in metadata["managedFields"].as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("time");
    }
    metadata["managedFields"]
        .as_array_mut()
        .unwrap()
        .sort_by_key(ToString::to_string);
    object
}

/// Writes quantities and defaults inside atomic values as the server does, and sorts lists, of which the server may keep the order.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let value = match (name.as_str(), value.as_str()) {
                    ("fieldRef", _) => json!({"apiVersion": "v1", "fieldPath": value["fieldPath"]}),
                    ("cpu", Some("1000m")) => json!("1"),
                    ("cpu", Some("0.1")) => json!("100m"),
                    ("memory", Some("1024Mi")) => json!("1Gi"),
                    _ => canonical(value),
                };
                (name.clone(), value)
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => {
            let mut items: Vec<_> = items.iter().map(canonical).collect();
            items.sort_by_key(|item| {
                item["name"]
                    .as_str()
                    .map_or_else(|| item.to_string(), str::to_owned)
            });
            items.into()
        }
        value => value.clone(),
    }
}

async fn run<K>(
    client: &Client,
    namespace: &str,
    make: fn(&mut fastrand::Rng) -> Value,
    seeds: std::ops::Range<u64>,
    tally: &mut Tally,
) -> TestResult
where
    K: Object<DynamicType = (), Scope = NamespaceResourceScope> + Fields,
{
    let objects = TypedClient::<K>::namespaced(client.clone(), namespace);
    for seed in seeds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let names = [format!("typed{seed}"), format!("json{seed}")];
        let mut configs: BTreeMap<&str, Value> = BTreeMap::new();
        for _ in 0..STEPS {
            let manager = MANAGERS[rng.usize(..MANAGERS.len())];
            let former = configs.get(manager).cloned().filter(|_| rng.bool());
            let config = former.unwrap_or_else(|| make(&mut rng));
            let mut owner = FieldManager::new(manager);
            if rng.bool() {
                owner = owner.force();
            }
            let case = format!("seed {seed}, {manager}: {config}");
            let apply = typed::<K>(&named(&config, &names[0]));
            let before = objects.get_opt(&names[0]).await?;
            let diff = before
                .as_ref()
                .map(|live| apply.diff(live, manager))
                .transpose()?;
            let ours = objects.apply(&apply, owner).await;
            let theirs = objects.apply(&named(&config, &names[1]), owner).await;
            let (ours, theirs) = match (ours, theirs) {
                (Ok(ours), Ok(theirs)) => (ours, theirs),
                (Err(ours), Err(theirs)) => {
                    let status = |error: &kube::Error| error.status().map(|status| status.code);
                    assert_eq!(status(&ours), status(&theirs), "{case}");
                    assert_eq!(ours.field_conflicts(), theirs.field_conflicts(), "{case}");
                    if ours.is_conflict() {
                        let conflicts: BTreeSet<_> = ours
                            .field_conflicts()
                            .into_iter()
                            .map(|it| it.field)
                            .collect();
                        let diff = diff.unwrap();
                        let changed = |field: &String| {
                            diff.changes().iter().any(|it| {
                                it.path.starts_with(field)
                                    || field.starts_with(&it.path)
                                    || it.path.contains('[')
                            })
                        };
                        assert!(
                            !conflicts.is_empty() && conflicts.iter().all(changed),
                            "{case}\n{conflicts:?}\n{diff}"
                        );
                        tally.conflicts += 1;
                    } else {
                        tally.invalid += 1;
                    }
                    continue;
                }
                (ours, theirs) => panic!("{case}\n{ours:?}\n{theirs:?}"),
            };
            assert_eq!(normal(&ours), normal(&theirs), "{case}");
            tally.applied += 1;
            if let (Some(before), Some(diff)) = (before, diff) {
                // The server may write a new time for a built-in kind whose configuration it normalizes.
                let is_unchanged = normal(&before) == normal(&ours);
                assert_eq!(
                    diff.is_empty(),
                    is_unchanged,
                    "{case}\ndiff: {diff}\nbefore: {}\nafter: {}",
                    serde_json::to_string(&before)?,
                    serde_json::to_string(&ours)?
                );
                tally.unchanged += usize::from(is_unchanged);
            }
            let mut extracted = extract(&ours, manager)?.to_json()?;
            let mut expected = named(&config, &names[0]);
            extracted["metadata"]["namespace"] = Value::Null;
            expected["metadata"]["namespace"] = Value::Null;
            // Blank fields of built-in kinds are not stored.
            if extracted["kind"] == "Deployment" {
                drop_false(&mut extracted);
                drop_false(&mut expected);
            }
            assert_eq!(canonical(&extracted), canonical(&expected), "{case}");
            configs.insert(manager, config);
        }
    }
    Ok(())
}

/// Removes `false`, zero and empty values.
fn drop_false(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| {
                *value != json!(false) && *value != json!(0) && *value != json!("")
            });
            fields.values_mut().for_each(drop_false);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_false),
        _ => {}
    }
}

/// Runs half of the objects with each kind.
async fn compare(client: Client, namespace: &str, is_built_in: bool) -> TestResult {
    let given = std::env::var("KUBE_CODEGEN_APPLY_OBJECTS").ok();
    let all = given
        .and_then(|given| given.parse().ok())
        .unwrap_or(OBJECTS);
    let mut tally = Tally::default();
    if is_built_in {
        let seeds = all / 2..all;
        run::<Deployment>(&client, namespace, random::deployment, seeds, &mut tally).await?;
    } else {
        let session = Session::new(client.clone(), namespace);
        for definition in definitions()? {
            session.define(&definition).await?;
        }
        run::<Widget>(&client, namespace, random::widget, 0..all / 2, &mut tally).await?;
    }
    println!("{tally:?}");
    assert!(
        tally.applied > 200 && tally.unchanged > 20 && tally.conflicts > 20,
        "{tally:?}"
    );
    Ok(())
}

async fn compare_on_a_real_server(is_built_in: bool) -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("apply").await?;
    if plane.has_controllers() {
        // They change Deployments.
        plane.controllers()?.kill();
    }
    compare(plane.client()?, namespace.name(), is_built_in).await
}

#[tokio::test]
async fn typed_configurations_of_custom_resources_in_memory() -> TestResult {
    compare(ApiServer::new().client(), "default", false).await
}

#[tokio::test]
async fn typed_configurations_of_built_in_kinds_in_memory() -> TestResult {
    compare(ApiServer::new().client(), "default", true).await
}

#[tokio::test]
async fn typed_configurations_of_custom_resources() -> TestResult {
    compare_on_a_real_server(false).await
}

#[tokio::test]
async fn typed_configurations_of_built_in_kinds() -> TestResult {
    compare_on_a_real_server(true).await
}
