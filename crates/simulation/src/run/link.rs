//! The connection of an operator to the server: every request and every watch event is a choice point.

use std::{
    convert::Infallible,
    future::pending,
    io,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures::{StreamExt as _, future::BoxFuture, stream};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use kube::client::Body;
use serde::Deserialize;
use serde_json::{Value, json};
use tower::{BoxError, Service};

use super::{
    requests,
    steer::{Move, Steering},
    world::World,
};
use crate::{
    fault::{Fault, drift},
    request::{Seen, send},
    schedule::{Point, PointKind},
    state::TOUCHED,
};

/// How long it takes to create an object that is collected at once.
const COLLECTION: Duration = Duration::from_millis(200);

type Answer = UnsyncBoxBody<Bytes, BoxError>;

/// The connection of one process of the operator.
#[derive(Clone)]
pub(crate) struct Link {
    world: Arc<World>,
    replica: usize,
    incarnation: u64,
}

impl Link {
    pub(crate) fn new(world: Arc<World>, replica: usize, incarnation: u64) -> Self {
        Self {
            world,
            replica,
            incarnation,
        }
    }

    /// Returns only to a process that has not crashed.
    async fn alive(&self) {
        self.world.until_resumed(self.replica).await;
        if !self.world.is_running(self.replica, self.incarnation) {
            pending::<()>().await;
        }
    }

    async fn serve(self, request: Request<Body>) -> Result<Response<Answer>, BoxError> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect_bytes().await?;
        let seen = Seen::read(&self.world.server, &parts, &bytes);
        let request = Request::from_parts(parts, Body::from(bytes.clone()));
        let Some(mut seen) = seen else {
            let response = self.world.server.service().call(request).await?;
            return Ok(response.map(unfailing));
        };
        self.alive().await;
        if self.world.is_storm(&seen) {
            pending::<()>().await;
        }
        let report = seen.is_report();
        let (point, faults) = self
            .turn(seen.what(), seen.kind(), report, |steering, point| {
                steering.request(point, &seen, &bytes)
            })
            .await;
        for fault in &faults {
            match fault {
                Fault::CrashBefore => self.world.crash(self.replica),
                Fault::Disconnect => {
                    self.receives(&point, &seen, 0, &[]);
                    return Err(reset());
                }
                Fault::Error(code) => {
                    self.world.answered(&point, &seen, *code, false, &[]);
                    self.receives(&point, &seen, *code, &[]);
                    return Ok(error(*code));
                }
                Fault::Pause(ms) => self.world.pause(self.replica, Duration::from_millis(*ms)),
                Fault::Touch | Fault::Delete(_) | Fault::Drift(_) => {
                    interfere(&self.world, &seen, fault).await?;
                }
                _ => {}
            }
        }
        self.alive().await;
        let stale = faults
            .contains(&Fault::StaleRestart)
            .then(|| self.world.server.fork());
        if seen.kind() == PointKind::Write && !report {
            self.world.show_view(self.replica);
        }
        self.world.verbatim(self.replica, &bytes);
        seen.free = self.world.is_free_delete(&seen).await?;
        let before = self.world.server.revision();
        let response = self
            .world
            .service(self.replica, &seen)
            .call(request)
            .await?;
        let effect = self.world.server.revision() != before;
        let status = response.status().as_u16();
        requests::record(&seen, status);
        if seen.verb == "watch" && status < 300 {
            self.world.answered(&point, &seen, status, false, &[]);
            return Ok(response.map(|body| self.watch(seen.resource.clone(), body)));
        }
        let (head, body) = response.into_parts();
        let answer = body.collect().await?.to_bytes();
        self.world.verbatim(self.replica, &answer);
        let is_collected = self.world.answered(&point, &seen, status, effect, &answer);
        for fault in faults {
            match fault {
                Fault::CrashAfter => self.world.crash(self.replica),
                Fault::StaleRestart => {
                    if let Some(server) = stale.clone() {
                        self.world.show_past(self.replica, server);
                    }
                    self.world.crash(self.replica);
                }
                Fault::LostAnswer => {
                    self.receives(&point, &seen, 0, &[]);
                    return Err(reset());
                }
                Fault::ErrorAfter(code) => {
                    self.receives(&point, &seen, code, &[]);
                    return Ok(error(code));
                }
                _ => {}
            }
        }
        match &self.world.steering {
            // The answer to a read that comes late is as one to a late read.
            Some(steering) if seen.kind() == PointKind::Write && !report => {
                let next = steering.answer(&point, &seen, status, &answer);
                steering.turn(next, self.incarnation).await;
            }
            Some(_) => {}
            // A real garbage collector takes a while, which limits how often a child of a deleted owner is created again.
            None if is_collected => tokio::time::sleep(COLLECTION).await,
            None => tokio::time::sleep(self.world.latency(&point, 1)).await,
        }
        self.alive().await;
        self.receives(&point, &seen, status, &answer);
        if seen.verb == "list" && status == 200 {
            self.world.listed(self.replica, &answer);
        }
        Ok(Response::from_parts(head, unfailing(Full::new(answer))))
    }

    /// Waits until it is the turn of what arrives, and returns what goes wrong there.
    async fn turn(
        &self,
        what: String,
        kind: PointKind,
        report: bool,
        describe: impl FnOnce(&Steering, &Point) -> Move,
    ) -> (Point, Vec<Fault>) {
        let (point, mut faults) = self.world.arrive(self.replica, what, kind, report);
        match &self.world.steering {
            Some(steering) if !report => {
                let next = describe(steering, &point);
                if let Some(fault) = steering.turn(next, self.incarnation).await {
                    self.world.strike(&point, &fault);
                    faults.push(fault);
                }
            }
            Some(_) => {}
            None => tokio::time::sleep(self.world.latency(&point, 0)).await,
        }
        (point, faults)
    }

    /// Notes what the process learns from an answer; the status is 0 where the connection breaks.
    fn receives(&self, point: &Point, seen: &Seen, status: u16, answer: &[u8]) {
        if status == 0 || (status >= 400 && !(status == 404 && seen.kind() == PointKind::Read)) {
            self.world.fails_request();
        }
        let Some(steering) = &self.world.steering else {
            return;
        };
        if seen.is_report() {
            return;
        }
        if seen.verb == "list" {
            steering.lists(self.replica, &seen.resource, answer);
        }
        steering.receives(&steering.answer(point, seen, status, answer));
    }

    /// Passes the lines of a watch on, as decided for each.
    fn watch(self, resource: String, body: UnsyncBoxBody<Bytes, Infallible>) -> Answer {
        let lines = stream::unfold(Some(body), move |body| {
            let (connection, resource) = (self.clone(), resource.clone());
            async move {
                let mut body = body?;
                let Ok(frame) = body.frame().await?;
                let line = frame.into_data().ok()?;
                connection.alive().await;
                let (line, open) = connection.event(&resource, line).await?;
                connection.alive().await;
                Some((Ok(Frame::data(line)), open.then_some(body)))
            }
        });
        StreamBody::new(lines.boxed()).boxed_unsync()
    }

    /// Returns the line to send, and whether the watch goes on; `None` ends it at once.
    async fn event(&self, resource: &str, line: Bytes) -> Option<(Bytes, bool)> {
        let Ok(event) = serde_json::from_slice::<Event<'_>>(&line) else {
            return Some((line, true));
        };
        let metadata = &event.object.metadata;
        if matches!(event.kind, "BOOKMARK" | "ERROR") {
            return Some((line, true));
        }
        let slash = if metadata.namespace.is_empty() {
            ""
        } else {
            "/"
        };
        let what = format!(
            "event {} {resource} {}{slash}{}",
            event.kind, metadata.namespace, metadata.name
        );
        let report = resource == "events" || resource == "leases";
        let next = |steering: &Steering, point: &Point| {
            steering.event(point, resource, &metadata.name, &line)
        };
        let (point, faults) = self.turn(what, PointKind::Event, report, next).await;
        for fault in faults {
            match fault {
                Fault::Hold(ms) => self.hold(ms).await,
                Fault::Cut => return None,
                Fault::Expire => return Some((expired(), false)),
                Fault::Miss(ms) => {
                    self.hold(ms).await;
                    return Some((expired(), false));
                }
                Fault::CrashBefore => self.world.crash(self.replica),
                Fault::Pause(ms) => self.world.pause(self.replica, Duration::from_millis(ms)),
                _ => {}
            }
        }
        self.alive().await;
        if let Some(steering) = self.world.steering.as_ref().filter(|_| !report) {
            steering.receives(&steering.event(&point, resource, &metadata.name, &line));
        }
        self.world.watched(self.replica, &line);
        self.world.verbatim(self.replica, &line);
        let version = &metadata.resource_version;
        self.world.log_of(self.replica, || {
            format!("{} (resourceVersion {version})", point.what)
        });
        Some((line, true))
    }

    async fn hold(&self, ms: u64) {
        let time = Duration::from_millis(ms);
        self.world.busy(time);
        tokio::time::sleep(time).await;
    }
}

