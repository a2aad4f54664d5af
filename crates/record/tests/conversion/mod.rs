//! Conversion between versions: paths, what is kept, errors, reviews.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use kube_codegen_record::conversion::{
    ConversionError, Converter, FieldPath, IfAbsent, Mapping, Narrowing, Spoke, assert_round_trips,
    review, round_trip,
};
use serde_json::{Value, json};

/// v1 and v3 are spokes of v2: v1 has `spec.size` and `spec.old`, v2 `spec.capacity` and `spec.mode`, v3 fewer replicas and
/// renamed ports.
fn converter() -> Converter {
    let size = Mapping::fallible(
        |size: i64| Ok::<_, String>(format!("{size}Gi")),
        |capacity: String| capacity.trim_end_matches("Gi").parse::<i64>(),
    );
    let v1 = Spoke::new("v1")
        .map(["spec", "size"], ["spec", "capacity"], size)
        .only_in_spoke(["spec", "old"], IfAbsent::<Value>::absent())
        .only_in_spoke(
            FieldPath::new(["spec", "ports"]).each(["protocol"]),
            IfAbsent::value("TCP".to_owned()),
        )
        .only_in_hub(["spec", "mode"], IfAbsent::value("Fast".to_owned()))
        .keyed(["spec", "ports"], &["name"]);
    let replicas = Narrowing::new(|wide: i64| wide.min(10));
    let port = Mapping::<i64, i64>::copy();
    let v3 = Spoke::new("v3")
        .map(
            ["spec", "replicas"],
            ["spec", "replicas"],
            replicas.to_spoke(),
        )
        .map(
            FieldPath::new(["spec", "ports"]).each(["number"]),
            FieldPath::new(["spec", "ports"]).each(["port"]),
            port,
        )
        .map(
            FieldPath::new(["spec", "levels"]).each([]),
            FieldPath::new(["spec", "levels"]).each([]),
            Mapping::fallible(
                |level: String| level.parse::<i64>(),
                |level: i64| Ok::<_, String>(level.to_string()),
            ),
        )
        .keyed(["spec", "ports"], &["name"]);
    Converter::new("example.com", "Widget", "v2")
        .spoke(v1)
        .spoke(v3)
}

#[expect(clippy::needless_pass_by_value, reason = "called with a literal")]
fn widget(version: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("example.com/{version}"), "kind": "Widget",
        "metadata": {"name": "a", "uid": "1", "labels": {"a": "b"}},
        "spec": spec,
    })
}

#[test]
fn values_move_and_change_along_their_paths() {
    let converter = converter();
    let old = widget(
        "v1",
        json!({
            "size": 5, "replicas": 200, "unknown": {"x": null},
            "ports": [{"name": "http", "port": 80}, {"name": "dns", "port": 53}],
            "levels": [1, 2],
        }),
    );
    let new = converter.convert(old, "example.com/v2").unwrap();
    let expected = json!({
        "capacity": "5Gi", "mode": "Fast", "replicas": 200, "unknown": {"x": null},
        "ports": [{"name": "http", "port": 80}, {"name": "dns", "port": 53}],
        "levels": [1, 2],
    });
    assert_eq!(new["spec"], expected);
    let newest = converter.convert(new, "example.com/v3").unwrap();
    assert_eq!(newest["spec"]["replicas"], 10);
    assert_eq!(newest["spec"]["levels"], json!(["1", "2"]));
    assert_eq!(
        newest["spec"]["ports"],
        json!([{"name": "http", "number": 80}, {"name": "dns", "number": 53}])
    );
    assert_eq!(newest["metadata"]["uid"], "1");
}

#[test]
fn an_object_comes_back_through_every_other_version() {
    let ports =
        json!([{"name": "http", "port": 80, "protocol": "UDP"}, {"name": "dns", "port": 53}]);
    assert_round_trips(
        &converter(),
        [
            widget(
                "v1",
                json!({"size": 5, "old": {"a": [1]}, "replicas": 11, "ports": ports}),
            ),
            widget("v1", json!({})),
            widget(
                "v2",
                json!({"capacity": "7Gi", "mode": "Slow", "replicas": 100}),
            ),
            widget("v2", json!({"ports": [{"name": "a", "port": 1}]})),
            widget(
                "v3",
                json!({"capacity": "7Gi", "levels": ["07"], "replicas": 1}),
            ),
            widget(
                "v3",
                json!({"ports": [{"name": "a", "number": 1}, 3, null], "levels": null}),
            ),
            json!({"apiVersion": "example.com/v1", "kind": "Widget"}),
        ],
    );
}

