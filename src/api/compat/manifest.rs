//! Compares what a CRD says outside of its schemas.
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Value, json};

use super::{
    Finding,
    rules::{Level, Rule},
    storage,
    versions::{converts_by_webhook, version, versions_of},
};
use crate::{
    input::{
        crd::{self, Schema},
        path::SchemaPath,
    },
    model::evolution::{self, differs},
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
        let more = lost(&b[name], &a[name]);
        if !more.is_empty() {
            let detail = format!("with {}", more.join(", "));
            found.push(Finding::at(
                Rule::NamesAdded,
                &format!("names.{name}"),
                detail,
            ));
        }
    }
    let rule = match (preserves(old), preserves(new)) {
        (true, false) => Some(Rule::Pruned),
        (false, true) => Some(Rule::Preserved),
        _ => None,
    };
    if let Some(rule) = rule {
        let path = "preserveUnknownFields";
        let detail = differs(path, &old_spec[path], &new_spec[path]);
        found.push(Finding::at(rule, path, detail));
    }
    // Which authority has signed the certificate says nothing of what converts.
    let webhook = |spec: &Value| {
        let mut webhook = spec["conversion"]["webhook"].clone();
        let client = webhook.pointer_mut("/clientConfig");
        if let Some(fields) = client.and_then(Value::as_object_mut) {
            fields.remove("caBundle");
        }
        webhook
    };
    let strategy = |spec: &Value| or(&spec["conversion"]["strategy"], "None".to_owned());
    if strategy(old_spec) != strategy(new_spec) {
        let detail = differs("strategy", &strategy(old_spec), &strategy(new_spec));
        found.push(Finding::at(Rule::ConversionChanged, "conversion", detail));
    } else if webhook(old_spec) != webhook(new_spec) {
        let detail = "another webhook".to_owned();
        found.push(Finding::at(Rule::ConversionChanged, "conversion", detail));
    }
    versions(old, new, &mut found);
    found.extend(storage::compare(old, new));
    if !converts_by_webhook(new) {
        if converts_by_webhook(old) {
            found.extend(storage::unconverted(old, new));
        }
        served(old, new, &mut found);
    }
    found
}

fn preserves(manifest: &Value) -> bool {
    manifest["spec"]["preserveUnknownFields"] == true
}

/// Returns two releases in one form: `preserveUnknownFields`, which no new CRD may have, is the extension in each object where the other release
/// has that in each object.
pub(super) fn in_one_form<'m>(old: &'m Value, new: &'m Value) -> (Cow<'m, Value>, Cow<'m, Value>) {
    let form = |crd: &'m Value, other: &Value| {
        if !preserves(crd) || preserves(other) || extended(other) != *other {
            return Cow::Borrowed(crd);
        }
        let mut extended = extended(crd);
        if let Some(spec) = extended["spec"].as_object_mut() {
            spec.remove("preserveUnknownFields");
        }
        Cow::Owned(extended)
    };
    (form(old, new), form(new, old))
}

/// Returns a CRD with the extension that keeps unknown fields in each object.
fn extended(crd: &Value) -> Value {
    let mut crd = crd.clone();
    let versions = crd["spec"]["versions"].as_array_mut();
    for version in versions.into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            let mut typed = Schema::of(schema.clone());
            typed.preserve();
            if *typed != *Schema::of(schema.clone()) {
                *schema = serde_json::to_value(typed).unwrap_or_default();
            }
        }
    }
    crd
}

