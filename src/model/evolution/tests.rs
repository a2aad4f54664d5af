//! Tests of each class of change.
#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments of tests are literals"
)]
use super::*;
use crate::input::crd::Schema;
use serde_json::{Value, json};

/// Compares the `spec` of two versions, each a list of properties.
fn changes(from: Value, to: Value) -> Vec<String> {
    declared(from, to, &[])
}

fn declared(from: Value, to: Value, pairs: &[(&str, &str)]) -> Vec<String> {
    let [from, to] = [from, to].map(|spec| {
        let metadata = json!({"type": "object"});
        Schema::of(json!({"type": "object", "properties": {"spec": spec, "metadata": metadata}}))
    });
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(a, b)| (parse_path(&from, a).unwrap(), parse_path(&to, b).unwrap()))
        .collect();
    let changes = diff(&from, &to, &pairs);
    changes.iter().map(Change::to_string).collect()
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

#[test]
fn equal_schemas_have_no_changes() {
    let schema = || object(json!({"a": {"type": "string", "description": "old"}}));
    let mut other = schema();
    other["properties"]["a"]["description"] = "new".into();
    assert_eq!(changes(schema(), other), Vec::<String>::new());
}

#[test]
fn constraints_widen_narrow_and_cross() {
    let number = |constraints: Value| {
        let mut schema = json!({"a": {"type": "integer"}});
        schema["a"]
            .as_object_mut()
            .unwrap()
            .extend(constraints.as_object().unwrap().clone());
        object(schema)
    };
    for (from, to, expected) in [
        (
            json!({"maximum": 10}),
            json!({"maximum": 100}),
            "spec.a: widened (maximum: 10, then 100)",
        ),
        (
            json!({"maximum": 10}),
            json!({}),
            "spec.a: widened (maximum: 10, then none)",
        ),
        (
            json!({}),
            json!({"minimum": 1}),
            "spec.a: narrowed (minimum: none, then 1)",
        ),
        (
            json!({"minimum": 1, "exclusiveMinimum": true}),
            json!({"minimum": 1}),
            "spec.a: widened (exclusiveMinimum: true, then none)",
        ),
        (
            json!({"maximum": 1}),
            json!({"maximum": 1, "exclusiveMaximum": true}),
            "spec.a: narrowed (exclusiveMaximum: none, then true)",
        ),
        (
            json!({"minimum": 1, "maximum": 2}),
            json!({"minimum": 2, "maximum": 3}),
            "spec.a: changed (minimum: 1, then 2; maximum: 2, then 3)",
        ),
        (
            json!({"multipleOf": 4}),
            json!({"multipleOf": 2}),
            "spec.a: widened (multipleOf: 4, then 2)",
        ),
        (
            json!({"format": "int32"}),
            json!({"format": "int64"}),
            "spec.a: widened (format: \"int32\", then \"int64\")",
        ),
        (
            json!({"enum": [1, 2]}),
            json!({"enum": [2, 3]}),
            "spec.a: changed (enum without 1, with 3)",
        ),
        (
            json!({"enum": [1]}),
            json!({}),
            "spec.a: widened (enum: [1], then none)",
        ),
        (
            json!({"nullable": true}),
            json!({}),
            "spec.a: no longer nullable",
        ),
        (
            json!({"default": 1}),
            json!({"default": 2}),
            "spec.a: default changed (default: 1, then 2)",
        ),
        (
            json!({}),
            json!({"type": "number"}),
            "spec.a: widened (integer, then number)",
        ),
        (
            json!({}),
            json!({"x-kubernetes-int-or-string": true}),
            "spec.a: widened (integer, then integer or string)",
        ),
        (
            json!({}),
            json!({"type": "boolean"}),
            "spec.a: type changed (integer, then boolean)",
        ),
    ] {
        assert_eq!(changes(number(from), number(to)), [expected]);
    }
}

#[test]
fn presence_is_compared() {
    let with = |required: &[&str], default: Option<i64>| {
        let mut schema = object(json!({"a": {"type": "integer"}}));
        schema["required"] = json!(required);
        if let Some(default) = default {
            schema["properties"]["a"]["default"] = default.into();
        }
        schema
    };
    assert_eq!(
        changes(with(&[], None), with(&["a"], None)),
        ["spec.a: now required"]
    );
    assert_eq!(
        changes(with(&["a"], None), with(&[], None)),
        ["spec.a: now optional"]
    );
    assert_eq!(
        changes(with(&["a"], Some(1)), with(&[], Some(1))),
        Vec::<String>::new()
    );
}

