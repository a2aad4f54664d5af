//! What happens around the objects: their namespace, what they name, the server, and the nodes.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Example, OUTAGE, begin, end, nudge};
use crate::workload::{Rejection, Step, Turn, Workload};
use crate::{scenario::Scenario, settings::template::Template};

/// The namespaces.
const FIRST: &str = "default";
const OTHER: &str = "another-namespace";

/// Objects of the same names in a second namespace, which is created later and deleted first. Meanwhile, they are the only ones for a while: what keeps
/// them from having the same children as in the first namespace, such as a host name that is taken, is gone then.
pub(super) fn namespaces(template: &Template, prepared: &[Example]) -> Option<Workload> {
    if !template.primary.namespaced {
        return None;
    }
    let elsewhere = |collection: &str| {
        let (from, to) = (
            format!("/namespaces/{FIRST}/"),
            format!("/namespaces/{OTHER}/"),
        );
        collection.replace(&from, &to)
    };
    let collection = elsewhere(&template.collection);
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": OTHER}});
    let name = format!("{}: a second namespace", template.primary.plural);
    let workload = template
        .create(Workload::new(&name))
        .of(Scenario::Namespaces)
        .phase("the same in a second namespace")
        .create("/api/v1/namespaces", namespace);
    let workload = prepared.iter().fold(workload, |workload, it| {
        workload.create(&elsewhere(it.collection()), it.object.clone())
    });
    let workload = template.names.iter().fold(workload, |workload, name| {
        let object = template.primary.object(name, &template.body);
        workload.create(&collection, object)
    });
    let workload = workload.phase("only in the second namespace");
    let names = template.names.iter();
    let workload = names
        .fold(workload, |workload, name| {
            workload.delete(&template.path(name))
        })
        .moved_from("create", FIRST, OTHER)
        .phase("in the first namespace again");
    let workload = template
        .create(workload)
        .phase("the second namespace is deleted")
        .turn(Turn::Reject(Rejection::Namespace(OTHER.to_owned())))
        .step(Step::Clear {
            namespace: OTHER.to_owned(),
        })
        .same_as("create");
    Some(end(template, workload).turn(Turn::Accept))
}

/// Finds the Secrets and `ConfigMap`s that fields name: their plurals and names.
fn find(body: &Value, path: &mut Vec<String>, found: &mut Vec<(&'static str, String)>) {
    if let Value::Object(fields) = body {
        for (name, value) in fields {
            path.push(name.to_lowercase());
            find(value, path, found);
            path.pop();
        }
        return;
    }
    let Some(name) = body.as_str().filter(|name| is_name(name)) else {
        return;
    };
    let last = path.last().map(String::as_str).unwrap_or_default();
    let parent = path.iter().rev().nth(1).map(String::as_str);
    let parent = parent.unwrap_or_default();
    for (kind, plural) in [("secret", "secrets"), ("configmap", "configmaps")] {
        let is_ref = ["name", "ref", "reference"]
            .iter()
            .any(|end| last == format!("{kind}{end}"));
        if is_ref || last == kind || (last == "name" && parent.contains(kind)) {
            found.push((plural, name.to_owned()));
        }
    }
}

fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.len() <= 63 && text.bytes().all(is_letter)
}

/// What a field names comes later than the object, changes, and is deleted.
pub(super) fn references(template: &Template) -> Vec<Workload> {
    let make = |(plural, name): (&'static str, String)| {
        let kind = if plural == "secrets" {
            "Secret"
        } else {
            "ConfigMap"
        };
        let collection = format!("/api/v1/namespaces/default/{plural}");
        let path = format!("{collection}/{name}");
        let object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "data": {"key": "dmFsdWU="}});
        let changed = |value: &str| json!({"data": {"key": value}});
        let workload = Workload::new(&format!("{}: {path} comes later", template.primary.plural))
            .of(Scenario::References)
            .create(&collection, object.clone());
        let workload = template.create(workload).phase("delete");
        let workload = template
            .delete(workload.delete(&path))
            .phase("the objects are created without it");
        let workload = template
            .create(workload)
            .hopeless()
            .phase("it comes")
            .create(&collection, object.clone())
            .same_as("create")
            .phase("it changes")
            .patch(&path, changed("Y2hhbmdlZA=="))
            .phase("it changes back")
            .patch(&path, changed("dmFsdWU="))
            .same_as("create")
            .phase("it is deleted")
            .delete(&path)
            .hopeless()
            .phase("it comes again")
            .create(&collection, object)
            .same_as("create");
        end(
            template,
            workload
                .phase("it is deleted at the end")
                .delete(&path)
                .hopeless(),
        )
    };
    let mut found = Vec::new();
    find(&template.body, &mut Vec::new(), &mut found);
    found.dedup();
    found.into_iter().map(make).collect()
}

