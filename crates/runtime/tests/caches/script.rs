//! A scripted API server: the test receives each request and sends the response.
use bytes::Bytes;
use futures::{StreamExt, channel::mpsc as stream};
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, client::Body};
use kube_codegen_runtime::informer::{
    EventHandlerFuncs, InformerConfig, InformerEvent, SharedInformer,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, convert::Infallible, io, time::Duration};
use tokio::sync::{mpsc, oneshot};

type Reply = Response<BoxBody<Bytes, io::Error>>;

/// The receiving end of the requests.
pub struct Server {
    calls: mpsc::UnboundedReceiver<Call>,
}

/// One request and the channel for its response.
pub struct Call {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub accept: String,
    pub body: Value,
    reply: oneshot::Sender<Reply>,
}

/// Creates a client and its server.
pub fn server() -> (Client, Server) {
    let (sender, calls) = mpsc::unbounded_channel();
    let service = tower::service_fn(move |request: Request<Body>| {
        let sender = sender.clone();
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let (reply, replied) = oneshot::channel();
            let query = parts.uri.query().unwrap_or_default();
            let call = Call {
                method: parts.method.to_string(),
                path: parts.uri.path().to_owned(),
                query: query
                    .split('&')
                    .filter_map(|pair| pair.split_once('='))
                    .map(|(k, v)| (k.to_owned(), v.to_owned()))
                    .collect(),
                accept: parts
                    .headers
                    .get("accept")
                    .and_then(|value| value.to_str().ok())
                    .unwrap_or_default()
                    .to_owned(),
                body: serde_json::from_slice(&body).unwrap_or_default(),
                reply,
            };
            let gone = || io::Error::other("the scripted server was dropped");
            sender.send(call).map_err(|_| gone())?;
            replied.await.map_err(|_| gone())
        }
    });
    (Client::new(service, "default"), Server { calls })
}

impl Server {
    /// Returns the next request. Fails the test if none arrives.
    pub async fn next(&mut self) -> Call {
        tokio::time::timeout(Duration::from_secs(3600), self.calls.recv())
            .await
            .expect("no request within an hour")
            .expect("the client was dropped")
    }

    /// Returns the next request, which must be a plain LIST.
    pub async fn list(&mut self) -> Call {
        let call = self.next().await;
        assert_eq!(
            (call.method.as_str(), call.is_watch()),
            ("GET", false),
            "expected a LIST: {} {:?}",
            call.path,
            call.query
        );
        call
    }

    /// Returns the next request, which must be a WATCH.
    pub async fn watch(&mut self) -> Call {
        let call = self.next().await;
        assert!(
            call.is_watch(),
            "expected a WATCH: {} {} {:?}",
            call.method,
            call.path,
            call.query
        );
        call
    }

    /// Answers the next request, which must be a streaming list, and returns the watch that follows.
    pub async fn stream(&mut self, objects: &[Value], version: &str) -> Watch {
        let call = self.watch().await;
        assert_eq!(
            call.query("sendInitialEvents"),
            "true",
            "expected a streaming list"
        );
        let watch = call.open();
        for object in objects {
            watch.send("ADDED", object);
        }
        watch.end_of_list(version);
        watch
    }

    /// Asserts that no request arrives for `time`.
    pub async fn quiet_for(&mut self, time: Duration) {
        if let Ok(Some(call)) = tokio::time::timeout(time, self.calls.recv()).await {
            panic!(
                "unexpected request: {} {} {:?}",
                call.method, call.path, call.query
            );
        }
    }
}

impl Call {
    pub fn is_watch(&self) -> bool {
        self.query("watch") == "true"
    }

    pub fn query(&self, name: &str) -> &str {
        self.query.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Sends a JSON response.
    pub fn json(self, status: u16, body: &Value) {
        let body = Full::new(Bytes::from(body.to_string()))
            .map_err(|never: Infallible| match never {})
            .boxed();
        let response = Response::builder()
            .status(StatusCode::from_u16(status).unwrap())
            .body(body)
            .unwrap();
        let _ = self.reply.send(response);
    }

    /// Sends an error status.
    pub fn fail(self, code: u16, reason: &str) {
        self.json(code, &status(code, reason));
    }

    /// Answers as API priority and fairness does: with 429, the header `Retry-After`, and text.
    pub fn throttle(self, seconds: u32) {
        let body = Full::new(Bytes::from_static(
            b"Too many requests, please try again later.",
        ));
        let body = body.map_err(|never: Infallible| match never {}).boxed();
        let response = Response::builder()
            .status(429)
            .header("Retry-After", seconds);
        let _ = self.reply.send(response.body(body).unwrap());
    }

    /// Sends the response of a LIST.
    pub fn items(self, objects: &[Value], version: &str) {
        self.json(200, &json!({ "kind": "ConfigMapList", "apiVersion": "v1", "metadata": { "resourceVersion": version }, "items": objects }));
    }

    /// Sends the response of a WATCH, which stays open.
    pub fn open(self) -> Watch {
        let (sender, receiver) = stream::unbounded();
        let body = BodyExt::boxed(StreamBody::new(
            receiver.map(|chunk: Result<Bytes, io::Error>| chunk.map(Frame::data)),
        ));
        let _ = self.reply.send(Response::new(body));
        Watch { sender }
    }
}

/// A WATCH, open until it is dropped.
pub struct Watch {
    sender: stream::UnboundedSender<Result<Bytes, io::Error>>,
}

impl Watch {
    pub fn send(&self, type_: &str, object: &Value) {
        self.raw(&format!("{}\n", json!({ "type": type_, "object": object })));
    }

