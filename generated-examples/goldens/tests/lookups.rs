//! Lookups in a cache by the selectable fields of a CRD.
#![allow(clippy::unwrap_used)]
use goldens::cluster_scoped::{Informers, example_com::v1::IPAddressPool};
use kube::CustomResourceExt;
use kube_codegen_goldens as goldens;
use kube_codegen_runtime::{informer::InformerFactory, lister::Lister};
use kube_codegen_testing::ApiServer;
use serde_json::json;

fn names(lister: &Lister<IPAddressPool>, zone: &str) -> Vec<String> {
    let found = lister.by_field(IPAddressPool::SPEC_ZONE_FIELD, zone);
    let mut names: Vec<_> = found
        .iter()
        .map(|pool| pool.metadata.name.clone().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test(start_paused = true)]
async fn a_selectable_field_is_an_index_and_a_selector() {
    let server = ApiServer::new();
    server.register_crd(&IPAddressPool::crd()).unwrap();
    for (name, spec) in [
        ("a", json!({"zone": "eu-1"})),
        ("b", json!({"zone": "eu-2"})),
        ("c", json!({"zone": "eu-1"})),
        ("d", json!({})),
    ] {
        server
            .seed(&json!({
                "apiVersion": "example.com/v1", "kind": "IPAddressPool",
                "metadata": {"name": name}, "spec": spec,
            }))
            .unwrap();
    }
    let all = InformerFactory::new(server.client());
    let selector = IPAddressPool::SPEC_ZONE_FIELD.equals("eu-1");
    let one_zone = InformerFactory::builder(server.client())
        .configure::<IPAddressPool>(move |config| config.field_selector = Some(selector.clone()))
        .build();
    let lister = all.example_com_v1().ip_address_pools().lister();
    let in_zone = one_zone.example_com_v1().ip_address_pools().lister();
    for factory in [&all, &one_zone] {
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
    }
    assert_eq!(names(&lister, "eu-1"), ["a", "c"]);
    assert_eq!(names(&lister, "eu-2"), ["b"]);
    assert_eq!(names(&lister, ""), ["d"], "an absent field counts as empty");
    assert_eq!(in_zone.all().len(), 2);

    let pools = kube::Api::<IPAddressPool>::all(server.client());
    let patch = kube::api::Patch::Merge(json!({"spec": {"zone": "eu-2"}}));
    pools
        .patch("a", &kube::api::PatchParams::default(), &patch)
        .await
        .unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(names(&lister, "eu-1"), ["c"]);
    assert_eq!(names(&lister, "eu-2"), ["a", "b"]);
    assert_eq!(in_zone.all().len(), 1);
}
