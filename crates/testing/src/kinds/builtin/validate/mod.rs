//! The validation of built-in kinds that operators meet, in the words of the server
//! (`k8s.io/kubernetes/pkg/apis/*/validation`).

pub(crate) mod batch;
pub(crate) mod certificates;
pub(crate) mod config;
mod container;
pub(crate) mod job_status;
pub(crate) mod limits;
pub(crate) mod network;
pub(crate) mod others;
pub(crate) mod pod;
pub(crate) mod policies;
pub(crate) mod resize;
pub(crate) mod service;
mod volume;
pub(crate) mod webhooks;
pub(crate) mod workload;

use std::fmt::Display;

use kube::core::response::StatusCause;
use kube_codegen_formats::names;
use serde_json::Value;

use crate::{
    kinds,
    values::{
        object::{at, list, text},
        status::cause,
    },
};

/// The violations found so far.
#[derive(Debug, Default)]
pub(crate) struct Causes(pub(super) Vec<StatusCause>);

impl Causes {
    fn add(&mut self, path: impl Into<String>, reason: &str, message: impl Into<String>) {
        self.0.push(cause(path, reason, message));
    }

    /// Adds violations that have been found elsewhere.
    pub(crate) fn extend(&mut self, causes: Vec<StatusCause>) {
        self.0.extend(causes);
    }

    fn required(&mut self, path: impl Into<String>, detail: &str) {
        let message = if detail.is_empty() {
            "Required value".to_owned()
        } else {
            format!("Required value: {detail}")
        };
        self.add(path, "FieldValueRequired", message);
    }

    fn invalid(&mut self, path: impl Into<String>, value: impl Display, detail: impl Display) {
        let message = format!("Invalid value: {value}: {detail}");
        self.add(path, "FieldValueInvalid", message);
    }

    fn duplicate(&mut self, path: impl Into<String>, value: impl Display) {
        let message = format!("Duplicate value: {value}");
        self.add(path, "FieldValueDuplicate", message);
    }

    fn not_found(&mut self, path: impl Into<String>, value: &Value) {
        let message = format!("Not found: {value}");
        self.add(path, "FieldValueNotFound", message);
    }

    fn forbidden(&mut self, path: impl Into<String>, detail: &str) {
        let message = format!("Forbidden: {detail}");
        self.add(path, "FieldValueForbidden", message);
    }

    fn unsupported(&mut self, path: impl Into<String>, value: &Value, supported: &[&str]) {
        let names: Vec<_> = supported.iter().map(|it| format!("{it:?}")).collect();
        let message = format!(
            "Unsupported value: {value}: supported values: {}",
            names.join(", ")
        );
        self.add(path, "FieldValueNotSupported", message);
    }

    /// Demands one of some values, if there is a value.
    fn one_of(&mut self, path: impl Into<String>, value: &Value, supported: &[&str]) {
        if let Some(name) = value.as_str()
            && !supported.contains(&name)
        {
            self.unsupported(path, value, supported);
        }
    }

    fn immutable(&mut self, path: impl Into<String>, old: &Value, new: &Value) {
        if old != new {
            self.invalid(path, new, "field is immutable");
        }
    }

    /// Demands that the numbers of an object are not negative.
    fn not_negative(&mut self, path: &str, object: &Value, fields: &[&str]) {
        for field in fields {
            let value = at(object, &format!("/{field}"));
            if value.as_i64().is_some_and(|it| it < 0) {
                let field = format!("{path}.{field}");
                self.invalid(field, value, "must be greater than or equal to 0");
            }
        }
    }

    /// Demands a port number.
    fn port(&mut self, path: impl Into<String>, value: &Value) {
        if !value.as_i64().is_some_and(|it| (1..=65535).contains(&it)) {
            self.invalid(path, value, "must be between 1 and 65535, inclusive");
        }
    }

    /// Demands the name of a port (RFC 6335).
    fn port_name(&mut self, path: &str, value: &Value) -> bool {
        let name = value.as_str().unwrap_or_default();
        let before = self.0.len();
        if name.len() > 15 {
            self.invalid(path, value, "must be no more than 15 characters");
        }
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            self.invalid(
                path,
                value,
                "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
            );
        }
        if !name.chars().any(|c| c.is_ascii_lowercase()) {
            self.invalid(path, value, "must contain at least one letter (a-z)");
        }
        if name.contains("--") {
            self.invalid(path, value, "must not contain consecutive hyphens");
        }
        if name.starts_with('-') || name.ends_with('-') {
            self.invalid(path, value, "must not begin or end with a hyphen");
        }
        self.0.len() == before
    }

    /// Demands a DNS label.
    fn label(&mut self, path: &str, value: &Value) {
        for why in names::dns_1123_label(value.as_str().unwrap_or_default()) {
            self.invalid(path, value, why);
        }
    }

    /// Demands a DNS subdomain.
    fn subdomain(&mut self, path: &str, value: &Value) {
        for why in names::dns_1123_subdomain(value.as_str().unwrap_or_default()) {
            self.invalid(path, value, why);
        }
    }

    /// Demands valid keys and values of labels.
    fn labels(&mut self, path: &str, labels: &Value) {
        self.0.extend(kinds::names::labels(path, labels));
    }

    /// Validates a label selector, and returns whether it is valid.
    fn selector(&mut self, path: &str, selector: &Value) -> bool {
        let before = self.0.len();
        self.labels(&format!("{path}.matchLabels"), at(selector, "/matchLabels"));
        for (index, term) in list(selector, "/matchExpressions").iter().enumerate() {
            let path = format!("{path}.matchExpressions[{index}]");
            let values = list(term, "/values");
            match text(term, "/operator") {
                "In" | "NotIn" if values.is_empty() => self.required(
                    format!("{path}.values"),
                    "must be specified when `operator` is 'In' or 'NotIn'",
                ),
                "Exists" | "DoesNotExist" if !values.is_empty() => self.forbidden(
                    format!("{path}.values"),
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                ),
                "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
                _ => self.invalid(
                    format!("{path}.operator"),
                    at(term, "/operator"),
                    "not a valid selector operator",
                ),
            }
            for why in names::qualified_name(text(term, "/key")) {
                self.invalid(format!("{path}.key"), at(term, "/key"), why);
            }
        }
        self.0.len() == before
    }

    /// Validates a number or a percentage.
    fn int_or_percent(&mut self, path: &str, value: &Value) {
        match value {
            Value::String(text) => {
                let number = text.strip_suffix('%').unwrap_or_default();
                if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
                    self.invalid(path, value, "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
                }
            }
            Value::Number(number) if number.as_i64().is_some_and(|it| it < 0) => {
                self.invalid(path, value, "must be greater than or equal to 0");
            }
            _ => {}
        }
    }

    fn at_most_all(&mut self, path: &str, value: &Value) {
        if value.as_str().and_then(percent).is_some_and(|it| it > 100) {
            self.invalid(path, value, "must not be greater than 100%");
        }
    }
}

fn percent(text: &str) -> Option<i64> {
    text.strip_suffix('%')?.parse().ok()
}

/// Returns a number, or the number of a percentage.
fn amount(value: &Value) -> i64 {
    value
        .as_i64()
        .or_else(|| percent(value.as_str()?))
        .unwrap_or_default()
}
