//! `rbac.authorization.k8s.io`.

use kube_codegen_formats::names;

use crate::kinds::builtin::{
    cells,
    fields::{get, inner, or},
    strategy::{Cell, Fields, Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "rbac.authorization.k8s.io",
    package: "rbac",
    kinds: &[
        Strategy {
            kind: "ClusterRoleBinding",
            ..BINDING
        },
        Strategy {
            kind: "ClusterRole",
            ..ROLE
        },
        Strategy {
            kind: "RoleBinding",
            ..BINDING
        },
        Strategy {
            kind: "Role",
            ..ROLE
        },
    ],
    defaults,
};

const ROLE: Strategy = Strategy {
    name: names::path_segment,
    validate: |it, _, old, object| others::rbac(it, old, object),
    columns: &[("Created At", Cell::Field("/metadata/creationTimestamp"))],
    creates_on_update: true,
    ..Strategy::PLAIN
};

const BINDING: Strategy = Strategy {
    columns: &[("Role", Cell::Computed(cells::role))],
    ..ROLE
};

fn defaults(name: &str, it: &mut Fields) {
    const API_GROUP: &str = "rbac.authorization.k8s.io";
    match name {
        "ClusterRoleBinding" | "RoleBinding" => or(inner(it, "roleRef"), "apiGroup", API_GROUP),
        "Subject" if matches!(get(it, "kind"), "User" | "Group") => or(it, "apiGroup", API_GROUP),
        _ => {}
    }
}
