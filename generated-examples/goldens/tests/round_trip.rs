//! Objects that the API server accepts are read and written without a change: absent, null, empty and zero are four things.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "helpers of tests fail by panicking, and take objects as they are written"
)]

use kube_codegen_goldens as goldens;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[track_caller]
fn survives<K: DeserializeOwned + Serialize>(object: Value) -> K {
    let typed: K = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), object);
    typed
}

fn object(kind: &str, rest: Value) -> Value {
    let mut object =
        json!({"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "a"}});
    let (Some(map), Value::Object(rest)) = (object.as_object_mut(), rest) else {
        panic!("objects are maps");
    };
    map.extend(rest);
    object
}

#[test]
fn every_scalar() {
    use goldens::scalars::example_com::v1::Scalars;
    let typed: Scalars = survives(object(
        "Scalars",
        json!({"spec": {
            "flag": false, "count": 0, "small": -2_147_483_648, "large": i64::MIN, "port": 65535, "size": u64::MAX,
            "odd": 1, "ratio": 0.1, "half": 0.1, "exact": 1e300, "text": "", "address": "10.0.0.1",
            "at": "2024-01-02T03:04:05Z", "data": "aGk="
        }}),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.size, Some(u64::MAX));
    assert_eq!(spec.data.unwrap().0, b"hi");
    survives::<Scalars>(object("Scalars", json!({"spec": {}})));
    survives::<Scalars>(object("Scalars", json!({})));
}

#[test]
fn quantities_keep_their_text() {
    use goldens::quantities::example_com::v1::{Budget, BudgetSpecSize};
    use kube_codegen_record::ParsedQuantity;
    let typed: Budget = survives(object(
        "Budget",
        json!({
            "spec": {"memory": "1024Mi", "cpu": "1000m", "size": 0, "textOnly": "1e3", "nullable": null, "otherPattern": "5%"},
            "status": {"used": {"memory": "01", "cpu": ".5"}}
        }),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.size, Some(BudgetSpecSize::V0));
    let memory = ParsedQuantity::try_from(&spec.memory).unwrap();
    assert_eq!(memory, "1Gi".parse().unwrap());
    let number = object("Budget", json!({"spec": {"memory": 0.5, "cpu": 2}}));
    let spec = serde_json::from_value::<Budget>(number)
        .unwrap()
        .spec
        .unwrap();
    assert_eq!((&*spec.memory.0, &*spec.cpu.unwrap().0), ("0.5", "2"));
}

#[test]
fn texts_with_constants_and_objects_of_very_many_fields() {
    use goldens::large_schemas::example_com::v1::{Giant, GiantSpecZone as Zone};
    let typed: Giant = survives(object(
        "Giant",
        json!({"spec": {"zone": "zone-0003", "code": 7, "codeOrName": "none", "flags": {"flag0000": true}}}),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.zone, Some(Zone::Zone0003));
    assert_eq!((Zone::ALL.len(), Zone::default()), (2001, Zone::Zone0007));
    survives::<Giant>(object("Giant", json!({"spec": {"zone": "moon"}})));
}

#[test]
fn properties_without_a_type_accept_any_json() {
    use goldens::opaque::example_com::v1::Opaque;
    for value in [
        json!({"labels": ["a"]}),
        json!({"labels": 1}),
        json!([1]),
        json!("a"),
    ] {
        survives::<Opaque>(object("Opaque", json!({"parameters": value})));
    }
}

/// What a real API server stored and gave back.
#[test]
fn every_number_that_the_server_stores() {
    use goldens::numbers::example_com::v1::{Meter, MeterSpecNumberOrText};
    for number in [
        "9007199254740993",
        "-9007199254740993",
        "-9223372036854775808",
        "9223372036854775807",
        "9223372036854776000",
        "18446744073709552000",
        "100000000000000000000",
        "-9223372036854776000",
        "1e+21",
        "3.4e+38",
        "0.12345678901234568",
        "0.1",
        "1",
        "1.0",
        "-0.0",
    ] {
        let number: Value = number.parse().unwrap();
        let typed: Meter = survives(object(
            "Meter",
            json!({"spec": {
                "value": number, "share": number, "single": number, "odd": number, "perhaps": number,
                "history": [number, number], "byName": {"a": number, "b": null}, "numberOrText": number
            }}),
        ));
        let spec = typed.spec.unwrap();
        assert_eq!(Some(spec.value.as_f64()), number.as_f64());
        let either = spec.number_or_text.unwrap();
        assert_eq!(either, MeterSpecNumberOrText::Number(spec.value));
    }
    for integer in [i64::MIN, -1, 0, 300, i64::MAX] {
        let typed: Meter = survives(object(
            "Meter",
            json!({"spec": {"value": 0, "whole": integer, "bounded": integer, "tiny": integer, "size": integer}}),
        ));
        assert_eq!(typed.spec.unwrap().tiny, Some(integer));
    }
    for integer in [0, 65536, i64::MAX] {
        survives::<Meter>(object(
            "Meter",
            json!({"spec": {"value": 0, "portOfOldTools": integer, "sizeFromZero": integer}}),
        ));
    }
}

#[test]
fn lists_and_maps_of_anything() {
    use goldens::lists_and_maps::example_com::v1::{Collections, CollectionsSpecChoices};
    let typed: Collections = survives(object(
        "Collections",
        json!({"spec": {
            "names": [], "matrix": [[], [1, 2]], "times": ["2024-01-02T03:04:05Z"], "choices": ["A", "later"],
            "labels": {}, "blobs": {"a": "aGk="}, "table": {"x": {"y": [0.5]}},
            "ports": [{"port": 80, "protocol": "TCP"}], "zones": ["a"], "pools": {"p": {"size": 0}},
            "gaps": ["a", null], "holes": {"a": null, "b": 1}
        }}),
    ));
    let choices = typed.spec.unwrap().choices.unwrap();
    assert_eq!(choices[1], CollectionsSpecChoices::Other("later".into()));
}

#[test]
fn unions_keep_what_fits_no_type() {
    use goldens::unions::example_com::v1::{
        Mapping, MappingSpecHosts, MappingSpecIds, MappingSpecLimits,
    };
    let typed: Mapping = survives(object(
        "Mapping",
        json!({"spec": {
            "hosts": ["a"], "retry": null, "limits": {"a": 1}, "rules": ["x", {"a": "b", "c": [1]}, 3], "clash": 1.5,
            "ids": ["a"]
        }}),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.hosts, Some(MappingSpecHosts::List(vec!["a".into()])));
    assert_eq!(spec.ids, Some(MappingSpecIds::List(vec!["a".into()])));
    let other: Mapping = survives(object(
        "Mapping",
        json!({"spec": {"hosts": [1], "retry": 3_000_000_000_u32, "limits": 2, "rules": [], "clash": {}}}),
    ));
    let spec = other.spec.unwrap();
    assert_eq!(spec.hosts, Some(MappingSpecHosts::Other(json!([1]))));
    assert_eq!(spec.limits, Some(MappingSpecLimits::Number(2.into())));
}

#[test]
fn older_definitions_keep_unknown_fields_where_they_say_so() {
    use goldens::legacy::example_com::v1::Network;
    let typed: Network = survives(object(
        "Network",
        json!({"extra": 1, "spec": {"cidr": "10.0.0.0/8", "more": [null], "peers": [{"name": "a", "b": {}}]}}),
    ));
    assert_eq!(typed.rest.len(), 1);
}

#[test]
fn names_of_any_script() {
    use goldens::unicode_names::example_com::v1::{Unicode, UnicodeSpec模式};
    let typed: Unicode = survives(object(
        "Unicode",
        json!({"spec": {
            "模式": "启用2", "配置": {"名称": "a", "имяПоля": "b"}, "größe": 1, "gro\u{308}ße": 2, "Δίσκος": "",
            "ах": "Cyrillic", "ax": "Latin", "٣": "3", "이름": [{"값": 3}], "😀": true
        }}),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.模式, UnicodeSpec模式::启用2);
    assert_eq!(spec.配置.имя_поля.as_deref(), Some("b"));
}

#[test]
fn names_of_the_prelude() {
    use goldens::prelude_names::example_com::v1::{OptionObject, OptionObjectSpecResult, Record};
    let typed: OptionObject = survives(object(
        "Option",
        json!({"spec": {
            "option": {"self": "a", "Self": "b", "value": null}, "vec": [{"vec": []}],
            "box": "2024-01-02T03:04:05Z", "result": "Err", "string": {"a": null}
        }}),
    ));
    assert_eq!(typed.spec.unwrap().result, OptionObjectSpecResult::Err);
    survives::<Record>(object("Record", json!({"spec": {"option": {}}})));
}

#[test]
fn enums_of_numbers_keep_what_they_do_not_know() {
    use goldens::enums_of_numbers::example_com::v1::{Tier, TierSpecFamily, TierSpecLevel};
    let typed: Tier = survives(object(
        "Tier",
        json!({"spec": {
            "level": 9, "family": 6, "offset": -1, "size": u64::MAX, "withNull": null, "bits": [2048, 1],
            "byName": {"a": 80, "b": 81}, "twice": 2, "never": 3, "fraction": 0.5
        }}),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.level, Some(TierSpecLevel::Other(9)));
    assert_eq!(spec.family, Some(TierSpecFamily::V6));
    assert_eq!(TierSpecLevel::default().as_int(), 2);
    survives::<Tier>(object("Tier", json!({"spec": {"withNull": 1}})));
}

#[test]
fn enums_of_several_types_keep_what_they_do_not_know() {
    use goldens::enums_of_several_types::example_com::v1::{Level, LevelSpecLevel, LevelSpecPort};
    let typed: Level = survives(object(
        "Level",
        json!({"spec": {
            "always": true, "either": false, "port": 80, "texts": 5, "pair": "1", "ports": ["http", 80, 1, "x"],
            "level": null, "text": "on"
        }}),
    ));
    assert_eq!(typed.spec.unwrap().port, Some(LevelSpecPort::V80));
    for level in [
        json!("auto"),
        json!(-1),
        json!(false),
        json!({"a": [1]}),
        json!([]),
        json!(1.5),
    ] {
        survives::<Level>(object("Level", json!({"spec": {"level": level}})));
    }
    assert_eq!(LevelSpecLevel::ALL.len(), 5);
    assert_eq!(LevelSpecLevel::False.to_string(), "false");
}

#[test]
fn enums_keep_what_they_do_not_know() {
    use goldens::enums::example_com::v1::{Choice, ChoiceSpecFolded, ChoiceSpecMode};
    let typed: Choice = survives(object(
        "Choice",
        json!({"spec": {
            "mode": "Sometimes", "withEmpty": "", "withNull": null, "symbols": "!=", "folded": "replace",
            "withOther": "Other", "quotes": "two\nlines", "many": {"a": "low"}
        }}),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.mode, ChoiceSpecMode::Other("Sometimes".into()));
    assert_eq!(spec.folded, Some(ChoiceSpecFolded::ReplaceLowercase));
}

#[test]
fn absent_null_and_empty_are_three_things() {
    use goldens::presence::example_com::v1::Presence;
    use kube_codegen_record::Nullable;
    let typed: Presence = survives(object(
        "Presence",
        json!({"spec": {
            "required": "", "requiredNullable": null, "requiredWithDefault": 0, "optionalNullable": null,
            "nullableList": [], "nullableObject": null
        }}),
    ));
    let spec = typed.spec.unwrap();
    assert_eq!(spec.required_nullable, Nullable::Null);
    assert_eq!(spec.optional_nullable, Some(Nullable::Null));
    assert_eq!(spec.optional, None);
    assert_eq!(spec.nullable_list, Some(Nullable::Value(vec![])));
}

#[test]
fn what_is_preserved_is_kept() {
    use goldens::opaque::example_com::v1::Opaque;
    use goldens::opaque_root::example_com::v1::Anything;
    survives::<Opaque>(object(
        "Opaque",
        json!({
            "spec": {"declared": "a", "rest": "b", "unknown": {"deep": [1, null]}},
            "any": [1, {"a": null}], "anyNullable": null, "object": {"a": 1.5}, "plain": {}, "items": [1, "a", null]
        }),
    ));
    survives::<Anything>(object("Anything", json!({"spec": 1, "other": {"a": null}})));
}

#[test]
fn embedded_resources_and_either_types() {
    use goldens::embedded_resource::example_com::v1::Carrier;
    use goldens::int_or_string::example_com::v1::Rollout;
    let typed: Carrier = survives(object(
        "Carrier",
        json!({"spec": {
            "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "b"}}, "spec": {"x": 1}},
            "declared": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}},
            "defaulted": {"immutable": false}
        }}),
    ));
    let template = typed.spec.unwrap().template.unwrap();
    assert_eq!(template.metadata.unwrap().labels.unwrap()["a"], "b");
    survives::<Rollout>(object(
        "Rollout",
        json!({"spec": {"maxSurge": "25%", "ports": [80, "http"]}}),
    ));
}

#[test]
fn wire_names_are_as_the_schema_has_them() {
    use goldens::names::example_com::v1::OptionObject;
    survives::<OptionObject>(object(
        "Option",
        json!({"spec": {
            "type": "a", "self": "b", "Self": "c", "crate": "d", "": "e", "$ref": "f", "ref": "g", "3d": "h",
            "hostAliases": [{"ip": "i"}], "host_aliases": [{"ip": "j"}], "proxyURL": "k", "proxyUrl": "l",
            "app.kubernetes.io/name": "m", "größe": "n"
        }}),
    ));
}

#[test]
fn another_kind_is_rejected() {
    use goldens::crdkind::iksoon_test_com::v1::CrdKind;
    let other = object("Other", json!({}));
    assert!(serde_json::from_value::<CrdKind>(other).is_err());
}

#[test]
fn what_is_too_deep_for_types() {
    use goldens::deep_types::example_com::v1::Deep;
    let mut structs = json!("a");
    for _ in 0..24 {
        structs = json!([{ "a": structs }]);
    }
    let mut lists = json!("a");
    for _ in 0..40 {
        lists = json!([lists]);
    }
    let mut deep = object("Deep", json!({}));
    let mut maps = json!("a");
    for _ in 0..16 {
        maps = json!({ "a": maps });
    }
    let mut boxes = json!("a");
    for _ in 0..30 {
        boxes = json!({ "a": boxes, "f": "" });
    }
    deep["structs"] = structs;
    deep["lists"] = lists;
    deep["maps"] = maps;
    deep["boxes"] = boxes;
    survives::<Deep>(deep);
}

/// Compiles only if rustc looks through the deepest type from within a future.
#[test]
fn the_deepest_type_goes_to_other_threads() {
    use goldens::deep_types::example_com::v1::Deep;
    use kube_codegen_runtime::client::TypedClient;
    async fn create(client: TypedClient<Deep>, objects: Vec<Option<Deep>>) {
        for object in objects.iter().flatten() {
            let _ = client.create(object).await;
        }
    }
    fn is_sent<F: Future + Send + 'static>(_: fn(TypedClient<Deep>, Vec<Option<Deep>>) -> F) {}
    is_sent(create);
}