#[test]
fn fields_of_one_version_are_added_removed_renamed_or_moved() {
    let text = || json!({"type": "string", "maxLength": 9});
    assert_eq!(
        changes(
            object(json!({"old": text()})),
            object(json!({"new": {"type": "integer", "default": 3}}))
        ),
        ["spec.new: added (default: 3)", "spec.old: removed"]
    );
    assert_eq!(
        changes(
            object(json!({"podIP": text()})),
            object(json!({"podIp": text()}))
        ),
        ["spec.podIP -> spec.podIp: renamed"]
    );
    // The object around the field is new, and has another field.
    assert_eq!(
        changes(
            object(json!({"virtualHost": text()})),
            object(
                json!({"endpoint": object(json!({"virtualHost": text(), "port": {"type": "integer"}}))})
            )
        ),
        [
            "spec.endpoint: added around moved fields",
            "spec.endpoint.port: added",
            "spec.virtualHost -> spec.endpoint.virtualHost: moved"
        ]
    );
    // Two candidates are none.
    assert_eq!(
        changes(
            object(json!({"virtualHost": text()})),
            object(json!({
                "a": object(json!({"virtualHost": text()})),
                "b": object(json!({"virtualHost": text()})),
            }))
        ),
        [
            "spec.a: added",
            "spec.b: added",
            "spec.virtualHost: removed"
        ]
    );
}

#[test]
fn an_object_that_moved_as_a_whole_is_one_pair() {
    let text = || json!({"type": "string"});
    let pool = || {
        object(
            json!({"limits": object(json!({"cpu": text()})), "shareNames": {"type": "array", "items": text()}}),
        )
    };
    // The names differ in case only.
    assert_eq!(
        changes(
            object(json!({"resourcepool": pool()})),
            object(json!({"resourcePool": pool()}))
        ),
        ["spec.resourcepool -> spec.resourcePool: renamed"]
    );
    // A rule of the object differs, which needs no decision.
    let mut limited = pool();
    limited["maxProperties"] = 2.into();
    assert_eq!(
        changes(
            object(json!({"resourcepool": pool()})),
            object(json!({"resourcePool": limited}))
        ),
        [
            "spec.resourcepool -> spec.resourcePool: renamed",
            "spec.resourcepool -> spec.resourcePool: rules changed (maxProperties: none, then 2)"
        ]
    );
    // Two objects are equal: neither is the one that the other version has.
    assert_eq!(
        changes(
            object(json!({"resourcepool": pool(), "resource_pool": pool()})),
            object(json!({"resourcePool": pool()}))
        ),
        [
            "spec.resourcePool: added",
            "spec.resource_pool: removed",
            "spec.resourcepool: removed"
        ]
    );
    // The object went into another one, or out of it.
    let wrapped = || object(json!({"shared": object(json!({"pools": pool(), "size": text()}))}));
    assert_eq!(
        changes(object(json!({"pools": pool()})), wrapped()),
        [
            "spec.pools -> spec.shared.pools: moved",
            "spec.shared: added around moved fields",
            "spec.shared.size: added"
        ]
    );
    assert_eq!(
        changes(wrapped(), object(json!({"pools": pool()}))),
        [
            "spec.shared: removed around moved fields",
            "spec.shared.pools -> spec.pools: moved",
            "spec.shared.size: removed"
        ]
    );
}

