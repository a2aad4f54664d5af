//! Values that are rejected, and their errors.
use crate::record::{rejection, shop, types::Shop};

#[test]
fn an_error_has_the_path() {
    let spec = r#"{"containers":[{},{},{"ports":[{"port":"x"}]}]}"#;
    assert_eq!(
        rejection(spec),
        "spec.containers[2].ports[0].port: invalid type: string, expected i32"
    );
    assert_eq!(
        rejection(r#"{"limits":{"a.b":{"image":1}}}"#),
        r#"spec.limits["a.b"].image: invalid type: integer, expected a string"#
    );
    assert_eq!(
        rejection(r#"{"limits":{"a":[]}}"#),
        "spec.limits.a: invalid type: array, expected an object"
    );
    let metadata =
        serde_json::from_str::<Shop>(r#"{"metadata":{"labels":{"app":{}}}}"#).unwrap_err();
    assert_eq!(
        metadata.to_string(),
        "metadata.labels.app: invalid type: object, expected a string"
    );
}

#[test]
fn every_mismatch_of_types_is_an_error() {
    let cases = [
        (
            r#"{"hook":1}"#,
            "spec.hook: invalid type: integer, expected an object",
        ),
        (
            r#"{"hook":[1]}"#,
            "spec.hook: invalid type: array, expected an object",
        ),
        (
            r#"{"must":true}"#,
            "spec.must: invalid type: boolean, expected an object",
        ),
        (
            r#"{"containers":{}}"#,
            "spec.containers: invalid type: object, expected an array",
        ),
        (
            r#"{"containers":"x"}"#,
            "spec.containers: invalid type: string, expected an array",
        ),
        (
            r#"{"limits":0.5}"#,
            "spec.limits: invalid type: number, expected an object",
        ),
        (
            r#"{"policy":1}"#,
            "spec.policy: invalid type: integer, expected a string",
        ),
        (
            r#"{"policy":{"a":1}}"#,
            "spec.policy: invalid type: object, expected a string",
        ),
        (
            r#"{"policy":[1]}"#,
            "spec.policy: invalid type: array, expected a string",
        ),
        (
            r#"{"name":[{"a":[]}]}"#,
            "spec.name: invalid type: array, expected a string",
        ),
        (
            r#"{"open":"true"}"#,
            "spec.open: invalid type: string, expected a boolean",
        ),
        (
            r#"{"replicas":1.5}"#,
            "spec.replicas: invalid type: number, expected i32",
        ),
        (
            r#"{"replicas":3000000000}"#,
            "spec.replicas: invalid value: integer 3000000000, expected i32",
        ),
        (
            r#"{"hook":{"retries":-1}}"#,
            "spec.hook.retries: invalid value: integer -1, expected u8",
        ),
        (
            r#"{"total":9223372036854775808}"#,
            "spec.total: invalid value: integer 9223372036854775808, expected i64",
        ),
        (r#"{"ratio":1e300}"#, "spec.ratio: invalid value: number 1"),
        (
            r#"{"since":"noon"}"#,
            "spec.since: invalid value: string, expected an RFC 3339 time",
        ),
        (
            r#"{"port":true}"#,
            "spec.port: invalid type: boolean, expected an integer or a string",
        ),
        (
            r#"{"port":[]}"#,
            "spec.port: invalid type: array, expected an integer or a string",
        ),
    ];
    for (spec, expected) in cases {
        let error = rejection(spec);
        assert!(error.starts_with(expected), "{spec}: {error}");
    }
}

#[test]
fn one_error_lists_all_problems() {
    assert_eq!(
        rejection(
            r#"{"open":1,"containers":[{"image":false},{"ports":[{"port":1},{"port":[]}]}],"name":"fine","cert":"%"}"#
        ),
        "spec.open: invalid type: integer, expected a boolean; \
         spec.containers[0].image: invalid type: boolean, expected a string; \
         spec.containers[1].ports[1].port: invalid type: array, expected i32; \
         spec.cert: invalid value: string, expected base64"
    );
}

#[test]
fn many_problems_are_counted() {
    let spec = format!(r#"{{"containers":[{}]}}"#, vec!["1"; 1000].join(","));
    let error = rejection(&spec);
    assert!(
        error.ends_with("; and 984 more") && error.len() < 2000,
        "{error}"
    );
}

#[test]
fn api_version_and_kind_are_checked_where_present() {
    let read = |text: &str| {
        serde_json::from_str::<Shop>(text)
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert_eq!(
        read(r#"{"apiVersion":"example.com/v1","kind":"Shop"}"#),
        Ok(())
    );
    assert_eq!(read(r"{}"), Ok(()));
    assert_eq!(read(r#"{"apiVersion":"","kind":null}"#), Ok(()));
    assert_eq!(
        read(r#"{"apiVersion":"example.com/v2","kind":"Shelf"}"#),
        Err(r#"apiVersion: invalid value: "example.com/v2", expected "example.com/v1"; kind: invalid value: "Shelf", expected "Shop""#.into())
    );
    assert_eq!(
        read(r#"{"kind":1}"#),
        Err("kind: invalid type: integer, expected a string".into())
    );
    assert_eq!(
        read(r#"{"kind":{}}"#),
        Err("kind: invalid type: object, expected a string".into())
    );
}

#[test]
fn only_an_object_is_a_record() {
    assert_eq!(
        serde_json::from_str::<Shop>("null")
            .unwrap_err()
            .to_string(),
        "invalid type: null, expected an object"
    );
    assert_eq!(
        serde_json::from_str::<Shop>("[null]")
            .unwrap_err()
            .to_string(),
        "invalid type: array, expected an object"
    );
    assert_eq!(serde_json::from_str::<Option<Shop>>("null").unwrap(), None);
}

#[test]
fn malformed_text_keeps_its_position_and_category() {
    let cut =
        serde_json::from_str::<Shop>("{\"spec\":{\"containers\":[{\"image\":\"a\"").unwrap_err();
    assert!(cut.is_eof(), "{cut}");
    let cut = serde_json::from_str::<Shop>("{\"spec\":\n{\"name\": tru }}").unwrap_err();
    assert!(
        cut.is_syntax() && (cut.line(), cut.column()) == (2, 13),
        "{cut}"
    );
    let in_leaf = serde_json::from_str::<Shop>("{\"spec\":{\"blob\":{\"a\":\n[1,]}}}").unwrap_err();
    assert!(in_leaf.is_syntax() && in_leaf.line() == 2, "{in_leaf}");
    let misfit = shop(r#"{"open":1}"#).unwrap_err();
    assert!(misfit.is_data());
}

#[test]
fn deep_nesting_is_skipped_or_rejected() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(
        shop(&format!(r#"{{"newer":{deep},"open":true}}"#))
            .unwrap()
            .spec
            .unwrap()
            .open
    );
    assert!(rejection(&format!(r#"{{"blob":{deep}}}"#)).contains("recursion limit"));
}
