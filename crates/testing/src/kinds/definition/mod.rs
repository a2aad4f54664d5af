//! Validates CustomResourceDefinitions as `apiextensions.k8s.io` does.

mod accept;
#[cfg(feature = "cel")]
mod expressions;
mod version;

pub(crate) use accept::establish;

use std::collections::BTreeSet;

use kube::core::response::StatusCause;
use kube_codegen_schema::{Schema, definition};
use serde_json::Value;

use crate::{
    kinds::{kind::Kind, names},
    values::{
        object::{at, flag, list, put, strings, text},
        status::cause,
    },
};
use version::{columns, selectable, subresources};

/// The annotation of definitions in groups of the Kubernetes project.
const APPROVED: &str = "api-approved.kubernetes.io";

/// Collects violations.
pub(crate) struct Report(Vec<StatusCause>);

impl Report {
    pub(crate) fn required(&mut self, path: &str, why: &str) {
        let message = if why.is_empty() {
            "Required value".to_owned()
        } else {
            format!("Required value: {why}")
        };
        self.0.push(cause(path, "FieldValueRequired", message));
    }

    pub(crate) fn invalid(&mut self, path: &str, value: &Value, why: &str) {
        self.0.push(cause(
            path,
            "FieldValueInvalid",
            format!("Invalid value: {value}: {why}"),
        ));
    }

    pub(crate) fn forbidden(&mut self, path: &str, why: &str) {
        self.0.push(cause(
            path,
            "FieldValueForbidden",
            format!("Forbidden: {why}"),
        ));
    }

    pub(crate) fn unsupported(&mut self, path: &str, value: &Value, supported: &[&str]) {
        let supported: Vec<_> = supported.iter().map(|it| format!("{it:?}")).collect();
        let message = format!(
            "Unsupported value: {value}: supported values: {}",
            supported.join(", ")
        );
        self.0.push(cause(path, "FieldValueNotSupported", message));
    }
}

pub(crate) fn is_definition(kind: &Kind) -> bool {
    kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition"
}

/// Sets the defaults that depend on other fields.
pub(crate) fn default(crd: &mut Value) {
    let kind = text(crd, "/spec/names/kind").to_owned();
    if text(crd, "/spec/names/singular").is_empty() {
        put(crd, "/spec/names/singular", kind.to_lowercase().into());
    }
    if text(crd, "/spec/names/listKind").is_empty() && !kind.is_empty() {
        put(crd, "/spec/names/listKind", format!("{kind}List").into());
    }
    if text(crd, "/spec/conversion/strategy").is_empty() {
        put(crd, "/spec/conversion/strategy", "None".into());
    }
    let service = "/spec/conversion/webhook/clientConfig/service";
    if at(crd, service).is_object() && at(crd, &format!("{service}/port")).is_null() {
        put(crd, &format!("{service}/port"), 443.into());
    }
}

/// Returns the violations of a definition, which replaces `old`.
pub(crate) fn check(crd: &Value, old: Option<&Value>) -> Vec<StatusCause> {
    let mut report = Report(Vec::new());
    group(crd, &mut report);
    names(crd, &mut report);
    match text(crd, "/spec/scope") {
        "" => report.required("spec.scope", ""),
        "Cluster" | "Namespaced" => {}
        _ => report.unsupported(
            "spec.scope",
            at(crd, "/spec/scope"),
            &["Cluster", "Namespaced"],
        ),
    }
    if flag(crd, "/spec/preserveUnknownFields") {
        report.invalid("spec.preserveUnknownFields", &true.into(), "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
    }
    versions(crd, &mut report);
    conversion(crd, &mut report);
    if let Some(old) = old {
        unchanged(crd, old, &mut report);
    }
    report.0
}

fn group(crd: &Value, report: &mut Report) {
    let group = text(crd, "/spec/group");
    let name = format!("{}.{group}", text(crd, "/spec/names/plural"));
    if text(crd, "/metadata/name") != name {
        report.invalid(
            "metadata.name",
            at(crd, "/metadata/name"),
            "must be spec.names.plural+\".\"+spec.group",
        );
    }
    if group.is_empty() {
        report.required("spec.group", "");
        return;
    }
    for why in names::subdomain_violations(group) {
        report.invalid("spec.group", &group.into(), why);
    }
    if !group.contains('.') {
        report.invalid(
            "spec.group",
            &group.into(),
            "should be a domain with at least one dot",
        );
    }
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|owner| group == *owner || group.ends_with(&format!(".{owner}")));
    let approval = at(crd, "/metadata/annotations")
        .get(APPROVED)
        .and_then(Value::as_str)
        .unwrap_or_default();
    if is_protected && approval.is_empty() {
        let path = format!("metadata.annotations[{APPROVED}]");
        report.required(&path, "protected groups must have approval annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111");
    }
}

fn names(crd: &Value, report: &mut Report) {
    let spec = at(crd, "/spec/names");
    for field in ["plural", "singular", "kind", "listKind"] {
        let path = format!("spec.names.{field}");
        let name = text(spec, &format!("/{field}"));
        let is_kind = field.ends_with("ind");
        if name.is_empty() {
            if matches!(field, "plural" | "kind") {
                report.required(&path, "");
            }
            continue;
        }
        if let Some(why) = names::letter_label_violation(&if is_kind {
            name.to_lowercase()
        } else {
            name.to_owned()
        }) {
            let why = if is_kind {
                format!("may have mixed case, but should otherwise match: {why}")
            } else {
                why.to_owned()
            };
            report.invalid(&path, &name.into(), &why);
        }
    }
    for (field, names) in [
        ("shortNames", strings(spec, "/shortNames")),
        ("categories", strings(spec, "/categories")),
    ] {
        for (index, name) in names.iter().enumerate() {
            if let Some(why) = names::letter_label_violation(name) {
                report.invalid(
                    &format!("spec.names.{field}[{index}]"),
                    &name.as_str().into(),
                    why,
                );
            }
        }
    }
    if text(spec, "/kind") == text(spec, "/listKind") && !text(spec, "/kind").is_empty() {
        report.invalid(
            "spec.names.listKind",
            at(spec, "/listKind"),
            "kind and listKind may not be the same",
        );
    }
}

