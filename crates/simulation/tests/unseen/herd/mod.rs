//! Operators in many styles: each is right, and has errors that a run can switch on. One that is right breaks no oracle, and each error is found.

mod children;
mod places;
mod references;
mod status;

use std::{sync::Arc, time::Duration};

use futures::{FutureExt as _, StreamExt as _, future::BoxFuture};
use kube::{
    Api, Client, ResourceExt as _,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams,
        Preconditions,
    },
    runtime::{Controller, controller::Action, reflector::ObjectRef, watcher},
};
use kube_codegen_simulation::{Budget, FaultKind, Oracle, Simulation};
use serde_json::{Value, json};

use super::{crd, owners, resource};

/// Errors that most of the operators can have.
const UNWATCHED: &str = "children are not watched";
const UNREPEATED: &str = "a failed reconcile is not repeated";
const UNOWNED: &str = "a child has no owner reference";
const SWALLOWED: &str = "a write that fails is taken as done";
const CREATED_ONLY: &str = "a child that exists is not changed";
const BY_NAME: &str = "an object is deleted by its name";
const AT_ONCE: &str = "each reconcile asks for the next one";
const USUAL: &[&str] = &[
    UNWATCHED,
    UNREPEATED,
    UNOWNED,
    SWALLOWED,
    CREATED_ONLY,
    AT_ONCE,
];

/// kube's `Controller` does not notice that a child is gone if the watch expires before it shows that: who is right reconciles each object again after
/// a while. Who has an error does not, since that would repair many of them.
const AGAIN: Duration = Duration::from_secs(300);

const ADOPTS: &str = "a child without an owner is adopted, one of another owner is not";

/// An operator, without and with its errors.
struct Style {
    name: &'static str,
    /// Returns the simulation of the operator with this error; none has an empty name.
    simulation: fn(&'static str) -> Simulation,
    /// Errors that it shares with others, and its own.
    errors: [&'static [&'static str]; 2],
}

fn styles() -> Vec<Style> {
    let parts = [
        children::styles(),
        places::styles(),
        references::styles(),
        status::styles(),
    ];
    parts.into_iter().flatten().collect()
}

/// What a reconcile needs.
struct Context {
    client: Client,
    kind: &'static str,
    error: &'static str,
}

type Reconcile = fn(Arc<DynamicObject>, Arc<Context>) -> BoxFuture<'static, kube::Result<Action>>;

impl Context {
    fn has(&self, error: &str) -> bool {
        self.error == error
    }

