//! `modify` sends the difference, and keeps everything else.
use std::cell::Cell;

use kube_codegen_runtime::client::{ErrorExt, TypedClient};
use serde_json::{Value, json};

use crate::client::{
    gadget::{Gadget, GadgetStatus},
    server::{Server, status},
};

fn stored(version: &str) -> (u16, Value) {
    let spec = json!({"mode": "a", "unknown": 1, "ports": [{"name": "p", "unknown": 2}]});
    let metadata =
        json!({"name": "a", "namespace": "default", "uid": "u", "resourceVersion": version});
    (
        200,
        json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": metadata, "spec": spec}),
    )
}

fn gadgets(server: &Server) -> TypedClient<Gadget> {
    TypedClient::namespaced(server.client(), "default")
}

fn cached(version: &str) -> Gadget {
    serde_json::from_value(stored(version).1).unwrap()
}

fn version(version: &str) -> Value {
    json!({"op": "replace", "path": "/metadata/resourceVersion", "value": version})
}

const PATH: &str = "/apis/example.com/v1/namespaces/default/gadgets/a";

#[tokio::test]
async fn the_difference_alone_is_sent_for_the_version_that_was_read() {
    let server = Server::with([stored("1")]);
    gadgets(&server)
        .modify("a", |gadget| {
            gadget.spec.size = Some(2);
            gadget.spec.ports.as_mut().unwrap()[0].number = 80;
        })
        .await
        .unwrap();
    let requests = server.requests();
    let lines: Vec<_> = requests
        .iter()
        .map(|request| request.line.as_str())
        .collect();
    assert_eq!(lines, [format!("GET {PATH}"), format!("PATCH {PATH}?")]);
    assert_eq!(
        requests[1].content_type.as_deref(),
        Some("application/json-patch+json")
    );
    assert_eq!(
        requests[1].body,
        json!([
            version("1"),
            {"op": "add", "path": "/spec/ports/0/number", "value": 80},
            {"op": "add", "path": "/spec/size", "value": 2},
        ])
    );
}

