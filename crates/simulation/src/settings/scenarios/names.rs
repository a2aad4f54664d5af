//! Objects with names that differ in their end only, and with unusual ones.

use super::begin;
use crate::workload::Workload;
use crate::{scenario::Scenario, settings::template::Template};

/// Objects with other names have as many children, unless the server rejects the names of these.
pub(super) fn names(template: &Template) -> Option<Workload> {
    let mut workload = begin(template, "other names").of(Scenario::Names);
    let mut is_empty = true;
    let size = template.names.len();
    let groups = template
        .other_names
        .iter()
        .flat_map(|names| names.chunks(size));
    for (number, names) in groups.enumerate() {
        is_empty = false;
        let created = workload.phase(&format!("other names {number}"));
        let created = names
            .iter()
            .fold(created, |workload, name| {
                template.create_one(workload, name)
            })
            .hopeless();
        let created = if names.len() == size {
            created.numbered_as("create")
        } else {
            created
        };
        let deleted = created.phase(&format!("delete other names {number}"));
        workload = names
            .iter()
            .fold(deleted, |workload, name| {
                workload.delete(&template.path(name))
            })
            .leaves_nothing();
    }
    (!is_empty).then_some(workload)
}
