//! All rules for a definition outside its schemas, in the order of the server.

use super::{
    Node, Path, Rule, Violations, child, conversion, flag, metadata, names, text, versions,
};

const SCOPES: &[&str] = &["Cluster", "Namespaced"];

pub(super) fn check(definition: &Node, found: &mut Violations) {
    let none = Node::new();
    let part = |name: &str| child(definition, name).unwrap_or(&none);
    let (of_object, spec) = (part("metadata"), part("spec"));
    let root = Path::default();
    let of_spec = child(spec, "names").unwrap_or(&none);
    let group = text(spec, "group").unwrap_or_default();
    let wanted = format!("{}.{group}", text(of_spec, "plural").unwrap_or_default());
    let metadata_at = root.child("metadata");
    metadata::check(of_object, &wanted, &metadata_at, found);

    let at = root.child("spec");
    names::group(group, &at.child("group"), found);
    scope(spec, &at.child("scope"), found);
    if flag(spec, "preserveUnknownFields") {
        let at = at.child("preserveUnknownFields");
        let why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        found.reject(Rule::PreservedFields, &at, true, why);
    }
    versions::check(spec, &at, found);
    names::check(of_spec, &at.child("names"), found);
    if let Some(conversion) = child(spec, "conversion") {
        conversion::check(conversion, &at.child("conversion"), found);
    }
    metadata::approval(of_object, group, &metadata_at, found);
}

fn scope(spec: &Node, at: &Path<'_>, found: &mut Violations) {
    match text(spec, "scope").unwrap_or_default() {
        "" => found.missing(at, ""),
        scope if SCOPES.contains(&scope) => {}
        scope => {
            found.whole(Rule::Scope, at).unsupported(at, scope, SCOPES);
        }
    }
}
