//! Verdicts about one field, and about what a CRD says of its versions: what a change breaks, and what it does not.
use super::*;
use crate::input::crd::Schema;

/// Returns the findings about a field of the spec that changes from one schema to another: rule, level and proof.
fn field(old: &Value, new: &Value) -> Vec<(Rule, Level, &'static str)> {
    let with = |schema: &Value| {
        let mut crd = crd();
        at(&mut crd, "SPEC/properties")["field"] = schema.clone();
        crd
    };
    let found = compare_crd(&with(old), &with(new), &Meter::silent());
    let found = found.iter();
    found.map(|it| (it.rule, it.level, proof(it))).collect()
}

#[test]
fn an_object_proves_one_of_two_changes_of_a_place() {
    use Level::{Breaking, Compatible};
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    let mut ruled = text("^[a]+$");
    ruled["x-kubernetes-validations"] = json!([{"rule": "self != 'aa'"}]);
    let list = json!({"type": "array", "items": {"type": "string"}});
    let mut set = list.clone();
    set["maxItems"] = json!(20);
    set["x-kubernetes-list-type"] = json!("set");
    let object = |names: [&str; 2], least: u64| {
        let branches = names.map(|name| json!({"required": [name]}));
        json!({"type": "object", "anyOf": branches, "minProperties": least, "properties": {"a": {"type": "string"}, "b": {"type": "string"}}})
    };
    let rejected = "rejected, ratchets";
    for (old, new, expected) in [
        (
            text("^a+$"),
            ruled,
            [
                (Rule::RulesNarrowed, Breaking, rejected),
                (Rule::NoEffect, Compatible, ""),
            ],
        ),
        (
            list,
            set,
            [
                (Rule::ListNarrowed, Breaking, rejected),
                (Rule::Narrowed, Breaking, rejected),
            ],
        ),
        (
            object(["a", "b"], 1),
            object(["b", "a"], 2),
            [
                (Rule::Narrowed, Breaking, rejected),
                (Rule::NoEffect, Compatible, ""),
            ],
        ),
    ] {
        let mut found = field(&old, &new);
        found.sort_by_key(|it| expected.iter().position(|other| it == other));
        assert_eq!(found, expected, "{new}");
    }
}

#[test]
fn what_changes_nothing_is_compatible() {
    let ruled = |rules: Value| json!({"type": "string", "x-kubernetes-validations": rules});
    let (a, b) = (
        json!({"rule": "self != 'a'"}),
        json!({"rule": "self != 'b'"}),
    );
    let few = |more: Value| {
        let mut schema = json!({"type": "string", "enum": ["a", "bb"]});
        schema
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        schema
    };
    let map = |keys: Value| {
        let item = json!({"type": "object", "required": ["k", "l"], "properties": {"k": {"type": "string"}, "l": {"type": "string"}}});
        json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": item})
    };
    for (old, new) in [
        (ruled(json!([a, b])), ruled(json!([b, a]))),
        (
            ruled(json!([a])),
            ruled(json!([{"rule": "self != 'a'", "message": "not a"}])),
        ),
        (few(json!({})), few(json!({"maxLength": 2}))),
        (map(json!(["k", "l"])), map(json!(["l", "k"]))),
    ] {
        let found = field(&old, &new);
        assert_eq!(found, [(Rule::NoEffect, Level::Compatible, "")], "{new}");
    }
    let text = json!({"type": "string"});
    for same in [json!({"enum": []}), json!({"default": null})] {
        let mut new = text.clone();
        new.as_object_mut()
            .unwrap()
            .extend(same.as_object().unwrap().clone());
        assert_eq!(field(&text, &new), [], "{new}");
    }
    let fewer = field(&map(json!(["k", "l"])), &map(json!(["k"])));
    let rejected = (Rule::ListNarrowed, Level::Breaking, "rejected, ratchets");
    assert_eq!(fewer, [rejected]);
}

