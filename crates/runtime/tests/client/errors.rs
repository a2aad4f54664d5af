//! The classification of the API server's errors.
use crate::client::kinds::CrdKind;
use crate::client::server::{Server, status};
use kube_codegen_runtime::client::{ErrorExt, TypedClient, describe};
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

#[tokio::test]
async fn the_server_s_message_describes_its_errors() {
    let (code, mut body) = status(403, "Forbidden");
    let message = r#"crdplural.iksoon.test.com "a" is forbidden: User "u" cannot get resource "crdplural" in API group "iksoon.test.com" in the namespace "default""#;
    body["message"] = message.into();
    let error = error_of((code, body)).await;
    assert_eq!(describe(&error), message);
    assert_eq!(describe(&Transparent::from(error)), message);

    let (code, mut body) = status(404, "NotFound");
    body["message"] = "the server could not find the requested resource".into();
    let error = error_of((code, body.clone())).await;
    assert!(error.is_not_served());
    assert_eq!(
        describe(&error),
        "the server does not serve this kind in this version: is its CRD installed? (the server could not find the requested resource)"
    );
    body["message"] = r#"crdplural.iksoon.test.com "a" not found"#.into();
    body["details"] = json!({"name": "a"});
    let error = error_of((code, body)).await;
    assert!(!error.is_not_served());
    assert_eq!(
        describe(&error),
        r#"crdplural.iksoon.test.com "a" not found"#
    );
}

#[cfg(feature = "rustls-tls")]
#[tokio::test]
async fn an_unreachable_server_is_described_by_address_and_cause() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let config = kube::Config::new(format!("http://{unused}").parse().unwrap());
    let client = kube_codegen_runtime::client::connect(config).unwrap();
    let error = TypedClient::<CrdKind>::namespaced(client, "default")
        .get("a")
        .await
        .unwrap_err();
    let text = describe(&error);
    assert!(text.starts_with("cannot reach the API server: "), "{text}");
    assert!(
        text.contains(&format!("no response from http://{unused}/: ")),
        "{text}"
    );
    assert!(
        text.contains("tcp connect error: Connection refused"),
        "{text}"
    );

    let transparent = Transparent::from(error);
    assert_eq!(describe(&transparent), text);
    let text = describe(&Outer(transparent));
    assert!(
        text.starts_with("the operator failed: cannot reach the API server: "),
        "{text}"
    );
}

#[cfg(feature = "rustls-tls")]
#[derive(Debug, thiserror::Error)]
#[error("the operator failed")]
struct Outer(#[source] Transparent);

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Transparent(#[from] kube::Error);
