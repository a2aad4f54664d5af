//! Numbers of custom resources, as Go reads and writes them.
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::support::{crdkinds, definition, object, rejected, server};

#[tokio::test]
async fn numbers_are_normalized_as_by_a_real_server() {
    let server = server(&definition(
        &json!({
            "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                "type": "object",
                "properties": {"whole": {"type": "integer"}, "real": {"type": "number"}},
            }}},
        }),
        &json!({}),
    ));
    let kinds = crdkinds(&server);
    let spec = json!({"whole": 5.0, "real": 1.0});
    let stored = kinds
        .create(&PostParams::default(), &object("a", &spec))
        .await
        .unwrap();
    assert_eq!(stored.data["spec"], json!({"whole": 5, "real": 1}));
    let spec = json!({"real": u64::MAX});
    let mut again = object("a", &spec);
    again.metadata = stored.metadata;
    let stored = kinds
        .replace("a", &PostParams::default(), &again)
        .await
        .unwrap();
    assert_eq!(
        stored.data["spec"],
        json!({"real": 18_446_744_073_709_551_615.0})
    );

    let spec = json!({"whole": u64::MAX});
    let status = rejected(
        kinds
            .create(&PostParams::default(), &object("b", &spec))
            .await,
    );
    let rule = "spec.whole in body must be of type integer: \"number\"";
    assert!(status.message.contains(rule), "{}", status.message);
}

#[tokio::test]
async fn a_whole_float_raises_the_generation_unless_it_is_applied() {
    let server = server(&definition(
        &json!({
            "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                "type": "object",
                "properties": {"real": {"type": "number"}},
            }}},
        }),
        &json!({}),
    ));
    let kinds = crdkinds(&server);
    let spec = json!({"real": 1.0});
    let (create, apply) = (PostParams::default(), PatchParams::apply("test"));
    let created = kinds.create(&create, &object("a", &spec)).await;
    assert_eq!(created.unwrap().metadata.generation, Some(1));
    let merge = async |real: Value| {
        let patch = Patch::Merge(json!({"spec": {"real": real}}));
        let patched = kinds.patch("a", &PatchParams::default(), &patch).await;
        patched.unwrap().metadata.generation
    };
    assert_eq!(merge(json!(1.0)).await, Some(2));
    assert_eq!(merge(json!(1)).await, Some(2));
    let patch = Patch::Apply(object("a", &spec));
    let applied = kinds.patch("a", &apply, &patch).await;
    assert_eq!(applied.unwrap().metadata.generation, Some(2));
}
