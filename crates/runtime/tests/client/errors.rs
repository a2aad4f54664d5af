//! What errors of the API server are taken for.
use crate::kinds::CrdKind;
use crate::server::{Server, status};
use kube_codegen_runtime::client::{ErrorExt, TypedClient};
use serde_json::{Value, json};
use std::time::Duration;

async fn refused(answer: (u16, Value)) -> kube::Error {
    let server = Server::answering([answer]);
    TypedClient::<CrdKind>::namespaced(server.client(), "default")
        .get("a")
        .await
        .unwrap_err()
}

type Question = fn(&kube::Error) -> bool;

#[tokio::test]
async fn errors_tell_what_they_are() {
    let ask: [(&str, Question); 6] = [
        ("NotFound", ErrorExt::is_not_found),
        ("Conflict", ErrorExt::is_conflict),
        ("AlreadyExists", ErrorExt::is_already_exists),
        ("Expired", ErrorExt::is_gone),
        ("Forbidden", ErrorExt::is_forbidden),
        ("Invalid", ErrorExt::is_invalid),
    ];
    for (reason, code) in [
        ("NotFound", 404),
        ("Conflict", 409),
        ("AlreadyExists", 409),
        ("Expired", 410),
        ("Forbidden", 403),
        ("Invalid", 422),
    ] {
        let error = refused(status(code, reason)).await;
        let said: Vec<_> = ask
            .iter()
            .filter(|(_, is)| is(&error))
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(said, [reason]);
    }
    assert!(refused(status(410, "Gone")).await.is_gone());
    let malformed = refused((200, json!([]))).await;
    assert!(
        malformed.status().is_none()
            && !malformed.is_not_found()
            && malformed.field_errors().is_empty()
    );
}

#[tokio::test]
async fn details_are_told() {
    let (code, mut body) = status(422, "Invalid");
    body["details"] = json!({"retryAfterSeconds": 3, "causes": [{"reason": "FieldValueInvalid", "message": "should match", "field": "spec.choice"}]});
    let error = refused((code, body)).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(
        (
            error.field_errors()[0].field.as_str(),
            error.field_errors()[0].message.as_str()
        ),
        ("spec.choice", "should match")
    );
    assert_eq!(
        refused(status(429, "TooManyRequests")).await.retry_after(),
        None
    );
}

#[tokio::test]
async fn a_missing_object_is_none() {
    let server = Server::answering([status(404, "NotFound")]);
    assert_eq!(
        TypedClient::<CrdKind>::namespaced(server.client(), "default")
            .get_opt("a")
            .await
            .unwrap(),
        None
    );
}
