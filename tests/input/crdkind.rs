//! Reads the CRD of the main example.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]
use kube_codegen::diag::Diagnostics;
use kube_codegen::private::crd::{self, Crd, SchemaType};
use kube_codegen::private::ir::{Column, Scope};
use kube_codegen::source::{self, Input};
use serde_json::Value;
use std::path::Path;

fn parse(input: Input) -> (Vec<Crd>, Diagnostics) {
    let sources = source::load(&[input]).expect("readable");
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(&sources, &mut diagnostics);
    diagnostics.locate(&sources);
    (crds, diagnostics)
}

fn fixture() -> Input {
    Input::File(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/crdkind.yaml"))
}

#[test]
fn every_field_is_read() {
    let (crds, diagnostics) = parse(fixture());
    assert_eq!(diagnostics.iter().len(), 0, "{diagnostics:?}");
    let [crd] = crds.as_slice() else {
        panic!("one CRD, not {}", crds.len());
    };
    assert_eq!(crd.name, "crdplural.iksoon.test.com");
    assert_eq!(crd.group, "iksoon.test.com");
    assert_eq!(crd.scope, Scope::Namespaced);
    let names = &crd.names;
    assert_eq!(
        (
            names.plural.as_str(),
            names.singular.as_str(),
            names.kind.as_str(),
            names.list_kind.as_str()
        ),
        ("crdplural", "crdsingular", "CrdKind", "CrdKindList")
    );
    assert_eq!(names.short_names, ["crdshort", "iksoontest"]);
    let manifest: Value = serde_json::from_str(&crd.manifest).expect("JSON");
    assert_eq!(manifest["spec"]["names"]["plural"], "crdplural");
    assert_eq!(crd.place.crd.as_deref(), Some("crdplural.iksoon.test.com"));

    let [version] = crd.versions.as_slice() else {
        panic!("one version, not {}", crd.versions.len());
    };
    assert_eq!(
        (version.name.as_str(), version.served, version.storage),
        ("v1", true, true)
    );
    assert_eq!(
        (
            version.status,
            version.scale.clone(),
            version.deprecated.is_some()
        ),
        (false, None, false)
    );
    assert_eq!(
        version.schema_pointer,
        "/spec/versions/0/schema/openAPIV3Schema"
    );
    assert_eq!(version.place.version.as_deref(), Some("v1"));
    let paths: Vec<_> = version
        .columns
        .iter()
        .map(|column| column.json_path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            ".spec.choice",
            ".spec.replicas",
            ".metadata.creationTimestamp"
        ]
    );
    assert_eq!(
        version.columns[0],
        Column {
            name: "DBorWAS".to_owned(),
            type_: "string".to_owned(),
            format: None,
            description: Some("Choose Mysql or Tomcat".to_owned()),
            priority: 0,
            json_path: ".spec.choice".to_owned(),
        }
    );

    let schema = version.schema.as_ref().expect("a schema");
    let spec = &schema.properties.as_ref().expect("properties")["spec"];
    let properties = spec.properties.as_ref().expect("properties");
    assert_eq!(properties["choice"].type_, Some(SchemaType::String));
    assert_eq!(
        properties["choice"].constraints.all,
        [("pattern", "(mysql|tomcat)".into())]
    );
    assert_eq!(properties["replicas"].type_, Some(SchemaType::Integer));
    assert_eq!(
        properties["replicas"].constraints.all,
        [("minimum", 1.into()), ("maximum", 10.into())]
    );
}

#[test]
fn json_is_read_like_yaml() {
    let (from_yaml, _) = parse(fixture());
    let text = from_yaml[0].manifest.to_string();
    let (from_json, diagnostics) = parse(Input::Text {
        name: "crdkind.json".to_owned(),
        text,
    });
    assert_eq!(diagnostics.iter().len(), 0, "{diagnostics:?}");
    assert_eq!(from_json[0].manifest, from_yaml[0].manifest);
}
