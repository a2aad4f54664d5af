//! Generated kinds are validated, and get defaults, by the schema of their CRD.
#![allow(clippy::panic)]

use kube_codegen_goldens::{
    cluster_scoped::example_com::v1::IPAddressPool,
    constraints::example_com::v1::{Bounded, BoundedSpec},
};
use kube_codegen_runtime::validation::{Error, Validate};

fn bounded(spec: BoundedSpec) -> Bounded {
    let mut object = Bounded {
        spec: Some(spec),
        ..Bounded::default()
    };
    object.metadata.name = Some("a".into());
    object
}

fn rejection(result: Result<(), Error>) -> String {
    match result {
        Err(Error::Invalid(invalid)) => invalid.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn constraints_and_rules_are_checked() -> Result<(), Error> {
    let valid = bounded(BoundedSpec {
        inline: Some("x".into()),
        ratio: Some(0.25.into()),
        ..BoundedSpec::default()
    });
    valid.validate()?;

    let mut invalid = valid.clone();
    invalid.spec.get_or_insert_default().ratio = Some(2.5.into());
    invalid.metadata.name = Some("a-name-of-many-letters".into());
    assert_eq!(
        rejection(invalid.validate()),
        "Bounded.example.com \"a-name-of-many-letters\" is invalid: \
         [spec.ratio: Invalid value: 2.5: spec.ratio in body should be less than or equal to 1, \
         <nil>: Invalid value: The name must be short., \
         spec: Invalid value: failed rule: !has(self.inline) || self.ratio < 0.5]"
    );

    // An update may keep what is invalid.
    let mut kept = invalid.clone();
    kept.metadata.name = Some("short".into());
    kept.validate_update(&invalid)
}

#[test]
fn the_namespace_of_a_cluster_scoped_object_has_no_effect() -> Result<(), Error> {
    let mut pool = IPAddressPool::default();
    pool.metadata.name = Some("a".into());
    pool.metadata.namespace = Some("No_NS".into());
    pool.validate()?;
    let mut object = bounded(BoundedSpec::default());
    object.metadata.namespace = Some("No_NS".into());
    assert!(rejection(object.validate()).contains("metadata.namespace: Invalid value: \"No_NS\""));
    Ok(())
}
