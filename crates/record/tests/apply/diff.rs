//! What an apply would change.
use k8s_openapi::api::apps::v1::Deployment;
use kube_codegen_record::apply::{Apply, Items};
use serde_json::{Value, json};

use crate::apply::widget::Widget;

/// Returns the diff of a spec with an object, and the fields that `me` and another manager own.
fn diff(config: Value, live: Value, own: Value) -> String {
    let owned = |manager: &str, spec: Value| json!({"manager": manager, "operation": "Apply", "apiVersion": "example.com/v1", "fieldsV1": {"f:spec": spec}});
    let object = |spec: Value, managed: Value| -> Widget {
        let metadata = json!({"name": "a", "namespace": "b", "managedFields": managed});
        serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
    };
    let other = json!({"f:disks": {"k:{\"index\":7,\"path\":\"/z\"}": {".": {}, "f:path": {}}}});
    let live = object(live, json!([owned("me", own), owned("other", other)]));
    Apply::from(object(config, json!([])))
        .diff(&live, "me")
        .unwrap()
        .to_string()
}

#[test]
fn equal_values_that_the_manager_owns_are_no_change() {
    let spec = json!({"size": 3, "color": "red", "sidecar": {"name": "s", "image": "i"}});
    let own = json!({"f:size": {}, "f:color": {}, "f:sidecar": {"f:name": {}, "f:image": {}}});
    assert_eq!(diff(spec.clone(), spec.clone(), own), "");
    assert_eq!(
        diff(
            spec.clone(),
            spec,
            json!({"f:size": {}, "f:sidecar": {"f:name": {}, "f:image": {}}})
        ),
        r#".spec.color: "red" (owner)"#
    );
}

#[test]
fn changed_new_and_former_fields_are_changes() {
    let own = json!({"f:size": {}, "f:active": {}, "f:color": {}});
    assert_eq!(
        diff(
            json!({"size": 4, "active": true}),
            json!({"size": 3, "active": true, "color": "red"}),
            own
        ),
        r#".spec.size: 3 → 4, .spec.color: "red" → unset"#
    );
    assert_eq!(
        diff(json!({"tags": ["x"]}), json!({}), json!({})),
        r#".spec.tags: unset → ["x"]"#
    );
    assert_eq!(
        diff(json!({}), json!({}), json!({"f:color": {}})),
        ".spec.color: unset (owner)"
    );
}

#[test]
fn items_are_compared_by_their_keys_and_their_order() {
    let own = json!({"f:disks": {"k:{\"index\":1,\"path\":\"/a\"}": {".": {}, "f:index": {}, "f:path": {}}, "k:{\"index\":2,\"path\":\"/b\"}": {".": {}, "f:index": {}, "f:path": {}}}});
    let (a, b, z) = (
        json!({"index": 1, "path": "/a"}),
        json!({"index": 2, "path": "/b"}),
        json!({"index": 7, "path": "/z"}),
    );
    let live = json!({"disks": [a, z, b]});
    assert_eq!(
        diff(json!({"disks": [a, b]}), live.clone(), own.clone()),
        ""
    );
    assert!(diff(json!({"disks": [b, a]}), live.clone(), own.clone()).starts_with(".spec.disks: "));
    assert_eq!(
        diff(json!({"disks": [a]}), live.clone(), own.clone()),
        r#".spec.disks[index=2,path="/b"]: {"path":"/b","index":2} → unset"#
            .replace(r#"{"path":"/b","index":2}"#, &b.to_string())
    );
    assert_eq!(
        diff(
            json!({"disks": [a, b, {"index": 3, "path": "/c"}]}),
            live,
            own
        ),
        format!(
            ".spec.disks[2]: unset → {}",
            json!({"index": 3, "path": "/c"})
        )
    );
}

#[test]
fn an_empty_list_of_identified_items_has_no_owner() {
    let spec = json!({"disks": []});
    let config = |own| {
        let live: Widget = serde_json::from_value(json!({"metadata": {"name": "a", "managedFields": own}, "spec": {"disks": [{"index": 7, "path": "/z"}]}})).unwrap();
        let widget: Widget =
            serde_json::from_value(json!({"metadata": {"name": "a"}, "spec": spec})).unwrap();
        Apply::from(widget)
            .own(".spec.disks")
            .diff(&live, "me")
            .unwrap()
            .to_string()
    };
    let other = json!([{"manager": "o", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsV1": {"f:spec": {"f:disks": {"k:{\"index\":7,\"path\":\"/z\"}": {".": {}}}}}}]);
    assert_eq!(config(other), "");
}

