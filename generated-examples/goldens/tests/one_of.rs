//! Views of fields of which at most one is set.
use kube_codegen_goldens::one_of::example_com::{v1, v1beta1};
use kube_codegen_runtime::validation::Validate as _;
use serde_json::json;
use v1::{
    Issuer, IssuerSpec, IssuerSpecAcme, IssuerSpecAcmeDns01, IssuerSpecAcmeOneOf,
    IssuerSpecAcmeOneOfKeySecret, IssuerSpecCa, IssuerSpecCaOneOf, IssuerSpecOneOf,
    IssuerSpecPorts, IssuerSpecPortsOneOf, IssuerSpecSelfSignedSource,
    IssuerSpecSelfSignedSourceOneOf, IssuerSpecVault, IssuerSpecVaultOneOf, IssuerSpecVaultType,
};

fn issuer(spec: IssuerSpec) -> Issuer {
    let name = "letsencrypt".to_owned();
    Issuer {
        spec: Some(IssuerSpec { name, ..spec }),
        ..Issuer::new("a")
    }
}

#[test]
fn the_field_that_is_set_is_matched() {
    let spec = IssuerSpec::ca(IssuerSpecCa::secret("key".to_owned()));
    let IssuerSpecOneOf::Ca(ca) = spec.one_of() else {
        panic!("{:?}", spec.one_of());
    };
    assert_eq!(ca.one_of(), IssuerSpecCaOneOf::Secret("key"));
    issuer(spec.clone()).validate().unwrap();

    assert_eq!(IssuerSpec::default().one_of(), IssuerSpecOneOf::None);
    issuer(IssuerSpec::default()).validate().unwrap_err();

    let both = IssuerSpec {
        acme: Some(IssuerSpecAcme::default()),
        ..spec
    };
    assert_eq!(both.one_of(), IssuerSpecOneOf::Several(vec!["acme", "ca"]));
    issuer(both).validate().unwrap_err();
}

#[test]
fn fields_that_decide_are_set() {
    let vault = IssuerSpecVault::token("secret".to_owned());
    assert_eq!(vault.r#type, IssuerSpecVaultType::Token);
    assert_eq!(vault.one_of(), IssuerSpecVaultOneOf::Token("secret"));
    issuer(IssuerSpec::vault(vault)).validate().unwrap();
}

#[test]
fn a_struct_has_several_views() {
    let acme = IssuerSpecAcme {
        key_ref: Some("key".to_owned()),
        ..IssuerSpecAcme::dns01(IssuerSpecAcmeDns01::default())
    };
    assert!(matches!(acme.one_of(), IssuerSpecAcmeOneOf::Dns01(_)));
    assert_eq!(
        acme.one_of_key_secret(),
        IssuerSpecAcmeOneOfKeySecret::KeyRef("key")
    );
    issuer(IssuerSpec::acme(acme)).validate().unwrap();
}

#[test]
fn a_shared_type_has_its_view_at_each_location_and_version() {
    let source = IssuerSpecSelfSignedSource::none(true);
    assert_eq!(
        source.one_of(),
        IssuerSpecSelfSignedSourceOneOf::None2(true)
    );
    assert_eq!(source.one_of(), v1beta1::IssuerSpecCaOneOf::None2(true));
    // `Default::default` and `Clone::clone` are still what they are everywhere.
    assert_eq!(IssuerSpecCa::default().one_of(), IssuerSpecCaOneOf::None);
    let named = IssuerSpecCa::new_default("x".to_owned());
    assert_eq!(IssuerSpecCa::clone(&named), named);
}

#[test]
fn an_item_has_a_view() {
    let read: IssuerSpecPorts = serde_json::from_value(json!({"slot": 80})).unwrap();
    assert_eq!(read, IssuerSpecPorts::slot(80));
    assert_eq!(read.one_of(), IssuerSpecPortsOneOf::Slot(80));
}
