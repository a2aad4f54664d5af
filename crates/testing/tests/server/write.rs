//! Create, update and patch: versions, conflicts, generations, names, no-ops.
use k8s_openapi::api::{
    apps::v1::ControllerRevision,
    core::v1::{ConfigMap, Pod, Service},
};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{crdkind, crdkinds, create, map, maps, object, rejected, server};

#[tokio::test]
async fn the_server_sets_its_own_fields() {
    let server = ApiServer::new();
    let maps = maps(&server);
    let (first, second) = (create(&maps, "a").await, create(&maps, "b").await);
    let version = |map: &ConfigMap| {
        map.metadata
            .resource_version
            .as_ref()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    assert!(version(&first) < version(&second), "one counter for all");
    assert_ne!(first.metadata.uid, second.metadata.uid);
    assert!(first.metadata.creation_timestamp.is_some());
    assert_eq!(first.metadata.namespace.as_deref(), Some("default"));
    assert_eq!(
        first.metadata.generation, None,
        "a ConfigMap has no generation"
    );
}

#[tokio::test]
async fn an_existing_name_is_rejected_and_a_generated_one_is_unique() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "a").await;
    let status = rejected(maps.create(&PostParams::default(), &map("a")).await);
    assert_eq!(
        (status.code, status.reason.as_str()),
        (409, "AlreadyExists")
    );
    assert_eq!(status.message, "configmaps \"a\" already exists");

    let generated: ConfigMap =
        serde_json::from_value(json!({"metadata": {"generateName": "g-"}})).unwrap();
    let mut names = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let name = maps
            .create(&PostParams::default(), &generated)
            .await
            .unwrap()
            .metadata
            .name
            .unwrap();
        assert!(name.starts_with("g-") && name.len() == 7, "{name}");
        assert!(names.insert(name));
    }
}

#[tokio::test]
async fn with_a_seed_a_generated_name_depends_on_its_prefix_alone() {
    let names = async |seed: u64, others: usize| {
        let server = ApiServer::new();
        server.set_seed(seed);
        let maps = maps(&server);
        for other in 0..others {
            create(&maps, &format!("other-{other}")).await;
        }
        let generated: ConfigMap =
            serde_json::from_value(json!({"metadata": {"generateName": "g-"}})).unwrap();
        let mut names = Vec::new();
        for _ in 0..200 {
            let created = maps.create(&PostParams::default(), &generated).await;
            names.push(created.unwrap().metadata.name.unwrap());
        }
        names
    };
    let known = names(7, 0).await;
    assert_eq!(known, names(7, 3).await);
    assert_ne!(known[0], names(8, 0).await[0]);
    let distinct: std::collections::BTreeSet<_> = known.iter().collect();
    assert_eq!(distinct.len(), known.len());
    // The same in each process and build: kept schedules name what they are about.
    assert_eq!(known[0], "g-4ktsf");
}

#[tokio::test]
async fn an_update_from_a_stale_state_conflicts() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    let old = kinds
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 1})),
        )
        .await
        .unwrap();
    let mut new = old.clone();
    new.data["spec"]["replicas"] = json!(2);
    let stored = kinds
        .replace("a", &PostParams::default(), &new)
        .await
        .unwrap();
    assert_eq!(stored.metadata.generation, Some(2));
    let status = rejected(kinds.replace("a", &PostParams::default(), &new).await);
    assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
    assert!(
        status.message.contains("the object has been modified"),
        "{}",
        status.message
    );

    new.metadata.resource_version = None;
    let status = rejected(kinds.replace("a", &PostParams::default(), &new).await);
    assert_eq!(
        status.code, 422,
        "custom resources take no unconditional update"
    );
    assert!(
        status.message.contains(
            "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
        ),
        "{}",
        status.message
    );
}

#[tokio::test]
async fn only_a_spec_change_raises_the_generation_and_no_change_writes_nothing() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    let first = kinds
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 1})),
        )
        .await
        .unwrap();
    assert_eq!(first.metadata.generation, Some(1));
    let merge = |patch| Patch::Merge(patch);
    let labelled = kinds
        .patch(
            "a",
            &PatchParams::default(),
            &merge(json!({"metadata": {"labels": {"x": "y"}}})),
        )
        .await
        .unwrap();
    assert_eq!(labelled.metadata.generation, Some(1));
    assert_ne!(
        labelled.metadata.resource_version,
        first.metadata.resource_version
    );
    let same = kinds
        .patch(
            "a",
            &PatchParams::default(),
            &merge(json!({"spec": {"replicas": 1}})),
        )
        .await
        .unwrap();
    assert_eq!(
        same.metadata.resource_version,
        labelled.metadata.resource_version
    );
    let scaled = kinds
        .patch(
            "a",
            &PatchParams::default(),
            &merge(json!({"spec": {"replicas": 3}})),
        )
        .await
        .unwrap();
    assert_eq!(scaled.metadata.generation, Some(2));
}

#[tokio::test]
async fn missing_objects_and_unknown_kinds_are_404_with_details() {
    let server = ApiServer::new();
    let status = rejected(maps(&server).get("nope").await);
    assert_eq!(
        (status.code, status.message.as_str()),
        (404, "configmaps \"nope\" not found")
    );
    let details = status.details.unwrap();
    assert_eq!(
        (details.kind.as_str(), details.name.as_str()),
        ("configmaps", "nope")
    );
    let status = rejected(
        crdkinds(&server)
            .list(&kube::api::ListParams::default())
            .await,
    );
    assert_eq!(
        (status.code, status.message.as_str()),
        (404, "the server could not find the requested resource")
    );
}