    /// Returns the API of a kind of Kubernetes itself.
    fn api(&self, api_version: &str, kind: &str) -> Api<DynamicObject> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        Api::namespaced_with(self.client.clone(), "default", &resource)
    }

    fn maps(&self) -> Api<DynamicObject> {
        self.api("v1", "ConfigMap")
    }

    /// Returns a `ConfigMap` that belongs to an object.
    fn map(&self, owner: &DynamicObject, name: &str, text: &Value) -> Value {
        self.owned(
            owner,
            json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": text.to_string()},
            }),
        )
    }

    /// Sets the owner of a child, and a label with its name.
    fn owned(&self, owner: &DynamicObject, mut child: Value) -> Value {
        child["metadata"]["labels"]["owner"] = owner.name_any().into();
        if !self.has(UNOWNED) {
            child["metadata"]["ownerReferences"] = owners(owner, self.kind);
        }
        child
    }

    /// Applies a child.
    async fn apply(&self, child: Value) -> kube::Result<()> {
        let text = |pointer: &str| child.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        let api = self.api(text("/apiVersion"), text("/kind"));
        let name = text("/metadata/name");
        if self.has(CREATED_ONLY) && api.get_opt(name).await?.is_some() {
            return Ok(());
        }
        let params = PatchParams::apply("herd").force();
        let done = api.patch(name, &params, &Patch::Apply(&child)).await;
        self.swallow(done.map(drop))
    }

    fn swallow(&self, done: kube::Result<()>) -> kube::Result<()> {
        done.or_else(|error| {
            if self.has(SWALLOWED) {
                Ok(())
            } else {
                Err(error)
            }
        })
    }

    /// Deletes an object, if it is still there.
    async fn delete(&self, api: &Api<DynamicObject>, object: &DynamicObject) -> kube::Result<()> {
        let params = if self.has(BY_NAME) {
            DeleteParams::background()
        } else {
            DeleteParams::background().preconditions(Preconditions {
                uid: object.uid(),
                resource_version: None,
            })
        };
        ignore(404, api.delete(&object.name_any(), &params).await)
    }

    /// Changes the status of an object, if it is still there.
    async fn status(&self, object: &DynamicObject, status: Value) -> kube::Result<()> {
        let api = self.objects(object.metadata.namespace.is_some());
        let patch = Patch::Merge(json!({ "status": status }));
        let (name, params) = (object.name_any(), PatchParams::default());
        ignore(404, api.patch_status(&name, &params, &patch).await)
    }

    /// Returns the API of the kind that is controlled.
    fn objects(&self, namespaced: bool) -> Api<DynamicObject> {
        if namespaced {
            super::objects(&self.client, self.kind)
        } else {
            Api::all_with(self.client.clone(), &resource(self.kind))
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the end of a reconcile")]
    fn done(&self) -> kube::Result<Action> {
        Ok(if self.has(AT_ONCE) {
            Action::requeue(Duration::ZERO)
        } else if self.has("") {
            Action::requeue(AGAIN)
        } else {
            Action::await_change()
        })
    }
}

fn ignore<T>(code: u16, done: kube::Result<T>) -> kube::Result<()> {
    match done {
        Err(kube::Error::Api(status)) if status.code == code => Ok(()),
        other => other.map(drop),
    }
}

fn is_deleted(object: &DynamicObject) -> bool {
    object.metadata.deletion_timestamp.is_some()
}

/// Which objects are reconciled after a change of a child.
#[derive(Clone, Copy)]
enum Watch {
    /// Its controller.
    Owner,
    /// That of the name in its label.
    Label,
    /// Its controller; and all, after a change of a Secret.
    OwnerAndSecrets,
}

/// Runs a controller with children of one kind.
async fn control(context: Context, child: Api<DynamicObject>, watch: Watch, reconcile: Reconcile) {
    let (kind, config) = (resource(context.kind), watcher::Config::default());
    let objects = context.objects(context.kind != places::CLUSTERED);
    let controller = Controller::new_with(objects, config.clone(), kind.clone());
    let known = controller.store();
    let child_kind = child_resource(&child);
    let controller = match watch {
        _ if context.has(UNWATCHED) => controller,
        Watch::Owner => controller.owns_with(child, child_kind, config),
        Watch::Label => controller.watches_with(child, child_kind, config, move |child| {
            let name = child.labels().get("owner").cloned();
            name.map(|name| ObjectRef::new_with(&name, kind.clone()).within("default"))
        }),
        Watch::OwnerAndSecrets => {
            let secrets = context.api("v1", "Secret");
            let secret_kind = child_resource(&secrets);
            controller
                .owns_with(child, child_kind, config.clone())
                .watches_with(secrets, secret_kind, config, move |_| {
                    let known = known.state().into_iter();
                    let all = known.map(|object| ObjectRef::from_obj_with(&*object, kind.clone()));
                    all.collect::<Vec<_>>()
                })
        }
    };
    let repeats = !context.has(UNREPEATED);
    let policy = move |_: Arc<DynamicObject>, _: &kube::Error, _: Arc<Context>| {
        if repeats {
            Action::requeue(Duration::from_secs(1))
        } else {
            Action::await_change()
        }
    };
    controller
        .run(reconcile, policy, Arc::new(context))
        .for_each(|_| async {})
        .await;
}

/// Returns the kind of an API of Kubernetes itself.
fn child_resource(api: &Api<DynamicObject>) -> ApiResource {
    let url = api.resource_url();
    let parts: Vec<&str> = url.split('/').filter(|part| !part.is_empty()).collect();
    let (group, version) = if parts[0] == "api" {
        ("", parts[1])
    } else {
        (parts[1], parts[2])
    };
    let kinds = ["ConfigMap", "Deployment", "Job", "Secret"];
    let plural = url.rsplit('/').next().unwrap_or_default();
    let kind = kinds
        .iter()
        .find(|kind| format!("{}s", kind.to_lowercase()) == plural);
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind.unwrap_or(&"")))
}