#[test]
fn an_undeclared_field_may_be_kept() {
    let open = |fields: Value| json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": fields});
    let found = field(&open(json!({"x": {"type": "integer"}})), &open(json!({})));
    assert_eq!(found, [(Rule::Widened, Level::Compatible, "")]);
    let mut all = crd();
    all["spec"]["preserveUnknownFields"] = true.into();
    let found = compare_crd(&all, &crd(), &Meter::silent());
    let found: Vec<_> = found.iter().map(|it| (it.rule, it.level)).collect();
    assert_eq!(found, [(Rule::Pruned, Level::Breaking)]);
    // The extension of v1 in every object says the same.
    let root = "/spec/versions/0/schema/openAPIV3Schema";
    let mut extended = crd();
    let schema = extended.pointer_mut(root).unwrap();
    let mut typed = *Schema::of(schema.take());
    typed.preserve();
    *schema = serde_json::to_value(typed).unwrap();
    for (old, new) in [(&all, &extended), (&extended, &all)] {
        let found = compare_crd(old, new, &Meter::silent());
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn a_version_that_is_not_served_concerns_no_client() {
    let with = |served: bool, kind: &str| {
        let mut crd = crd();
        let versions = at(&mut crd, "/spec/versions").as_array_mut().unwrap();
        let mut other = versions[0].clone();
        (other["name"], other["storage"]) = ("v0".into(), false.into());
        other["served"] = served.into();
        other["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["extra"] =
            json!({"type": kind});
        versions.push(other);
        crd
    };
    let judged = |old: &Value, new: &Value| -> Vec<(Rule, Level)> {
        let found = compare_crd(old, new, &Meter::silent());
        let found = found.iter().map(|it| (it.rule, it.level));
        found.collect()
    };
    let retyped = |level| (Rule::TypeChanged, level);
    let found = judged(&with(false, "string"), &with(false, "integer"));
    assert_eq!(found, [retyped(Level::Compatible)]);
    let found = judged(&with(true, "string"), &with(true, "integer"));
    assert!(found.contains(&retyped(Level::Breaking)), "{found:?}");
    let found = judged(&with(false, "string"), &crd());
    assert_eq!(found[0], (Rule::VersionRemoved, Level::Risk));
}

/// A thousand items take as many tries as a few.
#[test]
fn the_proof_of_a_long_list_has_no_field_too_many() {
    let list = |most: Value| {
        let item = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
        json!({"type": "array", "maxItems": most, "items": item})
    };
    let with = |most: Value| {
        let mut crd = crd();
        at(&mut crd, "SPEC/properties")["field"] = list(most);
        crd
    };
    let found = findings(&with(Value::Null), &with(json!(1000)), &Options::default());
    let witness = found[0].witness.as_ref().unwrap();
    let items = witness.object["spec"]["field"].as_array().unwrap();
    assert_eq!(items.len(), 1001);
    assert!(items.iter().all(|it| *it == json!({})), "{:?}", items[0]);
}

#[test]
fn what_a_crd_says_beside_its_fields() {
    let with = |pointer: &str, value: Value| {
        let mut crd = crd();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        at(&mut crd, parent)[name] = value;
        crd
    };
    let version = "/spec/versions/0";
    let judged = |old: &Value, new: &Value| -> Vec<(Rule, Level)> {
        let found = compare_crd(old, new, &Meter::silent());
        found.iter().map(|it| (it.rule, it.level)).collect()
    };
    let more = with("/spec/names/categories", json!(["all"]));
    assert_eq!(
        judged(&crd(), &more),
        [(Rule::NamesAdded, Level::Compatible)]
    );
    let selector = format!("{version}/subresources/scale/labelSelectorPath");
    let more = with(&selector, json!(".status.selector"));
    assert_eq!(
        judged(&crd(), &more),
        [(Rule::ScaleAdded, Level::Compatible)]
    );
    assert_eq!(
        judged(&more, &crd()),
        [(Rule::ScaleChanged, Level::Breaking)]
    );
    let warned = |text: &str| {
        let mut crd = with(&format!("{version}/deprecated"), true.into());
        at(&mut crd, version)["deprecationWarning"] = text.into();
        crd
    };
    let deprecated = [(Rule::VersionDeprecated, Level::Compatible)];
    assert_eq!(judged(&warned("use v2"), &warned("use v3")), deprecated);
    assert_eq!(judged(&warned("use v2"), &crd()), deprecated);
    let signed = |authority: &str| {
        let client = json!({"url": "https://example.com", "caBundle": authority});
        with(
            "/spec/conversion",
            json!({"strategy": "Webhook", "webhook": {"clientConfig": client}}),
        )
    };
    assert_eq!(judged(&signed("YQ=="), &signed("Yg==")), []);
    let columns = format!("{version}/additionalPrinterColumns");
    let none = with(&columns, Value::Null);
    assert_eq!(judged(&none, &with(&columns, json!([]))), []);
    let embedded = "SPEC/properties/open/x-kubernetes-embedded-resource";
    assert_eq!(judged(&crd(), &with(embedded, false.into())), []);
    let atomic = with(
        "SPEC/properties/extra/x-kubernetes-map-type",
        json!("atomic"),
    );
    assert_eq!(judged(&crd(), &atomic), [(Rule::MergeChanged, Level::Risk)]);
}

#[test]
fn of_a_long_pattern_the_part_that_differs_is_shown() {
    let (a, b) = ("a".repeat(300) + "b", "a".repeat(300) + "c");
    let detail = crate::model::evolution::differs("pattern", &a.into(), &b.into());
    let (before, after) = detail.split_once(", then ").unwrap();
    assert!(
        before.ends_with("b\"") && after.ends_with("c\""),
        "{detail}"
    );
}
