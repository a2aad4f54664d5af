//! `apiextensions.k8s.io`: the definitions of custom resources.

use crate::kinds::{
    builtin::strategy::{Cell, Deletion, Group, Strategy},
    definition,
};

pub(super) const GROUP: Group = Group {
    name: "apiextensions.k8s.io",
    kinds: &[Strategy {
        kind: "CustomResourceDefinition",
        columns: &[("Created At", Cell::Field("/metadata/creationTimestamp"))],
        has_generation: true,
        convert: definition::default,
        validate: |it, _, old, object| it.extend(definition::check(object, old)),
        warnings: |_, old, object| definition::warnings(object, old),
        deletion: Deletion::Instances,
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
