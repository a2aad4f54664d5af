//! Each rule by a change that it is about, with what proves it and what it breaks in Rust.
mod alone;
mod crds;
mod fields;
mod objects;
mod storage;
mod verdicts;

use serde_json::json;

use super::*;
use crate::base::{options::Options, source::Source};

fn crd() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"]},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                "selectableFields": [{"jsonPath": ".spec.color"}],
                "additionalPrinterColumns": [{"name": "Color", "type": "string", "jsonPath": ".spec.color"}],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {
                        "type": "object",
                        "required": ["color"],
                        "x-kubernetes-validations": [{"rule": "self.replicas < 900"}],
                        "properties": {
                            "color": {"type": "string", "enum": ["Red", "Green"]},
                            "replicas": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 1},
                            "name": {"type": "string", "pattern": "^[a-z]+$", "nullable": true},
                            "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "string"}}},
                            "tags": {"type": "array", "items": {"type": "string"}},
                            "extra": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
                        },
                    },
                    "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
                }}},
            }],
        },
    })
}

/// The schema of `spec`.
const SPEC: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";

fn at<'a>(crd: &'a mut Value, pointer: &str) -> &'a mut Value {
    let pointer = pointer.replace("SPEC", SPEC);
    crd.pointer_mut(&pointer).unwrap()
}

/// Returns the findings about the first CRD with a value instead of another one; null removes.
fn changed(pointer: &str, value: Value) -> Vec<Finding> {
    let old = crd();
    let mut new = crd();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = at(&mut new, parent);
    match value {
        Value::Null => _ = parent.as_object_mut().unwrap().remove(name),
        value => parent[name] = value,
    }
    findings(&old, &new, &Options::default())
}

fn findings(old: &Value, new: &Value, options: &Options) -> Vec<Finding> {
    let source = |crd: &Value| vec![Source::new("crd.yaml", crd.to_string())];
    let rust = Releases::new(&source(old), &source(new), options).unwrap();
    let (old, new) = ([old.clone()], [new.clone()]);
    let found = compare(&old, &new, &BTreeMap::new(), rust, &Meter::silent());
    assert!(found.rest.is_empty(), "{:?}", found.rest);
    found
        .changes
        .into_iter()
        .flat_map(|it| it.findings)
        .collect()
}

/// Returns what proves a finding, as a word.
fn proof(finding: &Finding) -> &'static str {
    match finding.witness.as_ref().map(|it| &it.proof) {
        None => "",
        Some(Proof::Rejected { ratchets: true, .. }) => "rejected, ratchets",
        Some(Proof::Rejected { .. }) => "rejected",
        Some(Proof::Accepted { .. }) => "accepted",
        Some(Proof::UpdateRejected { .. }) => "update rejected",
        Some(Proof::UpdateAccepted { .. }) => "update accepted",
        Some(Proof::Dropped { .. }) => "dropped",
        Some(Proof::Stored { .. }) => "stored",
    }
}

