//! Server-side apply: owners, conflicts, removal of fields no longer applied.
use std::cell::Cell;

use k8s_openapi::{api::apps::v1::Deployment, jiff::Timestamp};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube_codegen_record::clock;
use serde_json::{Value, json};

use super::support::{crdkind, crdkinds, definition, object, rejected, server};

fn config(spec: &Value) -> Patch<Value> {
    Patch::Apply(
        json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "metadata": {"name": "a"}, "spec": spec}),
    )
}

#[tokio::test]
async fn apply_creates_is_idempotent_and_removes_its_fields() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    let params = PatchParams::apply("one");
    let first = kinds
        .patch(
            "a",
            &params,
            &config(&json!({"choice": "mysql", "replicas": 1})),
        )
        .await
        .unwrap();
    let again = kinds
        .patch(
            "a",
            &params,
            &config(&json!({"choice": "mysql", "replicas": 1})),
        )
        .await
        .unwrap();
    assert_eq!(first, again);
    let less = kinds
        .patch("a", &params, &config(&json!({"choice": "mysql"})))
        .await
        .unwrap();
    assert_eq!(less.data["spec"], json!({"choice": "mysql"}));
    let owner = &less.metadata.managed_fields.as_ref().unwrap()[0];
    assert_eq!(
        (owner.manager.as_deref(), owner.operation.as_deref()),
        (Some("one"), Some("Apply"))
    );
    assert_eq!(
        owner.fields_v1.as_ref().unwrap().0,
        json!({"f:spec": {"f:choice": {}}})
    );
}

#[tokio::test]
async fn a_field_of_another_manager_conflicts_unless_forced() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    kinds
        .patch(
            "a",
            &PatchParams::apply("one"),
            &config(&json!({"replicas": 1})),
        )
        .await
        .unwrap();
    let status = rejected(
        kinds
            .patch(
                "a",
                &PatchParams::apply("two"),
                &config(&json!({"replicas": 2})),
            )
            .await,
    );
    assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
    assert_eq!(
        status.message,
        "Apply failed with 1 conflict: conflict with \"one\": .spec.replicas"
    );
    let cause = &status.details.unwrap().causes[0];
    assert_eq!(
        (cause.reason.as_str(), cause.field.as_str()),
        ("FieldManagerConflict", ".spec.replicas")
    );

    kinds
        .patch(
            "a",
            &PatchParams::apply("two"),
            &config(&json!({"replicas": 1})),
        )
        .await
        .expect("the same value is shared");
    kinds
        .patch(
            "a",
            &PatchParams::apply("two").force(),
            &config(&json!({"replicas": 2})),
        )
        .await
        .unwrap();
    let left = kinds
        .patch("a", &PatchParams::apply("one"), &config(&json!({})))
        .await
        .unwrap();
    assert_eq!(
        left.data["spec"],
        json!({"replicas": 2}),
        "what one lost it does not take away"
    );
}

#[tokio::test]
async fn an_update_takes_ownership_of_what_it_changes() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    kinds
        .patch(
            "a",
            &PatchParams::apply("one"),
            &config(&json!({"replicas": 1})),
        )
        .await
        .unwrap();
    let mut edited = kinds.get("a").await.unwrap();
    edited.data["spec"]["replicas"] = json!(5);
    let by_hand = PostParams {
        field_manager: Some("hand".to_owned()),
        ..PostParams::default()
    };
    kinds.replace("a", &by_hand, &edited).await.unwrap();
    let status = rejected(
        kinds
            .patch(
                "a",
                &PatchParams::apply("one"),
                &config(&json!({"replicas": 1})),
            )
            .await,
    );
    assert!(
        status
            .message
            .contains("conflict with \"hand\" using iksoon.test.com/v1: .spec.replicas"),
        "{}",
        status.message
    );
    kinds
        .create(
            &PostParams::default(),
            &object("b", &json!({"replicas": 1})),
        )
        .await
        .unwrap();
}

