//! Numbers, and the scalar types of Kubernetes.
use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, util::intstr::IntOrString};
use kube_codegen_record::ParsedQuantity;
use serde_json::json;

use crate::record::{Shop, round_trip, shop};

#[test]
fn numbers_keep_every_digit() {
    for spec in [
        r#"{"big":18446744073709551615}"#,
        r#"{"total":-9223372036854775808}"#,
        r#"{"total":9223372036854775807}"#,
        r#"{"weight":0.30000000000000004}"#,
        r#"{"weight":5e-324}"#,
        r#"{"weight":1.7976931348623157e308}"#,
        r#"{"weight":9007199254740993}"#,
        r#"{"weight":-9007199254740993}"#,
        r#"{"weight":18446744073709551615}"#,
        r#"{"weight":1.0}"#,
        r#"{"ratio":0.1}"#,
        r#"{"ratio":1}"#,
        r#"{"wide":1}"#,
        r#"{"wide":0.30000000000000004}"#,
        r#"{"blob":{"big":18446744073709551615,"float":0.1}}"#,
    ] {
        let parsed: serde_json::Value = serde_json::from_str(spec).unwrap();
        assert_eq!(round_trip(spec), parsed.to_string());
    }
}

#[test]
fn integral_floats_are_integers() {
    let read = shop(r#"{"replicas":3.0,"total":1e3,"big":1.0e19,"hook":{"retries":255.0}}"#)
        .unwrap()
        .spec
        .unwrap();
    assert_eq!(
        (read.replicas, read.total, read.big, read.hook.retries),
        (Some(3), Some(1000), Some(10_000_000_000_000_000_000), 255)
    );
    // The digits are those that the API server stores.
    let read = shop(r#"{"total":1.2345678901234568e18}"#).unwrap();
    assert_eq!(read.spec.unwrap().total, Some(1_234_567_890_123_456_800));
}

#[test]
fn an_integer_or_a_string() {
    assert_eq!(round_trip(r#"{"port":80}"#), r#"{"port":80}"#);
    assert_eq!(round_trip(r#"{"port":"http"}"#), r#"{"port":"http"}"#);
    assert_eq!(round_trip(r#"{"port":"01"}"#), r#"{"port":"01"}"#);
    for wide in ["3000000000", "-9223372036854775808"] {
        let port = shop(&format!(r#"{{"port":{wide}}}"#))
            .unwrap()
            .spec
            .unwrap()
            .port;
        assert_eq!(port, Some(IntOrString::String(wide.into())));
    }
}

#[test]
fn a_quantity_may_be_a_number() {
    assert_eq!(round_trip(r#"{"cpu":"250m"}"#), r#"{"cpu":"250m"}"#);
    for cpu in ["2", "-2", "0", "0.5", "-0.5", "18446744073709551615"] {
        let text = format!(r#"{{"cpu":"{cpu}"}}"#);
        assert_eq!(round_trip(&format!(r#"{{"cpu":{cpu}}}"#)), text);
        assert_eq!(round_trip(&text), text);
    }
    assert_eq!(round_trip(r#"{"cpu":1e3}"#), r#"{"cpu":"1000"}"#);
    for text in ["02", "-007m", "00.5"] {
        let spec = format!(r#"{{"cpu":"{text}"}}"#);
        assert_eq!(round_trip(&spec), spec);
    }
}

#[test]
fn times_keep_their_fraction_and_bytes_are_base64() {
    assert_eq!(
        round_trip(r#"{"since":"2024-02-29T23:59:59Z"}"#),
        r#"{"since":"2024-02-29T23:59:59Z"}"#
    );
    assert_eq!(
        round_trip(r#"{"since":"2024-02-29T23:59:59.123456789Z"}"#),
        r#"{"since":"2024-02-29T23:59:59.123456789Z"}"#
    );
    assert_eq!(
        round_trip(r#"{"since":"2024-03-01T01:59:59+02:00"}"#),
        r#"{"since":"2024-02-29T23:59:59Z"}"#
    );
    assert_eq!(
        round_trip(r#"{"tick":"2024-02-29T23:59:59.5Z"}"#),
        r#"{"tick":"2024-02-29T23:59:59.500000Z"}"#
    );
    assert_eq!(
        round_trip(r#"{"since":"2024-02-29T23:59:59.1234567899Z"}"#),
        r#"{"since":"2024-02-29T23:59:59.123456789Z"}"#
    );
    assert_eq!(round_trip(r#"{"cert":"aGk="}"#), r#"{"cert":"aGk="}"#);
    assert_eq!(round_trip(r#"{"cert":"aGl="}"#), r#"{"cert":"aGk="}"#);
}

/// The API server accepts them; an object with one of them can be read.
#[test]
fn a_time_beyond_the_range_of_k8s_openapi_is_the_nearest_one() {
    for (time, nearest) in [
        ("9999-12-31T23:59:59Z", "9999-12-30T22:00:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00+99:00", "2023-12-27T21:00:00Z"),
    ] {
        let object = json!({"status": {"conditions": [
            {"lastTransitionTime": time, "message": "", "reason": "R", "status": "True", "type": "T"}
        ]}});
        let shop: Shop = serde_json::from_value(object).unwrap();
        let written = serde_json::to_value(&shop).unwrap();
        let condition = &written["status"]["conditions"][0];
        assert_eq!(condition["lastTransitionTime"], nearest);
    }
}

#[test]
fn numbers_of_json_have_the_value_of_go() {
    #[derive(Debug)]
    struct Limits {
        cpu: Quantity,
    }
    kube_codegen_record::records! { Limits { cpu } }
    let recorded = include_str!("../quantity/go.tsv");
    let numbers = recorded
        .lines()
        .filter_map(|line| line.strip_prefix("number\t"));
    let mut count = 0;
    for (number, canonical) in numbers.filter_map(|line| line.split_once('\t')) {
        let limits: Limits = serde_json::from_str(&format!(r#"{{"cpu": {number}}}"#)).unwrap();
        let value = ParsedQuantity::try_from(&limits.cpu).unwrap();
        assert_eq!(Quantity::from(value).0, canonical, "{number}");
        count += 1;
    }
    assert!(count > 20);
}
