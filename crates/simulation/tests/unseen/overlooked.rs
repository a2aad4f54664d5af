//! Errors that few schedules show: the default budget is enough to find them.

use std::{collections::HashSet, sync::Arc};

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, ListParams, Patch, PatchParams, PostParams},
    runtime::{
        Controller, WatchStreamExt as _,
        controller::Action,
        reflector::{self, Store},
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
    /// A child gets a random name where the cache shows none.
    StaleCache,
    /// A line has the order of a map, which each process makes anew.
    OrderOfMap,
}

struct Context {
    client: Client,
    mistake: Mistake,
    maps: Store<ConfigMap>,
    order: String,
}

impl Context {
    async fn reconcile(&self, tray: &DynamicObject) -> kube::Result<Action> {
        if tray.metadata.deletion_timestamp.is_some() {
            return Ok(Action::await_change());
        }
        let (name, namespace) = (tray.name_any(), tray.namespace().unwrap_or_default());
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
            Mistake::None => {}
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
    let context = Context {
        client,
        mistake,
        maps: store,
        order: Vec::from_iter(set).join(","),
    };
    let controller = Controller::new_with(all, config.clone(), resource("Tray"))
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
