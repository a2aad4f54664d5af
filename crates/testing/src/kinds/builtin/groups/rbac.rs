//! `rbac.authorization.k8s.io`.

use kube_codegen_formats::names;

use crate::kinds::builtin::{
    fields::{get, inner, or},
    strategy::{Fields, Group, Strategy},
    validate::others,
};

pub(super) const GROUP: Group = Group {
    name: "rbac.authorization.k8s.io",
    package: "rbac",
    kinds: &[
        Strategy {
            kind: "ClusterRoleBinding",
            validate: |it, _, old, object| others::rbac(it, "ClusterRoleBinding", old, object),
            ..BINDING
        },
        Strategy {
            kind: "ClusterRole",
            validate: |it, _, old, object| others::rbac(it, "ClusterRole", old, object),
            ..ROLE
        },
        Strategy {
            kind: "RoleBinding",
            validate: |it, _, old, object| others::rbac(it, "RoleBinding", old, object),
            ..BINDING
        },
        Strategy {
            kind: "Role",
            validate: |it, _, old, object| others::rbac(it, "Role", old, object),
            ..ROLE
        },
    ],
    defaults,
};

const ROLE: Strategy = Strategy {
    name: names::path_segment,
    columns: &[("Created At", "/metadata/creationTimestamp")],
    creates_on_update: true,
    ..Strategy::PLAIN
};

const BINDING: Strategy = Strategy {
    columns: &[("Role", "=role")],
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