#[tokio::test]
async fn nothing_is_sent_if_nothing_changed() {
    let server = Server::with([stored("1")]);
    let same = |gadget: &mut Gadget| {
        gadget.spec.mode = "a".into();
        gadget.metadata.resource_version = None;
    };
    let read = gadgets(&server).modify("a", same).await.unwrap();
    assert_eq!(read.spec.mode, "a");
    assert_eq!(server.lines(), [format!("GET {PATH}")]);
    gadgets(&server)
        .modify_from(&cached("1"), same)
        .await
        .unwrap();
    gadgets(&server)
        .modify_status_from(&cached("1"), same)
        .await
        .unwrap();
    assert_eq!(server.lines(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn after_a_conflict_the_newest_object_is_changed() {
    let server = Server::with([
        stored("1"),
        status(409, "Conflict"),
        stored("2"),
        stored("3"),
    ]);
    let calls = Cell::new(0);
    let count = |gadget: &mut Gadget| {
        calls.update(|calls| calls + 1);
        gadget.spec.size = Some(2);
    };
    let written = gadgets(&server).modify("a", count).await.unwrap();
    assert_eq!(written.metadata.resource_version.as_deref(), Some("3"));
    assert_eq!(calls.get(), 2);
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    assert_eq!(
        (&requests[1].body[0], &requests[3].body[0]),
        (&version("1"), &version("2"))
    );
}

#[tokio::test(start_paused = true)]
async fn attempts_are_limited_and_other_errors_end_them() {
    let responses = (0..5).flat_map(|_| [stored("1"), status(409, "Conflict")]);
    let server = Server::with(responses);
    let grow = |gadget: &mut Gadget| gadget.spec.size = Some(2);
    assert!(
        gadgets(&server)
            .modify("a", grow)
            .await
            .unwrap_err()
            .is_conflict()
    );
    let lines = server.lines();
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("PATCH"))
            .count(),
        5
    );

    for (code, reason) in [
        (409, "AlreadyExists"),
        (403, "Forbidden"),
        (500, "InternalError"),
    ] {
        let server = Server::with([stored("1"), status(code, reason)]);
        let error = gadgets(&server).modify("a", grow).await.unwrap_err();
        assert_eq!(error.status().unwrap().reason, reason);
        assert_eq!(server.lines().len(), 2);
    }
}

/// The server answers 422 to a patch that does not apply to a newer version, and to one that makes the object invalid.
#[tokio::test(start_paused = true)]
async fn an_invalid_patch_is_tried_again_on_a_newer_version_only() {
    let grow = |gadget: &mut Gadget| gadget.spec.size = Some(2);
    let server = Server::with([
        stored("1"),
        status(422, "Invalid"),
        stored("2"),
        stored("3"),
    ]);
    assert!(gadgets(&server).modify("a", grow).await.is_ok());
    assert_eq!(server.lines().len(), 4);

    let server = Server::with([stored("1"), status(422, "Invalid"), stored("1")]);
    assert!(
        gadgets(&server)
            .modify("a", grow)
            .await
            .unwrap_err()
            .is_invalid()
    );
    assert_eq!(server.lines().len(), 3);

    let (code, mut invalid) = status(422, "Invalid");
    invalid["details"] = json!({"causes": [{"reason": "FieldValueInvalid", "message": "too large", "field": "spec.size"}]});
    let server = Server::with([stored("1"), (code, invalid)]);
    let error = gadgets(&server).modify("a", grow).await.unwrap_err();
    assert_eq!(error.field_errors()[0].field, "spec.size");
    assert_eq!(server.lines().len(), 2);
}

#[tokio::test]
async fn an_error_of_the_closure_ends_the_modification() {
    #[derive(Debug, thiserror::Error)]
    enum Error {
        #[error(transparent)]
        Api(#[from] kube::Error),
        #[error("size is missing")]
        NoSize,
    }
    fn grow(gadget: &mut Gadget) -> Result<(), Error> {
        gadget.spec.mode = "grown".into();
        *gadget.spec.size.as_mut().ok_or(Error::NoSize)? += 1;
        Ok(())
    }
    let server = Server::with([stored("1")]);
    assert!(matches!(
        gadgets(&server).modify("a", grow).await,
        Err(Error::NoSize)
    ));
    assert_eq!(server.lines(), [format!("GET {PATH}")]);
    assert!(matches!(
        gadgets(&server).modify_from(&cached("1"), grow).await,
        Err(Error::NoSize)
    ));
    assert_eq!(server.lines(), [""; 0]);
    assert!(matches!(
        gadgets(&server).modify("", grow).await,
        Err(Error::Api(_))
    ));
}

#[tokio::test(start_paused = true)]
async fn a_cached_object_saves_the_read() {
    let grow = |gadget: &mut Gadget| gadget.spec.size = Some(2);
    let server = Server::with([stored("2")]);
    gadgets(&server)
        .modify_from(&cached("1"), grow)
        .await
        .unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(
        requests[0].body,
        json!([version("1"), {"op": "add", "path": "/spec/size", "value": 2}])
    );

    for rejected in [status(409, "Conflict"), status(422, "Invalid")] {
        let server = Server::with([rejected, stored("1"), stored("2")]);
        gadgets(&server)
            .modify_from(&cached("1"), grow)
            .await
            .unwrap();
        let methods: Vec<_> = server
            .lines()
            .iter()
            .map(|line| line[..3].to_owned())
            .collect();
        assert_eq!(methods, ["PAT", "GET", "PAT"]);
    }
}

/// What is unknown in its items is not in the cache, so a list is only written if the server has nothing else.
#[tokio::test]
async fn a_list_from_the_cache_is_tested() {
    let server = Server::with([stored("2")]);
    gadgets(&server)
        .modify_from(&cached("1"), |gadget| {
            gadget.spec.ports.as_mut().unwrap()[0].number = 80;
        })
        .await
        .unwrap();
    assert_eq!(
        server.requests()[0].body,
        json!([
            version("1"),
            {"op": "test", "path": "/spec/ports", "value": [{"name": "p", "number": 0}]},
            {"op": "replace", "path": "/spec/ports/0/number", "value": 80},
        ])
    );
}

#[tokio::test(start_paused = true)]
async fn a_cached_object_is_not_taken_for_another_one() {
    let grow = |gadget: &mut Gadget| gadget.spec.size = Some(2);
    let (code, mut another) = stored("9");
    another["metadata"]["uid"] = "v".into();
    let server = Server::with([status(409, "Conflict"), (code, another)]);
    let error = gadgets(&server)
        .modify_from(&cached("1"), grow)
        .await
        .unwrap_err();
    assert!(error.is_conflict());
    assert_eq!(server.lines().len(), 2);

    let elsewhere = TypedClient::<Gadget>::namespaced(server.client(), "other");
    let error = elsewhere.modify_from(&cached("1"), grow).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains(r#""a" is in the namespace "default", but the client is for "other""#),
        "{error}"
    );
    assert_eq!(server.lines(), [""; 0]);
}

#[tokio::test]
async fn only_the_status_is_changed_on_its_path() {
    let server = Server::with([stored("1")]);
    gadgets(&server)
        .modify_status("a", |gadget| {
            gadget.status.get_or_insert_default().size = Some(1);
        })
        .await
        .unwrap();
    let requests = server.requests();
    assert_eq!(requests[1].line, format!("PATCH {PATH}/status?"));
    assert_eq!(
        requests[1].body,
        json!([version("1"), {"op": "add", "path": "/status", "value": {"size": 1}}])
    );

    let error = gadgets(&server)
        .modify_status("a", |gadget| gadget.spec.size = Some(1))
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`/spec/size` is not part of the status"),
        "{error}"
    );
    assert_eq!(server.lines(), [format!("GET {PATH}")]);
}

#[tokio::test]
async fn field_manager_and_dry_run_are_sent() {
    let server = Server::with([stored("1")]);
    let gadgets = gadgets(&server).with_field_manager("me").dry_run();
    gadgets
        .modify("a", |gadget| gadget.spec.size = Some(1))
        .await
        .unwrap();
    gadgets
        .modify_status("a", |gadget| {
            gadget.status = Some(GadgetStatus::default());
        })
        .await
        .unwrap();
    let lines = server.lines();
    assert_eq!(
        lines[1],
        format!("PATCH {PATH}?&dryRun=All&fieldManager=me")
    );
    assert_eq!(
        lines[3],
        format!("PATCH {PATH}/status?&dryRun=All&fieldManager=me")
    );
}
