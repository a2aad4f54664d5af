//! Constants, traits and constructors of generated kinds.
use k8s_openapi::{ClusterResourceScope, Resource};
use kube::CustomResourceExt;
use kube_codegen_goldens as goldens;
use kube_codegen_runtime::client::{ScaleSubresource, StatusSubresource};

#[test]
fn names_are_those_of_the_crd() {
    use goldens::crdkind::iksoon_test_com::v1::CrdKind;
    assert_eq!(<CrdKind as Resource>::URL_PATH_SEGMENT, "crdplural");
    assert_eq!(CrdKind::SHORT_NAMES, ["crdshort", "iksoontest"]);
    assert_eq!(CrdKind::api_resource().plural, "crdplural");
    let object = CrdKind::new("a");
    assert_eq!(object.metadata.name.as_deref(), Some("a"));
}

#[test]
fn the_manifest_is_the_input() {
    use goldens::crdkind::iksoon_test_com::v1::CrdKind;
    let crd = CrdKind::crd();
    assert_eq!(crd.metadata.name.as_deref(), Some(CrdKind::crd_name()));
    let columns = crd.spec.versions[0].additional_printer_columns.as_ref();
    assert_eq!(columns.unwrap()[0].name, "DBorWAS");
}

#[test]
fn scope_and_list_kind_and_selectable_fields() {
    use goldens::cluster_scoped::example_com::v1::{IPAddressPool, IPAddressPools};
    fn is_cluster_scoped<K: Resource<Scope = ClusterResourceScope>>() {}
    is_cluster_scoped::<IPAddressPool>();
    let list = IPAddressPools::default();
    assert_eq!(
        serde_json::to_value(list).unwrap()["kind"],
        "IPAddressPools"
    );
    let selector = IPAddressPool::SPEC_ZONE_FIELD;
    assert_eq!(selector.path(), "spec.zone");
}

#[test]
fn subresources_are_traits() {
    use goldens::subresources::example_com::v1::Scaled;
    fn has_both<K: StatusSubresource<By> + ScaleSubresource, By>() {}
    has_both::<Scaled, _>();
}

#[test]
fn every_kind_is_an_object() {
    use goldens::{
        cluster_scoped::example_com::v1::IPAddressPool, crdkind::iksoon_test_com::v1::CrdKind,
    };
    use k8s_openapi::api::core::v1::{Node, Pod};
    use kube::core::{DynamicObject, PartialObjectMeta};
    use kube_codegen_runtime::{Object, record::apply::Fields};
    fn is_object<K: Object>() {}
    fn is_known<K: Object<DynamicType = ()> + Fields>() {}
    is_known::<CrdKind>();
    is_known::<IPAddressPool>();
    is_known::<Pod>();
    is_known::<Node>();
    is_object::<PartialObjectMeta<Pod>>();
    is_object::<DynamicObject>();
}

#[test]
fn spec_and_status_have_the_traits_of_kube() {
    use goldens::subresources::example_com::v1::{Scaled, ScaledStatus};
    use goldens::versions_alike::example_com::v1beta1::{Route, RouteSpec};
    use kube::core::object::{HasSpec, HasStatus};
    fn has_spec<K: HasSpec<Spec = RouteSpec>>() {}
    fn has_status<K: HasStatus<Status = ScaledStatus>>() {}
    has_spec::<Route>();
    has_status::<Scaled>();
}

#[test]
fn json_schemas_are_those_of_the_crd() {
    use goldens::subresources::example_com::v1::{Scaled, ScaledSpec};
    use schemars::{JsonSchema, SchemaGenerator};
    let schema = ScaledSpec::json_schema(&mut SchemaGenerator::default());
    let root = Scaled::json_schema(&mut SchemaGenerator::default());
    let properties = root.get("properties").unwrap();
    assert_eq!(properties.get("spec"), Some(schema.as_value()));
    assert!(schema.get("properties").is_some());
}

#[test]
fn the_constructor_takes_name_and_spec() {
    use goldens::required_spec::example_com::v1::{Strict, StrictSpec, StrictSpecMode};
    let at = "2024-01-02T03:04:05Z".parse().unwrap();
    let strict = Strict::new(
        "a",
        StrictSpec {
            at,
            mode: StrictSpecMode::A,
        },
    );
    assert_eq!(strict.spec.mode.as_str(), "A");
}
