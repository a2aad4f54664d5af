//! Lists in pages, with and without expired continue tokens.
use crate::client::kinds::CrdKind;
use crate::client::server::{Server, status};
use futures::{StreamExt, TryStreamExt};
use kube::api::{ListParams, VersionMatch};
use kube_codegen_runtime::client::{AllNamespaces, ErrorExt, TypedClient};
use serde_json::{Value, json};

fn page(names: &[&str], token: &str) -> (u16, Value) {
    let items: Vec<_> = names
        .iter()
        .map(|name| json!({"metadata": {"name": name, "namespace": "n"}}))
        .collect();
    (
        200,
        json!({"kind": "CrdKindList", "apiVersion": "iksoon.test.com/v1", "metadata": {"continue": token, "resourceVersion": "9"}, "items": items}),
    )
}

async fn names(server: &Server) -> Vec<Vec<String>> {
    let params = ListParams {
        resource_version: Some("5".into()),
        version_match: Some(VersionMatch::NotOlderThan),
        ..ListParams::default().labels("a=b")
    };
    let pages: Vec<_> = TypedClient::<CrdKind>::namespaced(server.client(), "n")
        .pages(&params, 2)
        .try_collect()
        .await
        .unwrap();
    pages
        .into_iter()
        .map(|page| {
            page.items
                .into_iter()
                .map(|kind| kind.metadata.name.unwrap())
                .collect()
        })
        .collect()
}

#[tokio::test]
async fn pages_follow_the_token() {
    let server = Server::with([
        page(&["a", "b"], "t1"),
        page(&["c", "d"], "t2"),
        page(&["e"], ""),
    ]);
    assert_eq!(
        names(&server).await,
        [vec!["a", "b"], vec!["c", "d"], vec!["e"]]
    );
    let path = "GET /apis/iksoon.test.com/v1/namespaces/n/crdplural?&labelSelector=a%3Db&limit=2";
    assert_eq!(
        server.lines(),
        [
            format!("{path}&resourceVersion=5&resourceVersionMatch=NotOlderThan"),
            format!("{path}&continue=t1"),
            format!("{path}&continue=t2"),
        ]
    );
}

#[tokio::test]
async fn an_expired_token_lists_the_rest_and_nothing_twice() {
    let whole = page(&["a", "b", "bb", "c"], "");
    let server = Server::with([page(&["a", "b"], "t1"), status(410, "Expired"), whole]);
    assert_eq!(names(&server).await, [vec!["a", "b"], vec!["bb", "c"]]);
    let last = server.lines().pop().unwrap();
    assert!(
        !last.contains("limit") && !last.contains("continue") && !last.contains("resourceVersion"),
        "{last}"
    );
}

#[tokio::test]
async fn an_expired_token_is_replaced_by_the_one_of_the_answer() {
    let expired = |token: &str| {
        let (code, mut status) = status(410, "Expired");
        status["metadata"] = json!({"continue": token});
        (code, status)
    };
    let server = Server::with([
        page(&["a", "b"], "t1"),
        expired("f1"),
        page(&["c", "d"], "t2"),
        expired("f2"),
        expired("f3"),
        page(&["a", "b", "c", "d", "e"], ""),
    ]);
    let names = names(&server).await;
    assert_eq!(names, [vec!["a", "b"], vec!["c", "d"], vec!["e"]]);
    let lines = server.lines();
    assert!(lines[2].ends_with("limit=2&continue=f1"), "{}", lines[2]);
    assert!(lines[4].ends_with("limit=2&continue=f2"), "{}", lines[4]);
    assert!(
        !lines[5].contains("continue") && !lines[5].contains("limit"),
        "{}",
        lines[5]
    );
}

#[tokio::test]
async fn other_errors_end_the_stream() {
    let first: Vec<_> = {
        let server = Server::with([status(410, "Expired")]);
        AllNamespaces::<CrdKind>::new(server.client())
            .pages(&ListParams::default(), 2)
            .collect()
            .await
    };
    assert!(first.len() == 1 && first[0].as_ref().is_err_and(ErrorExt::is_gone));
    let later = Server::with([page(&["a"], "t1"), status(500, "InternalError")]);
    let pages: Vec<_> = AllNamespaces::<CrdKind>::new(later.client())
        .pages(&ListParams::default(), 2)
        .collect()
        .await;
    assert!(pages.len() == 2 && pages[0].is_ok() && pages[1].is_err());
}