impl Service<Request<Body>> for Link {
    type Response = Response<Answer>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Answer>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(self.clone().serve(request))
    }
}

/// What the log shows of a watch event.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    object: Object,
}

#[derive(Default, Deserialize)]
struct Object {
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    namespace: String,
    name: String,
    resource_version: String,
}

/// What another client does just before a request.
async fn interfere(world: &World, seen: &Seen, fault: &Fault) -> Result<(), BoxError> {
    const MERGE: &str = "application/merge-patch+json";
    let service = || world.server.service();
    match fault {
        Fault::Touch => {
            if let Some(path) = seen.object_path() {
                let body = json!({"metadata": {"labels": {TOUCHED: world.elapsed().as_millis().to_string()}}});
                send(service(), Method::PATCH, &path, MERGE, &body).await?;
            }
        }
        Fault::Delete(path) => {
            let Some(path) = world.resolve(path).await? else {
                return Ok(());
            };
            send(
                service(),
                Method::DELETE,
                &path,
                "application/json",
                &Value::Null,
            )
            .await?;
        }
        Fault::Drift(path) => {
            let Some(path) = &world.resolve(path).await? else {
                return Ok(());
            };
            let (status, object) = send(service(), Method::GET, path, "", &Value::Null).await?;
            if let Some(patch) = drift(&object).filter(|_| status == 200) {
                send(service(), Method::PATCH, path, MERGE, &patch).await?;
            }
        }
        _ => {}
    }
    world.touch();
    Ok(())
}

fn reset() -> BoxError {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the simulation broke the connection",
    )
    .into()
}

fn unfailing<B>(body: B) -> Answer
where
    B: http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static,
{
    body.map_err(|never| match never {}).boxed_unsync()
}

fn error(code: u16) -> Response<Answer> {
    let reason = match code {
        409 => "Conflict",
        410 => "Expired",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "Unknown",
    };
    let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": format!("the simulation answered {code}"), "reason": reason, "code": code});
    let mut response = Response::new(unfailing(Full::new(Bytes::from(body.to_string()))));
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    if code == 429 {
        let second = HeaderValue::from_static("1");
        response.headers_mut().insert(header::RETRY_AFTER, second);
    }
    response
}

fn expired() -> Bytes {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "The resourceVersion for the provided watch is too old.", "reason": "Expired", "code": 410});
    Bytes::from(format!("{}\n", json!({"type": "ERROR", "object": status})))
}
