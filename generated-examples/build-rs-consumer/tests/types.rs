//! Tests the generated types.
use build_rs_consumer::{
    Engine,
    iksoon_test_com::v1::{CrdKind, CrdKindSpec},
};
use kube::{CustomResourceExt, Resource};
use serde_json::json;

#[test]
fn an_object_survives_a_round_trip() {
    let spec = CrdKindSpec {
        choice: Some(Engine::Mysql),
        replicas: Some(2),
    };
    let object = CrdKind {
        spec: Some(spec),
        ..CrdKind::new("database")
    };
    let value = serde_json::to_value(&object).unwrap();
    assert_eq!(
        value,
        json!({
            "apiVersion": "iksoon.test.com/v1",
            "kind": "CrdKind",
            "metadata": { "name": "database" },
            "spec": { "choice": "mysql", "replicas": 2 },
        })
    );
    assert_eq!(serde_json::from_value::<CrdKind>(value).unwrap(), object);
}

/// The schema does not require the spec.
#[test]
fn a_spec_that_is_not_required_is_no_argument_of_the_constructor() {
    let schema = serde_json::to_value(CrdKind::crd()).unwrap();
    let schema = &schema["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert!(schema["properties"]["spec"].is_object() && schema["required"].is_null());
    assert_eq!(CrdKind::new("database").spec, None);
}

#[test]
fn another_version_is_an_error() {
    let value = json!({ "apiVersion": "iksoon.test.com/v2", "kind": "CrdKind", "metadata": {} });
    let error = serde_json::from_value::<CrdKind>(value).unwrap_err();
    assert!(error.to_string().contains("apiVersion"), "{error}");
}

#[test]
fn names_are_those_of_the_crd() {
    assert_eq!(CrdKind::plural(&()), "crdplural");
    assert_eq!(
        CrdKind::url_path(&(), Some("default")),
        "/apis/iksoon.test.com/v1/namespaces/default/crdplural"
    );
    assert_eq!(CrdKind::crd_name(), "crdplural.iksoon.test.com");
}

#[test]
fn overrides_change_the_types() {
    fn is_hashed<T: std::hash::Hash>() {}
    is_hashed::<CrdKindSpec>();
    let spec = json!({ "choice": "mysqlx", "replicas": 255 });
    let typed: CrdKindSpec = serde_json::from_value(spec.clone()).unwrap();
    assert_eq!(typed.choice, Some(Engine::Other("mysqlx".to_owned())));
    assert_eq!(typed.replicas, Some(255_u8));
    assert_eq!(serde_json::to_value(&typed).unwrap(), spec);
    let error = serde_json::from_value::<CrdKindSpec>(json!({ "replicas": 256 })).unwrap_err();
    assert!(error.to_string().contains("replicas"), "{error}");
}
