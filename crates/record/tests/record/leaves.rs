//! Fields with types that have serde impls of their own.
use kube_codegen_record::{
    Nullable,
    private::{Slot, Value, View},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Leaf {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<Box<Leaf>>,
    #[serde(default)]
    list: Vec<Leaf>,
    #[serde(default)]
    by_key: BTreeMap<String, Leaf>,
    #[serde(default)]
    number: f32,
    #[serde(default)]
    mode: Mode,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
enum Mode {
    #[default]
    Off,
    On,
}

kube_codegen_record::leaves! { Leaf = Leaf::default() }

#[derive(Debug, PartialEq)]
struct Tree {
    branch: Option<Vec<Leaf>>,
    maybe: Option<Nullable<Leaf>>,
    must: Leaf,
    name: String,
}

kube_codegen_record::records! {
    Tree { branch, maybe, must, name }
}

const LEAF: &str = r#"{"name":"a","inner":{"name":"b","list":[],"byKey":{},"number":0.0,"mode":"On"},"list":[{"name":"c","list":[],"byKey":{},"number":0.1,"mode":"Off"}],"byKey":{"k":{"name":"d","list":[],"byKey":{},"number":1.5,"mode":"Off"}},"number":0.0,"mode":"Off"}"#;

fn rejection(text: &str) -> String {
    serde_json::from_str::<Tree>(text).unwrap_err().to_string()
}

#[test]
fn leaves_survive_a_round_trip() {
    let text = format!(r#"{{"branch":[{LEAF},{LEAF}],"maybe":null,"must":{LEAF},"name":"n"}}"#);
    let tree: Tree = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&tree).unwrap(), text);
    assert_eq!(
        serde_yaml::from_str::<Tree>(&serde_yaml::to_string(&tree).unwrap()).unwrap(),
        tree
    );
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(Tree::deserialize(&value).unwrap(), tree);
    assert_eq!(serde_json::to_value(&tree).unwrap(), value);
}

#[test]
fn an_absent_or_null_leaf_is_blank() {
    let tree: Tree = serde_json::from_str(r#"{"must":null,"maybe":{"name":"x"}}"#).unwrap();
    assert_eq!(tree.must, Leaf::default());
    assert!(matches!(tree.maybe, Some(Nullable::Value(leaf)) if leaf.name == "x"));
}

#[test]
fn an_error_in_a_leaf_is_one_of_the_problems_and_has_a_path() {
    let error = rejection(
        r#"{"branch":[{"name":"a","list":[{"name":"b"},{"name":5,"number":1,"inner":{"name":"i","deep":[1,{"x":2}]}}],"byKey":{}},{"name":"c","mode":"Half"}],
            "must":{"name":"m","byKey":{"a.b":{"name":"x","list":{}}}},"name":7}"#,
    );
    assert_eq!(
        error,
        "branch[0].list[1].name: invalid type: integer `5`, expected a string; \
         branch[1].mode: unknown variant `Half`, expected `Off` or `On`; \
         must.byKey[\"a.b\"].list: invalid type: map, expected a sequence; \
         name: invalid type: integer, expected a string"
    );
    assert_eq!(
        rejection(r#"{"must":5}"#),
        "must: invalid type: integer `5`, expected struct Leaf"
    );
    assert_eq!(
        rejection(r#"{"must":[{"x":1}]}"#),
        "must: invalid type: sequence, expected struct Leaf"
    );
    assert_eq!(rejection(r#"{"must":{}}"#), "must: missing field `name`");
}

#[test]
fn malformed_text_in_a_leaf_keeps_its_position_and_category() {
    let wrong =
        serde_json::from_str::<Tree>("{\"must\":{\"name\":\"a\",\n\"list\":[{\"name\": tru}]}}")
            .unwrap_err();
    assert!(wrong.is_syntax() && wrong.line() == 2, "{wrong}");
    assert!(
        serde_json::from_str::<Tree>(r#"{"must":{"name":"a","list":[{"#)
            .unwrap_err()
            .is_eof()
    );
}

#[test]
fn a_leaf_nested_too_deeply_is_rejected() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let error = rejection(&format!(r#"{{"must":{{"name":"a","newer":{deep}}}}}"#));
    assert!(error.contains("recursion limit"), "{error}");
}

#[test]
fn long_keys_are_kept() {
    let key = "k".repeat(300);
    let tree: Tree = serde_json::from_str(&format!(
        r#"{{"must":{{"name":"a","byKey":{{"{key}":{{"name":"x"}}}}}}}}"#
    ))
    .unwrap();
    assert_eq!(tree.must.by_key[&key].name, "x");
}

#[test]
fn a_leaf_is_viewed_as_one() {
    let mut leaf = Leaf::default();
    assert!(matches!(leaf.view(), View::Foreign(_)));
    assert!(matches!(leaf.slot(), Slot::Foreign(_)));
}