/// Each pair of versions has equal fields by coincidence: nothing moves, and no field has another name.
#[test]
fn coincidence_makes_no_pair() {
    let integer = || json!({"type": "integer", "format": "int32"});
    let workers = || json!({"type": "integer", "minimum": 1, "maximum": 64, "description": "How many workers run at once."});
    let zones = || {
        object(
            json!({"zone": {"type": "string"}, "hosts": {"type": "array", "items": {"type": "string"}}}),
        )
    };
    let affinity = || {
        object(
            json!({"nodeAffinity": object(json!({"requiredDuringSchedulingIgnoredDuringExecution":
            object(json!({"nodeSelectorTerms": {"type": "array", "items": object(json!({"matchExpressions": {"type": "array", "items":
                object(json!({"key": {"type": "string"}, "operator": {"type": "string"}}))}}))}}))}))}),
        )
    };
    let bucket = || {
        object(
            json!({"bucket": {"type": "string"}, "prefix": {"type": "string"}, "endpointUrl": {"type": "string"}}),
        )
    };
    let with = |name: &str, value: Value| object(json!({ name: value }));
    for (from, to) in [
        // Two plugins with equal fields.
        (
            json!({"search": with("Workers", integer()), "s3": with("bucket", json!({"type": "string"}))}),
            json!({"search": object(json!({})), "s3": object(json!({"bucket": {"type": "string"}, "Workers": integer()}))}),
        ),
        (
            json!({"search": with("workers", workers()), "s3": object(json!({}))}),
            json!({"search": object(json!({})), "s3": with("workers", workers())}),
        ),
        (
            json!({"search": with("pool", bucket()), "s3": object(json!({}))}),
            json!({"search": object(json!({})), "s3": with("pool", bucket())}),
        ),
        // One plugin replaces another one.
        (json!({"s3": bucket()}), json!({"gcs": bucket()})),
        (
            json!({"s3Storage": bucket()}),
            json!({"gcsStorage": bucket()}),
        ),
        // A removed subtree shares an object with an added one.
        (
            json!({"proxy": object(json!({"port": integer(), "exporter": object(json!({"affinity": zones()}))}))}),
            json!({"restore": object(json!({"job": object(json!({"affinity": zones()}))}))}),
        ),
        // Kubernetes' types, and plain fields with everyday names.
        (
            json!({"affinity": affinity()}),
            json!({"pod": with("affinity", affinity())}),
        ),
        (
            json!({"enabled": {"type": "boolean"}}),
            json!({"metrics": with("enabled", json!({"type": "boolean"}))}),
        ),
        (
            json!({"workers": integer()}),
            json!({"queue": with("workers", integer())}),
        ),
        (
            json!({"port": {"type": "integer", "minimum": 1}}),
            json!({"metrics": with("port", json!({"type": "integer", "minimum": 1}))}),
        ),
        // The name is that of a field elsewhere.
        (
            json!({"workers": workers(), "search": with("workers", workers())}),
            json!({"s3": with("workers", workers()), "search": with("workers", workers())}),
        ),
        // It is described as something else.
        (
            json!({"width": {"type": "integer", "minimum": 1, "description": "of a line"}}),
            json!({"box": with("width", json!({"type": "integer", "minimum": 1, "description": "of the frame"}))}),
        ),
        // Names that have most letters in common.
        (json!({"minSize": integer()}), json!({"maxSize": integer()})),
        (
            json!({"readTimeout": integer()}),
            json!({"writeTimeout": integer()}),
        ),
        (
            json!({"name": {"type": "string"}}),
            json!({"secretName": {"type": "string"}}),
        ),
    ] {
        for (from, to) in [(&from, &to), (&to, &from)] {
            let found = changes(object(from.clone()), object(to.clone()));
            let paired = found
                .iter()
                .any(|it| it.contains("->") || it.contains("around"));
            assert!(!paired, "{found:#?}");
        }
    }
}

#[test]
fn a_new_name_in_the_same_object_comes_before_a_place_elsewhere() {
    let with = |name: &str| {
        object(
            json!({ name: {"type": "integer", "minimum": 0, "description": "How many run at once."} }),
        )
    };
    let both = json!({"workers": with("Workers")});
    assert_eq!(
        changes(
            object(json!({"search": with("Workers")})),
            object(
                json!({"search": with("workers"), "s3": with("Workers"), "outer": object(both)})
            )
        ),
        [
            "spec.outer: added",
            "spec.s3: added",
            "spec.search.Workers -> spec.search.workers: renamed"
        ]
    );
    // Nested, and in the items of a list.
    let list = |name: &str| {
        object(json!({"pools": {"type": "array", "items": object(json!({"a": with(name)}))}}))
    };
    assert_eq!(
        changes(list("maxWorkers"), list("max_workers")),
        ["spec.pools[].a.maxWorkers -> spec.pools[].a.max_workers: renamed"]
    );
    // A longer name needs a telling schema.
    assert_eq!(
        changes(with("idle"), with("idleSeconds")),
        ["spec.idle -> spec.idleSeconds: renamed"]
    );
    // The other spelling of both is one too many.
    let two = object(json!({"maxWorkers": {"type": "integer"}, "MaxWorkers": {"type": "integer"}}));
    assert_eq!(
        changes(two, object(json!({"maxworkers": {"type": "integer"}}))),
        [
            "spec.MaxWorkers: removed",
            "spec.maxWorkers: removed",
            "spec.maxworkers: added"
        ]
    );
}

