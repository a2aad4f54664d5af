//! `node.k8s.io`.

use crate::kinds::builtin::strategy::{Group, Strategy};

pub(super) const GROUP: Group = Group {
    name: "node.k8s.io",
    kinds: &[Strategy {
        kind: "RuntimeClass",
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
