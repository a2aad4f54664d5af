//! The objects with the parameters of a policy: those that `paramRef` of a binding names or selects.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    kinds::{
        convert,
        kind::Kind,
        store::Store,
        target::{Target, present},
    },
    request::selector,
    values::object::{at, text},
};

/// Where the parameters of a policy are.
pub(super) enum Source {
    /// The policy has no parameters.
    None,
    Kind(Arc<Kind>, String),
}

impl Source {
    /// Returns the kind that `paramKind` of a policy names, or why there is none.
    pub(super) fn of(store: &Store, policy: &Value) -> Result<Self, String> {
        let wanted = at(policy, "/spec/paramKind");
        if wanted.is_null() {
            return Ok(Self::None);
        }
        let (api_version, kind) = (text(wanted, "/apiVersion"), text(wanted, "/kind"));
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let found = store.kinds.named(api_version, kind).cloned();
        found.map_or_else(
            || {
                let shown = if api_version.contains('/') {
                    api_version.to_owned()
                } else {
                    format!("/{api_version}")
                };
                Err(format!(
                    "failed to find resource referenced by paramKind: '{shown}, Kind={kind}'"
                ))
            },
            |kind| Ok(Self::Kind(kind, version.to_owned())),
        )
    }

    /// Returns the parameters of a binding: null alone if it has none. The error says why it is misconfigured.
    pub(super) fn of_binding(
        &self,
        store: &Store,
        binding: &Value,
        namespace: &str,
    ) -> Result<Vec<Value>, String> {
        let wanted = at(binding, "/spec/paramRef");
        let (kind, version) = match self {
            Self::Kind(kind, version) if !wanted.is_null() => (kind, version),
            _ => return Ok(vec![Value::Null]),
        };
        let own = text(wanted, "/namespace");
        let namespace = match (kind.namespaced, own, namespace) {
            (true, "", "") => {
                return Err("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources".to_owned());
            }
            (true, "", namespace) => namespace,
            (true, own, _) => own,
            (false, "", _) => "",
            (false, ..) => {
                return Err(
                    "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
                        .to_owned(),
                );
            }
        };
        let stored = match text(wanted, "/name") {
            "" => {
                let is_selected = |object: &Arc<Value>| {
                    selector::selects(at(wanted, "/selector"), at(object, "/metadata/labels"))
                };
                let objects = store.list(kind, namespace);
                objects.into_iter().filter(is_selected).collect()
            }
            name => Vec::from_iter(store.get(kind, namespace, name)),
        };
        if stored.is_empty() && text(wanted, "/parameterNotFoundAction") == "Deny" {
            return Err(
                "no params found for policy binding with `Deny` parameterNotFoundAction".to_owned(),
            );
        }
        let target = Target {
            kind: kind.clone(),
            version: version.clone(),
            namespace: namespace.to_owned(),
            name: String::new(),
            subresource: String::new(),
        };
        let loaded = stored.iter().map(|object| {
            let object = convert::load(store, &target, object).map_err(|it| it.message)?;
            Ok(present(&object, &target, false))
        });
        loaded.collect()
    }
}
