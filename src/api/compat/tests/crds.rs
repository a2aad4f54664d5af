//! Verdicts about what a CRD has outside of one field.
use super::*;

fn compared(change: impl Fn(&mut Value)) -> Vec<Finding> {
    let mut new = crd();
    change(&mut new);
    compare_crd(&crd(), &new, &Meter::silent())
}

#[test]
fn another_field_for_replicas_limits_it() {
    let with = |path: &str| {
        let mut crd = crd();
        at(&mut crd, "SPEC/properties")["size"] = json!({"type": "integer"});
        *at(
            &mut crd,
            "/spec/versions/0/subresources/scale/specReplicasPath",
        ) = json!(path);
        crd
    };
    let found = compare_crd(
        &with(".spec.replicas"),
        &with(".spec.size"),
        &Meter::silent(),
    );
    let narrowed = found.iter().find(|it| it.rule == Rule::Narrowed).unwrap();
    let witness = narrowed.witness.as_ref().unwrap();
    assert_eq!(
        (&*narrowed.path, proof(narrowed)),
        ("spec.size", "rejected")
    );
    assert_eq!(witness.object["spec"]["size"], -1);
    assert!(found.iter().any(|it| it.rule == Rule::ScaleChanged));
}

#[test]
fn a_shorter_name_is_proved() {
    let with = |metadata: Value| {
        let mut crd = crd();
        let root = at(
            &mut crd,
            "/spec/versions/0/schema/openAPIV3Schema/properties",
        );
        root["metadata"] = metadata;
        crd
    };
    let name = json!({"type": "string", "maxLength": 10});
    let found = compare_crd(
        &with(json!({"type": "object"})),
        &with(json!({"type": "object", "properties": {"name": name}})),
        &Meter::silent(),
    );
    let proofs: Vec<_> = found.iter().map(|it| (it.rule, proof(it))).collect();
    assert_eq!(proofs, [(Rule::KeywordChanged, "rejected, ratchets")]);
}

#[test]
fn the_name_of_a_column_has_no_case() {
    let found = compared(|crd| {
        *at(crd, "/spec/versions/0/additionalPrinterColumns/0/name") = json!("COLOR");
    });
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_status_is_written_by_its_subresource() {
    let status = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/replicas";
    let found = compared(|crd| at(crd, status)["maximum"] = json!(9));
    let all: Vec<_> = found.iter().map(|it| (it.rule, it.is_status)).collect();
    assert_eq!(all, [(Rule::Narrowed, true)]);
    let found = compared(|crd| at(crd, "SPEC/properties/replicas")["maximum"] = json!(9));
    assert!(found.iter().all(|it| !it.is_status));
}

#[test]
fn a_version_with_the_same_types_breaks_no_code() {
    let mut old = crd();
    at(&mut old, "SPEC/properties/extra")["oneOf"] =
        json!([{"required": ["a"]}, {"required": ["b"]}]);
    let mut new = old.clone();
    let mut second = old["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    new["spec"]["versions"][0]["storage"] = json!(false);
    new["spec"]["versions"].as_array_mut().unwrap().push(second);
    let found = findings(&old, &new, &Options::default());
    assert!(found.iter().all(|it| it.rust.is_empty()), "{found:#?}");
    assert!(found.iter().any(|it| it.rule == Rule::VersionAdded));
}
