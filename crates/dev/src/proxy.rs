//! The way of the operator to the API server: it records requests and watch events, and can take the network away or expire watches.

use std::{fs, io, path::Path, sync::Arc, time::Instant};

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt as _, stream::BoxStream};
use http::{HeaderMap, HeaderName, Request, Response, Uri, header, request::Parts};
use http_body_util::{BodyDataStream, BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use kube::{
    Client, Config,
    client::Body,
    config::{AuthInfo, KubeConfigOptions, Kubeconfig},
};
use kube_codegen_testing::{Tls, serving};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{broadcast, watch},
    task::AbortHandle,
};
use tokio_rustls::TlsAcceptor;

use crate::{
    folder,
    history::{Entry, Fact, History, Topic},
    target::Target,
};

type Pieces = BoxStream<'static, io::Result<Frame<Bytes>>>;
type Answer = Response<StreamBody<Pieces>>;

/// Headers of one connection (RFC 9110, section 7.6.1), and the encodings that this cannot read.
const HOP_BY_HOP: [HeaderName; 8] = [
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The longest body of a request: the API server rejects a longer one.
const BODY: usize = 3 * 1024 * 1024;

/// The longest line of a watch whose object is read.
const LINE: usize = 4 * 1024 * 1024;

/// The event that ends a watch whose resourceVersion is too old.
const EXPIRED: &[u8] = b"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"The resourceVersion for the provided watch is too old.\",\"reason\":\"Expired\",\"code\":410}}\n";

/// A server on 127.0.0.1, which ends when it is dropped.
pub(super) struct Proxy {
    shared: Arc<Upstream>,
    accepting: AbortHandle,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

struct Upstream {
    client: Client,
    history: History,
    /// The number of the replica.
    replica: usize,
    network: watch::Sender<bool>,
    /// The plural of the watches that expire; empty for all.
    expired: broadcast::Sender<String>,
}

impl Proxy {
    /// Starts it for a replica that uses a kubeconfig, which is changed.
    pub(super) async fn start(
        kubeconfig: &Path,
        history: History,
        replica: usize,
    ) -> Result<Self, String> {
        let failed =
            |error: &dyn std::fmt::Display| format!("cannot start the operator's proxy: {error}");
        let text = fs::read_to_string(kubeconfig).map_err(|error| failed(&error))?;
        let parsed = Kubeconfig::from_yaml(&text).map_err(|error| failed(&error))?;
        let mut config = Config::from_custom_kubeconfig(parsed, &KubeConfigOptions::default())
            .await
            .map_err(|error| failed(&error))?;
        // The operator sends its own token, and retries itself.
        config.auth_info = AuthInfo::default();
        config.read_timeout = None;
        config.default_retry = false;
        let client = Client::try_from(config).map_err(|error| failed(&error))?;

        let tls = Tls::new().map_err(|error| failed(&error))?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.map_err(|error| failed(&error))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let mut changed: Value = serde_yaml::from_str(&text).map_err(|error| failed(&error))?;
        let authority = k8s_openapi::ByteString(tls.authority().as_bytes().to_vec());
        changed["clusters"][0]["cluster"] = json!({
            "server": format!("https://{address}"),
            "certificate-authority-data": authority,
        });
        folder::write(kubeconfig, &changed.to_string())?;

        let shared = Arc::new(Upstream {
            client,
            history,
            replica,
            network: watch::Sender::new(true),
            expired: broadcast::Sender::new(16),
        });
        let (acceptor, upstream) = (TlsAcceptor::from(tls.config()), shared.clone());
        let serve = move |stream| {
            let (acceptor, upstream) = (acceptor.clone(), upstream.clone());
            async move {
                if let Some(stream) = serving::handshake(&acceptor, stream).await {
                    serving::connection(stream, |request| upstream.clone().answer(request)).await;
                }
            }
        };
        let accepting = tokio::spawn(serving::accept(listener, serve)).abort_handle();
        Ok(Self { shared, accepting })
    }

    /// Takes the network away, or gives it back: requests and watches get no answer, and break when it is back.
    pub(super) fn set_network(&self, works: bool) {
        self.shared.network.send_replace(works);
        self.shared.history.set_network(self.shared.replica, works);
    }

    /// Ends the open watches of a resource, or all, as a server does whose history no longer has what a watch needs. Returns their number.
    pub(super) fn expire(&self, plural: &str) -> usize {
        self.shared.expired.send(plural.to_owned()).unwrap_or(0)
    }
}

impl Upstream {
    /// Waits while the network is away, and returns whether it was.
    async fn was_away(&self) -> bool {
        let mut network = self.network.subscribe();
        if *network.borrow_and_update() {
            return false;
        }
        let _ended = network.wait_for(|works| *works).await;
        true
    }

    /// Answers a request; an error breaks the connection.
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> io::Result<Answer> {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let body = serving::collect(body, BODY).await?;
        let target = Target::read(&parts.method, &parts.uri);
        let object = target.as_ref().map(|it| self.key(it, &body));
        if self.was_away().await {
            self.record(target.as_ref(), object, started, Err("no network"));
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        let sent = body;
        let answer = self.forward(parts, &sent).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let text = error.to_string();
                self.record(target.as_ref(), object, started, Err(&text));
                return Err(io::Error::other(error));
            }
        };
        let (mut head, body) = answer.into_parts();
        remove_hop_by_hop(&mut head.headers);
        let code = head.status.as_u16();
        let is_watch = target.as_ref().is_some_and(|it| it.verb == "watch");
        if let Some(target) = target.as_ref().filter(|_| code < 300) {
            // Who has written a Lease, holds it.
            if let Some((lease, holds)) = target.lease(&sent) {
                self.history.lease(self.replica, &lease, holds);
            }
        }
        if !is_watch && self.was_away().await {
            self.record(
                target.as_ref(),
                object,
                started,
                Err("executed, but the answer was lost"),
            );
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        if is_watch && code == 200 {
            head.extensions.insert(serving::Watch);
        }
        let body: Pieces = if code >= 400 {
            let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
            let status: Value = serde_json::from_slice(&body).unwrap_or_default();
            let message = status["message"].as_str().unwrap_or_default();
            self.record(target.as_ref(), object, started, Ok((code, message)));
            futures::stream::iter([Ok(Frame::data(body))]).boxed()
        } else {
            self.record(target.as_ref(), object, started, Ok((code, "")));
            let body = BodyDataStream::new(body);
            match target.filter(|_| is_watch) {
                Some(target) => {
                    let is_json = head
                        .headers
                        .get(header::CONTENT_TYPE)
                        .and_then(|it| it.to_str().ok())
                        .is_some_and(|it| it.starts_with("application/json"));
                    Box::pin(watched(self, target, is_json, body))
                }
                None => body
                    .map(|piece| piece.map(Frame::data).map_err(io::Error::other))
                    .boxed(),
            }
        };
        Ok(Response::from_parts(head, StreamBody::new(body)))
    }

    async fn forward(&self, mut parts: Parts, body: &Bytes) -> kube::Result<Response<Body>> {
        remove_hop_by_hop(&mut parts.headers);
        let path = parts.uri.path_and_query().map_or("/", |it| it.as_str());
        if let Ok(uri) = path.parse::<Uri>() {
            parts.uri = uri;
        }
        self.client
            .send(Request::from_parts(parts, Body::from(body.to_vec())))
            .await
    }

    /// Returns the key of the object that a request is about.
    fn key(&self, target: &Target, body: &Bytes) -> String {
        let mut name = target.name.clone();
        if name.is_empty() && target.verb == "create" {
            let body: Value = serde_json::from_slice(body).unwrap_or_default();
            body["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .clone_into(&mut name);
        }
        if name.is_empty() {
            return String::new();
        }
        let path = [target.namespace.as_str(), &name];
        let path = path.into_iter().filter(|it| !it.is_empty());
        let path = path.collect::<Vec<_>>().join("/");
        self.history.key(&target.resource(), &path)
    }

    fn record(
        &self,
        target: Option<&Target>,
        object: Option<String>,
        started: Instant,
        outcome: Result<(u16, &str), &str>,
    ) {
        let Some(target) = target else { return };
        let failed = match outcome {
            Ok((code, _)) => code >= 400 && !(code == 404 && target.verb == "get"),
            Err(_) => true,
        };
        // Renewals are frequent; Events have entries of their own.
        if !failed && matches!(target.plural.as_str(), "leases" | "events") {
            return;
        }
        let what = format!("{} {}", target.verb, target.what());
        let text = match outcome {
            Ok((code, "")) => format!("{what}: {code}"),
            Ok((code, message)) => format!("{what}: {code} {message}"),
            Err(error) => format!("{what}: {error}"),
        };
        let took = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let mut entry = Entry::new(Topic::Request, object.unwrap_or_default(), text);
        entry.fact = Fact::Request {
            status: outcome.ok().map(|(code, _)| code),
            written: !failed && matches!(target.verb, "create" | "update" | "patch" | "delete"),
        };
        entry.took = (target.verb != "watch").then_some(took);
        self.history.add(entry.of(self.replica).failed(failed));
    }

    /// Adds the events of a line of a watch.
    fn event(&self, target: &Target, line: &[u8]) {
        let Ok(event) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        let kind = event["type"].as_str().unwrap_or_default();
        let metadata = &event["object"]["metadata"];
        let text = |name: &str| metadata[name].as_str().unwrap_or_default();
        let noise = matches!(target.plural.as_str(), "leases" | "events");
        if kind == "BOOKMARK" || noise && kind != "ERROR" {
            return;
        }
        let mut path = text("name").to_owned();
        if !text("namespace").is_empty() {
            path = format!("{}/{path}", text("namespace"));
        }
        let key = match path.as_str() {
            "" => String::new(),
            path => self.history.key(&target.resource(), path),
        };
        let detail = match kind {
            "ERROR" => event["object"]["message"].as_str().unwrap_or_default(),
            _ => text("resourceVersion"),
        };
        let entry = Entry::new(Topic::Watch, key, format!("{kind} {detail}"));
        self.history
            .add(entry.of(self.replica).failed(kind == "ERROR"));
    }
}

/// Passes on the body of a watch, until it ends, breaks with the network or expires.
fn watched<E: std::error::Error + Send + Sync + 'static>(
    upstream: Arc<Upstream>,
    target: Target,
    is_json: bool,
    body: impl Stream<Item = Result<Bytes, E>> + Send + Unpin + 'static,
) -> impl Stream<Item = io::Result<Frame<Bytes>>> + Send {
    let network = upstream.network.subscribe();
    let expired = upstream.expired.subscribe();
    let state = (body, network, expired, BytesMut::new(), false);
    futures::stream::unfold(state, move |state| {
        let (upstream, target) = (upstream.clone(), target.clone());
        async move {
            let (mut body, mut network, mut expired, mut rest, ended) = state;
            if ended {
                return None;
            }
            loop {
                tokio::select! {
                    biased;
                    () = broken(&mut network) => {
                        let broken = Err(io::ErrorKind::ConnectionReset.into());
                        return Some((broken, (body, network, expired, rest, true)));
                    }
                    Ok(plural) = expired.recv() => {
                        if !plural.is_empty() && plural != target.plural || !is_json {
                            continue;
                        }
                        upstream.event(&target, EXPIRED);
                        let event = Ok(Frame::data(Bytes::from_static(EXPIRED)));
                        return Some((event, (body, network, expired, rest, true)));
                    }
                    piece = body.next() => {
                        let piece = match piece? {
                            Ok(piece) => piece,
                            Err(error) => {
                                let broken = Err(io::Error::other(error));
                                return Some((broken, (body, network, expired, rest, true)));
                            }
                        };
                        if is_json {
                            rest.extend_from_slice(&piece);
                            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                                let line = rest.split_to(end + 1);
                                upstream.event(&target, &line);
                            }
                            if rest.len() > LINE {
                                rest.clear();
                            }
                        }
                        return Some((Ok(Frame::data(piece)), (body, network, expired, rest, false)));
                    }
                }
            }
        }
    })
}

/// Waits until the network is away and is back.
async fn broken(network: &mut watch::Receiver<bool>) {
    let away = network.wait_for(|works| !*works).await.is_ok();
    if !away || network.wait_for(|works| *works).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}
