//! `storagemigration.k8s.io`.

use crate::kinds::builtin::strategy::{Group, Strategy};

pub(super) const GROUP: Group = Group {
    name: "storagemigration.k8s.io",
    kinds: &[Strategy {
        kind: "StorageVersionMigration",
        needs_version: true,
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
