//! `node.k8s.io`.

use crate::kinds::builtin::{
    strategy::{Group, Strategy},
    warnings,
};

pub(super) const GROUP: Group = Group {
    name: "node.k8s.io",
    kinds: &[Strategy {
        kind: "RuntimeClass",
        warnings: |_, _, object| warnings::runtime_class(object),
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