fn versions(crd: &Value, report: &mut Report) {
    let versions = list(crd, "/spec/versions");
    let mut seen = BTreeSet::new();
    let (mut stored, mut unique) = (0, true);
    // What all versions have in common is reported once, at the place that it had in v1beta1.
    let is_shared = |pointer: &str| {
        let first = versions.first().and_then(|it| it.pointer(pointer));
        let same = |it: &Value| it.pointer(pointer) == first;
        versions.iter().all(same)
    };
    let at_part = |index: usize, pointer: &str, part: &str| {
        if !is_shared(pointer) {
            return Some(format!("spec.versions[{index}]"));
        }
        (index == 0).then(|| part.to_owned())
    };
    for (index, version) in versions.iter().enumerate() {
        let path = format!("spec.versions[{index}]");
        let name = text(version, "/name");
        stored += usize::from(flag(version, "/storage"));
        unique &= seen.insert(name);
        if let Some(why) = names::letter_label_violation(name) {
            report.invalid(&format!("{path}.name"), &name.into(), why);
        }
        if !text(version, "/deprecationWarning").is_empty() && !flag(version, "/deprecated") {
            report.invalid(
                &format!("{path}.deprecationWarning"),
                at(version, "/deprecationWarning"),
                "can only be set for deprecated versions",
            );
        }
        match version.pointer("/schema/openAPIV3Schema") {
            None => report.required(
                &format!("{path}.schema.openAPIV3Schema"),
                "schemas are required",
            ),
            Some(schema) => {
                if let Some(path) = at_part(index, "/schema", "spec.validation") {
                    let path = path.replace(']', "].schema") + ".openAPIV3Schema";
                    let has_status = |it: &Value| !at(it, "/subresources/status").is_null();
                    let has_status = if is_shared("/schema") {
                        versions.iter().any(has_status)
                    } else {
                        has_status(version)
                    };
                    whole_schema(schema, has_status, &path, report);
                }
            }
        }
        if let Some(path) = at_part(index, "/subresources", "spec") {
            subresources(version, &path, report);
        }
        if let Some(path) = at_part(index, "/additionalPrinterColumns", "spec") {
            columns(version, &path, report);
        }
        if let Some(path) = at_part(index, "/selectableFields", "spec") {
            selectable(version, &path, report);
        }
    }
    let all = at(crd, "/spec/versions");
    if !unique {
        report.invalid("spec.versions", all, "must contain unique version names");
    }
    if stored != 1 {
        report.invalid(
            "spec.versions",
            all,
            "must have exactly one version marked as storage version",
        );
        let first = versions.iter().find(|version| flag(version, "/storage"));
        let why = match first {
            None => "must have at least one stored version".to_owned(),
            Some(first) => format!("must have the storage version {}", text(first, "/name")),
        };
        report.invalid("status.storedVersions", &Value::Array(Vec::new()), &why);
    }
}

fn whole_schema(schema: &Value, has_status: bool, path: &str, report: &mut Report) {
    let causes = definition::check(schema, has_status).causes(path);
    if !causes.is_empty() {
        for it in causes {
            report
                .0
                .push(cause(it.field, it.reason.as_str(), it.message));
        }
        return;
    }
    // A keyword with a value of a wrong type.
    if let Err(error) = Schema::new(schema) {
        report.invalid(path, &"".into(), &error.to_string());
    }
    #[cfg(feature = "cel")]
    expressions::check(schema, path, report);
}

fn conversion(crd: &Value, report: &mut Report) {
    let conversion = at(crd, "/spec/conversion");
    match text(conversion, "/strategy") {
        "" | "None" => {
            if !at(conversion, "/webhook").is_null() {
                report.forbidden(
                    "spec.conversion.webhook",
                    "should not be set when strategy is not set to Webhook",
                );
            }
        }
        "Webhook" => {
            if at(conversion, "/webhook/clientConfig").is_null() {
                report.required(
                    "spec.conversion.webhookClientConfig",
                    "required when strategy is set to Webhook",
                );
            }
            if list(conversion, "/webhook/conversionReviewVersions").is_empty() {
                report.required("spec.conversion.conversionReviewVersions", "");
            }
        }
        _ => report.unsupported(
            "spec.conversion.strategy",
            at(conversion, "/strategy"),
            &["None", "Webhook"],
        ),
    }
}

/// Refuses changes of what stored objects depend on.
fn unchanged(crd: &Value, old: &Value, report: &mut Report) {
    for pointer in [
        "/spec/group",
        "/spec/scope",
        "/spec/names/kind",
        "/spec/names/plural",
    ] {
        if at(crd, pointer) != at(old, pointer) && !at(old, pointer).is_null() {
            let path = pointer.trim_start_matches('/').replace('/', ".");
            report.invalid(&path, at(crd, pointer), "field is immutable");
        }
    }
    let versions = list(crd, "/spec/versions");
    for (index, stored) in strings(old, "/status/storedVersions").iter().enumerate() {
        if !versions
            .iter()
            .any(|version| text(version, "/name") == stored)
        {
            let why = format!(
                "missing from spec.versions; {stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {stored} and removes {stored} from status.storedVersions"
            );
            report.invalid(
                &format!("status.storedVersions[{index}]"),
                &stored.as_str().into(),
                &why,
            );
        }
    }
}