#[tokio::test]
async fn names_and_labels_are_validated() {
    let server = ApiServer::new();
    let services: Api<Service> = Api::namespaced(server.client(), "default");
    let service = |name: &str| {
        serde_json::from_value::<Service>(
            json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}}),
        )
        .unwrap()
    };
    services
        .create(&PostParams::default(), &service("1st"))
        .await
        .unwrap();
    for name in ["a.b", "A", &"a".repeat(64)] {
        let status = rejected(
            services
                .create(&PostParams::default(), &service(name))
                .await,
        );
        assert!(
            status.code == 422 && status.message.contains("metadata.name: "),
            "{name}: {}",
            status.message
        );
    }
    maps(&server)
        .create(&PostParams::default(), &map("1st.part"))
        .await
        .unwrap();
    let mut labelled = map("labelled");
    labelled.metadata.labels = Some([("app".to_owned(), "x".repeat(64))].into());
    let status = rejected(
        maps(&server)
            .create(&PostParams::default(), &labelled)
            .await,
    );
    assert!(
        status.message.contains("must be no more than 63 bytes"),
        "{}",
        status.message
    );
}

#[tokio::test]
async fn a_dry_run_stores_nothing() {
    let server = ApiServer::new();
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    assert!(
        maps(&server)
            .create(&dry, &map("a"))
            .await
            .unwrap()
            .metadata
            .uid
            .is_some()
    );
    assert_eq!(rejected(maps(&server).get("a").await).code, 404);
}

#[tokio::test]
async fn an_update_keeps_allocated_node_ports() {
    let server = ApiServer::new();
    let services: Api<Service> = Api::namespaced(server.client(), "default");
    let service = |name: &str| {
        let spec = json!({"type": "NodePort", "selector": {"app": "x"}, "ports": [{"port": 3306}]});
        serde_json::from_value::<Service>(json!({"metadata": {"name": name}, "spec": spec}))
            .unwrap()
    };
    let port =
        |service: &Service| service.spec.as_ref().unwrap().ports.as_ref().unwrap()[0].node_port;
    let (a, b) = (
        services
            .create(&PostParams::default(), &service("a"))
            .await
            .unwrap(),
        services
            .create(&PostParams::default(), &service("b"))
            .await
            .unwrap(),
    );
    assert!(port(&a) >= Some(30000) && port(&b) >= Some(30000) && port(&a) != port(&b));
    let first = &a.spec.as_ref().unwrap().ports.as_ref().unwrap()[0];
    assert_eq!(first.protocol.as_deref(), Some("TCP"));
    let mut again = service("b");
    again.metadata.resource_version = b.metadata.resource_version.clone();
    let kept = services
        .replace("b", &PostParams::default(), &again)
        .await
        .unwrap();
    assert_eq!(
        kept, b,
        "an update that leaves allocated fields out changes nothing"
    );
}

#[tokio::test]
async fn the_first_write_after_the_creation_of_a_claim_is_stored() {
    use k8s_openapi::api::core::v1::PersistentVolumeClaim;
    let server = ApiServer::new();
    let claims: Api<PersistentVolumeClaim> = Api::namespaced(server.client(), "default");
    let claim = json!({
        "metadata": {"name": "a"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    let claim = serde_json::from_value(claim).unwrap();
    let created = claims.create(&PostParams::default(), &claim).await.unwrap();
    let patch = async || {
        let nothing = Patch::Merge(json!({"metadata": {}}));
        let patched = claims.patch("a", &PatchParams::default(), &nothing).await;
        patched.unwrap().metadata.resource_version
    };
    let first = patch().await;
    assert_ne!(first, created.metadata.resource_version);
    assert_eq!(patch().await, first);
}

#[tokio::test]
async fn quantities_are_kept_or_rewritten_as_by_a_real_server() {
    let server = ApiServer::new();
    let pods = Api::<Pod>::namespaced(server.client(), "default");
    for (index, (given, stored)) in [
        ("1.500", "1.500"),
        ("+1", "+1"),
        ("01.5", "1500m"),
        ("1E3", "1E3"),
        ("1000E", "1"),
        ("0.1u", "1m"),
        ("1e30", "1e30"),
        ("k", "0"),
        ("0e119", "0"),
        ("295147905179352825856Ei", "9223372036854775807"),
    ]
    .into_iter()
    .enumerate()
    {
        let pod = json!({"metadata": {"name": format!("pod-{index}")}, "spec": {"containers": [
            {"name": "a", "image": "a", "resources": {"limits": {"memory": given}}}]}});
        let pod = serde_json::from_value(pod).unwrap();
        let pod = pods.create(&PostParams::default(), &pod).await.unwrap();
        let limits = pod
            .spec
            .unwrap()
            .containers
            .remove(0)
            .resources
            .unwrap()
            .limits;
        assert_eq!(limits.unwrap()["memory"].0, stored, "{given}");
    }
}

#[tokio::test]
async fn what_a_revision_holds_never_changes() {
    let server = ApiServer::new();
    server.register_kind::<ControllerRevision>();
    let revisions: Api<ControllerRevision> = Api::default_namespaced(server.client());
    let revision = json!({"metadata": {"name": "a"}, "revision": 1, "data": {"spec": {"size": 1}}});
    let revision = serde_json::from_value(revision).unwrap();
    revisions
        .create(&PostParams::default(), &revision)
        .await
        .unwrap();
    let patch = |patch: Value| {
        let revisions = revisions.clone();
        async move {
            let params = PatchParams::default();
            revisions.patch("a", &params, &Patch::Merge(patch)).await
        }
    };
    let status = rejected(patch(json!({"data": {"spec": {"size": 2}}})).await);
    assert_eq!(
        status.message,
        r#"ControllerRevision.apps "a" is invalid: data: Invalid value: {"spec":{"size":2}}: field is immutable"#
    );
    let changed = patch(json!({"revision": 2, "metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(changed.unwrap().revision, 2);
}
