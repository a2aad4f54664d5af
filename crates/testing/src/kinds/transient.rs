//! The kinds that a server answers without storing their objects: reviews, bindings, and the state of components.

use serde_json::{Value, json};

/// A kind in the version `v1`.
pub(crate) struct Transient {
    pub(crate) group: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) namespaced: bool,
    pub(crate) verbs: &'static [&'static str],
    pub(crate) short_names: &'static [&'static str],
    pub(crate) warning: Option<&'static str>,
}

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";
/// The components of a cluster besides the API server.
const COMPONENTS: [&str; 3] = ["controller-manager", "etcd-0", "scheduler"];

const fn created(
    group: &'static str,
    plural: &'static str,
    kind: &'static str,
    namespaced: bool,
) -> Transient {
    Transient {
        group,
        plural,
        kind,
        namespaced,
        verbs: &["create"],
        short_names: &[],
        warning: None,
    }
}

#[rustfmt::skip]
pub(crate) const ALL: &[Transient] = &[
    created("", "bindings", "Binding", true),
    Transient { verbs: &["get", "list"], short_names: &["cs"], warning: Some("v1 ComponentStatus is deprecated in v1.19+"), ..created("", "componentstatuses", "ComponentStatus", false) },
    created(AUTHENTICATION, "selfsubjectreviews", "SelfSubjectReview", false),
    created(AUTHENTICATION, "tokenreviews", "TokenReview", false),
    created(AUTHORIZATION, "localsubjectaccessreviews", "LocalSubjectAccessReview", true),
    created(AUTHORIZATION, "selfsubjectaccessreviews", "SelfSubjectAccessReview", false),
    created(AUTHORIZATION, "selfsubjectrulesreviews", "SelfSubjectRulesReview", false),
    created(AUTHORIZATION, "subjectaccessreviews", "SubjectAccessReview", false),
];

/// Returns the kind, the namespace and the name that a path addresses, if the kind is one of these.
pub(crate) fn target(path: &str) -> Option<(&'static Transient, &str, &str)> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (group, rest) = match parts.as_slice() {
        ["api", "v1", rest @ ..] => ("", rest),
        ["apis", group, "v1", rest @ ..] => (*group, rest),
        _ => return None,
    };
    let (namespace, plural, name) = match rest {
        [plural] => ("", *plural, ""),
        [plural, name] => ("", *plural, *name),
        ["namespaces", namespace, plural] => (*namespace, *plural, ""),
        _ => return None,
    };
    let mut all = ALL.iter();
    let kind = all.find(|it| it.group == group && it.plural == plural)?;
    if !name.is_empty() && !kind.verbs.contains(&"get") {
        return None;
    }
    (kind.namespaced != namespace.is_empty()).then_some((kind, namespace, name))
}

/// Returns the state of one component, or of all; `None` if there is no such component.
pub(crate) fn component(name: &str) -> Option<Value> {
    let component = |name: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "ComponentStatus",
            "metadata": {"name": name},
            "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}],
        })
    };
    if name.is_empty() {
        let items = COMPONENTS.map(component);
        return Some(
            json!({"apiVersion": "v1", "kind": "ComponentStatusList", "metadata": {}, "items": items}),
        );
    }
    COMPONENTS.contains(&name).then(|| component(name))
}
