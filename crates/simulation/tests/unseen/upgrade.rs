//! Two versions of an operator, whose CRD renames a field: the new version takes over what the old one has left, and the other way round.

use std::sync::Arc;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams,
        Preconditions,
    },
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, Oracle, Simulation};
use serde_json::{Value, json};

const KIND: &str = "Note";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    /// Reads `v1`, and names the child after the object.
    Old,
    /// Reads `v2`, and names the child after the object and its purpose.
    New,
    /// The same, but the child of the old version stays.
    Leaves,
}

struct Context {
    client: Client,
    program: Program,
}

impl Program {
    fn resource(self) -> ApiResource {
        let version = if self == Self::Old { "v1" } else { "v2" };
        ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", version, KIND))
    }
}

async fn run(client: Client, program: Program) {
    let config = watcher::Config::default();
    let resource = program.resource();
    let all = Api::<DynamicObject>::all_with(client.clone(), &resource);
    let context = Context {
        client: client.clone(),
        program,
    };
    Controller::new_with(all, config.clone(), resource)
        .owns(Api::<ConfigMap>::all(client), config)
        .run(
            reconcile,
            |_, _, _| Action::requeue(std::time::Duration::from_secs(1)),
            Arc::new(context),
        )
        .for_each(|_| async {})
        .await;
}

async fn reconcile(note: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    if note.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let name = note.name_any();
    let (own, former, field) = match context.program {
        Program::Old => (name.clone(), format!("{name}-text"), "text"),
        Program::New | Program::Leaves => (format!("{name}-text"), name.clone(), "message"),
    };
    let version = context.program.resource().api_version;
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": own, "ownerReferences": [{
            "apiVersion": version, "kind": KIND, "name": name, "uid": note.uid(), "controller": true,
        }]},
        "data": {"text": note.data["spec"][field]},
    });
    let namespace = note.namespace().unwrap_or_default();
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    let known = maps.get_opt(&own).await?;
    let is_of = |map: &ConfigMap| {
        let mut owners = map.owner_references().iter();
        owners.any(|owner| Some(&owner.uid) == note.metadata.uid.as_ref())
    };
    if known.is_some_and(|map| !is_of(&map)) {
        return Err(kube::Error::Service(
            "the name of the child is taken".into(),
        ));
    }
    let params = PatchParams::apply("notes").force();
    maps.patch(&own, &params, &Patch::Apply(child)).await?;
    let former = match context.program {
        Program::Leaves => None,
        _ => maps.get_opt(&former).await?,
    };
    if let Some(former) = former.filter(is_of) {
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: former.uid(),
            resource_version: None,
        });
        match maps.delete(&former.name_any(), &params).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    Ok(Action::await_change())
}

/// Returns the CRD; the new one has both versions.
fn crd(is_new: bool) -> Value {
    let version = |name: &str, field: &str, storage: bool| {
        json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"type": "object", "properties": {field: {"type": "string"}}}},
        }}})
    };
    let mut crd = super::crd(KIND, &json!({}));
    let spec = &mut crd["spec"];
    spec["versions"] = json!([version("v1", "text", !is_new)]);
    if is_new {
        spec["versions"] = json!([version("v1", "text", false), version("v2", "message", true)]);
        spec["conversion"] = json!({"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://localhost/convert"},
        }});
    }
    crd
}

/// Answers a `ConversionReview`: the field has another name.
fn convert(mut review: Value) -> Value {
    let request = review["request"].clone();
    let (from, to) = match request["desiredAPIVersion"].as_str() {
        Some("example.com/v1") => ("message", "text"),
        _ => ("text", "message"),
    };
    let objects = request["objects"].as_array().cloned().unwrap_or_default();
    let converted = objects.into_iter().map(|mut object| {
        object["apiVersion"] = request["desiredAPIVersion"].clone();
        let spec = object.get_mut("spec").and_then(Value::as_object_mut);
        if let Some(spec) = spec
            && let Some(value) = spec.remove(from)
        {
            spec.insert(to.to_owned(), value);
        }
        object
    });
    review["response"] = json!({
        "uid": request["uid"], "convertedObjects": converted.collect::<Vec<_>>(), "result": {"status": "Success"},
    });
    review
}

fn upgrade(program: Program) -> Simulation {
    let notes = |crd: Value, program| {
        Simulation::new("notes")
            .crd(&crd)
            .operator(move |client| run(client, program))
    };
    let new = notes(crd(true), program)
        .prepare(|server| {
            server
                .call_webhooks(&crd(true), |_, review| Ok(convert(review)))
                .unwrap();
        })
        .budget(Budget::Coverage(20));
    Simulation::upgrade(notes(crd(false), Program::Old), new)
}

#[test]
fn a_new_version_takes_over_what_the_old_one_has_left() {
    let summary = upgrade(Program::New).explore();
    let summary = summary.unwrap_or_else(|found| panic!("{found}"));
    eprintln!("{summary}");
}

#[test]
fn a_child_of_the_old_version_that_stays_is_found() {
    let found = upgrade(Program::Leaves).explore().unwrap_err();
    assert_eq!(found.oracle, Oracle::History, "{found}");
    assert!(
        found.to_string().contains("replaces the operator"),
        "{found}"
    );
}
