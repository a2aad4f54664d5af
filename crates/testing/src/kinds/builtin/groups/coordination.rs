//! `coordination.k8s.io`.

use crate::kinds::builtin::{
    strategy::{Cell, Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "coordination.k8s.io",
    kinds: &[Strategy {
        kind: "Lease",
        columns: &[("Holder", Cell::Field("/spec/holderIdentity"))],
        validate: |it, _, _, object| others::lease(it, object),
        creates_on_update: true,
        needs_version: true,
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
