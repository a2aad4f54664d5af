//! The classification of the API server's errors.
use crate::kinds::CrdKind;
use crate::server::{Server, status};
use kube_codegen_runtime::client::{ErrorExt, TypedClient};
use serde_json::{Value, json};
use std::time::Duration;

async fn error_of(response: (u16, Value)) -> kube::Error {
    let server = Server::with([response]);
    TypedClient::<CrdKind>::namespaced(server.client(), "default")
        .get("a")
        .await
        .unwrap_err()
}

type Predicate = fn(&kube::Error) -> bool;

#[tokio::test]
async fn errors_are_classified_by_reason() {
    let predicates: [(&str, Predicate); 6] = [
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
        let error = error_of(status(code, reason)).await;
        let matching: Vec<_> = predicates
            .iter()
            .filter(|(_, is)| is(&error))
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(matching, [reason]);
    }
    assert!(error_of(status(410, "Gone")).await.is_gone());
    let malformed = error_of((200, json!([]))).await;
    assert!(
        malformed.status().is_none()
            && !malformed.is_not_found()
            && malformed.field_errors().is_empty()
    );
}

#[tokio::test]
async fn details_are_available() {
    let (code, mut body) = status(422, "Invalid");
    body["details"] = json!({"retryAfterSeconds": 3, "causes": [{"reason": "FieldValueInvalid", "message": "should match", "field": "spec.choice"}]});
    let error = error_of((code, body)).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(
        (
            error.field_errors()[0].field.as_str(),
            error.field_errors()[0].message.as_str()
        ),
        ("spec.choice", "should match")
    );
    assert_eq!(
        error_of(status(429, "TooManyRequests")).await.retry_after(),
        None
    );
}

#[tokio::test]
async fn a_missing_object_is_none() {
    let server = Server::with([status(404, "NotFound")]);
    assert_eq!(
        TypedClient::<CrdKind>::namespaced(server.client(), "default")
            .get_opt("a")
            .await
            .unwrap(),
        None
    );
}
