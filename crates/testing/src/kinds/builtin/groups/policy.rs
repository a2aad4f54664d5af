//! `policy`.

use crate::kinds::builtin::{
    strategy::{Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "policy",
    kinds: &[Strategy {
        kind: "PodDisruptionBudget",
        columns: &[
            ("Min Available", "=minAvailable"),
            ("Max Unavailable", "=maxUnavailable"),
            ("Allowed Disruptions", "=allowed"),
        ],
        has_generation: true,
        validate: |it, _, _, object| others::budget(it, object),
        needs_version: true,
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
