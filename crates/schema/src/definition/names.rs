//! The rules for the group, the names and the versions' names of a definition.

use kube_codegen_formats::names;

use super::{Node, Path, Rule, Violations, text, texts};

pub(super) fn group(group: &str, at: &Path<'_>, found: &mut Violations) {
    if group.is_empty() {
        found.missing(at, "");
        return;
    }
    let why = names::dns_1123_subdomain(group);
    if !why.is_empty() {
        found.reject(Rule::Name, at, group, &why.join(","));
    } else if !group.contains('.') {
        let why = "should be a domain with at least one dot";
        found.reject(Rule::GroupDomain, at, group, why);
    }
}

pub(super) fn check(names: &Node, at: &Path<'_>, found: &mut Violations) {
    let name = |field: &str| text(names, field).unwrap_or_default();
    let kind = name("kind");
    for field in ["plural", "singular", "kind", "listKind"] {
        let (at, name) = (at.child(field), name(field));
        let is_kind = matches!(field, "kind" | "listKind");
        if !name.is_empty() {
            label(name, is_kind, &at, found);
        } else if field == "plural" || kind.is_empty() {
            // The others have defaults, which are made from the kind.
            found.missing(&at, "");
        }
    }
    for field in ["shortNames", "categories"] {
        let at = at.child(field);
        for (index, name) in texts(names, field).enumerate() {
            label(name, false, &at.index(index), found);
        }
    }
    if !kind.is_empty() && kind == name("listKind") {
        let why = "kind and listKind may not be the same";
        found.reject(Rule::SameKind, &at.child("listKind"), kind, why);
    }
}

/// Demands a DNS label that starts with a letter; a kind may have upper-case letters.
pub(super) fn label(name: &str, is_kind: bool, at: &Path<'_>, found: &mut Violations) {
    let (why, start) = if is_kind {
        let why = names::dns_1035_label(&name.to_lowercase());
        (why, "may have mixed case, but should otherwise match: ")
    } else {
        (names::dns_1035_label(name), "")
    };
    if !why.is_empty() {
        let why = format!("{start}{}", why.join(","));
        found.reject(Rule::Name, at, name, &why);
    }
}
