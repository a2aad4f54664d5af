//! What another client sets in the metadata of objects stays there.

use serde_json::{Value, json};

use super::{FINALIZER, nudge};
use crate::workload::{Step, Workload};
use crate::{scenario::Scenario, settings::template::Template};

/// The label and the annotation of another client.
const NAME: &str = "example.com/of-another-client";

/// Another client has a label, an annotation and a finalizer on the objects before the operator sees them, and removes its finalizer when they have been
/// deleted for a while.
pub(super) fn metadata(template: &Template) -> Workload {
    let marked = |name: &str| {
        let mut object = template.primary.object(name, &template.body);
        object["metadata"]["labels"][NAME] = "theirs".into();
        object["metadata"]["annotations"][NAME] = "theirs".into();
        object["metadata"]["finalizers"] = json!([FINALIZER]);
        object
    };
    let mark = |name: &str| {
        let object = marked(name);
        json!({"apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": object["metadata"]})
    };
    let each = |workload: Workload, step: &dyn Fn(Workload, &str) -> Workload| {
        let names = template.names.iter();
        names.fold(workload, |workload, name| step(workload, name))
    };
    let name = format!(
        "{}: another client has a finalizer",
        template.primary.plural
    );
    let workload = each(
        Workload::new(&name).of(Scenario::Metadata),
        &|workload, name| {
            let created = workload.create(&template.collection, marked(name));
            created.step(Step::Mark {
                path: template.path(name),
                object: mark(name),
            })
        },
    );
    let workload = nudge(
        template,
        workload.phase("the objects change and change back"),
    )
    .same_as("create")
    .phase("the objects are deleted, and stay until that finalizer comes off");
    let workload = each(workload, &|workload, name| {
        workload.delete(&template.path(name))
    });
    let workload = workload.hopeless().phase("the finalizer comes off");
    let released = |workload: Workload, name: &str| {
        let (path, object): (_, Value) = (template.path(name), mark(name));
        workload.step(Step::Unmark { path, object })
    };
    each(workload, &released).leaves_nothing()
}
