//! The rules for the versions of a definition, without their schemas.

use std::collections::HashSet;

use serde_json::Value;

use super::{Node, Path, Rule, Violations, child, columns, entry, flag, list, names, text};

/// The most bytes of a deprecation warning.
const LONGEST_WARNING: usize = 256;

/// A version with its index.
type Version<'d> = (usize, &'d Node);

/// The schema of a version, as the server reports it.
pub(super) struct OfVersion<'d> {
    pub(super) node: &'d Value,
    pub(super) has_status: bool,
    pub(super) path: String,
    /// The JSON pointer of the schema.
    pub(super) pointer: String,
}

pub(super) fn check(spec: &Node, at: &Path<'_>, found: &mut Violations) {
    let versions = all(spec);
    let versions_at = at.child("versions");
    let same_at = at.child_as("versions", "");
    // What the server says about all versions, it says once.
    let (mut is_twice, mut storage) = (false, None);
    let mut seen = HashSet::new();
    for (index, version) in &versions {
        let at = versions_at.index(*index);
        let name = text(version, "name").unwrap_or_default();
        let name_at = at.child("name");
        names::label(name, false, &name_at, found);
        // The server has the first name twice.
        if *index == 0 && !name.is_empty() {
            let at = same_at.unsaid(0);
            names::label(name, false, &at.child_as("name", "version"), found);
        }
        if !seen.insert(name) {
            let violation = found.whole(Rule::VersionTwice, &name_at);
            if !std::mem::replace(&mut is_twice, true) {
                let all = entry(spec, "versions").unwrap_or(&Value::Null);
                violation.invalid(&versions_at, all, "must contain unique version names");
            }
        }
        if flag(version, "storage") {
            match storage {
                None => storage = Some(false),
                Some(is_said) => {
                    let violation = found.whole(Rule::Storage, &at.child("storage"));
                    if !is_said {
                        not_one_storage(violation, spec, &versions_at);
                    }
                    storage = Some(true);
                }
            }
        }
        deprecation(version, &at.child("deprecationWarning"), found);
        let declared = entry(version, "schema");
        let schema = declared.and_then(|it| it.get("openAPIV3Schema"));
        if declared.is_none_or(Value::is_object) && schema.is_none_or(Value::is_null) {
            let schema_at = at.child("schema");
            let at = schema_at.child("openAPIV3Schema");
            let violation = found.whole(Rule::NoSchema, &at);
            violation.required(&at, "");
        }
        for (keyword, check) in columns::PARTS {
            let is_shared = is_shared(&versions, keyword);
            let (same_at, before) = (same_at.unsaid(*index), found.all().len());
            check(version, if is_shared { &same_at } else { &at }, found);
            if is_shared && *index > 0 {
                found.unsay(before);
            }
        }
    }
    if storage.is_none() {
        let violation = found.whole(Rule::Storage, &versions_at);
        not_one_storage(violation, spec, &versions_at);
    }
}

fn not_one_storage(violation: &mut super::Violation, spec: &Node, at: &Path<'_>) {
    let all = entry(spec, "versions").unwrap_or(&Value::Null);
    let why = "must have exactly one version marked as storage version";
    violation.invalid(at, all, why);
}

/// Returns the schemas that the server validates, with its paths.
pub(super) fn schemas(definition: &Value) -> Vec<OfVersion<'_>> {
    let Some(spec) = definition.get("spec").and_then(Value::as_object) else {
        return Vec::new();
    };
    let versions = all(spec);
    let is_shared = is_shared(&versions, "schema");
    let has_status = |version: &Node| {
        let parts = child(version, "subresources");
        parts.is_some_and(|it| entry(it, "status").is_some())
    };
    let of_version = |(index, version): &Version<'_>| {
        let (path, has_status) = if is_shared {
            let of_any = versions.iter().any(|(_, it)| has_status(it));
            ("spec.validation".to_owned(), of_any)
        } else {
            let path = format!("spec.versions[{index}].schema");
            (path, has_status(version))
        };
        Some(OfVersion {
            node: entry(child_of(definition, *index)?, "openAPIV3Schema")?,
            has_status,
            path: path + ".openAPIV3Schema",
            pointer: format!("/spec/versions/{index}/schema/openAPIV3Schema"),
        })
    };
    let most = if is_shared { 1 } else { versions.len() };
    versions.iter().take(most).filter_map(of_version).collect()
}

fn child_of(definition: &Value, index: usize) -> Option<&Node> {
    definition["spec"]["versions"][index]
        .get("schema")?
        .as_object()
}

fn all(spec: &Node) -> Vec<Version<'_>> {
    let versions = list(spec, "versions").iter().enumerate();
    let versions = versions.filter_map(|(index, it)| Some((index, it.as_object()?)));
    versions.collect()
}

/// Whether all versions have the same of something: then the server reports it once, at the place that it had in v1beta1.
fn is_shared(versions: &[Version<'_>], keyword: &str) -> bool {
    let mut all = versions.iter().map(|(_, version)| entry(version, keyword));
    let first = all.next();
    all.all(|it| Some(it) == first)
}

fn deprecation(version: &Node, at: &Path<'_>, found: &mut Violations) {
    let Some(warning) = text(version, "deprecationWarning") else {
        return;
    };
    if !flag(version, "deprecated") {
        let why = "can only be set for deprecated versions";
        found.reject(Rule::WarningOfCurrent, at, warning, why);
        return;
    }
    if warning.len() > LONGEST_WARNING {
        let why = format!("must be <= {LONGEST_WARNING} characters long");
        found.reject(Rule::LongWarning, at, warning, &why);
    }
    if warning.is_empty() {
        let why = "must not be an empty string";
        found.reject(Rule::EmptyWarning, at, warning, why);
    }
    // Go's `unicode.IsPrint`, as far as texts have such characters.
    let hidden = warning.char_indices().find(|(_, c)| {
        c.is_control()
            || (c.is_whitespace() && *c != ' ')
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    });
    if let Some((index, _)) = hidden {
        let why = format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        );
        found.reject(Rule::HiddenInWarning, at, warning, &why);
    }
}
