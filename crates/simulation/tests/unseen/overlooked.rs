//! Errors that few schedules show: the default budget is enough to find them.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, ListParams, Patch, PatchParams, PostParams},
    runtime::{
        Controller, WatchStreamExt as _,
        controller::Action,
        reflector::{self, ObjectRef, Store},
        watcher,
    },
};
use kube_codegen_simulation::{Found, Simulation};
use serde_json::json;

use super::{SOON, crd, owners, resource};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    None,
    /// A child is looked for by its name alone, in all namespaces, and updated where it is.
    NameAlone,
    /// A child is created in the first namespace only.
    FirstNamespace,
    /// What is done is noted by the name alone, until the object is deleted.
    NotedByName,
    /// The name of a child has the first letters of that of its owner.
    ShortName,
    /// A child gets a random name where the cache shows none.
    StaleCache,
    /// A line has the order of a map, which each process makes anew.
    OrderOfMap,
}

struct Context {
    noted: Mutex<HashMap<String, String>>,
    client: Client,
    mistake: Mistake,
    maps: Store<ConfigMap>,
    trays: Store<DynamicObject>,
    order: String,
}

impl Context {
    async fn reconcile(&self, tray: &DynamicObject) -> kube::Result<Action> {
        if tray.metadata.deletion_timestamp.is_some() {
            return Ok(Action::await_change());
        }
        if self.is_overlooked(tray) {
            return Ok(Action::await_change());
        }
        let (mut name, namespace) = (tray.name_any(), tray.namespace().unwrap_or_default());
        let text = &tray.data["spec"]["text"];
        let mut maps = Api::<ConfigMap>::namespaced(self.client.clone(), &namespace);
        let mut lines = json!({"first": text, "second": text});
        match self.mistake {
            Mistake::NameAlone => {
                // The server shows the present, so that nothing but the namespace is wrong.
                let by_name = ListParams::default().fields(&format!("metadata.name={name}"));
                let found = Api::<ConfigMap>::all(self.client.clone());
                if let Some(it) = found.list(&by_name).await?.items.first() {
                    let home = it.namespace().unwrap_or_default();
                    maps = Api::namespaced(self.client.clone(), &home);
                }
            }
            Mistake::StaleCache => {
                if !self.has_child(tray) {
                    let child = json!({
                        "apiVersion": "v1", "kind": "ConfigMap",
                        "metadata": {"generateName": format!("{name}-"), "ownerReferences": owners(tray, "Tray")},
                    });
                    let child = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
                    maps.create(&PostParams::default(), &child).await?;
                }
                return Ok(Action::await_change());
            }
            Mistake::OrderOfMap => {
                lines["order"] = self.order.clone().into();
            }
            Mistake::ShortName => name.truncate(40),
            Mistake::FirstNamespace | Mistake::NotedByName | Mistake::None => {}
        }
        let child = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "ownerReferences": owners(tray, "Tray")},
            "data": lines,
        });
        let params = PatchParams::apply("trays").force();
        maps.patch(&name, &params, &Patch::Apply(child)).await?;
        Ok(Action::await_change())
    }

    fn is_overlooked(&self, tray: &DynamicObject) -> bool {
        let (name, namespace) = (tray.name_any(), tray.namespace().unwrap_or_default());
        match self.mistake {
            Mistake::FirstNamespace => namespace != "default",
            Mistake::NotedByName => {
                let mut noted = self.noted.lock().unwrap();
                let is_there = |first: &String| {
                    let first = ObjectRef::new_with(&name, resource("Tray")).within(first);
                    self.trays.get(&first).is_some()
                };
                let first = noted
                    .entry(name.clone())
                    .or_insert_with(|| namespace.clone());
                if !is_there(first) {
                    first.clone_from(&namespace);
                }
                *first != namespace
            }
            _ => false,
        }
    }

    /// Whether the cache shows a child of the object.
    fn has_child(&self, tray: &DynamicObject) -> bool {
        let uid = tray.uid();
        let owners = |it: &ConfigMap| {
            it.owner_references()
                .iter()
                .any(|it| Some(&it.uid) == uid.as_ref())
        };
        self.maps.state().iter().any(|it| owners(it))
    }
}

async fn trays(client: Client, mistake: Mistake) {
    let config = watcher::Config::default();
    let all = Api::<DynamicObject>::all_with(client.clone(), &resource("Tray"));
    let maps = Api::<ConfigMap>::all(client.clone());
    let (store, writer) = reflector::store();
    let cache = watcher(maps.clone(), config.clone())
        .default_backoff()
        .reflect(writer)
        .for_each(|_| async {});
    let set = HashSet::from(["a", "b", "c", "d", "e", "f"]);
    let controller = Controller::new_with(all, config.clone(), resource("Tray"));
    let context = Context {
        noted: Mutex::default(),
        trays: controller.store(),
        client,
        mistake,
        maps: store,
        order: Vec::from_iter(set).join(","),
    };
    let controller = controller
        .owns(maps, config)
        .run(
            |tray: Arc<DynamicObject>, context: Arc<Context>| async move {
                context.reconcile(&tray).await
            },
            |_, _: &kube::Error, _| Action::requeue(SOON),
            Arc::new(context),
        )
        .for_each(|_| async {});
    futures::join!(cache, controller);
}

fn simulate(mistake: Mistake) -> Result<(), Box<Found>> {
    let simulation = Simulation::new("trays")
        .crd(&crd("Tray", &json!({"text": {"type": "string"}})))
        .threads(1)
        .operator(move |client| trays(client, mistake));
    simulation.explore().map(drop)
}

#[test]
fn two_namespaces_may_have_the_same_name() {
    let found = simulate(Mistake::NameAlone).unwrap_err();
    eprintln!("{found}");
    let workload = &found.schedule.workload;
    assert!(workload.ends_with("a second namespace"), "{found}");
}

#[test]
fn a_child_that_a_second_namespace_never_gets_is_missed() {
    for mistake in [Mistake::FirstNamespace, Mistake::NotedByName] {
        let found = simulate(mistake).unwrap_err();
        eprintln!("{found}");
        let (object, _) = found.message.split_once(" is missing").unwrap();
        assert!(
            object.starts_with("ConfigMap another-namespace/"),
            "{found}"
        );
        let report = found.to_string();
        assert!(report.contains("by the name alone"), "{found}");
        // The smaller workload has valid objects.
        assert!(!report.contains("→ 422"), "{found}");
    }
}

#[test]
fn names_that_begin_alike_share_a_child() {
    let found = simulate(Mistake::ShortName).unwrap_err();
    eprintln!("{found}");
    let what = "1 child of kind ConfigMap is there, and 2 after \"create\"";
    assert!(found.message.starts_with(what), "{found}");
    // The objects that share it are left, and valid.
    let report = found.to_string();
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!report.contains("→ 422"), "{found}");
    assert!(report.contains("two objects share one child"), "{found}");
}

#[test]
fn a_stale_cache_leads_to_twins() {
    let found = simulate(Mistake::StaleCache).unwrap_err();
    eprintln!("{found}");
    // A second child with a generated name.
    assert!(found.message.contains("-*"), "{found}");
}

#[test]
fn the_order_of_a_map_is_no_order() {
    let found = simulate(Mistake::OrderOfMap).unwrap_err();
    eprintln!("{found}");
    assert!(found.message.contains("data.order"), "{found}");
}

#[test]
fn without_these_mistakes_nothing_is_found() {
    if let Err(found) = simulate(Mistake::None) {
        panic!("{found}");
    }
}
