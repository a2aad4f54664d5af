//! `node.k8s.io`.

use crate::kinds::builtin::{
    strategy::{Group, Strategy},
    warnings,
};

pub(super) const GROUP: Group = Group {
    name: "node.k8s.io",
    kinds: &[Strategy {
        kind: "RuntimeClass",
        creates_on_update: true,
        needs_version: true,
        warnings: |_, _, object| warnings::runtime_class(object),
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
