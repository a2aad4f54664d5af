//! The Pod that the checks look at, and how they name what they find.

use std::{collections::BTreeSet, fmt::Display};

use serde_json::Value;

use crate::values::object::{at, list, text};

/// A Pod under a policy.
pub(super) struct Subject<'a> {
    pub(super) metadata: &'a Value,
    pub(super) spec: &'a Value,
    /// The minor version of the policy.
    pub(super) version: u32,
}

/// What a check forbids, and where it was found.
pub(super) struct Violation {
    pub(super) reason: String,
    pub(super) detail: String,
}

pub(super) type Found = Option<Violation>;

#[expect(clippy::unnecessary_wraps, reason = "each check returns it")]
pub(super) fn violation(reason: impl Into<String>, detail: impl Into<String>) -> Found {
    Some(Violation {
        reason: reason.into(),
        detail: detail.into(),
    })
}

pub(super) fn quoted(names: impl IntoIterator<Item = impl Display>) -> String {
    let names = names.into_iter().map(|name| format!("\"{name}\""));
    names.collect::<Vec<_>>().join(", ")
}

pub(super) fn plural<'a>(one: &'a str, more: &'a str, count: usize) -> &'a str {
    if count == 1 { one } else { more }
}

pub(super) fn containers_of(names: &[&str]) -> String {
    let noun = plural("container", "containers", names.len());
    format!("{noun} {}", quoted(names))
}

impl<'a> Subject<'a> {
    pub(super) fn containers(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        let spec = self.spec;
        let fields = ["/initContainers", "/containers", "/ephemeralContainers"];
        fields.into_iter().flat_map(|field| list(spec, field))
    }

    /// Returns the names of the containers that are bad.
    pub(super) fn bad(&self, mut is_bad: impl FnMut(&'a Value) -> bool) -> Vec<&'a str> {
        let bad = self.containers().filter(|container| is_bad(container));
        bad.map(|container| text(container, "/name")).collect()
    }

    /// Returns the names of the containers that have forbidden values, and all such values.
    pub(super) fn forbidden<T: Ord>(
        &self,
        mut of: impl FnMut(&'a Value) -> Vec<T>,
    ) -> (Vec<&'a str>, BTreeSet<T>) {
        let mut all = BTreeSet::new();
        let bad = self.bad(|container| {
            let values = of(container);
            let is_bad = !values.is_empty();
            all.extend(values);
            is_bad
        });
        (bad, all)
    }

    /// Returns whether the Pod or some containers have a bad security context, as messages say it.
    pub(super) fn setters(&self, mut is_bad: impl FnMut(&'a Value) -> bool) -> Vec<String> {
        let of_pod = is_bad(at(self.spec, "/securityContext")).then(|| "pod".to_owned());
        let bad = self.bad(|container| is_bad(at(container, "/securityContext")));
        let of_containers = (!bad.is_empty()).then(|| containers_of(&bad));
        of_pod.into_iter().chain(of_containers).collect()
    }

    /// Returns the containers that add capabilities other than those that are allowed, and these capabilities.
    pub(super) fn added_capabilities(&self, allowed: &[&str]) -> (Vec<&'a str>, BTreeSet<&'a str>) {
        self.forbidden(|container| {
            let added = list(container, "/securityContext/capabilities/add").iter();
            let added = added.filter_map(Value::as_str);
            added.filter(|name| !allowed.contains(name)).collect()
        })
    }

    /// A user namespace makes root inside it harmless.
    pub(super) fn has_user_namespace(&self) -> bool {
        self.version >= 35 && at(self.spec, "/hostUsers") == false
    }
}