/// For a while, requests of the operator are rejected or get no answer.
pub(super) fn outages(template: &Template) -> Vec<Workload> {
    let outages = [
        (
            Scenario::Forbidden,
            Rejection::Writes,
            "writes are rejected",
        ),
        (
            Scenario::Unavailable,
            Rejection::All,
            "the server is not available",
        ),
        (
            Scenario::Hanging,
            Rejection::Hangs,
            "requests get no answer",
        ),
        (
            Scenario::Webhook,
            Rejection::Webhook,
            "a webhook rejects children",
        ),
        (
            Scenario::Webhook,
            Rejection::SlowWebhook,
            "a webhook does not answer",
        ),
    ];
    let make = |(scenario, rejection, what): (Scenario, Rejection, &str)| {
        let reject = |workload: Workload| workload.turn(Turn::Reject(rejection.clone()));
        let accept = |workload: Workload| workload.turn(Turn::Wait(OUTAGE)).turn(Turn::Accept);
        let workload = begin(template, what).of(scenario);
        let workload = reject(workload.phase("the objects are created meanwhile"));
        let workload = accept(template.create(workload))
            .same_as("create")
            .phase("the objects are deleted meanwhile");
        let names = template.names.iter();
        let workload = names.fold(reject(workload), |workload, name| {
            workload.delete(&template.path(name))
        });
        accept(workload).leaves_nothing()
    };
    outages.into_iter().map(make).collect()
}

/// Objects are deleted in all ways.
pub(super) fn deletion(template: &Template, children: &[Example], is_complete: bool) -> Workload {
    let each = |workload: Workload, policy: &'static str| {
        template.names.iter().fold(workload, |workload, name| {
            let path = template.path(name);
            workload.step(Step::Propagate { path, policy })
        })
    };
    let workload = begin(template, "ways of a deletion")
        .of(Scenario::Deletion)
        .phase("create again");
    let workload = template.create(workload).same_as("create");
    let workload = each(workload.phase("delete in the foreground"), "Foreground")
        .leaves_nothing()
        .phase("create, and delete during that");
    let workload = template.create(workload);
    let workload = template
        .delete(workload.turn(Turn::Wait(Duration::from_millis(3))))
        .phase("create once more");
    let workload = template
        .create(workload)
        .same_as("create")
        .phase("delete while the operator does not run, and create again")
        .turn(Turn::Stop);
    let names = template.names.iter();
    let workload = names
        .fold(workload, |workload, name| {
            workload.delete(&template.path(name))
        })
        .turn(Turn::Start);
    let workload = template
        .create(workload)
        .same_as("create")
        .phase("delete while the operator does not run")
        .turn(Turn::Stop);
    let workload = template
        .delete(workload)
        .turn(Turn::Start)
        .phase("create for children that stay");
    let mut workload = template.create(workload).same_as("create");
    // Children with random names cannot be cleaned up here.
    if is_complete {
        workload = each(workload.phase("delete so that the children stay"), "Orphan")
            .hopeless()
            .phase("create beside the children that have stayed");
        workload = template
            .create(workload)
            .hopeless()
            .phase("delete the children that have stayed");
        workload = children
            .iter()
            .fold(workload, |workload, child| workload.delete(&child.path));
        workload = nudge(template, workload).same_as("create");
    }
    // The second deletion finds what is being deleted, or nothing.
    let workload = template.delete(workload.phase("delete twice"));
    template.delete(workload)
}

/// Pods do not get ready for a while, or are lost; Jobs fail.
pub(super) fn failing(template: &Template, children: &[Example]) -> Option<Workload> {
    let has = |kinds: &[&str]| children.iter().any(|child| kinds.contains(&child.kind()));
    if !has(&["Deployment", "StatefulSet", "Job", "Pod"]) {
        return None;
    }
    let comes_back = !has(&["Job"]);
    let healthy = |workload: Workload| {
        let workload = workload.turn(Turn::Health(true));
        if comes_back {
            workload.same_as("create")
        } else {
            workload
        }
    };
    let workload = begin(template, "Pods do not get ready")
        .of(Scenario::FailingWorkloads)
        .phase("no Pod gets ready")
        .turn(Turn::Health(false));
    let workload = template.create(workload).hopeless().phase("Pods get ready");
    let workload = healthy(workload)
        .phase("the node of the Pods is lost")
        .turn(Turn::Health(false))
        .hopeless()
        .phase("the node comes back");
    Some(end(template, healthy(workload)))
}