/// Returns a simulation of a controller with one kind of children.
fn simulated(
    kind: &'static str,
    definition: &Value,
    child: (&'static str, &'static str),
    watch: Watch,
    error: &'static str,
    reconcile: Reconcile,
) -> Simulation {
    let simulation = Simulation::new(&kind.to_lowercase()).crd(definition);
    // They take over what has the name of a child; the one that does not is judged by an invariant of its own.
    let simulation = simulation.without(Oracle::Strangers);
    simulation.operator(move |client| {
        let context = Context {
            client,
            kind,
            error,
        };
        let child = context.api(child.0, child.1);
        control(context, child, watch, reconcile).boxed()
    })
}

/// Returns that of a controller of `ConfigMap`s, whose objects have a text.
fn usual(kind: &'static str, error: &'static str, reconcile: Reconcile) -> Simulation {
    let definition = crd(kind, &json!({"text": {"type": "string"}}));
    let child = ("v1", "ConfigMap");
    simulated(kind, &definition, child, Watch::Owner, error, reconcile)
}

/// With `SIMULATE_BUDGET=2000`, the number of schedules for each.
#[test]
fn right_operators_break_no_oracle() {
    let only = std::env::var("HERD").unwrap_or_default();
    let mut alarms = Vec::new();
    for style in styles().iter().filter(|it| it.name.contains(&only)) {
        let simulation = (style.simulation)("").budget(Budget::Schedules(20));
        match simulation.explore() {
            Ok(summary) => eprintln!("{}: {summary}", style.name),
            Err(found) => alarms.push(format!("{}: {found}", style.name)),
        }
    }
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

/// Schedules that right operators were once called wrong for.
#[test]
fn what_a_right_operator_does_raises_no_alarm() {
    let mut alarms = Vec::new();
    for (style, file) in [
        // While its watch is stalled, a child of an owner that is deleted is created, and collected, again and again.
        ("get, then create or update", "stalled-deletion"),
        // A change and a deletion arrive as one, twice.
        ("get, then create or update", "merged-and-doubled"),
        // A list does not show which Secret is gone: it is looked for after a minute.
        ("a Secret is referenced by name", "missed-deletion"),
        // An object is deleted before the operator has seen it, and a child that was there before stays as it was.
        (ADOPTS, "never-adopted"),
        // The child gets a deleted owner, and is collected.
        (ADOPTS, "adopted-by-an-old-view"),
    ] {
        let mut all = styles().into_iter();
        let style = all.find(|it| it.name == style).unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/unseen/kept");
        let summary = (style.simulation)("").replay(format!("{folder}/{file}.json"));
        alarms.extend(summary.err().map(|found| format!("{file}: {found}")));
    }
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

/// Its objects in another namespace have no status.
#[test]
fn the_truth_is_not_asked_for_where_an_operator_does_not_look() {
    let mut all = styles().into_iter();
    let style = all.find(|it| it.name == "the status follows a Deployment");
    let simulation = (style.unwrap().simulation)("");
    let faults = FaultKind::ALL.iter();
    let simulation = faults.fold(simulation, |it, kind| it.without_fault(*kind));
    let summary = simulation
        .explore()
        .unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.to_string().contains("namespaces"), "{summary}");
}

/// Errors that no schedule shows: style and error. docs/simulation.md names them, too.
const NOT_FOUND: &[(&str, &str)] = &[
    // The child was there before, so that it does not count as one of the operator.
    (ADOPTS, UNWATCHED),
    // The spec must change between the reads of one reconcile.
    ("a condition with its time and generation", status::NEWEST),
    // Deleted Jobs are gone at once.
    ("a Job is replaced", children::BEGUN),
    // Only its author knows what a pause is for.
    ("a switch that pauses", status::NOT_PAUSED),
];

#[test]
fn errors_are_found_with_the_default_budget() {
    let only = std::env::var("HERD").unwrap_or_default();
    let (mut tried, mut missed) = (0, Vec::new());
    for style in styles().iter().filter(|it| it.name.contains(&only)) {
        for error in style.errors.iter().copied().flatten() {
            tried += 1;
            let (name, simulation) = (style.name, (style.simulation)(error));
            match simulation.explore() {
                Err(found) => {
                    let (oracle, number) = (found.oracle, found.schedules);
                    eprintln!("| {name} | {error} | `{oracle:?}` | {number} |");
                }
                Ok(summary) => {
                    eprintln!("| {name} | {error} | not found | {summary} |");
                    missed.push((name, *error));
                }
            }
        }
    }
    eprintln!("{} of {tried} found", tried - missed.len());
    missed.retain(|it| !NOT_FOUND.contains(it));
    assert!(missed.is_empty(), "{missed:#?}");
}
