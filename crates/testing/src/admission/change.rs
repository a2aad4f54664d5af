//! What a request would change, as webhooks and policies see it: whether their rules and selectors match, and the request of a review.

use serde_json::{Value, json};

use super::Draft;
use crate::{
    kinds::{
        kind::SCALE_VERSION,
        names,
        scale::scale_of,
        store::Store,
        target::{Target, present},
    },
    request::{Request, selector},
    values::object::{self, at, strings, text},
};

/// An operation with the old and the new state; null if there is none.
pub(crate) struct Change {
    pub(crate) operation: &'static str,
    pub(crate) old: Value,
    pub(crate) new: Value,
}

impl Change {
    /// Returns the change of a write, in the version of the request. A write of a scale changes a `Scale`.
    pub(crate) fn write(request: &Request, draft: &Draft) -> Self {
        let target = &request.target;
        let shown = |object: &Value| match target.subresource.as_str() {
            "scale" => scale_of(target, object).unwrap_or_default(),
            _ => present(object, target, false),
        };
        Self {
            operation: draft.operation(),
            old: draft.old.as_deref().map(shown).unwrap_or_default(),
            new: shown(&draft.object),
        }
    }

    pub(crate) fn deletion(target: &Target, old: &Value) -> Self {
        Self {
            operation: "DELETE",
            old: present(old, target, false),
            new: Value::Null,
        }
    }

    pub(crate) fn object(&self) -> &Value {
        if self.new.is_null() {
            &self.old
        } else {
            &self.new
        }
    }

    /// Returns the version in which rules cover the resource: that of the request, unless they cover an equivalent one alone.
    pub(crate) fn version(
        &self,
        target: &Target,
        rules: &[Value],
        match_policy: &str,
    ) -> Option<String> {
        if self.is_covered(target, &target.version, rules) {
            return Some(target.version.clone());
        }
        if match_policy == "Exact" {
            return None;
        }
        let others = target.kind.versions.iter().map(|version| &version.name);
        let mut others = others.filter(|other| self.is_covered(target, other, rules));
        others.next().cloned()
    }

    fn is_covered(&self, target: &Target, version: &str, rules: &[Value]) -> bool {
        let any = |rule: &Value, field: &str, wanted: &str| {
            strings(rule, field)
                .iter()
                .any(|found| found == "*" || found == wanted)
        };
        let scope = if target.kind.namespaced {
            "Namespaced"
        } else {
            "Cluster"
        };
        let resource = |rule: &Value| {
            strings(rule, "/resources").iter().any(|found| {
                let (name, sub) = found.split_once('/').unwrap_or((found, ""));
                (name == "*" || name == target.kind.plural)
                    && (sub == target.subresource || sub == "*")
            })
        };
        let named = |rule: &Value| {
            let names = strings(rule, "/resourceNames");
            names.is_empty() || names.iter().any(|name| name == object::name(self.object()))
        };
        rules.iter().any(|rule| {
            any(rule, "/operations", self.operation)
                && any(rule, "/apiGroups", &target.kind.group)
                && any(rule, "/apiVersions", version)
                && resource(rule)
                && named(rule)
                && (matches!(text(rule, "/scope"), "" | "*") || text(rule, "/scope") == scope)
        })
    }

    /// Returns whether `namespaceSelector` and `objectSelector` match the object and its namespace.
    pub(crate) fn is_selected(&self, store: &Store, target: &Target, selectors: &Value) -> bool {
        let namespace = if target.kind.is_namespace() {
            Some(at(self.object(), "/metadata/labels").clone())
        } else if target.namespace.is_empty() {
            None
        } else {
            Some(at(&namespace(store, &target.namespace), "/metadata/labels").clone())
        };
        let selector = at(selectors, "/namespaceSelector");
        namespace.is_none_or(|labels| selector::selects(selector, &labels))
            && [&self.new, &self.old].into_iter().any(|object| {
                let labels = at(object, "/metadata/labels");
                !object.is_null() && selector::selects(at(selectors, "/objectSelector"), labels)
            })
    }

    /// Returns the request of a review without its objects, for one who gets them in a version.
    pub(crate) fn request(&self, request: &Request, version: &str) -> Value {
        let target = &request.target;
        let group = &target.kind.group;
        let kind =
            |version: &str| match (target.subresource.as_str(), SCALE_VERSION.split_once('/')) {
                ("scale", Some((group, version))) => {
                    json!({"group": group, "version": version, "kind": "Scale"})
                }
                _ => json!({"group": group, "version": version, "kind": target.kind.kind}),
            };
        let resource = |version: &str| {
            let plural = &target.kind.plural;
            json!({"group": group, "version": version, "resource": plural})
        };
        let options = match self.operation {
            "CREATE" => "CreateOptions",
            "DELETE" => "DeleteOptions",
            _ => "UpdateOptions",
        };
        let mut asked = json!({
            "uid": names::uid(request.body.len() as u64),
            "kind": kind(version),
            "resource": resource(version),
            "requestKind": kind(&target.version),
            "requestResource": resource(&target.version),
            "name": object::name(self.object()),
            "operation": self.operation,
            "userInfo": request.user.info(),
            "dryRun": request.dry_run(),
            "options": {"apiVersion": "meta.k8s.io/v1", "kind": options},
        });
        if !target.namespace.is_empty() {
            asked["namespace"] = target.namespace.clone().into();
        }
        if !target.subresource.is_empty() {
            asked["subResource"] = target.subresource.clone().into();
            asked["requestSubResource"] = target.subresource.clone().into();
        }
        asked
    }
}

/// Returns a Namespace. Without the life cycle of namespaces, it need not exist.
pub(super) fn namespace(store: &Store, name: &str) -> Value {
    store.find("v1", "Namespace", "", name).map_or_else(
        || {
            let labels = json!({"kubernetes.io/metadata.name": name});
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        },
        |found| Value::clone(&found),
    )
}
