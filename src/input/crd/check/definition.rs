//! Shows what is wrong with a definition outside its schemas.
use std::collections::HashSet;

use kube_codegen_schema::definition::{self, Rule, Violation};
use serde_json::Value;

use super::{REJECTED, View, selectable, webhook};
use crate::base::diag::{Code, Place, Severity, pointer};
use crate::input::crd::reader::CrdReader;

const KEYS: &str = "use an optional prefix (a DNS subdomain) and `/`, and a name of at most 63 letters, digits, `-`, `_` and `.`";
const VALUES: &str =
    "use at most 63 letters, digits, `-`, `_` and `.`; begin and end with a letter or a digit";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Checks a manifest outside its schemas, and returns whether it has no errors. A value of a wrong type, which is reported itself, counts as
/// absent.
pub(in crate::input::crd) fn definition(reader: &mut CrdReader<'_>, manifest: &Value) -> bool {
    let violations = definition::check(manifest);
    let violated: HashSet<&str> = violations.all().iter().map(|it| &*it.pointer).collect();
    let (mut seen, mut is_valid) = (HashSet::new(), true);
    for violation in violations.all() {
        let at = violation.pointer.as_str();
        let has_spec = manifest["spec"].is_object();
        if reader.is_mistyped(at) || (!has_spec && at.starts_with("/spec")) {
            continue;
        }
        let is_unclear = match violation.rule {
            // The name is made from these.
            Rule::NameMismatch => ["/metadata/name", "/spec/group", "/spec/names/plural"]
                .iter()
                .any(|it| reader.is_mistyped(it) || (violated.contains(it) && *it != at)),
            // Any of these could be the one.
            Rule::Storage => {
                let mut mistyped = reader.mistyped.iter();
                mistyped.any(|it| it.starts_with("/spec/versions/"))
            }
            _ => false,
        };
        if is_unclear {
            continue;
        }
        let Some(view) = view(violation, manifest) else {
            continue;
        };
        // The API server rejects an old manifest in any case, so that only what is generated from it matters.
        if reader.is_legacy && view.code.severity() == Severity::Warning {
            continue;
        }
        let once = match view.code {
            Code::InvalidDeprecation => None,
            _ => Some(violation.rule),
        };
        if !seen.insert((once, at)) {
            continue;
        }
        let parent = at.rsplit_once('/').map_or(at, |(parent, _)| parent);
        let place = Place {
            key: view.key,
            version: version(violation, manifest),
            ..reader.place_of(if view.of_parent { parent } else { at })
        };
        let finding = reader.diagnostics.report(view.code, place, view.message);
        finding.hint(view.hint);
        match violation.rule {
            Rule::VersionTwice => _ = finding.label("second declaration"),
            // Clients ignore it.
            Rule::ColumnFormat => finding.severity = Severity::Warning,
            _ => {}
        }
        is_valid &= finding.severity != Severity::Error;
    }
    is_valid
}

/// Returns the name of the version that a violation is in, unless it is about the name.
fn version(violation: &Violation, manifest: &Value) -> Option<String> {
    if violation.rule == Rule::Name {
        return None;
    }
    let index = violation
        .pointer
        .strip_prefix("/spec/versions/")?
        .split('/')
        .next()?;
    let name = manifest.pointer(&format!("/spec/versions/{index}/name"))?;
    name.as_str().map(str::to_owned)
}

/// Returns how a violation is shown; nothing if another one or the reader reports it.
fn view(violation: &Violation, manifest: &Value) -> Option<View> {
    let at = violation.pointer.as_str();
    let steps: Vec<String> = pointer::steps(at).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let name = steps.last().copied().unwrap_or_default();
    let value = manifest.pointer(at).unwrap_or(&Value::Null);
    let text = value.as_str().unwrap_or_default();
    Some(match violation.rule {
        Rule::Missing => return missing(&steps, manifest),
        Rule::Name if text.is_empty() => {
            View::new(Code::MissingField, "the version's `name` is missing", "this field is required").of_parent()
        }
        Rule::Name => of_name(&steps, text),
        Rule::GroupDomain => View::new(
            Code::InvalidName,
            format!("group {text:?} must be a domain with at least one dot"),
            "use a domain such as example.com; groups without a dot are reserved for Kubernetes",
        ),
        Rule::NameMismatch => {
            let part = |at: &str| manifest.pointer(at).and_then(Value::as_str).unwrap_or_default();
            let wanted = format!("{}.{}", part("/spec/names/plural"), part("/spec/group"));
            View::new(
                Code::NameMismatch,
                format!("the CRD is named {text:?}; its plural and group require {wanted:?}"),
                "metadata.name must be <spec.names.plural>.<spec.group>",
            )
        }
        Rule::SameKind => View::new(
            Code::InvalidName,
            format!("kind and listKind are both {text:?}"),
            format!("remove listKind: it defaults to `{text}List`"),
        ),
        Rule::Scope => View::new(
            Code::InvalidScope,
            format!("unknown scope {text:?}"),
            "use `Namespaced` or `Cluster`",
        ),
        Rule::PreservedFields => View::new(
            Code::PreservedFields,
            "apiextensions.k8s.io/v1 does not allow `preserveUnknownFields: true`",
            "remove it, and set `x-kubernetes-preserve-unknown-fields: true` in the schemas where fields are unknown",
        )
        .of_key(),
        Rule::VersionTwice => View::new(
            Code::DuplicateVersion,
            format!("version {text:?} is declared twice"),
            "version names must be unique in a CRD",
        ),
        Rule::Storage => return storage(at, manifest),
        Rule::NoSchema => View::new(
            Code::MissingSchema,
            "the version has no `schema.openAPIV3Schema`",
            "to allow any content, use {type: object, x-kubernetes-preserve-unknown-fields: true}",
        )
        .of_key(),
        Rule::WarningOfCurrent => warning("is set, but the version is not deprecated"),
        Rule::EmptyWarning => warning("is empty"),
        Rule::LongWarning => warning("has more than 256 bytes"),
        Rule::HiddenInWarning => {
            warning("has a character that cannot be printed, such as a line break")
        }
        Rule::ColumnType => View::new(
            Code::InvalidColumn,
            format!("a printer column cannot have type {text:?}"),
            format!("use one of {}", definition::COLUMN_TYPES.join(", ")),
        ),
        Rule::ColumnFormat => View::new(
            Code::InvalidColumn,
            format!("a printer column cannot have format {text:?}"),
            format!("use one of {}", definition::COLUMN_FORMATS.join(", ")),
        ),
        Rule::ColumnPath => View::new(
            Code::InvalidPath,
            format!("the JSON path {text:?} does not start with a dot"),
            "write it like .spec.replicas, without braces",
        ),
        Rule::ScalePath => {
            let (message, hint) = crate::input::crd::subresources::wrong_path(name, text);
            View::new(Code::InvalidPath, message, hint)
        }
        _ => {
            let view = metadata(violation, name, value);
            let view = view.or_else(|| selectable::view(violation, text));
            return view.or_else(|| webhook::view(violation, manifest, value));
        }
    })
}

