//! The strategies of the built-in kinds, in one file for each API group.

mod admissionregistration;
mod apiextensions;
mod apiregistration;
mod apps;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core;
mod discovery;
mod events;
mod flowcontrol;
mod networking;
mod node;
mod policy;
mod rbac;
mod resource;
mod scheduling;
mod storage;
mod storagemigration;

use super::strategy::{Fields, Group, Strategy};

const GROUPS: &[&Group] = &[
    &admissionregistration::GROUP,
    &apiextensions::GROUP,
    &apiregistration::GROUP,
    &apps::GROUP,
    &autoscaling::GROUP,
    &batch::GROUP,
    &certificates::GROUP,
    &coordination::GROUP,
    &core::GROUP,
    &discovery::GROUP,
    &events::GROUP,
    &flowcontrol::GROUP,
    &networking::GROUP,
    &node::GROUP,
    &policy::GROUP,
    &rbac::GROUP,
    &resource::GROUP,
    &scheduling::GROUP,
    &storage::GROUP,
    &storagemigration::GROUP,
];

/// Returns the strategy of a kind, if it is built in.
pub(super) fn strategy(group: &str, kind: &str) -> Option<&'static Strategy> {
    let group = GROUPS.iter().find(|it| it.name == group)?;
    group.kinds.iter().find(|it| it.kind == kind)
}

/// Fills in the defaults of a type, such as `core.v1.PodSpec`. Names of other versions than the first begin with the version.
pub(super) fn default(type_name: &str, fields: &mut Fields) {
    let Some((package, name)) = type_name.split_once('.') else {
        return;
    };
    let name = name.strip_prefix("v1.").unwrap_or(name);
    if let Some(group) = GROUPS.iter().find(|it| it.package == package) {
        (group.defaults)(name, fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::builtin;

    #[test]
    fn each_recorded_kind_has_one_strategy() {
        let mut recorded: Vec<(String, String)> = builtin::kinds()
            .into_iter()
            .map(|kind| (kind.group, kind.kind))
            .collect();
        let strategies = GROUPS.iter().flat_map(|group| {
            let kinds = group.kinds.iter();
            kinds.map(|kind| (group.name.to_owned(), kind.kind.to_owned()))
        });
        let mut strategies: Vec<(String, String)> = strategies.collect();
        recorded.sort();
        strategies.sort();
        assert_eq!(strategies, recorded);
    }
}
