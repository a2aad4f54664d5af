//! Compares a value of a configuration with what the API server stores for it.
use serde_json::Value;

use crate::{ParsedQuantity, built_in::GROUPS};

/// The names of fields of built-in kinds that are quantities, or maps of quantities.
const QUANTITIES: &[&str] = &[
    "averageValue",
    "capacity",
    "default",
    "defaultRequest",
    "divisor",
    "hard",
    "limits",
    "max",
    "maxLimitRequestRatio",
    "min",
    "overhead",
    "requests",
    "sizeLimit",
];

/// What the API server fills into atomic values of built-in kinds.
const DEFAULTS: &[(&str, &str)] = &[
    ("apiGroup", "rbac.authorization.k8s.io"),
    ("apiVersion", "v1"),
    ("divisor", "0"),
    ("kind", "PersistentVolumeClaim"),
    ("protocol", "TCP"),
    ("volumeMode", "Filesystem"),
];

/// Compares values of one kind of objects.
#[derive(Clone, Copy)]
pub(super) struct Comparer {
    is_built_in: bool,
}

impl Comparer {
    /// Creates a comparer for the kinds of a group.
    pub(super) fn of(group: &str) -> Self {
        Self {
            is_built_in: GROUPS.contains(&group),
        }
    }

    /// Whether the server stores the value of a field that the manager owns as `live`. It drops some blank values.
    pub(super) fn same(self, config: &Value, live: Option<&Value>, path: &str) -> bool {
        match (config, live) {
            (config, None) => is_blank(config),
            (Value::Number(config), Some(Value::Number(live))) => {
                config == live || config.as_f64() == live.as_f64()
            }
            (Value::String(config), Some(Value::String(live))) => {
                config == live || self.is_same_quantity(config, live, path)
            }
            (Value::Array(config), Some(Value::Array(live))) => {
                let mut pairs = config.iter().zip(live);
                config.len() == live.len()
                    && pairs.all(|(config, live)| self.same(config, Some(live), path))
            }
            (Value::Object(config), Some(Value::Object(live))) => {
                let mut fields = config.iter();
                let mut others = live.iter().filter(|(name, _)| !config.contains_key(*name));
                fields.all(|(name, value)| {
                    self.same(value, live.get(name), &format!("{path}.{name}"))
                }) && others.all(|(name, value)| self.is_filled_in(name, value))
            }
            (config, Some(live)) => config == live,
        }
    }

    fn is_same_quantity(self, config: &str, live: &str, path: &str) -> bool {
        let mut names = path.rsplit('.').take(2);
        let value = |text: &str| text.parse::<ParsedQuantity>().ok();
        self.is_built_in
            && path.starts_with(".spec.")
            && names.any(|name| QUANTITIES.contains(&name))
            && value(config).is_some_and(|quantity| Some(quantity) == value(live))
    }

    /// Whether the server may have added a field to an atomic value.
    fn is_filled_in(self, name: &str, value: &Value) -> bool {
        self.is_built_in
            && (is_blank(value)
                || name == "status"
                || name == "expirationSeconds"
                || DEFAULTS
                    .iter()
                    .any(|default| *default == (name, value.as_str().unwrap_or_default())))
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_blank),
    }
}
