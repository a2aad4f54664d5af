//! Validates requests for certificates.

use k8s_openapi::ByteString;
use serde::Deserialize as _;
use serde_json::Value;

use super::Causes;
use crate::values::object::{at, list, text};

/// Conditions that the subresource `approval` alone sets.
pub(crate) const APPROVALS: [&str; 2] = ["Approved", "Denied"];

const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

pub(crate) fn request(it: &mut Causes, subresource: &str, old: Option<&Value>, object: &Value) {
    spec(it, at(object, "/spec"));
    let conditions = list(object, "/status/conditions");
    for (index, condition) in conditions.iter().enumerate() {
        let path = format!("status.conditions[{index}]");
        if text(condition, "/type").is_empty() {
            it.required(format!("{path}.type"), "");
        }
        let statuses: &[&str] = match text(condition, "/type") {
            "Approved" | "Denied" | "Failed" => &["True"],
            _ => &["False", "True", "Unknown"],
        };
        let path = format!("{path}.status");
        if text(condition, "/status").is_empty() {
            it.required(path, "");
        } else {
            it.one_of(path, at(condition, "/status"), statuses);
        }
    }
    let has = |name: &str| conditions.iter().any(|it| text(it, "/type") == name);
    if has("Approved") && has("Denied") {
        let why = "Approved and Denied conditions are mutually exclusive";
        it.invalid("status.conditions", "\"Denied\"", why);
    }
    let Some(old) = old else {
        return;
    };
    for name in ["Approved", "Denied", "Failed"] {
        let of = |object| {
            let conditions = list(object, "/status/conditions").iter();
            conditions.filter(|it| text(it, "/type") == name).count()
        };
        let why = if of(object) < of(old) {
            format!("updates may not remove a condition of type {name:?}")
        } else if of(object) > of(old) && APPROVALS.contains(&name) && subresource != "approval" {
            format!("updates may not add a condition of type {name:?}")
        } else {
            continue;
        };
        it.forbidden("status.conditions", &why);
    }
    let (before, after) = (
        at(old, "/status/certificate"),
        at(object, "/status/certificate"),
    );
    let certificate = ByteString::deserialize(after).unwrap_or_default();
    let certificate = String::from_utf8_lossy(&certificate.0);
    if !certificate.is_empty() && !certificate.contains("-----BEGIN CERTIFICATE-----") {
        it.invalid(
            "status.certificate",
            "\"<certificate data>\"",
            "must contain at least one CERTIFICATE PEM block",
        );
    }
    if !before.is_null() && before != after {
        let why = "updates may not modify existing certificate content";
        it.forbidden("status.certificate", why);
    }
}

fn spec(it: &mut Causes, spec: &Value) {
    let request = ByteString::deserialize(at(spec, "/request"));
    let pem = request.map(|it| String::from_utf8_lossy(&it.0).into_owned());
    let is_pem = pem.is_ok_and(|pem| pem.contains("-----BEGIN CERTIFICATE REQUEST-----"));
    if !is_pem {
        let value = at(spec, "/request");
        let why = "PEM block type must be CERTIFICATE REQUEST";
        it.invalid("spec.request", value, why);
    }
    let usages = list(spec, "/usages");
    if usages.is_empty() {
        it.required("spec.usages", "");
    }
    for (index, usage) in usages.iter().enumerate() {
        it.one_of(format!("spec.usages[{index}]"), usage, &USAGES);
    }
    for (index, usage) in usages.iter().enumerate() {
        if usages[..index].contains(usage) {
            it.duplicate(format!("spec.usages[{index}]"), usage);
        }
    }
    let signer = at(spec, "/signerName");
    match text(spec, "/signerName").split_once('/') {
        None if text(spec, "/signerName").is_empty() => it.required("spec.signerName", ""),
        Some((domain, path)) if domain.contains('.') && !path.is_empty() => {}
        _ => it.invalid(
            "spec.signerName",
            signer,
            "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        ),
    }
    if let Some(seconds) = at(spec, "/expirationSeconds").as_i64()
        && seconds < 600
    {
        let why = "may not specify a duration less than 600 seconds (10 minutes)";
        it.invalid("spec.expirationSeconds", seconds, why);
    }
}