#[test]
fn the_presence_of_a_moved_field_is_compared() {
    let text = || json!({"type": "string"});
    let described = json!({"type": "string", "description": "The address of the Pod."});
    let mut required = object(json!({"podIp": described}));
    required["required"] = json!(["podIp"]);
    assert_eq!(
        changes(object(json!({"podIP": text()})), required.clone()),
        [
            "spec.podIP -> spec.podIp: renamed",
            "spec.podIP -> spec.podIp: now required"
        ]
    );
    assert_eq!(
        changes(
            required,
            object(json!({"net": object(json!({"podIp": described}))}))
        ),
        [
            "spec.net: added around moved fields",
            "spec.podIp -> spec.net.podIp: moved",
            "spec.podIp -> spec.net.podIp: now optional"
        ]
    );
}

#[test]
fn items_are_compared_in_place() {
    let list = |item: Value| object(json!({"ports": {"type": "array", "items": item}}));
    let port = |name: &str| list(object(json!({ name: {"type": "integer"} })));
    assert_eq!(
        changes(port("port"), port("ports")),
        ["spec.ports[].port -> spec.ports[].ports: renamed"]
    );
    assert_eq!(
        changes(
            list(json!({"type": "integer"})),
            list(json!({"type": "string"}))
        ),
        ["spec.ports[]: type changed (integer, then string)"]
    );
    let mut short = port("port");
    short["properties"]["ports"]["maxItems"] = 3.into();
    assert_eq!(
        changes(port("port"), short.clone()),
        ["spec.ports: narrowed (maxItems: none, then 3)"]
    );
    assert_eq!(
        changes(port("other"), short),
        ["spec.ports: changed (maxItems: none, then 3; its items differ, too)"]
    );
    // A field never moves out of a list.
    let out = object(
        json!({"port": {"type": "integer"}, "ports": {"type": "array", "items": object(json!({}))}}),
    );
    assert_eq!(
        changes(port("port"), out),
        ["spec.port: added", "spec.ports[].port: removed"]
    );
}

#[test]
fn declared_pairs_are_compared_with_each_other() {
    let size = |name: &str, maximum: i64| {
        object(json!({ name: object(json!({"value": {"type": "integer", "maximum": maximum}})) }))
    };
    assert_eq!(
        declared(
            size("size", 1),
            size("capacity", 2),
            &[("spec.size", "spec.capacity")]
        ),
        [
            "spec.size -> spec.capacity: declared",
            "spec.size.value -> spec.capacity.value: widened (maximum: 1, then 2)"
        ]
    );
    let wrapped = object(json!({"size": object(json!({"value": {"type": "integer"}}))}));
    assert_eq!(
        declared(
            object(json!({"size": {"type": "integer"}})),
            wrapped,
            &[("spec.size", "spec.size.value")]
        ),
        [
            "spec.size -> spec.size.value: declared",
            "spec.size: added around moved fields"
        ]
    );
    let swap = || object(json!({"a": {"type": "integer"}, "b": {"type": "integer"}}));
    assert_eq!(
        declared(
            swap(),
            swap(),
            &[("spec.a", "spec.b"), ("spec.b", "spec.a")]
        ),
        ["spec.a -> spec.b: declared", "spec.b -> spec.a: declared"]
    );
}

#[test]
fn preserved_fields_and_rules_are_noted() {
    let mut open = object(json!({"a": {"type": "string"}}));
    open["x-kubernetes-preserve-unknown-fields"] = true.into();
    let mut closed = object(json!({"a": {"type": "string"}}));
    closed["x-kubernetes-validations"] = json!([{"rule": "true"}]);
    assert_eq!(
        changes(open, closed),
        [
            "spec: unknown fields pruned",
            "spec: rules changed (with rule `true`)"
        ]
    );
}