fn missing(steps: &[&str], manifest: &Value) -> Option<View> {
    let (what, hint) = match *steps {
        // The kind is missing, which they are made from.
        ["spec", "names", "singular" | "listKind"] => return None,
        ["spec", "names", _] if !manifest["spec"]["names"].is_object() => return None,
        ["spec", "scope"] => ("`spec.scope`".to_owned(), "use `Namespaced` or `Cluster`"),
        ["spec", "conversion", "strategy"] => {
            let message = "a conversion without `strategy`";
            let view = View::new(Code::InvalidConversion, message, "use None or Webhook");
            return Some(view.of_key());
        }
        [.., "additionalPrinterColumns", _, field] => (format!("the column's `{field}`"), ""),
        [.., "selectableFields", _, field] => (format!("the selectable field's `{field}`"), ""),
        [.., "scale", field] => (format!("`scale.{field}`"), ""),
        _ => (format!("`{}`", steps.join(".")), ""),
    };
    let hint = if hint.is_empty() {
        "this field is required"
    } else {
        hint
    };
    Some(View::new(Code::MissingField, format!("{what} is missing"), hint).of_key())
}

/// A name, of `metadata`, a group, the names of the definition or a version.
fn of_name(steps: &[&str], name: &str) -> View {
    let (what, hint) = match *steps {
        ["metadata", "name"] => ("metadata.name", SUBDOMAIN.to_owned()),
        ["spec", "group"] => ("group", SUBDOMAIN.to_owned()),
        ["spec", "names", what @ ("kind" | "listKind")] => (what, label("letters")),
        ["spec", "names", what, ..] => (what, label("lower-case letters")),
        _ => ("version", label("lower-case letters")),
    };
    View::new(
        Code::InvalidName,
        format!("{what} {name:?} is not a valid name"),
        hint,
    )
}

const SUBDOMAIN: &str = "use lower-case letters, digits, `-` and dots, at most 253 characters";

fn label(letters: &str) -> String {
    format!("use at most 63 {letters}, digits and `-`; begin with a letter and do not end with `-`")
}

fn storage(at: &str, manifest: &Value) -> Option<View> {
    let message = match at.strip_suffix("/storage") {
        Some(version) => {
            let name = manifest.pointer(version).and_then(|it| it["name"].as_str());
            format!(
                "version {:?} is a second storage version",
                name.unwrap_or_default()
            )
        }
        // An empty list is reported itself.
        None if manifest.pointer(at)?.as_array()?.is_empty() => return None,
        None => "no version is the storage version".to_owned(),
    };
    let hint = "set `storage: true` on exactly one version, the one stored in etcd";
    Some(View::new(Code::StorageVersion, message, hint))
}

fn warning(problem: &str) -> View {
    View::new(
        Code::InvalidDeprecation,
        format!("`deprecationWarning` {problem}"),
        format!("{REJECTED}; it sends the warning as a header of its responses"),
    )
}

fn metadata(violation: &Violation, name: &str, value: &Value) -> Option<View> {
    let code = Code::InvalidMetadata;
    let why = &violation.why;
    let view = match violation.rule {
        Rule::GeneratedName => View::new(
            code,
            "the name of a CRD cannot be generated",
            "remove the field",
        ),
        Rule::LabelKey => View::new(code, format!("{name:?} is not a valid label key"), KEYS),
        Rule::LabelValue => View::new(code, format!("{value} is not a valid label value"), VALUES),
        Rule::AnnotationKey => {
            View::new(code, format!("{name:?} is not a valid annotation key"), KEYS)
        }
        Rule::AnnotationsSize => {
            let hint = if value.get(LAST_APPLIED).is_some() {
                "remove kubectl.kubernetes.io/last-applied-configuration, and apply the CRD with --server-side"
            } else {
                "shorten them"
            };
            View::new(code, format!("the annotations have {why}"), hint)
        }
        Rule::Finalizer => View::new(code, format!("{value} is not a valid finalizer"), KEYS),
        Rule::Approval => View::new(
            code,
            format!("groups of Kubernetes require the annotation `{name}`"),
            "set it to the URL of the approval, or to `unapproved` with a reason; or use your own domain as the group",
        )
        .of_parent(),
        _ => return None,
    };
    Some(view.of_key())
}
