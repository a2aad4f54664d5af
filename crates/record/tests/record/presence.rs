//! Absent, null, blank, unknown and duplicate fields.
use kube_codegen_record::{
    Nullable,
    private::{Record, View},
};
use serde_json::json;

use crate::record::{
    round_trip, shop,
    types::{Hook, Policy, Shop, ShopStatus},
};

#[test]
fn unknown_fields_are_ignored() {
    let read = shop(r#"{"name":"a","newer":{"deep":[1,{"x":null}]},"open":true}"#)
        .unwrap()
        .spec
        .unwrap();
    assert_eq!((read.name.as_str(), read.open), ("a", true));
}

#[test]
fn unknown_fields_are_kept_where_preserved() {
    let text = r#"{"conditions":[],"phase":"Never","a":null,"z":{"deep":[1.5]}}"#;
    let status: ShopStatus = serde_json::from_str(text).unwrap();
    assert_eq!(status.rest["z"], json!({"deep": [1.5]}));
    assert_eq!(serde_json::to_string(&status).unwrap(), text);
}

#[test]
fn a_declared_name_among_the_rest_is_written_once() {
    let mut status = ShopStatus::default();
    status.rest.insert("phase".into(), json!("Never"));
    assert_eq!(
        serde_json::to_string(&status).unwrap(),
        r#"{"conditions":[],"phase":"Always"}"#
    );
}

#[test]
fn the_last_duplicate_replaces_the_others() {
    let read =
        shop(r#"{"name":"a","hook":{"url":"u","retries":1},"name":"b","hook":{"retries":2}}"#)
            .unwrap()
            .spec
            .unwrap();
    assert_eq!(read.name, "b");
    assert_eq!(
        read.hook,
        Hook {
            url: None,
            retries: 2
        }
    );
    let twice = r#"{"spec":{"name":"a"},"status":{"x":1},"spec":{"open":true},"status":{"y":2}}"#;
    let read: Shop = serde_json::from_str(twice).unwrap();
    assert_eq!(read.spec.unwrap().name, "");
    assert_eq!(
        read.status.unwrap().rest.into_keys().collect::<Vec<_>>(),
        ["y"]
    );
    let limits = shop(r#"{"limits":{"a":{"image":"x"},"a":{"ports":[]}}}"#)
        .unwrap()
        .spec
        .unwrap()
        .limits
        .unwrap();
    assert_eq!(limits["a"].image, None);
    let lists = shop(r#"{"containers":[{},{}],"containers":[{}]}"#)
        .unwrap()
        .spec
        .unwrap()
        .containers
        .unwrap();
    assert_eq!(lists.len(), 1);
    let gone = shop(r#"{"name":"a","replicas":3,"replicas":null}"#)
        .unwrap()
        .spec
        .unwrap();
    assert_eq!(gone.replicas, None);
}

#[test]
fn null_is_absent_unless_nullable() {
    assert_eq!(
        round_trip(
            r#"{"containers":null,"cpu":null,"limits":null,"policy":null,"replicas":null,"since":null,"cert":null}"#
        ),
        "{}"
    );
    assert_eq!(round_trip(r#"{"name":null,"hook":null,"open":null}"#), "{}");
    assert_eq!(
        round_trip(r#"{"maybe":null,"must":null}"#),
        r#"{"maybe":null,"must":null}"#
    );
    assert_eq!(
        round_trip(r#"{"tags":[null,"a"]}"#),
        r#"{"tags":[null,"a"]}"#
    );
    assert_eq!(round_trip(r#"{"blob":null}"#), r#"{"blob":null}"#);
}

#[test]
fn nullable_distinguishes_absent_null_and_value() {
    let of = |spec| shop(spec).unwrap().spec.unwrap().maybe;
    assert_eq!(of("{}"), None);
    assert_eq!(of(r#"{"maybe":null}"#), Some(Nullable::Null));
    assert_eq!(of(r#"{"maybe":"x"}"#), Some(Nullable::Value("x".into())));
    assert_eq!(Nullable::<u8>::default().into_option(), None);
    assert_eq!(Option::from(Nullable::from(Some(3))), Some(3));
}

#[test]
fn a_missing_required_field_is_blank() {
    let read: Shop = serde_json::from_str(r#"{"spec":{},"status":{}}"#).unwrap();
    let (spec, status) = (read.spec.unwrap(), read.status.unwrap());
    assert_eq!(
        (spec.name.as_str(), spec.open, spec.hook),
        ("", false, Hook::default())
    );
    assert_eq!(
        (status.conditions, status.phase),
        (vec![], Policy::Other(String::new()))
    );
}

#[test]
fn an_empty_field_is_written_and_an_absent_one_is_not() {
    assert_eq!(
        round_trip(r#"{"containers":[],"limits":{},"must":{},"name":"x"}"#),
        r#"{"containers":[],"limits":{},"must":{},"name":"x"}"#
    );
}

#[test]
fn an_unknown_value_of_an_enum_is_kept() {
    let read = shop(r#"{"policy":"Often"}"#).unwrap().spec.unwrap();
    assert_eq!(read.policy, Some(Policy::Other("Often".into())));
    assert_eq!(round_trip(r#"{"policy":"Often"}"#), r#"{"policy":"Often"}"#);
    assert_eq!(
        serde_json::from_str::<Policy>(r#""Never""#).unwrap(),
        Policy::Never
    );
    assert_eq!("Never".parse(), Ok(Policy::Never));
    assert_eq!(
        format!("{:>7}|{}", Policy::Never, Policy::Other("x".into())),
        "  Never|x"
    );
}

#[test]
fn keys_are_written_in_order() {
    let read: Shop = serde_json::from_str(r#"{"spec":{"open":true,"name":"n"},"metadata":{"uid":"u","name":"m","labels":{"b":"2","a":"1"}}}"#).unwrap();
    assert_eq!(
        serde_json::to_string(&read).unwrap(),
        r#"{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"labels":{"a":"1","b":"2"},"name":"m","uid":"u"},"spec":{"hook":{"retries":0},"name":"n","open":true}}"#
    );
}

#[test]
fn present_fields_are_seen_with_their_indexes() {
    let read = shop(r#"{"name":"n","open":true}"#).unwrap();
    let names = Record::names(&read);
    let mut seen = Vec::new();
    read.each(&mut |index, _| seen.push(names[index]));
    assert_eq!(seen, ["apiVersion", "kind", "metadata", "spec"]);
    for (index, name) in names.iter().enumerate() {
        let is_absent = matches!(Record::get(&read, index), View::Absent);
        assert_eq!(is_absent, !seen.contains(name), "{name}");
    }
    assert!(matches!(Record::get(&read, names.len()), View::Absent));
}
