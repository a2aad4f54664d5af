//! Compares what a CRD says outside of its schemas.
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Finding, rules::Rule};
use crate::{
    evolution::{self, differs},
    path::SchemaPath,
};

/// Compares the names, the scope, the versions and the conversion of a CRD.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    let (old_spec, new_spec) = (&old["spec"], &new["spec"]);
    let mut differ = |rule, name: &str, a: &Value, b: &Value| {
        if a != b {
            found.push(Finding::at(rule, name, differs(name, a, b)));
        }
    };
    differ(
        Rule::ScopeChanged,
        "scope",
        &old_spec["scope"],
        &new_spec["scope"],
    );
    let names = |spec: &Value| spec["names"].clone();
    let (a, b) = (names(old_spec), names(new_spec));
    differ(Rule::KindChanged, "names.kind", &a["kind"], &b["kind"]);
    let kind = a["kind"].as_str().unwrap_or_default();
    // What the API server fills in.
    let or = |value: &Value, default: String| match value {
        Value::Null => Value::from(default),
        value => value.clone(),
    };
    let singular = |names: &Value| or(&names["singular"], kind.to_lowercase());
    let list = |names: &Value| or(&names["listKind"], format!("{kind}List"));
    differ(
        Rule::NamesChanged,
        "names.singular",
        &singular(&a),
        &singular(&b),
    );
    differ(Rule::NamesChanged, "names.listKind", &list(&a), &list(&b));
    for name in ["shortNames", "categories"] {
        let missing = lost(&a[name], &b[name]);
        if !missing.is_empty() {
            let path = format!("names.{name}");
            let detail = format!("without {}", missing.join(", "));
            found.push(Finding::at(Rule::NamesChanged, &path, detail));
        }
    }
    let strategy = |spec: &Value| or(&spec["conversion"]["strategy"], "None".to_owned());
    if strategy(old_spec) != strategy(new_spec) {
        let detail = differs("strategy", &strategy(old_spec), &strategy(new_spec));
        found.push(Finding::at(Rule::ConversionChanged, "conversion", detail));
    } else if old_spec["conversion"]["webhook"] != new_spec["conversion"]["webhook"] {
        let detail = "another webhook".to_owned();
        found.push(Finding::at(Rule::ConversionChanged, "conversion", detail));
    }
    versions(old, new, &mut found);
    if strategy(new_spec) == "None" {
        served(old, new, &mut found);
    }
    found
}