#[test]
fn what_is_kept_comes_back_after_other_fields_change() {
    let converter = converter();
    let old = widget(
        "v1",
        json!({
            "size": 5, "old": 1,
            "ports": [{"name": "http", "port": 80, "protocol": "UDP"}, {"name": "dns", "port": 53, "protocol": "SCTP"}],
        }),
    );
    assert_eq!(
        converter.kept(&old, "example.com/v2").unwrap(),
        [
            "spec.old",
            r#"spec.ports[{"name":"http"}].protocol"#,
            r#"spec.ports[{"name":"dns"}].protocol"#
        ]
    );
    let mut new = converter.convert(old, "example.com/v2").unwrap();
    new["spec"]["capacity"] = "6Gi".into();
    new["spec"]["ports"] = json!([{"name": "dns", "port": 54}, {"name": "more", "port": 1}]);
    let back = converter.convert(new, "example.com/v1").unwrap();
    assert_eq!(
        back["spec"],
        json!({
            "size": 6, "old": 1,
            "ports": [{"name": "dns", "port": 54, "protocol": "SCTP"}, {"name": "more", "port": 1, "protocol": "TCP"}],
        })
    );
    // `mode` of v2 has no place in v1.
    let kept = back["metadata"]["annotations"][converter.annotation()].as_str();
    assert_eq!(kept, None);
}

#[test]
fn a_change_of_the_narrowed_value_wins() {
    let converter = converter();
    let hub = widget("v2", json!({"replicas": 100}));
    let mut narrow = converter.convert(hub, "example.com/v3").unwrap();
    assert_eq!(narrow["spec"]["replicas"], 10);
    let same = converter.convert(narrow.clone(), "example.com/v2").unwrap();
    assert_eq!(same["spec"]["replicas"], 100);
    narrow["spec"]["replicas"] = 3.into();
    let changed = converter.convert(narrow, "example.com/v2").unwrap();
    assert_eq!(changed["spec"]["replicas"], 3);
    assert_eq!(changed["metadata"].get("annotations"), None);
}

#[test]
fn an_item_without_keys_is_found_by_its_contents() {
    let spoke = Spoke::new("v1")
        .only_in_spoke(
            FieldPath::new(["spec", "rules"]).each(["a"]),
            IfAbsent::<Value>::absent(),
        )
        .only_in_spoke(
            FieldPath::new(["spec", "rules"]).each(["b"]),
            IfAbsent::<Value>::absent(),
        );
    let converter = Converter::new("example.com", "Widget", "v2").spoke(spoke);
    let old = widget(
        "v1",
        json!({"rules": [{"x": 1, "a": 1, "b": 1}, {"x": 2, "a": 2, "b": 2}]}),
    );
    let mut new = converter.convert(old, "example.com/v2").unwrap();
    new["spec"]["rules"] = json!([{"x": 3}, {"x": 1}, {"x": 2}]);
    let back = converter.convert(new, "example.com/v1").unwrap();
    assert_eq!(
        back["spec"]["rules"],
        json!([{"x": 3}, {"x": 1, "a": 1, "b": 1}, {"x": 2, "a": 2, "b": 2}])
    );
}

#[test]
fn an_annotation_that_a_user_wrote_breaks_nothing() {
    let converter = converter();
    for text in [
        "",
        "{",
        "[]",
        r#"{"v2": 1}"#,
        r#"{"v2": [1, {"path": []}, {"path": [{"at": -1}, {}]}, {"path": ["spec", 3]}]}"#,
    ] {
        let mut old = widget("v1", json!({"size": 1}));
        old["metadata"]["annotations"] = json!({ converter.annotation(): text, "other": "kept" });
        let new = converter.convert(old, "example.com/v2").unwrap();
        assert_eq!(new["spec"]["capacity"], "1Gi", "{text}");
        assert_eq!(new["metadata"]["annotations"], json!({"other": "kept"}));
    }
}

