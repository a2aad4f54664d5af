//! What other clients do with the children: their names are taken, and finalizers keep them.

use serde_json::{Map, Value, json};

use super::{Example, FINALIZER, begin, end, nudge};
use crate::workload::{Step, Workload};
use crate::{faults::drift, scenario::Scenario, settings::template::Template, state::id};

/// The owner of an object that has the name of a child.
const OWNER: &str = "another-owner";

/// The uids of objects of strangers, which are stored as they are.
fn uid(number: u32) -> String {
    format!("5eed0000-0000-4000-8000-{number:012}")
}

/// Returns an object of the kind and name of a child, with another content.
fn stranger(child: &Value, number: u32) -> Value {
    let mut object = child.clone();
    if let Some(Value::Object(patch)) = drift(child) {
        for (section, fields) in patch {
            let Value::Object(fields) = fields else {
                continue;
            };
            for (name, value) in fields {
                object[section.as_str()][name] = value;
            }
        }
    }
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    let kept = ["name", "namespace"].map(|name| {
        let value = child["metadata"].get(name).cloned();
        (name.to_owned(), value.unwrap_or_default())
    });
    let kept = kept.into_iter().filter(|(_, value)| !value.is_null());
    object["metadata"] = Value::Object(kept.collect::<Map<_, _>>());
    object["metadata"]["uid"] = uid(number).into();
    object["metadata"]["generation"] = 1.into();
    object["metadata"]["annotations"] = json!({"example.com/of": "another client"});
    object
}

/// Before the child is created, its name is that of an object without an owner; later, an object of another owner takes its place.
pub(super) fn strangers(template: &Template, child: &Example) -> Workload {
    let unowned = stranger(&child.object, 1);
    let mut of_another = stranger(&child.object, 2);
    // An owner is in the namespace of its dependents, or in none.
    let namespace = child.object.pointer("/metadata/namespace");
    let (owner, owner_path) = match namespace.and_then(Value::as_str) {
        Some(namespace) => (
            json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": OWNER, "namespace": namespace, "uid": uid(3)},
            }),
            format!("/api/v1/namespaces/{namespace}/configmaps/{OWNER}"),
        ),
        None => (
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": OWNER, "uid": uid(3)}, "rules": [],
            }),
            format!("/apis/rbac.authorization.k8s.io/v1/clusterroles/{OWNER}"),
        ),
    };
    of_another["metadata"]["ownerReferences"] = json!([{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": OWNER, "uid": uid(3), "controller": true,
    }]);
    let comes = |path: &str, object: &Value| Step::Stranger {
        path: path.to_owned(),
        object: object.clone(),
    };
    let goes = |path: &str, object: &Value| Step::Leave {
        path: path.to_owned(),
        object: object.clone(),
    };
    let name = format!("the name of {} is taken", id(&child.object));
    let workload = begin(template, &name)
        .of(Scenario::Strangers)
        .phase("an object of a user has the name, then the objects are created")
        .step(comes(&child.path, &unowned));
    let workload = template
        .create(workload)
        .hopeless()
        .phase("the user deletes it, and the objects change and change back")
        .step(goes(&child.path, &unowned));
    let workload = nudge(template, workload)
        .same_as("create")
        .phase("an object of another owner takes the place of the child")
        .step(comes(&owner_path, &owner))
        .step(comes(&child.path, &of_another))
        .hopeless()
        .phase("it is deleted, and the objects change and change back")
        .step(goes(&child.path, &of_another))
        .step(goes(&owner_path, &owner));
    end(template, nudge(template, workload).same_as("create"))
}

/// Another client keeps a child by a finalizer, while its owner is deleted and created again.
pub(super) fn finalizers(template: &Template, child: &Example) -> Workload {
    // Those of others stay, such as that of a claim which Pods use.
    let known = child.object.pointer("/metadata/finalizers");
    let mut finalizers = known.and_then(Value::as_array).cloned().unwrap_or_default();
    finalizers.push(FINALIZER.into());
    let kept = ["name", "namespace"].map(|name| {
        let value = child.object["metadata"].get(name).cloned();
        (name.to_owned(), value.unwrap_or_default())
    });
    let mut metadata = Value::Object(kept.into_iter().collect());
    metadata["finalizers"] = json!([FINALIZER]);
    let mark = json!({"apiVersion": child.object["apiVersion"], "kind": child.object["kind"], "metadata": metadata});
    let name = format!("another client keeps {}", id(&child.object));
    let workload = template.create(Workload::new(&format!(
        "{}: {name}",
        template.primary.plural
    )));
    let workload = workload
        .of(Scenario::Finalizers)
        .phase("another client has a finalizer on the child")
        .patch(&child.path, json!({"metadata": {"finalizers": finalizers}}))
        .step(Step::Mark {
            path: child.path.clone(),
            object: mark.clone(),
        })
        .phase("the objects are deleted");
    let names = template.names.iter();
    let workload = names
        .fold(workload, |workload, name| {
            workload.delete(&template.path(name))
        })
        .hopeless()
        .phase("the objects are created again");
    let workload = template
        .create(workload)
        .hopeless()
        .phase("the finalizer comes off")
        .step(Step::Unmark {
            path: child.path.clone(),
            object: mark,
        });
    // The operator need not see what has no owner.
    let is_owned = child.object["metadata"].get("ownerReferences").is_some();
    let workload = if is_owned {
        workload
    } else {
        nudge(template, workload)
    };
    end(template, workload.same_as("create"))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::settings::primary::Primary;

    #[test]
    fn another_finalizer_leaves_those_that_are_there() {
        let template = Template {
            primary: Primary::of::<ConfigMap>(),
            collection: "/api/v1/namespaces/default/configmaps".to_owned(),
            names: vec!["a".to_owned()],
            other_names: Vec::new(),
            body: json!({}),
            is_valid: true,
            changes: Vec::new(),
        };
        let child = Example {
            path: "/api/v1/namespaces/default/persistentvolumeclaims/a".to_owned(),
            object: json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": "a", "namespace": "default", "finalizers": ["kubernetes.io/pvc-protection"]},
            }),
        };
        let workload = finalizers(&template, &child);
        let mut steps = workload.phases.iter().flat_map(|phase| &phase.steps);
        let patch = steps.find_map(|step| match step {
            Step::Patch { path, patch } if *path == child.path => Some(patch),
            _ => None,
        });
        let all = json!(["kubernetes.io/pvc-protection", FINALIZER]);
        assert_eq!(patch.unwrap()["metadata"]["finalizers"], all);
    }
}
