//! Verdicts about another storage version.
use super::*;

/// A CRD with these versions: name, what it is (`storage`, `served`, or `none`), and the properties of the spec.
fn versions(all: &[(&str, &str, Value)], strategy: &str) -> Value {
    let mut crd = crd();
    let version = |(name, is, properties): &(&str, &str, Value)| {
        json!({"name": name, "served": *is != "none", "storage": *is == "storage", "schema": {"openAPIV3Schema": {
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": properties}},
        }}})
    };
    crd["spec"]["versions"] = all.iter().map(version).collect();
    crd["spec"]["conversion"] = json!({"strategy": strategy});
    crd
}

fn fields(names: &[&str]) -> Value {
    let fields = names
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": "string"})));
    Value::Object(fields.collect())
}

/// Returns the findings about the storage.
fn storage(old: &Value, new: &Value) -> Vec<Finding> {
    let mut found = compare_crd(old, new, &Meter::silent());
    found.retain(|it| matches!(it.rule, Rule::StoragePruned | Rule::StorageChanged));
    found
}

#[test]
fn a_storage_version_that_lacks_a_field_is_a_break() {
    let (ab, a) = (fields(&["a", "b"]), fields(&["a"]));
    let old = versions(
        &[
            ("v1", "storage", ab.clone()),
            ("v1beta1", "served", a.clone()),
        ],
        "None",
    );
    for new in [
        versions(
            &[
                ("v1", "served", ab.clone()),
                ("v1beta1", "storage", a.clone()),
            ],
            "None",
        ),
        versions(
            &[
                ("v1", "none", ab.clone()),
                ("v1beta1", "storage", a.clone()),
            ],
            "None",
        ),
        versions(&[("v1beta1", "storage", a.clone())], "None"),
        versions(&[("v1", "served", ab), ("v2", "storage", a)], "None"),
    ] {
        let found = storage(&old, &new);
        let all: Vec<_> = found
            .iter()
            .map(|it| (it.rule, it.level, &*it.path, proof(it)))
            .collect();
        assert_eq!(
            all,
            [(Rule::StoragePruned, Level::Breaking, "spec.b", "dropped")]
        );
        let witness = found[0].witness.as_ref().unwrap();
        assert_eq!(witness.object["apiVersion"], "example.com/v1");
        assert_eq!(
            witness.object["spec"].as_object().map(serde_json::Map::len),
            Some(1)
        );
        assert!(witness.object["spec"]["b"].is_string());
        let Proof::Dropped { paths } = &witness.proof else {
            panic!("{witness:?}");
        };
        assert_eq!(paths, &["spec.b"]);
    }
}

#[test]
fn a_storage_version_that_keeps_everything_is_compatible() {
    let (ab, a) = (fields(&["a", "b"]), fields(&["a"]));
    let of = |old: &Value, new: &Value| {
        let before = versions(
            &[
                ("v1", "storage", old.clone()),
                ("v2", "served", new.clone()),
            ],
            "None",
        );
        let after = versions(
            &[
                ("v1", "served", old.clone()),
                ("v2", "storage", new.clone()),
            ],
            "None",
        );
        (before, after)
    };
    let open = |fields: &Value| {
        let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": fields});
        json!({"inner": open})
    };
    let inner = |fields: &Value| json!({"inner": {"type": "object", "properties": fields}});
    for (old, new) in [
        (&ab, &ab),
        (&a, &ab),
        (&inner(&ab), &open(&a)),
        (
            &inner(&ab),
            &json!({"inner": {"type": "object", "additionalProperties": {"type": "string"}}}),
        ),
        // Another type is not dropped.
        (
            &json!({"a": {"type": "string"}}),
            &json!({"a": {"type": "integer"}}),
        ),
    ] {
        let (before, after) = of(old, new);
        let found = storage(&before, &after);
        let all: Vec<_> = found.iter().map(|it| (it.rule, it.level)).collect();
        assert_eq!(
            all,
            [(Rule::StorageChanged, Level::Compatible)],
            "{old} and {new}"
        );
    }
    // Everything is kept.
    let (before, mut after) = of(&ab, &a);
    after["spec"]["preserveUnknownFields"] = json!(true);
    assert_eq!(storage(&before, &after)[0].rule, Rule::StorageChanged);
    // The field is removed from both versions, which is a change of its own.
    let (before, _) = of(&ab, &a);
    let after = versions(&[("v1", "served", a.clone()), ("v2", "storage", a)], "None");
    assert_eq!(storage(&before, &after)[0].rule, Rule::StorageChanged);
    let found = compare_crd(&before, &after, &Meter::silent());
    assert!(found.iter().any(|it| it.rule == Rule::FieldRemoved));
}