#[test]
fn errors_name_version_kind_and_path() {
    let converter = converter();
    let convert =
        |object: Value, version: &str| converter.convert(object, version).unwrap_err().to_string();
    assert_eq!(
        convert(widget("v9", json!({})), "example.com/v1"),
        r#"unknown apiVersion "example.com/v9"; the versions are example.com/v2, example.com/v1, example.com/v3"#
    );
    assert!(convert(widget("v1", json!({})), "other.com/v2").starts_with("unknown apiVersion"));
    assert_eq!(
        convert(
            json!({"apiVersion": "example.com/v1", "kind": "Other"}),
            "example.com/v2"
        ),
        r#"expected an object of kind Widget of example.com, found "Other" of "example.com/v1""#
    );
    assert_eq!(
        convert(widget("v2", json!({"capacity": "much"})), "example.com/v1"),
        "spec.capacity: invalid digit found in string"
    );
    assert_eq!(
        convert(widget("v1", json!({"size": "x"})), "example.com/v2"),
        "spec.size: invalid type: string \"x\", expected i64"
    );
    for junk in [
        json!(null),
        json!([]),
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": 1, "spec": 1}),
    ] {
        drop(converter.convert(junk, "example.com/v3"));
    }
    let large = widget("v1", json!({"old": "x".repeat(300_000)}));
    let error = converter.convert(large, "example.com/v2").unwrap_err();
    assert!(matches!(error, ConversionError::TooLarge { .. }), "{error}");
}

#[test]
fn a_conversion_that_loses_its_way_is_found() {
    let bad = Mapping::fallible(
        |_: i64| Ok::<_, String>("text".to_owned()),
        |text: String| text.parse::<i64>(),
    );
    let spoke = Spoke::new("v1").map(["spec", "size"], ["spec", "size"], bad);
    let converter = Converter::new("example.com", "Widget", "v2").spoke(spoke);
    let error = round_trip(&converter, &widget("v1", json!({"size": 1}))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "example.com/v1 by way of example.com/v2: spec.size: invalid digit found in string"
    );
}

#[test]
fn a_review_fails_as_a_whole() {
    let converter = converter();
    let request = |objects: Value| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
            "request": {"uid": "u", "desiredAPIVersion": "example.com/v1", "objects": objects},
        })
    };
    let good = widget("v2", json!({"capacity": "1Gi"}));
    let answer = review(&converter, &request(json!([good, good])));
    assert_eq!(answer["response"]["uid"], "u");
    assert_eq!(answer["response"]["result"], json!({"status": "Success"}));
    assert_eq!(answer["response"]["convertedObjects"][1]["spec"]["size"], 1);
    let bad = widget("v2", json!({"capacity": ""}));
    let answer = review(&converter, &request(json!([good, bad])));
    assert_eq!(
        answer["response"]["result"],
        json!({"status": "Failure", "message": "Widget a: spec.capacity: cannot parse integer from empty string"})
    );
    assert_eq!(answer["response"]["convertedObjects"], json!([]));
}

