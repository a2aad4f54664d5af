//! Lists: selectors, pages, consistency.
use kube::{
    Api, ResourceExt,
    api::{ListParams, PostParams},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;

use super::support::{crdkind, crdkinds, create, definition, map, maps, object, rejected, server};

#[tokio::test]
async fn label_selectors_filter() {
    let server = ApiServer::new();
    let maps = maps(&server);
    for (name, app) in [("a", Some("x")), ("b", Some("y")), ("c", None)] {
        let mut map = map(name);
        map.metadata.labels = app.map(|app| [("app".to_owned(), app.to_owned())].into());
        maps.create(&PostParams::default(), &map).await.unwrap();
    }
    for (selector, expected) in [
        ("app=x", "a"),
        ("app!=x", "b c"),
        ("app", "a b"),
        ("!app", "c"),
        ("app in (x, y)", "a b"),
        ("app notin (x),app", "b"),
        ("", "a b c"),
    ] {
        let found = maps
            .list(&ListParams::default().labels(selector))
            .await
            .unwrap();
        let names: Vec<_> = found
            .items
            .into_iter()
            .filter_map(|map| map.metadata.name)
            .collect();
        assert_eq!(names.join(" "), expected, "{selector}");
    }
    assert_eq!(
        rejected(maps.list(&ListParams::default().labels("a b")).await).code,
        400
    );
}

#[tokio::test]
async fn only_supported_field_selectors_work() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    for name in ["a", "b"] {
        kinds
            .create(
                &PostParams::default(),
                &object(name, &json!({"choice": "mysql"})),
            )
            .await
            .unwrap();
    }
    let found = kinds
        .list(&ListParams::default().fields("metadata.name=a"))
        .await
        .unwrap();
    assert_eq!(found.items.len(), 1);
    let status = rejected(
        kinds
            .list(&ListParams::default().fields("spec.choice=mysql"))
            .await,
    );
    assert_eq!(
        (status.code, status.message.as_str()),
        (400, "field label not supported: spec.choice")
    );

    let mut crd = crdkind();
    crd["spec"]["versions"][0]["selectableFields"] = json!([{"jsonPath": ".spec.choice"}]);
    server.register_crd(&crd).unwrap();
    assert_eq!(
        kinds
            .list(&ListParams::default().fields("spec.choice=mysql"))
            .await
            .unwrap()
            .items
            .len(),
        2
    );
    assert_eq!(
        kinds
            .list(&ListParams::default().fields("spec.choice!=mysql"))
            .await
            .unwrap()
            .items
            .len(),
        0
    );
}

#[tokio::test]
async fn pages_are_consistent_until_their_token_expires() {
    let server = ApiServer::new();
    let maps = maps(&server);
    for name in ["a", "b", "c", "d", "e"] {
        create(&maps, name).await;
    }
    let first = maps.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!(
        (first.items.len(), first.metadata.remaining_item_count),
        (2, Some(3))
    );
    let token = first.metadata.continue_.unwrap();
    maps.delete("c", &kube::api::DeleteParams::default())
        .await
        .unwrap();
    let second = maps
        .list(&ListParams::default().limit(2).continue_token(&token))
        .await
        .unwrap();
    let names: Vec<_> = second
        .items
        .iter()
        .filter_map(|map| map.metadata.name.as_deref())
        .collect();
    assert_eq!(names, ["c", "d"], "the state of the first page");
    assert_eq!(
        second.metadata.resource_version,
        first.metadata.resource_version
    );
    server.compact();
    let status = rejected(
        maps.list(&ListParams::default().limit(2).continue_token(&token))
            .await,
    );
    assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));
    // The rest at the newest revision.
    create(&maps, "bb").await;
    let token = status.metadata.and_then(|it| it.continue_).unwrap();
    let rest = maps
        .list(&ListParams::default().limit(2).continue_token(&token))
        .await
        .unwrap();
    let names: Vec<_> = rest.items.iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["bb", "d"]);
    let last = rest.metadata.continue_.unwrap();
    let last = maps
        .list(&ListParams::default().continue_token(&last))
        .await
        .unwrap();
    let names: Vec<_> = last.items.iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["e"]);
    // The token of another kind shows nothing of that kind.
    let page = maps.list(&ListParams::default().limit(2)).await.unwrap();
    let token = page.metadata.continue_.unwrap();
    let secrets = Api::<k8s_openapi::api::core::v1::Secret>::default_namespaced(server.client());
    let next = ListParams::default().continue_token(&token);
    assert_eq!(secrets.list(&next).await.unwrap().items, []);
}

#[tokio::test]
async fn one_paged_list_expires_and_others_do_not() {
    let server = ApiServer::new();
    let maps = maps(&server);
    for name in ["a", "b"] {
        create(&maps, name).await;
    }
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let page = maps.list(&ListParams::default().limit(1)).await.unwrap();
        tokens.push(page.metadata.continue_.unwrap());
    }
    assert!(server.expire_list(&tokens[0]));
    assert!(!server.expire_list(&tokens[0]), "it has expired before");
    let next = |token| ListParams::default().continue_token(token);
    assert_eq!(rejected(maps.list(&next(&tokens[0])).await).code, 410);
    assert_eq!(maps.list(&next(&tokens[1])).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn a_client_can_request_metadata_only() {
    let server = server(&definition(
        &json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}),
        &json!({}),
    ));
    let kinds = crdkinds(&server);
    kinds
        .create(&PostParams::default(), &object("a", &json!({"secret": 1})))
        .await
        .unwrap();
    let found = kinds.list_metadata(&ListParams::default()).await.unwrap();
    assert_eq!(found.items[0].metadata.name.as_deref(), Some("a"));
    assert_eq!(
        found.items[0].types.as_ref().unwrap().kind,
        "PartialObjectMetadata"
    );
}

#[tokio::test]
async fn the_rows_of_a_table_have_what_the_client_asks_for() {
    let server = ApiServer::new();
    create(&maps(&server), "a").await;
    let table = async |query: &str| {
        let path = format!("/api/v1/namespaces/default/configmaps{query}");
        let request = http::Request::get(path)
            .header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
            .body(Vec::new());
        let client = server.client();
        client.request::<serde_json::Value>(request.unwrap()).await
    };
    let kind = async |query: &str| table(query).await.unwrap()["rows"][0]["object"]["kind"].clone();
    assert_eq!(kind("").await, "PartialObjectMetadata");
    assert_eq!(
        kind("?includeObject=Metadata").await,
        "PartialObjectMetadata"
    );
    assert_eq!(kind("?includeObject=Object").await, "ConfigMap");
    assert_eq!(kind("?includeObject=None").await, json!(null));
    let rejected = table("?includeObject=All").await.unwrap_err();
    assert!(
        rejected
            .to_string()
            .contains("unrecognized includeObject value"),
        "{rejected}"
    );
}
