//! `policy`.

use crate::kinds::builtin::{
    cells,
    strategy::{Cell, Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "policy",
    kinds: &[Strategy {
        kind: "PodDisruptionBudget",
        columns: &[
            ("Min Available", Cell::Computed(cells::min_available)),
            ("Max Unavailable", Cell::Computed(cells::max_unavailable)),
            ("Allowed Disruptions", Cell::Computed(cells::allowed)),
        ],
        has_generation: true,
        validate: |it, _, _, object| others::budget(it, object),
        needs_version: true,
        ..Strategy::PLAIN
    }],
    ..Group::EMPTY
};