#[test]
fn declared_mappings_are_exact_where_they_can_be() {
    let spoke = Spoke::new("v1")
        .map(
            ["spec", "gib"],
            ["spec", "mib"],
            Mapping::multiplied(1024.0),
        )
        .map(["spec", "ms"], ["spec", "s"], Mapping::divided(1000.0))
        .map(["spec", "zone"], ["spec", "zones"], Mapping::list_in_hub())
        .map(["spec", "many"], ["spec", "one"], Mapping::list_in_spoke())
        .map(
            ["spec", "mode"],
            ["spec", "mode"],
            Mapping::values(&[("Slow", "Economy"), ("Idle", "Economy")]),
        )
        .map(["spec", "a"], ["spec", "b"], Mapping::copied())
        .map(["spec", "b"], ["spec", "a"], Mapping::copied())
        .without_null_in_hub(["spec", "nothing"])
        .pruned_in_hub(["spec", "open"], &["known"])
        .only_in_hub(["spec", "class"], IfAbsent::json(r#"{"name": "standard"}"#));
    let converter = Converter::new("example.com", "Widget", "v2").spoke(spoke);
    let old = widget(
        "v1",
        json!({
            "gib": 3, "ms": 1500, "zone": "a", "many": ["x", "y"], "mode": "Idle", "a": 1, "b": 2, "nothing": null,
            "open": {"known": 1, "other": 2},
        }),
    );
    let new = converter.convert(old.clone(), "example.com/v2").unwrap();
    assert_eq!(
        new["spec"],
        json!({
            "mib": 3072, "s": 1, "zones": ["a"], "one": "x", "mode": "Economy", "a": 2, "b": 1, "open": {"known": 1},
            "class": {"name": "standard"},
        })
    );
    assert_round_trips(
        &converter,
        [
            old,
            widget(
                "v2",
                json!({"mib": 1500, "s": 2.5, "zones": [], "one": null, "class": {}, "mode": "Fast"}),
            ),
            widget("v2", json!({"zones": ["a", "b"], "one": "x"})),
            widget("v1", json!({"ms": 0.5, "many": [], "zone": null})),
        ],
    );
    let wrong = widget("v1", json!({"gib": "x"}));
    let error = converter.convert(wrong, "example.com/v2").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"spec.gib: expected a number, found "x""#
    );
}

#[test]
fn the_whole_object_decides_where_it_has_to() {
    let full = IfAbsent::of_object(|old: &Value| {
        let name = |field: &str| old["spec"][field].as_str().unwrap_or_default().to_owned();
        Ok::<_, String>(Some(format!("{} {}", name("first"), name("last"))))
    });
    let part = |index: usize| {
        IfAbsent::of_object(move |new: &Value| {
            let full = new["spec"]["full"].as_str().ok_or("no name")?;
            Ok::<_, &str>(full.split(' ').nth(index).map(str::to_owned))
        })
    };
    let spoke = Spoke::new("v1")
        .only_in_hub(["spec", "full"], full)
        .only_in_spoke(["spec", "first"], part(0))
        .only_in_spoke(["spec", "last"], part(1));
    let converter = Converter::new("example.com", "Widget", "v2").spoke(spoke);
    let old = widget("v1", json!({"first": "Ada", "last": "Lovelace"}));
    let mut new = converter.convert(old.clone(), "example.com/v2").unwrap();
    assert_eq!(new["spec"], json!({"full": "Ada Lovelace"}));
    assert_eq!(new["metadata"].get("annotations"), None, "nothing is lost");
    new["spec"]["full"] = "Ada King".into();
    let back = converter.convert(new, "example.com/v1").unwrap();
    assert_eq!(back["spec"], json!({"first": "Ada", "last": "King"}));
    assert_round_trips(&converter, [old]);
}

#[test]
fn values_inside_a_moved_value_are_converted() {
    let spoke = Spoke::new("v1")
        .map(
            ["spec", "size", "old"],
            ["spec", "capacity", "new"],
            Mapping::new(|size: i64| size + 1, |size: i64| size - 1),
        )
        .map(["spec", "size"], ["spec", "capacity"], Mapping::copied());
    let converter = Converter::new("example.com", "Widget", "v2").spoke(spoke);
    let old = widget("v1", json!({"size": {"old": 1, "same": 2}}));
    let new = converter.convert(old.clone(), "example.com/v2").unwrap();
    assert_eq!(new["spec"], json!({"capacity": {"new": 2, "same": 2}}));
    assert_eq!(converter.convert(new, "example.com/v1").unwrap(), old);
}

/// The items move, so that each is found by its contents.
#[test]
fn what_is_kept_comes_back_to_lists_of_any_length() {
    const ITEMS: usize = 2_000;
    let converter =
        Converter::new("example.com", "Widget", "v2").spoke(Spoke::new("v1").only_in_spoke(
            FieldPath::new(["spec", "ports"]).each(["old"]),
            IfAbsent::<Value>::absent(),
        ));
    let port = |it: usize| json!({"name": format!("p{it}"), "old": it});
    let ports: Vec<Value> = (0..ITEMS).map(port).collect();
    let old = widget("v1", json!({"ports": ports}));
    let mut new = converter.convert(old, "example.com/v2").unwrap();
    new["spec"]["ports"].as_array_mut().unwrap().rotate_left(1);
    let back = converter.convert(new, "example.com/v1").unwrap();
    let mut expected = ports;
    expected.rotate_left(1);
    assert_eq!(back["spec"]["ports"], json!(expected));
}