#[tokio::test]
async fn lists_of_built_in_kinds_merge_by_their_keys() {
    let server = kube_codegen_testing::ApiServer::new();
    let deployments: Api<Deployment> = Api::namespaced(server.client(), "default");
    let config = |containers: Value| {
        Patch::Apply(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
            "spec": {"selector": {"matchLabels": {"x": "y"}}, "template": {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": containers}}},
        }))
    };
    let main = json!({"name": "main", "image": "m:1", "ports": [{"containerPort": 80}]});
    let side = json!({"name": "side", "image": "s:1"});
    let first = deployments
        .patch("d", &PatchParams::apply("one"), &config(json!([main])))
        .await
        .unwrap();
    deployments
        .patch("d", &PatchParams::apply("two"), &config(json!([side])))
        .await
        .unwrap();
    let both = deployments
        .patch(
            "d",
            &PatchParams::apply("one"),
            &config(json!([{"name": "main", "image": "m:2", "ports": [{"containerPort": 80}]}])),
        )
        .await
        .unwrap();
    let images = |deployment: &Deployment| -> Vec<_> {
        let spec = deployment
            .spec
            .as_ref()
            .unwrap()
            .template
            .spec
            .as_ref()
            .unwrap();
        spec.containers
            .iter()
            .filter_map(|container| container.image.clone())
            .collect()
    };
    assert_eq!(
        (images(&first), images(&both)),
        (
            vec!["m:1".to_owned()],
            vec!["m:2".to_owned(), "s:1".to_owned()]
        )
    );
    let port = &both
        .spec
        .as_ref()
        .unwrap()
        .template
        .spec
        .as_ref()
        .unwrap()
        .containers[0]
        .ports
        .as_ref()
        .unwrap()[0];
    assert_eq!(
        (port.container_port, port.protocol.as_deref()),
        (80, Some("TCP")),
        "fields that are not applied keep their defaults"
    );
    let same = deployments
        .patch(
            "d",
            &PatchParams::apply("one"),
            &config(json!([{"name": "main", "image": "m:2", "ports": [{"containerPort": 80}]}])),
        )
        .await
        .unwrap();
    assert_eq!(
        same.metadata.resource_version, both.metadata.resource_version,
        "nothing differs, nothing is written"
    );
    let left = deployments
        .patch("d", &PatchParams::apply("two"), &config(json!([])))
        .await
        .unwrap();
    assert_eq!(images(&left), ["m:2"]);
}

/// A change of fields that the request cannot write renews the time of its manager. The times decide the order of the managers, and
/// only another order is stored.
#[tokio::test]
async fn what_the_request_cannot_write_is_stored_only_with_another_order_of_managers() {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"choice": {"type": "string"}}},
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
    }}});
    let server = server(&definition(
        &schema,
        &json!({"subresources": {"status": {}}}),
    ));
    let kinds = crdkinds(&server);
    thread_local!(static SECOND: Cell<i64> = const { Cell::new(0) });
    clock::replace(|| {
        SECOND.set(SECOND.get() + 2);
        Timestamp::constant(SECOND.get(), 0)
    });
    let mut versions = Vec::new();
    for (manager, replicas) in [
        ("one", None),
        ("two", None),
        ("two", Some(1)),
        ("one", Some(1)),
        ("one", Some(2)),
        ("two", None),
        ("two", Some(1)),
    ] {
        let mut config = json!({
            "apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "metadata": {"name": "a"},
            "spec": {"choice": "mysql"},
        });
        if let Some(replicas) = replicas {
            config["status"] = json!({"replicas": replicas});
        }
        let params = PatchParams::apply(manager);
        let stored = kinds.patch("a", &params, &Patch::Apply(config)).await;
        versions.push(stored.unwrap().metadata.resource_version.unwrap());
    }
    let is_stored: Vec<_> = versions.windows(2).map(|it| it[0] != it[1]).collect();
    assert_eq!(is_stored, [true, true, true, false, false, true]);
}
