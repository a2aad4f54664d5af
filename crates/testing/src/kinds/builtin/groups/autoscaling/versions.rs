//! Converts `HorizontalPodAutoscaler`s between `autoscaling/v2`, in which they are stored, and `autoscaling/v1`.
//!
//! v1 has a field for the utilization of the CPU alone. The rest of v2 is JSON in annotations there, which v2 does not show: other metrics,
//! the behavior, and the metrics and conditions of the status.

use serde_json::{Map, Value, json};

use crate::values::object::{at, list, map, put, section, text};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The fields of a metric by its source: in v2, and in v1.
type Fields = &'static [(&'static str, &'static [(&'static str, &'static str)])];

const SPEC: Fields = &[
    (
        "resource",
        &[
            ("/name", "name"),
            ("/target/averageUtilization", "targetAverageUtilization"),
            ("/target/averageValue", "targetAverageValue"),
        ],
    ),
    (
        "containerResource",
        &[
            ("/name", "name"),
            ("/container", "container"),
            ("/target/averageUtilization", "targetAverageUtilization"),
            ("/target/averageValue", "targetAverageValue"),
        ],
    ),
    (
        "pods",
        &[
            ("/metric/name", "metricName"),
            ("/metric/selector", "selector"),
            ("/target/averageValue", "targetAverageValue"),
        ],
    ),
    (
        "object",
        &[
            ("/describedObject", "target"),
            ("/metric/name", "metricName"),
            ("/metric/selector", "selector"),
            ("/target/value", "targetValue"),
            ("/target/averageValue", "averageValue"),
        ],
    ),
    (
        "external",
        &[
            ("/metric/name", "metricName"),
            ("/metric/selector", "metricSelector"),
            ("/target/value", "targetValue"),
            ("/target/averageValue", "targetAverageValue"),
        ],
    ),
];

const STATUS: Fields = &[
    (
        "resource",
        &[
            ("/name", "name"),
            ("/current/averageUtilization", "currentAverageUtilization"),
            ("/current/averageValue", "currentAverageValue"),
        ],
    ),
    (
        "containerResource",
        &[
            ("/name", "name"),
            ("/container", "container"),
            ("/current/averageUtilization", "currentAverageUtilization"),
            ("/current/averageValue", "currentAverageValue"),
        ],
    ),
    (
        "pods",
        &[
            ("/metric/name", "metricName"),
            ("/metric/selector", "selector"),
            ("/current/averageValue", "currentAverageValue"),
        ],
    ),
    (
        "object",
        &[
            ("/describedObject", "target"),
            ("/metric/name", "metricName"),
            ("/metric/selector", "selector"),
            ("/current/value", "currentValue"),
            ("/current/averageValue", "averageValue"),
        ],
    ),
    (
        "external",
        &[
            ("/metric/name", "metricName"),
            ("/metric/selector", "metricSelector"),
            ("/current/value", "currentValue"),
            ("/current/averageValue", "currentAverageValue"),
        ],
    ),
];

pub(super) fn convert(object: Value, version: &str) -> Value {
    match version {
        "v1" => old(object),
        _ => new(object),
    }
}

/// Converts an object to v1.
fn old(mut object: Value) -> Value {
    put(&mut object, "/apiVersion", "autoscaling/v1".into());
    let (mut cpu, mut others): (_, Vec<String>) = (None, Vec::new());
    for metric in list(&object, "/spec/metrics") {
        let utilization = at(metric, "/resource/target/averageUtilization");
        let is_cpu = text(metric, "/type") == "Resource" && text(metric, "/resource/name") == "cpu";
        if is_cpu && !utilization.is_null() {
            cpu = cpu.or_else(|| Some(utilization.clone()));
        } else {
            others.push(old_metric(metric, SPEC));
        }
    }
    let current: Vec<String> = list(&object, "/status/currentMetrics")
        .iter()
        .map(|metric| old_metric(metric, STATUS))
        .collect();
    let usage = list(&object, "/status/currentMetrics")
        .iter()
        .find(|metric| text(metric, "/resource/name") == "cpu")
        .map(|metric| at(metric, "/resource/current/averageUtilization").clone());
    let conditions = list(&object, "/status/conditions").to_vec();
    let spec = section(&mut object, "spec");
    spec.remove("metrics");
    let behavior = spec.remove("behavior");
    spec.extend(cpu.map(|cpu| ("targetCPUUtilizationPercentage".to_owned(), cpu)));
    if object.get("status").is_some() {
        let status = section(&mut object, "status");
        status.remove("currentMetrics");
        status.remove("conditions");
        status.entry("currentReplicas").or_insert_with(|| 0.into());
        let usage = usage.filter(|usage| !usage.is_null());
        status.extend(usage.map(|usage| ("currentCPUUtilizationPercentage".to_owned(), usage)));
    }
    let conditions = (!conditions.is_empty()).then(|| Value::from(conditions).to_string());
    let metrics =
        |metrics: Vec<String>| (!metrics.is_empty()).then(|| format!("[{}]", metrics.join(",")));
    let texts = [
        (METRICS, metrics(others)),
        (CURRENT, metrics(current)),
        (CONDITIONS, conditions),
        // The server writes the names of Go's fields there.
        (
            BEHAVIOR,
            behavior.map(|it| renamed(it, str::to_uppercase).to_string()),
        ),
    ];
    for (name, value) in texts {
        let Some(value) = value else {
            continue;
        };
        let annotations = section(&mut object, "metadata").entry("annotations");
        let annotations = map(annotations.or_insert(Value::Null));
        annotations.insert(name.to_owned(), value.into());
    }
    object
}

