//! `scheduling.k8s.io`.

use crate::kinds::builtin::{
    fields::or_nil,
    strategy::{Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "scheduling.k8s.io",
    package: "scheduling",
    kinds: &[Strategy {
        kind: "PriorityClass",
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