#[test]
fn unknown_fields_items_and_keys_are_lost_too() {
    let text = json!({"type": "string"});
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let list = |names: &[&str]| json!({"type": "array", "items": {"type": "object", "properties": fields(names)}});
    let map = |names: &[&str]| json!({"type": "object", "additionalProperties": {"type": "object", "properties": fields(names)}});
    for (old, new, path) in [
        (
            open,
            json!({"type": "object", "properties": {"a": text}}),
            "spec.f",
        ),
        (list(&["a", "b"]), list(&["a"]), "spec.f[].b"),
        (map(&["a", "b"]), map(&["a"]), "spec.f{}.b"),
        (
            json!({"type": "object", "additionalProperties": text}),
            json!({"type": "object", "properties": {"a": text}}),
            "spec.f",
        ),
    ] {
        let before = versions(
            &[
                ("v1", "storage", json!({"f": old})),
                ("v2", "served", json!({"f": new})),
            ],
            "None",
        );
        let after = versions(
            &[
                ("v1", "served", json!({"f": old})),
                ("v2", "storage", json!({"f": new})),
            ],
            "None",
        );
        let found = storage(&before, &after);
        let all: Vec<_> = found
            .iter()
            .map(|it| (it.rule, &*it.path, proof(it)))
            .collect();
        assert_eq!(
            all,
            [(Rule::StoragePruned, path, "dropped")],
            "{old} and {new}"
        );
    }
}

#[test]
fn a_webhook_decides_what_another_storage_version_keeps() {
    let (ab, a) = (fields(&["a", "b"]), fields(&["a"]));
    let old = versions(
        &[("v1", "storage", ab.clone()), ("v2", "served", a.clone())],
        "Webhook",
    );
    let new = versions(&[("v1", "served", ab), ("v2", "storage", a)], "Webhook");
    let found = storage(&old, &new);
    let all: Vec<_> = found
        .iter()
        .map(|it| (it.rule, it.level, &*it.detail))
        .collect();
    let detail = "v1, then v2; the webhook decides what becomes of spec.b, which v2 lacks";
    assert_eq!(all, [(Rule::StorageChanged, Level::Risk, detail)]);
    // Without it, what it kept is lost.
    let mut without = new.clone();
    without["spec"]["conversion"] = json!({"strategy": "None"});
    let found = compare_crd(&old, &without, &Meter::silent());
    let rules: Vec<_> = found.iter().map(|it| it.rule).collect();
    assert!(rules.contains(&Rule::StoragePruned), "{rules:?}");
    assert!(rules.contains(&Rule::ServedVersionsDiffer), "{rules:?}");
}

/// The webhook kept what only `v2` has.
#[test]
fn what_a_webhook_kept_is_lost_without_it() {
    let (ab, a) = (fields(&["a", "b"]), fields(&["a"]));
    let of = |strategy: &str, v2: &Value| {
        versions(
            &[("v1", "storage", a.clone()), ("v2", "served", v2.clone())],
            strategy,
        )
    };
    let removed = |old: &Value, new: &Value| {
        let mut found = compare_crd(old, new, &Meter::silent());
        found.retain(|it| it.rule == Rule::ConversionRemoved);
        found
    };
    let found = removed(&of("Webhook", &ab), &of("None", &ab));
    let [finding] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        (finding.level, finding.version.as_deref(), &*finding.path),
        (Level::Breaking, Some("v2"), "spec.b")
    );
    assert_eq!(proof(finding), "dropped");
    // Nothing is kept, there was no webhook, or there still is one.
    for (old, new) in [
        (of("Webhook", &a), of("None", &a)),
        (of("None", &ab), of("None", &ab)),
        (of("Webhook", &ab), of("Webhook", &ab)),
    ] {
        assert!(removed(&old, &new).is_empty());
    }
}

/// The old storage version kept the field, and neither release changes the schema of a version.
#[test]
fn stored_objects_that_another_storage_version_prunes_are_found() {
    let (ab, a) = (fields(&["a", "b"]), fields(&["a"]));
    let old = versions(
        &[("v1", "storage", ab.clone()), ("v2", "served", a.clone())],
        "None",
    );
    let new = versions(&[("v1", "served", ab), ("v2", "storage", a)], "None");
    let mut groups = Vec::new();
    for reading in readings(&old, &new) {
        reading.judge(
            &json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"a": "x", "b": "y"}}),
            &mut groups,
        );
    }
    let found: Vec<_> = groups
        .iter()
        .map(|it| (it.effect, &*it.version, &*it.path))
        .collect();
    assert_eq!(found, [(Effect::Dropped, "v2", "spec.b")]);
}

#[test]
fn what_converts_belongs_to_the_change_of_the_storage_version() {
    let ab = fields(&["a", "b"]);
    let old = versions(
        &[("v1", "storage", ab.clone()), ("v2", "served", ab.clone())],
        "None",
    );
    let new = versions(
        &[("v1", "served", ab.clone()), ("v2", "storage", ab)],
        "None",
    );
    let found = findings(&old, &new, &Options::default());
    let changed = found
        .iter()
        .find(|it| it.rule == Rule::StorageChanged)
        .unwrap();
    let items: Vec<_> = changed.rust.iter().map(|it| &*it.item).collect();
    assert_eq!(items, ["widget_converter"]);
    assert_eq!(
        (changed.level, changed.worst()),
        (Level::Compatible, Level::Breaking)
    );
}