#[test]
fn the_server_normalizes_built_in_kinds() {
    let live: Deployment = serde_json::from_value(json!({
        "metadata": {"name": "a", "namespace": "b", "managedFields": [{"manager": "me", "operation": "Apply", "apiVersion": "apps/v1", "fieldsV1": {"f:spec": {"f:template": {"f:spec": {
            "f:hostNetwork": {},
            "f:containers": {"k:{\"name\":\"c\"}": {".": {}, "f:name": {}, "f:resources": {"f:limits": {"f:cpu": {}}}, "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}, "f:env": {"k:{\"name\":\"E\"}": {".": {}, "f:name": {}, "f:valueFrom": {"f:fieldRef": {}}}}}},
        }}}}}]},
        "spec": {"selector": {}, "template": {"spec": {"containers": [{
            "name": "c", "resources": {"limits": {"cpu": "1"}}, "ports": [{"containerPort": 80, "protocol": "TCP"}],
            "env": [{"name": "E", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}],
        }]}}},
    }))
    .unwrap();
    let config = |cpu: &str| {
        Apply::<Deployment>::namespaced("a", "b").with(|web| {
            let pod = web
                .spec
                .get_or_insert_default()
                .template
                .spec
                .get_or_insert_default();
            pod.host_network = Some(false);
            let container = pod.containers.item("c");
            let limits = container
                .resources
                .get_or_insert_default()
                .limits
                .get_or_insert_default();
            limits.insert(
                "cpu".to_owned(),
                k8s_openapi::apimachinery::pkg::api::resource::Quantity(cpu.to_owned()),
            );
            let port = k8s_openapi::api::core::v1::ContainerPort {
                container_port: 80,
                ..Default::default()
            };
            container.ports = Some(vec![port]);
            let source = container.env.item("E").value_from.get_or_insert_default();
            source.field_ref.get_or_insert_default().field_path = "metadata.name".to_owned();
        })
    };
    assert_eq!(config("1000m").diff(&live, "me").unwrap().to_string(), "");
    assert_eq!(
        config("1001m").diff(&live, "me").unwrap().to_string(),
        r#".spec.template.spec.containers[name="c"].resources.limits.cpu: "1" → "1001m""#
    );
}

/// Compared item by item, it would take minutes.
#[test]
fn lists_of_any_length_are_compared() {
    const ITEMS: usize = 20_000;
    let step = |index: usize| format!("k:{{\"index\":{index},\"path\":\"/a\"}}");
    let owned = (1..=ITEMS).map(|it| {
        (
            step(it),
            json!({".": {}, "f:index": {}, "f:path": {}, "f:size": {}}),
        )
    });
    let own = json!({"f:disks": owned.collect::<serde_json::Map<_, _>>()});
    let disks = |size: usize| {
        let disk = |it| json!({"index": it, "path": "/a", "size": if it == 7 { size } else { 1 }});
        json!({"disks": (1..=ITEMS).map(disk).collect::<Vec<_>>()})
    };
    assert_eq!(diff(disks(1), disks(1), own.clone()), "");
    assert_eq!(
        diff(disks(2), disks(1), own.clone()),
        r#".spec.disks[index=7,path="/a"].size: 1 → 2"#
    );
    let mut fewer = disks(1);
    fewer["disks"].as_array_mut().unwrap().pop();
    let removed = diff(fewer, disks(1), own);
    assert!(
        removed.starts_with(r#".spec.disks[index=20000,path="/a"]: "#),
        "{removed}"
    );
}