    pub fn raw(&self, text: &str) {
        let _ = self.sender.unbounded_send(Ok(Bytes::from(text.to_owned())));
    }

    pub fn bookmark(&self, version: &str) {
        self.send(
            "BOOKMARK",
            &json!({ "kind": "ConfigMap", "metadata": { "resourceVersion": version } }),
        );
    }

    pub fn end_of_list(&self, version: &str) {
        let annotations = json!({ "k8s.io/initial-events-end": "true" });
        self.send("BOOKMARK", &json!({ "kind": "ConfigMap", "metadata": { "resourceVersion": version, "annotations": annotations } }));
    }

    /// Breaks the connection.
    pub fn fail(self, kind: io::ErrorKind) {
        let _ = self
            .sender
            .unbounded_send(Err(io::Error::new(kind, "scripted")));
    }
}

/// A `Status` as the API server sends it.
pub fn status(code: u16, reason: &str) -> Value {
    json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": format!("scripted {reason}") })
}

/// A `ConfigMap` in namespace `ns` with a uid made from its name.
pub fn map(name: &str, version: &str) -> Value {
    map_with(name, version, &format!("uid-{name}"), "")
}

/// A `ConfigMap` with a uid and one value.
pub fn map_with(name: &str, version: &str, uid: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "namespace": "ns", "resourceVersion": version, "uid": uid, "labels": { "app": name } },
        "data": { "value": value },
    })
}

/// Starts an informer of `ConfigMap`s, and returns its server, too.
pub fn informer() -> (SharedInformer<ConfigMap>, Server) {
    let (client, server) = server();
    let informer = SharedInformer::new(client, InformerConfig::default());
    informer.start();
    (informer, server)
}

/// Starts an informer with `config`.
pub fn informer_with(config: InformerConfig) -> (SharedInformer<ConfigMap>, Server) {
    let (client, server) = server();
    let informer = SharedInformer::new(client, config);
    informer.start();
    (informer, server)
}

/// Returns the short form of an event: `+a@1!` (added, initial), `+a@1`, `~a@1>2`, `-a@2`, `-a@1?` (final state unknown).
pub fn short(event: &InformerEvent<ConfigMap>) -> String {
    match event {
        InformerEvent::Added {
            object,
            is_in_initial_list,
        } => format!(
            "+{}{}",
            at(object),
            if *is_in_initial_list { "!" } else { "" }
        ),
        InformerEvent::Updated { old, new } => format!("~{}>{}", at(old), version(new)),
        InformerEvent::Deleted(deleted) => format!(
            "-{}{}",
            at(&deleted.object),
            if deleted.final_state_unknown { "?" } else { "" }
        ),
    }
}

fn at(object: &ConfigMap) -> String {
    format!(
        "{}@{}",
        object.metadata.name.as_deref().unwrap_or_default(),
        version(object)
    )
}

pub fn version(object: &ConfigMap) -> &str {
    object
        .metadata
        .resource_version
        .as_deref()
        .unwrap_or_default()
}

/// Creates a handler that records the short forms of its events.
pub fn recorder() -> (EventHandlerFuncs<ConfigMap>, Log) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let (added, updated, deleted) = (sender.clone(), sender.clone(), sender);
    let handler = EventHandlerFuncs::<ConfigMap>::new()
        .on_add(move |object, is_in_initial_list| {
            drop(added.send(short(&InformerEvent::Added {
                object: object.clone(),
                is_in_initial_list,
            })));
        })
        .on_update(move |old, new| {
            drop(updated.send(short(&InformerEvent::Updated {
                old: old.clone(),
                new: new.clone(),
            })));
        })
        .on_delete(move |object| {
            drop(deleted.send(short(&InformerEvent::Deleted(object.clone()))));
        });
    (handler, Log { receiver })
}

/// The events of a [`recorder`].
pub struct Log {
    receiver: mpsc::UnboundedReceiver<String>,
}

impl Log {
    /// Returns the next event.
    pub async fn next(&mut self) -> String {
        tokio::time::timeout(Duration::from_secs(60), self.receiver.recv())
            .await
            .expect("no event within a minute")
            .expect("the handler was dropped")
    }

    /// Returns the next `count` events, sorted: the order among objects is not guaranteed.
    pub async fn sorted(&mut self, count: usize) -> Vec<String> {
        let mut events = Vec::new();
        for _ in 0..count {
            events.push(self.next().await);
        }
        events.sort();
        events
    }

    /// Returns the events received but not taken.
    pub fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.receiver.try_recv().ok()).collect()
    }
}
