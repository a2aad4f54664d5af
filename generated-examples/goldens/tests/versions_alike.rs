//! Types that are equal in several versions of a group, by the names of each.
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_codegen_goldens::versions_alike::example_com::{v1, v1alpha1, v1beta1, v2};
use serde_json::json;
use std::any::TypeId;

#[test]
fn what_is_equal_goes_from_version_to_version_as_it_is() {
    let tls = v1alpha1::RouteSpecTargetTls {
        mode: Some(v1alpha1::GatewaySpecListenersTlsMode::Passthrough),
    };
    let target = v1alpha1::RouteSpecTarget {
        port: 443,
        tls: Some(tls),
        ..Default::default()
    };
    let rule = v1::RouteSpecRules {
        backends: Some(vec![target]),
        ..Default::default()
    };
    let beta = v1beta1::RouteSpecRules {
        backends: rule.backends.clone(),
        // Of another type: it has a default.
        mode: rule.mode.as_ref().map(|it| it.as_str().into()),
    };
    let spec = v1::RouteSpec {
        rules: Some(vec![rule]),
    };
    let mut route = v1::Route {
        metadata: ObjectMeta {
            name: Some("a".into()),
            ..ObjectMeta::default()
        },
        spec,
        status: None,
        strategy: v1beta1::RouteSpecStrategy::Random,
    };
    route.status = Some(v2::RouteStatus { ready: Some(true) });
    let rules = json!([{ "backends": [{ "port": 443, "tls": { "mode": "Passthrough" } }] }]);
    assert_eq!(
        serde_json::to_value(&route).unwrap(),
        json!({
            "apiVersion": "example.com/v1",
            "kind": "Route",
            "metadata": { "name": "a" },
            "spec": { "rules": &rules },
            "status": { "ready": true },
            "strategy": "Random",
        })
    );
    let spec = v1beta1::RouteSpec {
        rules: Some(vec![beta]),
        strategy: route.strategy,
    };
    let mut older = v1beta1::Route::new("a", spec);
    older.status = route.status;
    assert_eq!(
        serde_json::to_value(&older).unwrap(),
        json!({
            "apiVersion": "example.com/v1beta1",
            "kind": "Route",
            "metadata": { "name": "a" },
            "spec": { "rules": &rules, "strategy": "Random" },
            "status": { "ready": true },
        })
    );
}

#[test]
fn each_version_reads_its_own_kinds_alone() {
    let object = json!({ "apiVersion": "example.com/v1beta1", "kind": "Gateway", "metadata": {}, "spec": {} });
    let gateway: v1beta1::Gateway = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(gateway.spec, v1alpha1::Gateway::new("a").spec.into());
    assert!(serde_json::from_value::<v1alpha1::Gateway>(object).is_err());
}

#[test]
fn what_differs_is_another_type() {
    assert_ne!(
        TypeId::of::<v1::RouteSpecRulesMode>(),
        TypeId::of::<v1beta1::RouteSpecRulesMode>()
    );
    assert_ne!(
        TypeId::of::<v1::RouteSpec>(),
        TypeId::of::<v1beta1::RouteSpec>()
    );
    assert_ne!(
        TypeId::of::<v1alpha1::Gateway>(),
        TypeId::of::<v1beta1::Gateway>()
    );
    assert_eq!(
        v1beta1::RouteSpecRulesMode::default().as_str(),
        "Passthrough"
    );
}
