//! `scheduling.k8s.io`.

use crate::kinds::builtin::{
    cells,
    fields::or_nil,
    strategy::{Cell, Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "scheduling.k8s.io",
    package: "scheduling",
    kinds: &[Strategy {
        kind: "PriorityClass",
        columns: &[
            ("Value", Cell::Field("/value")),
            ("Global-Default", Cell::Computed(cells::global_default)),
            ("Age", Cell::Computed(cells::age)),
            ("PreemptionPolicy", Cell::Field("/preemptionPolicy")),
        ],
        has_generation: true,
        validate: |it, _, _, object| others::priority_class(it, object),
        ..Strategy::PLAIN
    }],
    defaults: |name, it| {
        if name == "PriorityClass" {
            or_nil(it, "preemptionPolicy", "PreemptLowerPriority");
        }
    },
};
