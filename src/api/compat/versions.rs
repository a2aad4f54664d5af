//! The versions of a CRD, and what converts between them.
use serde_json::Value;

/// Returns whether a webhook converts objects between the versions of a CRD.
pub(super) fn converts_by_webhook(crd: &Value) -> bool {
    crd["spec"]["conversion"]["strategy"] == "Webhook"
}

/// Returns the versions of a CRD by name.
pub(super) fn versions_of(crd: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    let versions = versions.into_iter().flatten();
    versions.filter_map(|version| Some((version["name"].as_str()?, version)))
}

/// Returns a version of a CRD.
pub(super) fn version<'a>(crd: &'a Value, name: &str) -> Option<&'a Value> {
    let mut versions = versions_of(crd);
    versions.find(|(it, _)| *it == name).map(|(_, it)| it)
}

/// Returns the version in which objects are stored.
pub(super) fn stored(crd: &Value) -> Option<(&str, &Value)> {
    versions_of(crd).find(|(_, version)| version["storage"] == true)
}

/// Returns whether both releases serve a version, or the first one stores objects in it: else its schema concerns no client.
pub(super) fn is_in_use(old: &Value, new: &Value, name: &str) -> bool {
    let is = |crd, keyword: &str| version(crd, name).is_some_and(|it| it[keyword] == true);
    is(old, "storage") || (is(old, "served") && is(new, "served"))
}