/// Returns the texts of a list that the other one lacks.
fn lost(old: &Value, new: &Value) -> Vec<String> {
    let texts = |list: &Value| -> BTreeSet<String> {
        let texts = list.as_array().into_iter().flatten();
        texts.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    texts(old).difference(&texts(new)).cloned().collect()
}

fn versions(old: &Value, new: &Value, found: &mut Vec<Finding>) {
    for (name, before) in versions_of(old) {
        let Some(after) = version(new, name) else {
            let mut finding = Finding::at(Rule::VersionRemoved, "", String::new());
            if before["served"] == false {
                "was not served".clone_into(&mut finding.detail);
                finding.level = Level::Risk;
            }
            finding.version = Some(name.to_owned());
            found.push(finding);
            continue;
        };
        let mut add = |rule, path: &str, detail: String| {
            let mut finding = Finding::at(rule, path, detail);
            finding.version = Some(name.to_owned());
            found.push(finding);
        };
        match (before["served"] == true, after["served"] == true) {
            (true, false) => add(Rule::VersionUnserved, "", String::new()),
            (false, true) => add(Rule::VersionServed, "", String::new()),
            _ => {}
        }
        let warning = |version: &Value| {
            let text = version["deprecationWarning"].as_str().unwrap_or_default();
            (version["deprecated"] == true).then(|| text.to_owned())
        };
        if warning(before) != warning(after) {
            let text = warning(after).unwrap_or_else(|| "not any more".to_owned());
            add(Rule::VersionDeprecated, "", text);
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
        (true, true) => {
            for path in [
                "specReplicasPath",
                "statusReplicasPath",
                "labelSelectorPath",
            ] {
                let (a, b) = (&old["scale"][path], &new["scale"][path]);
                if a != b {
                    // An autoscaler did without it.
                    let rule = if a.is_null() {
                        Rule::ScaleAdded
                    } else {
                        Rule::ScaleChanged
                    };
                    add(rule, "subresources.scale", differs(path, a, b));
                }
            }
        }
        _ => {}
    }
}

fn columns(old: &Value, new: &Value, add: &mut dyn FnMut(Rule, &str, String)) {
    // Without columns, `kubectl get` shows the age.
    let age = json!([{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]);
    let of = |version: &Value| -> Vec<Value> {
        let columns = &version["additionalPrinterColumns"];
        let is_empty = columns.as_array().is_none_or(Vec::is_empty);
        let columns = if is_empty { &age } else { columns };
        let columns = columns.as_array().into_iter().flatten();
        columns.cloned().collect()
    };
    let (old, new) = (of(old), of(new));
    let named = |columns: &[Value], name: &Value| {
        let mut columns = columns.iter();
        // `kubectl get` prints capitals.
        let shown = |name: &Value| name.as_str().map(str::to_uppercase);
        columns
            .find(|it| shown(&it["name"]) == shown(name))
            .cloned()
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
        both.filter_map(Value::as_str)
            .map(str::to_uppercase)
            .collect()
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
    if old["spec"]["versions"] == new["spec"]["versions"]
        && converts_by_webhook(old) == converts_by_webhook(new)
    {
        return;
    }
    let pairs = |manifest: &Value| -> BTreeSet<(String, String, String)> {
        let served: Vec<_> = versions_of(manifest)
            .filter(|(_, version)| version["served"] == true)
            .collect();
        // Many versions share a schema, and only some of them differ in an interesting way: each pair of schemas is compared once.
        let mut schemas: Vec<Box<Schema>> = Vec::new();
        let mut numbers = Vec::new();
        for (name, _) in &served {
            let schema = crd::schema_of(manifest, name).unwrap_or_default();
            let known = schemas.iter().position(|it| *it == schema);
            numbers.push(known.unwrap_or(schemas.len()));
            if known.is_none() {
                schemas.push(schema);
            }
        }
        let mut known: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        let mut differences = BTreeSet::new();
        for (index, (a, _)) in served.iter().enumerate() {
            for (other, (b, _)) in served.iter().enumerate().skip(index + 1) {
                let pair = (numbers[index], numbers[other]);
                let changes = known.entry(pair).or_insert_with(|| {
                    let changes = evolution::diff(&schemas[pair.0], &schemas[pair.1], &[]);
                    let decided = changes.iter().filter(|it| it.class.needs_decision());
                    decided.map(ToString::to_string).collect()
                });
                let changes = changes.iter();
                differences
                    .extend(changes.map(|it| ((*a).to_owned(), (*b).to_owned(), it.clone())));
            }
        }
        differences
    };
    // What a webhook kept is lost once there is none.
    let known = if converts_by_webhook(old) {
        BTreeSet::new()
    } else {
        pairs(old)
    };
    for (a, b, change) in pairs(new).difference(&known) {
        let detail = format!("{a} and {b}: {change}");
        found.push(Finding::new(
            Rule::ServedVersionsDiffer,
            &SchemaPath::root(),
            detail,
        ));
    }
}
