//! Tests of the decoder.
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{Resource, api::DynamicObject, core::PartialObjectMeta};
use serde::Serialize;
use serde_json::{Value, json};

use super::*;

fn decode<T: for<'de> Deserialize<'de>>(json: &str) -> Result<T, serde_json::Error> {
    let (object, skipped) = object(json, false)?;
    let skipped = &json[skipped];
    assert!(
        skipped.is_empty() || skipped == "3" || skipped.starts_with('['),
        "{skipped}"
    );
    Ok(object)
}

fn decodes_like_the_object_without<T>()
where
    T: Resource + Serialize + for<'de> Deserialize<'de>,
{
    let managed = r#""managedFields":[{"manager":"m","fieldsV1":{"f:data":{".":{}}}}]"#;
    for (json, expected) in [
        (
            format!(r#"{{"metadata":{{{managed},"name":"a","labels":{{"x":"y"}}}}}}"#),
            r#"{"metadata":{"name":"a","labels":{"x":"y"}}}"#,
        ),
        (
            format!(r#"{{"metadata":{{"name":"a",{managed}}},"data":{{"managedFields":"1","metadata":"2"}}}}"#),
            r#"{"metadata":{"name":"a"},"data":{"managedFields":"1","metadata":"2"}}"#,
        ),
        (
            r#"{"meta\u0064ata":{"managed\u0046ields":3,"n\u0061me":"a","annotations":{"managedFields":"kept"}}}"#.to_owned(),
            r#"{"metadata":{"name":"a","annotations":{"managedFields":"kept"}}}"#,
        ),
        (format!(r#"{{"metadata":{{{managed}}}}}"#), r#"{"metadata":{}}"#),
        (r#"{"metadata":{}}"#.to_owned(), r#"{"metadata":{}}"#),
    ] {
        let decoded: T = decode(&json).unwrap();
        let plain: T = serde_json::from_str(expected).unwrap();
        let as_json = |object: &T| serde_json::to_value(object).unwrap();
        assert_eq!(as_json(&decoded), as_json(&plain), "{json}");
        assert!(decoded.meta().managed_fields.is_none());
    }
}

#[test]
fn managed_fields_are_skipped_and_nothing_else() {
    decodes_like_the_object_without::<ConfigMap>();
    decodes_like_the_object_without::<DynamicObject>();
    decodes_like_the_object_without::<PartialObjectMeta<ConfigMap>>();
    let json = r#"{"metadata":{"managedFields":[],"a":[1,null,{"managedFields":true}]},"managedFields":1.5}"#;
    assert_eq!(
        decode::<Value>(json).unwrap(),
        json!({"metadata": {"a": [1, null, {"managedFields": true}]}, "managedFields": 1.5})
    );
}

#[test]
fn what_is_not_an_object_is_decoded_as_before() {
    for json in [
        "null",
        "3",
        r#""text""#,
        "[{}]",
        r#"{"metadata":null}"#,
        r#"{"metadata":[1]}"#,
        r#"{"metadata":3,"data":{}}"#,
        r#"{"metadata":{"managedFields":[}}"#,
    ] {
        let plain = serde_json::from_str::<ConfigMap>(json);
        let decoded = decode::<ConfigMap>(json);
        assert_eq!(
            decoded.map_err(|error| error.to_string()).ok(),
            plain.ok(),
            "{json}"
        );
    }
}

#[test]
fn lists_have_their_final_size() {
    let json = json!({
        "metadata": { "name": "p", "managedFields": [{"a": [1, 2]}], "finalizers": ["x"] },
        "spec": {
            "unknown": [[1, 2, 3], {"x": ["]"]}],
            "containers": [
                {"name": "one", "args": ["a", "b", "c"], "ports": []},
                {"name": "two", "env": [{"name": "A"}], "command": ["d", "e"]},
                {"name": "three"}, {"name": "four"}, {"name": "five"},
            ],
            "tolerations": [{"key": "k"}],
        },
        "status": { "podIPs": [{"ip": "::1"}, {"ip": "::2"}] },
    });
    for managed_fields in [false, true] {
        let text = json.to_string();
        let (pod, _): (Pod, _) = object(&text, managed_fields).unwrap();
        assert_eq!(
            pod.metadata.managed_fields.is_some(),
            managed_fields,
            "{text}"
        );
        let spec = pod.spec.unwrap();
        assert_eq!(spec.containers.capacity(), 5);
        assert_eq!(spec.containers[0].args.as_ref().unwrap().capacity(), 3);
        assert_eq!(spec.containers[0].ports.as_ref().unwrap().capacity(), 0);
        assert_eq!(spec.containers[1].env.as_ref().unwrap().capacity(), 1);
        assert_eq!(spec.containers[1].command.as_ref().unwrap().capacity(), 2);
        assert_eq!(spec.tolerations.unwrap().capacity(), 1);
        assert_eq!(pod.metadata.finalizers.unwrap().capacity(), 1);
        assert_eq!(pod.status.unwrap().pod_ips.unwrap().capacity(), 2);
    }
}

#[test]
fn raw_values_and_enums_keep_the_lists_after_them_in_step() {
    #[derive(serde::Deserialize)]
    struct Parts {
        raw: Box<serde_json::value::RawValue>,
        one: Choice,
        many: Vec<Choice>,
        last: Vec<String>,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    enum Choice {
        Unit,
        New(Vec<u8>),
        Tuple(u8, Vec<u8>),
        Struct { list: Vec<u8> },
    }
    let json = r#"{"raw":{"a":[[1],[2,3]]},"one":{"New":[1,2]},
        "many":["Unit",{"Tuple":[1,[2,3,4]]},{"Struct":{"list":[5]}}],"last":["x"]}"#;
    let parts: Parts = decode(json).unwrap();
    assert_eq!(parts.raw.get(), r#"{"a":[[1],[2,3]]}"#);
    assert_eq!(parts.one, Choice::New(vec![1, 2]));
    assert_eq!(
        parts.many,
        [
            Choice::Unit,
            Choice::Tuple(1, vec![2, 3, 4]),
            Choice::Struct { list: vec![5] }
        ]
    );
    assert_eq!((parts.many.capacity(), parts.last.capacity()), (3, 1));
}