/// Converts an object to v2.
fn new(mut object: Value) -> Value {
    put(&mut object, "/apiVersion", "autoscaling/v2".into());
    let mut kept = Map::new();
    if let Some(Value::Object(annotations)) = object.pointer_mut("/metadata/annotations") {
        for name in [METRICS, CURRENT, CONDITIONS, BEHAVIOR] {
            kept.extend(annotations.remove(name).map(|text| (name.to_owned(), text)));
        }
        if annotations.is_empty() {
            section(&mut object, "metadata").remove("annotations");
        }
    }
    let read =
        |name: &str| -> Option<Value> { serde_json::from_str(kept.get(name)?.as_str()?).ok() };
    let all = |name: &str, fields: Fields| -> Vec<Value> {
        let found = read(name).unwrap_or_default();
        let found = found.as_array().into_iter().flatten();
        found.map(|metric| new_metric(metric, fields)).collect()
    };
    let mut metrics = all(METRICS, SPEC);
    let spec = section(&mut object, "spec");
    if let Some(cpu) = spec.remove("targetCPUUtilizationPercentage") {
        let target = json!({"type": "Utilization", "averageUtilization": cpu});
        metrics.push(json!({"type": "Resource", "resource": {"name": "cpu", "target": target}}));
    }
    if !metrics.is_empty() {
        spec.insert("metrics".to_owned(), metrics.into());
    }
    if let Some(behavior) = read(BEHAVIOR).filter(Value::is_object) {
        spec.insert("behavior".to_owned(), renamed(behavior, str::to_lowercase));
    }
    if object.get("status").is_some() {
        let mut current = all(CURRENT, STATUS);
        let status = section(&mut object, "status");
        let usage = status.remove("currentCPUUtilizationPercentage");
        if let Some(usage) = usage.filter(|_| current.is_empty()) {
            let usage = json!({"name": "cpu", "current": {"averageUtilization": usage}});
            current.push(json!({"type": "Resource", "resource": usage}));
        }
        for (field, value) in [
            ("currentMetrics", Some(current.into())),
            ("conditions", read(CONDITIONS)),
        ] {
            let value = value.filter(|it| it.as_array().is_some_and(|items| !items.is_empty()));
            status.extend(value.map(|value| (field.to_owned(), value)));
        }
    }
    object
}

/// Writes a metric as v1 has it, with the fields in the order of Go's types.
fn old_metric(metric: &Value, fields: Fields) -> String {
    let mut parts = vec![format!("\"type\":{}", at(metric, "/type"))];
    for (source, fields) in fields {
        let Some(from) = metric.get(source) else {
            continue;
        };
        let fields = fields.iter().filter_map(|(new, old)| {
            // These are written without a value, too.
            let is_needed = matches!(*old, "currentAverageValue" | "currentValue" | "targetValue")
                && *source != "external";
            let value = from.pointer(new).cloned().or(is_needed.then(|| "0".into()));
            Some(format!("{old:?}:{}", value.filter(|it| !it.is_null())?))
        });
        let fields: Vec<String> = fields.collect();
        parts.push(format!("{source:?}:{{{}}}", fields.join(",")));
    }
    format!("{{{}}}", parts.join(","))
}

fn new_metric(metric: &Value, fields: Fields) -> Value {
    let mut converted = json!({"type": at(metric, "/type")});
    for (source, fields) in fields {
        let Some(from) = metric.get(source) else {
            continue;
        };
        let mut to = json!({});
        for (new, old) in *fields {
            // v1 cannot leave this one out.
            let is_absent = *old == "currentAverageValue" && from[*old] == "0";
            if let Some(value) = from.get(old).filter(|_| !is_absent) {
                put(&mut to, new, value.clone());
            }
        }
        if let Some(target) = to.get("target").cloned() {
            let kind = match () {
                () if target.get("averageUtilization").is_some() => "Utilization",
                () if target.get("averageValue").is_some() => "AverageValue",
                () => "Value",
            };
            put(&mut to, "/target/type", kind.into());
        }
        converted[*source] = to;
    }
    converted
}

/// Changes the case of the first letter of all keys.
fn renamed(value: Value, change: fn(&str) -> String) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| {
                let (first, rest) = name.split_at_checked(1).unwrap_or((&name, ""));
                (change(first) + rest, renamed(value, change))
            })
            .collect(),
        Value::Array(items) => items
            .into_iter()
            .map(|item| renamed(item, change))
            .collect(),
        other => other,
    }
}