/// Returns the texts of a list that the other one lacks.
fn lost(old: &Value, new: &Value) -> Vec<String> {
    let texts = |list: &Value| -> BTreeSet<String> {
        let texts = list.as_array().into_iter().flatten();
        texts.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    texts(old).difference(&texts(new)).cloned().collect()
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

fn versions(old: &Value, new: &Value, found: &mut Vec<Finding>) {
    let storage = |crd| versions_of(crd).find(|(_, it)| it["storage"] == true);
    if let (Some((a, _)), Some((b, _))) = (storage(old), storage(new))
        && a != b
    {
        let detail = format!("{a}, then {b}");
        found.push(Finding::at(Rule::StorageChanged, "", detail));
    }
    for (name, before) in versions_of(old) {
        let mut add = |rule, path: &str, detail: String| {
            let mut finding = Finding::at(rule, path, detail);
            finding.version = Some(name.to_owned());
            found.push(finding);
        };
        let Some(after) = version(new, name) else {
            add(Rule::VersionRemoved, "", String::new());
            continue;
        };
        match (before["served"] == true, after["served"] == true) {
            (true, false) => add(Rule::VersionUnserved, "", String::new()),
            (false, true) => add(Rule::VersionServed, "", String::new()),
            _ => {}
        }
        if before["deprecated"] != true && after["deprecated"] == true {
            let warning = after["deprecationWarning"].as_str().unwrap_or_default();
            add(Rule::VersionDeprecated, "", warning.to_owned());
        }
        subresources(&before["subresources"], &after["subresources"], &mut add);
        columns(before, after, &mut add);
        let fields = |version: &Value| -> BTreeSet<String> {
            let fields = version["selectableFields"].as_array().into_iter().flatten();
            let fields = fields.filter_map(|it| it["jsonPath"].as_str());
            fields.map(str::to_owned).collect()
        };
        let (a, b) = (fields(before), fields(after));
        for path in a.difference(&b) {
            add(Rule::SelectableRemoved, "selectableFields", path.clone());
        }
        for path in b.difference(&a) {
            add(Rule::SelectableAdded, "selectableFields", path.clone());
        }
    }
    for (name, _) in versions_of(new) {
        if version(old, name).is_none() {
            let mut finding = Finding::at(Rule::VersionAdded, "", String::new());
            finding.version = Some(name.to_owned());
            found.push(finding);
        }
    }
}

fn subresources(old: &Value, new: &Value, add: &mut dyn FnMut(Rule, &str, String)) {
    let has = |value: &Value, name: &str| value.get(name).is_some_and(|it| !it.is_null());
    match (has(old, "status"), has(new, "status")) {
        (false, true) => add(Rule::StatusAdded, "subresources.status", String::new()),
        (true, false) => add(Rule::StatusRemoved, "subresources.status", String::new()),
        _ => {}
    }
    match (has(old, "scale"), has(new, "scale")) {
        (false, true) => add(Rule::ScaleAdded, "subresources.scale", String::new()),
        (true, false) => add(Rule::ScaleRemoved, "subresources.scale", String::new()),
        (true, true) if old["scale"] != new["scale"] => {
            let detail = differs("scale", &old["scale"], &new["scale"]);
            add(Rule::ScaleChanged, "subresources.scale", detail);
        }
        _ => {}
    }
}

fn columns(old: &Value, new: &Value, add: &mut dyn FnMut(Rule, &str, String)) {
    // Without columns, `kubectl get` shows the age.
    let age = json!([{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]);
    let of = |version: &Value| -> Vec<Value> {
        let columns = &version["additionalPrinterColumns"];
        let columns = if columns.is_null() { &age } else { columns };
        let columns = columns.as_array().into_iter().flatten();
        columns.cloned().collect()
    };
    let (old, new) = (of(old), of(new));
    let named = |columns: &[Value], name: &Value| {
        let mut columns = columns.iter();
        columns.find(|it| it["name"] == *name).cloned()
    };
    let path = "additionalPrinterColumns";
    for column in &old {
        let name = column["name"].as_str().unwrap_or_default();
        match named(&new, &column["name"]) {
            None => add(Rule::ColumnRemoved, path, name.to_owned()),
            Some(other) => {
                for keyword in ["jsonPath", "type", "format", "priority"] {
                    if column[keyword] != other[keyword] {
                        let detail = differs(keyword, &column[keyword], &other[keyword]);
                        add(Rule::ColumnChanged, path, format!("{name}, {detail}"));
                    }
                }
                if column["description"] != other["description"] {
                    add(Rule::Descriptions, path, name.to_owned());
                }
            }
        }
    }
    let order = |columns: &[Value], others: &[Value]| -> Vec<String> {
        let both = columns.iter().map(|it| &it["name"]);
        let both = both.filter(|name| named(others, name).is_some());
        both.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (before, after) = (order(&old, &new), order(&new, &old));
    if before != after {
        let (before, after) = (before.join(", "), after.join(", "));
        let detail = format!("another order: {before}, then {after}");
        add(Rule::ColumnChanged, path, detail);
    }
    for column in &new {
        if named(&old, &column["name"]).is_none() {
            let name = column["name"].as_str().unwrap_or_default();
            add(Rule::ColumnAdded, path, name.to_owned());
        }
    }
}

/// Reports what one served version has and another one lacks, if the old release did not say so: without a webhook, nothing converts.
fn served(old: &Value, new: &Value, found: &mut Vec<Finding>) {
    let pairs = |crd: &Value| -> BTreeSet<(String, String, String)> {
        let served: Vec<_> = versions_of(crd)
            .filter(|(_, version)| version["served"] == true)
            .collect();
        let mut differences = BTreeSet::new();
        for (index, (a, _)) in served.iter().enumerate() {
            for (b, _) in &served[index + 1..] {
                let schema = |name| evolution::schema_of(crd, name).unwrap_or(&Value::Null);
                for change in evolution::diff(schema(a), schema(b), &[]) {
                    if change.class.needs_decision() {
                        differences.insert(((*a).to_owned(), (*b).to_owned(), change.to_string()));
                    }
                }
            }
        }
        differences
    };
    let known = pairs(old);
    for (a, b, change) in pairs(new).difference(&known) {
        let detail = format!("{a} and {b}: {change}");
        found.push(Finding::new(
            Rule::ServedVersionsDiffer,
            &SchemaPath::root(),
            detail,
        ));
    }
}