#[test]
fn columns_may_change_places() {
    let column = |name: &str| json!({"name": name, "type": "string", "jsonPath": ".spec.color"});
    let columns = |all: &[&str]| {
        let mut crd = crd();
        let all = all.iter().map(|name| column(name)).collect();
        *at(&mut crd, "/spec/versions/0/additionalPrinterColumns") = all;
        crd
    };
    let (old, new) = (columns(&["A", "B", "C"]), columns(&["B", "D", "A", "C"]));
    let found = findings(&old, &new, &Options::default());
    let found: Vec<_> = found.iter().map(|it| (it.rule, &*it.detail)).collect();
    let expected = [
        (Rule::ColumnChanged, "another order: A, B, C, then B, A, C"),
        (Rule::ColumnAdded, "D"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_kind_that_is_called_like_a_subresource_keeps_its_breaks_apart() {
    let mut old = crd();
    *at(&mut old, "/spec/names") = json!({"plural": "widgets", "kind": "StatusReport"});
    let mut new = old.clone();
    let version = at(&mut new, "/spec/versions/0").as_object_mut().unwrap();
    version.remove("subresources");
    let found = findings(&old, &new, &Options::default());
    let items = |rule| -> Vec<String> {
        let finding = found.iter().find(|it| it.rule == rule).unwrap();
        finding.rust.iter().map(|it| it.item.clone()).collect()
    };
    let status = "StatusReport: kube::core::object::HasStatus";
    assert_eq!(items(Rule::StatusRemoved), [status]);
    let scale = "StatusReport: kube_codegen_runtime::client::ScaleSubresource";
    assert_eq!(items(Rule::ScaleRemoved), [scale]);
}

#[test]
fn what_a_crd_says_outside_of_its_schemas() {
    check([
        (
            "/spec/versions/0/additionalPrinterColumns/0/description",
            json!("The color."),
            Rule::Descriptions,
            "",
        ),
        ("/spec/scope", json!("Cluster"), Rule::ScopeChanged, ""),
        ("/spec/names/kind", json!("Gadget"), Rule::KindChanged, ""),
        (
            "/spec/conversion",
            json!({"strategy": "Webhook"}),
            Rule::ConversionChanged,
            "",
        ),
        ("/spec/names/shortNames", json!([]), Rule::NamesChanged, ""),
        (
            "/spec/versions/0/served",
            json!(false),
            Rule::VersionUnserved,
            "",
        ),
        (
            "/spec/versions/0/deprecated",
            json!(true),
            Rule::VersionDeprecated,
            "",
        ),
        (
            "/spec/versions/0/subresources/status",
            Value::Null,
            Rule::StatusRemoved,
            "",
        ),
        (
            "/spec/versions/0/subresources/scale",
            Value::Null,
            Rule::ScaleRemoved,
            "",
        ),
        (
            "/spec/versions/0/selectableFields",
            json!([]),
            Rule::SelectableRemoved,
            "",
        ),
        (
            "/spec/versions/0/additionalPrinterColumns",
            json!([]),
            Rule::ColumnRemoved,
            "",
        ),
    ]);
}

#[test]
fn fields_and_bounds() {
    check([
        (
            "SPEC/properties/added",
            json!({"type": "string"}),
            Rule::FieldAdded,
            "",
        ),
        (
            "SPEC/required",
            json!(["color", "name"]),
            Rule::FieldRequired,
            "rejected",
        ),
        ("SPEC/required", json!([]), Rule::FieldOptional, "accepted"),
        (
            "SPEC/properties/tags",
            Value::Null,
            Rule::FieldRemoved,
            "dropped",
        ),
        (
            "SPEC/properties/color/enum",
            json!(["Red"]),
            Rule::Narrowed,
            "rejected, ratchets",
        ),
        (
            "SPEC/properties/color/enum",
            json!(["Red", "Green", "Blue"]),
            Rule::Widened,
            "accepted",
        ),
        (
            "SPEC/properties/replicas/maximum",
            json!(10),
            Rule::Narrowed,
            "rejected, ratchets",
        ),
        (
            "SPEC/properties/replicas/default",
            json!(2),
            Rule::DefaultChanged,
            "stored",
        ),
        // A default may break a rule.
        (
            "SPEC/properties/replicas/default",
            json!(950),
            Rule::Narrowed,
            "rejected, ratchets",
        ),
        (
            "SPEC/properties/name/nullable",
            Value::Null,
            Rule::NotNullable,
            "stored",
        ),
    ]);
}

#[test]
fn rules_lists_and_unknown_fields() {
    let rules = |text: &str| json!([{"rule": text}]);
    check([
        (
            "SPEC/properties/name/pattern",
            json!("^[a-m]+$"),
            Rule::Changed,
            "rejected, ratchets",
        ),
        (
            "SPEC/properties/name/pattern",
            json!("^[a-z]{1,}$"),
            Rule::NoEffect,
            "",
        ),
        (
            "SPEC/properties/tags/items/type",
            json!("integer"),
            Rule::TypeChanged,
            "rejected, ratchets",
        ),
        (
            "SPEC/properties/tags/x-kubernetes-list-type",
            json!("set"),
            Rule::ListNarrowed,
            "rejected, ratchets",
        ),
        (
            "SPEC/properties/open/x-kubernetes-preserve-unknown-fields",
            Value::Null,
            Rule::Pruned,
            "dropped",
        ),
        (
            "SPEC/properties/open/properties/b",
            json!({"type": "integer"}),
            Rule::Narrowed,
            "rejected, ratchets",
        ),
        (
            "SPEC/properties/extra/x-kubernetes-preserve-unknown-fields",
            json!(true),
            Rule::Preserved,
            "",
        ),
        (
            "SPEC/properties/extra/oneOf",
            json!([{"required": ["a"]}, {"required": ["b"]}]),
            Rule::RulesNarrowed,
            "rejected",
        ),
        (
            "SPEC/x-kubernetes-validations",
            rules("self.replicas < 9"),
            Rule::RulesNarrowed,
            "rejected, ratchets",
        ),
        (
            "SPEC/x-kubernetes-validations",
            json!([]),
            Rule::RulesWidened,
            "accepted",
        ),
        (
            "SPEC/properties/extra/x-kubernetes-embedded-resource",
            json!(true),
            Rule::KeywordChanged,
            "rejected",
        ),
        ("SPEC/description", json!("Text."), Rule::Descriptions, ""),
    ]);
}

/// Checks the rule of each change, and what proves it: the first word counts, since whether an update passes is the validator's decision.
fn check<const N: usize>(cases: [(&str, Value, Rule, &str); N]) {
    for (pointer, value, rule, proves) in cases {
        let found = changed(pointer, value.clone());
        let what = format!("{pointer}: {value}: {found:#?}");
        let finding = found.iter().find(|it| it.rule == rule).expect(&what);
        let proves_as = proof(finding);
        assert_eq!(
            proves_as.split(',').next(),
            proves.split(',').next(),
            "{what}"
        );
        if let Some(Witness {
            object,
            proof: Proof::Rejected { messages, .. },
        }) = &finding.witness
        {
            assert!(
                !messages.is_empty() && object.to_string().len() < 220,
                "{what}"
            );
        }
        // One change of one place is one finding, but for what follows from it.
        assert!(found.len() <= 2, "{what}");
    }
}

/// The same changes backwards.
#[test]
fn what_a_crd_says_anew() {
    for (pointer, rule, level) in [
        ("served", Rule::VersionServed, Level::Compatible),
        ("subresources/status", Rule::StatusAdded, Level::Breaking),
        ("selectableFields", Rule::SelectableAdded, Level::Compatible),
    ] {
        let (mut old, new) = (crd(), crd());
        *at(&mut old, &format!("/spec/versions/0/{pointer}")) = Value::Null;
        let found = compare_crd(&old, &new, &Meter::silent());
        let all: Vec<_> = found.iter().map(|it| (it.rule, it.level)).collect();
        assert_eq!(all, [(rule, level)], "{pointer}");
    }
}

#[test]
fn versions_and_crds_come_and_go() {
    let old = crd();
    let mut new = crd();
    let mut version = old["spec"]["versions"][0].clone();
    version["name"] = json!("v2");
    version["storage"] = json!(true);
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["extra"] = Value::Null;
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        .as_object_mut()
        .unwrap()
        .remove("extra");
    new["spec"]["versions"][0]["storage"] = json!(false);
    new["spec"]["versions"]
        .as_array_mut()
        .unwrap()
        .push(version);
    let rules = |old: &Value, new: &Value| -> Vec<Rule> {
        let found = findings(old, new, &Options::default());
        found.iter().map(|it| it.rule).collect()
    };
    assert_eq!(
        rules(&old, &new),
        [
            Rule::StoragePruned,
            Rule::ServedVersionsDiffer,
            Rule::VersionAdded
        ]
    );
    assert_eq!(
        rules(&new, &old),
        [Rule::VersionRemoved, Rule::StorageChanged]
    );
    let compared = |old: &[Value], new: &[Value]| {
        compare(
            old,
            new,
            &BTreeMap::new(),
            Releases::default(),
            &Meter::silent(),
        )
        .changes
    };
    let changes = compared(&[crd()], &[]);
    assert_eq!(changes[0].findings[0].rule, Rule::CrdRemoved);
    let changes = compared(&[], &[crd()]);
    assert_eq!(changes[0].findings[0].rule, Rule::CrdAdded);
}

#[test]
fn what_keeps_code_compiling_is_tried() {
    let keeps = |pointer: &str, value: Value| -> Vec<(String, Option<String>)> {
        let found = changed(pointer, value);
        let breaks = found.into_iter().flat_map(|it| it.rust);
        breaks
            .map(|it| (it.item, it.keep.map(|keep| keep.line)))
            .collect()
    };
    // A text that becomes an enum.
    assert_eq!(
        keeps("SPEC/properties/extra/properties/a/enum", json!(["a", "b"])),
        [(
            "WidgetSpecExtra::a".to_owned(),
            Some("override = [{ path = \"example.com/v1/Widget.spec.extra.a\", rust-type = \"String\" }]".to_owned())
        )]
    );
    // An integer that becomes a text has another form on the wire: no entry keeps such code working.
    assert_eq!(
        keeps("SPEC/properties/replicas", json!({"type": "string"})),
        [("WidgetSpec::replicas".to_owned(), None)]
    );
    // A field becomes optional, and its constructor has no more to take.
    assert_eq!(
        keeps("SPEC/required", json!([])),
        [
            ("WidgetSpec::color".to_owned(), None),
            ("WidgetSpec::new".to_owned(), None)
        ]
    );
    assert_eq!(
        keeps("SPEC/properties/added", json!({"type": "string"})),
        []
    );
    // The method of the client has another signature.
    let scope = keeps("/spec/scope", json!("Cluster"));
    assert!(
        scope.iter().any(|it| it.0 == "ExampleComV1Client::widgets"),
        "{scope:?}"
    );
}
