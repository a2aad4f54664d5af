//! Numbers as `serde_json` passes them with the feature `arbitrary_precision`, which any dependency may enable.
//!
//! `deserialize_any` then visits a number as an object with one magic key. The feature cannot be enabled for one test, so these objects are
//! spelled out.
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::record::{rejection, shop};

/// The object in place of a number.
fn number(digits: &str) -> String {
    format!(r#"{{"$serde_json::private::Number":"{digits}"}}"#)
}

#[test]
fn numbers_are_read_from_their_digits() {
    let spec = format!(
        r#"{{"big":{},"replicas":{},"total":{},"weight":{},"ratio":{},"port":{},"cpu":{},"hook":{{"retries":{}}},"containers":[{{"ports":[{{"port":{}}}]}}]}}"#,
        number("18446744073709551615"),
        number("3.0"),
        number("-9223372036854775808"),
        number("0.30000000000000004"),
        number("0.1"),
        number("80"),
        number("0.5"),
        number("7"),
        number("443")
    );
    let read = shop(&spec).unwrap().spec.unwrap();
    assert_eq!(
        (read.big, read.replicas, read.total),
        (Some(u64::MAX), Some(3), Some(i64::MIN))
    );
    assert_eq!(
        (read.weight, read.ratio),
        (Some(0.300_000_000_000_000_04.into()), Some(0.1))
    );
    assert_eq!(
        (read.port, read.cpu.unwrap().0.as_str(), read.hook.retries),
        (Some(IntOrString::Int(80)), "0.5", 7)
    );
    assert_eq!(
        read.containers.unwrap()[0].ports.as_ref().unwrap()[0].port,
        443
    );
}

#[test]
fn a_number_that_does_not_fit_is_an_error() {
    let cases = [
        (
            "replicas",
            "3000000000",
            "spec.replicas: invalid value: integer 3000000000, expected i32",
        ),
        (
            "replicas",
            "1.5",
            "spec.replicas: invalid type: number, expected i32",
        ),
        (
            "name",
            "1",
            "spec.name: invalid type: integer, expected a string",
        ),
        (
            "hook",
            "1",
            "spec.hook: invalid type: number, expected an object",
        ),
        (
            "limits",
            "1",
            "spec.limits: invalid type: number, expected an object",
        ),
        (
            "containers",
            "1",
            "spec.containers: invalid type: integer, expected an array",
        ),
        (
            "policy",
            "1",
            "spec.policy: invalid type: integer, expected a string",
        ),
        (
            "weight",
            "1e999",
            "spec.weight: invalid type: number, expected a 64-bit number",
        ),
    ];
    for (field, digits, expected) in cases {
        assert_eq!(
            rejection(&format!(r#"{{"{field}":{}}}"#, number(digits))),
            expected
        );
    }
}
