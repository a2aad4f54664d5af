//! The connection of an operator to the server: every request and every watch event is a choice point.

use std::{
    future::pending,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Collected, Full};
use kube::client::Body;
use kube_codegen_testing::On;
use serde_json::{Value, json};
use tower::{BoxError, Service};

use super::{
    answers::{Answer, error, reset, unfailing},
    requests,
    world::{Move, Steering, World},
};
use crate::{
    fault::{Fault, drift},
    request::{Seen, send},
    schedule::{Point, PointKind},
    state::TOUCHED,
};

/// How long it takes to create an object that is collected at once.
const COLLECTION: Duration = Duration::from_millis(200);

/// The connection of one process of the operator.
#[derive(Clone)]
pub(crate) struct Link {
    pub(super) world: Arc<World>,
    pub(super) replica: usize,
    pub(super) incarnation: u64,
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
    pub(super) async fn alive(&self) {
        self.world.until_resumed(self.replica).await;
        if !self.world.is_running(self.replica, self.incarnation) {
            pending::<()>().await;
        }
    }

    async fn serve(self, request: Request<Body>) -> Result<Response<Answer>, BoxError> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect_bytes().await?;
        let Some(seen) = Seen::read(&self.world.server, &parts, &bytes) else {
            let path = parts.uri.path().to_owned();
            let request = Request::from_parts(parts, Body::from(bytes));
            let response = self.world.server.service().call(request).await?;
            if response.status() == StatusCode::NOT_FOUND {
                self.world.lacks_resource(&path);
            }
            return Ok(response.map(unfailing));
        };
        self.alive().await;
        if self.world.is_storm(&seen) {
            pending::<()>().await;
        }
        let report = seen.is_report();
        let (point, mut faults) = self
            .turn(seen.point(self.replica), report, |steering, point| {
                steering.request(point, &seen, &bytes)
            })
            .await;
        faults.extend(self.world.meets(&seen).await?);
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
                Fault::LateEffect(ms) => {
                    let request = Request::from_parts(parts, Body::from(bytes));
                    let time = Duration::from_millis(*ms);
                    self.clone()
                        .takes_effect_after(time, point.clone(), seen.clone(), request);
                    self.receives(&point, &seen, 504, &[]);
                    return Ok(error(504));
                }
                Fault::ExpirePage => self.world.cut_list(self.replica, &seen.resource, &point),
                Fault::Skew(ms) => self.world.set_skew(self.replica, *ms),
                Fault::Pause(ms) => self.world.pause(self.replica, Duration::from_millis(*ms)),
                _ if seen.restores(fault) => {}
                _ => interfere(&self.world, &seen, fault).await?,
            }
        }
        self.alive().await;
        let request = Request::from_parts(parts, bytes);
        self.send(&point, seen, faults, request).await
    }

    /// Sends a request to the server, and returns its answer, or what goes wrong after its effect.
    async fn send(
        self,
        point: &Point,
        mut seen: Seen,
        faults: Vec<Fault>,
        request: Request<Bytes>,
    ) -> Result<Response<Answer>, BoxError> {
        let report = seen.is_report();
        let is_past = |fault: &Fault| matches!(fault, Fault::StaleRestart | Fault::StaleReconnect);
        let past = faults.iter().any(is_past).then(|| self.world.server.fork());
        if seen.kind() == PointKind::Write && !report {
            seen.before = self.world.show_view(self.replica);
        }
        self.world.verbatim(self.replica, request.body());
        seen.free = self.world.is_free_delete(&seen).await?;
        let before = self.world.server.revision();
        let mut request = request.map(|body| self.as_it_writes(&seen.resource, body));
        let cut = self.world.cut(self.replica, &seen);
        if let Some(path) = &cut {
            *request.uri_mut() = path.parse()?;
        }
        let response = self
            .world
            .service(self.replica, &seen)
            .call(request.map(Body::from))
            .await?;
        let effect = self.world.server.revision() != before;
        let status = response.status().as_u16();
        requests::record(&seen, status);
        if seen.verb == "watch" && status < 300 {
            self.world.answered(point, &seen, status, false, &[]);
            self.world.watches(self.replica, &seen);
            return Ok(response.map(|body| self.watch(seen.resource.clone(), body)));
        }
        let (head, body) = response.into_parts();
        let answer = body.collect().await?.to_bytes();
        let answer = self.as_its_clock_shows(&seen.resource, answer);
        self.world.verbatim(self.replica, &answer);
        if cut.is_some() {
            self.world.expire_page(self.replica, &seen, &answer);
        }
        let is_collected = self.world.answered(point, &seen, status, effect, &answer);
        for fault in faults {
            match fault {
                // Of a child that is new, an operator whose watch is interrupted sees nothing.
                _ if seen.restores(&fault) && status == 200 => {
                    interfere(&self.world, &seen, &fault).await?;
                }
                Fault::CrashAfter => self.world.crash(self.replica),
                Fault::StaleRestart | Fault::StaleReconnect => {
                    if let Some(server) = past.clone() {
                        self.world.show_past(self.replica, server);
                    }
                    if fault == Fault::StaleRestart {
                        self.world.crash(self.replica);
                    } else {
                        self.world.hides_events();
                        self.world.server.expire_watches(&On::any());
                    }
                }
                Fault::LostAnswer => {
                    self.receives(point, &seen, 0, &[]);
                    return Err(reset());
                }
                Fault::ErrorAfter(code) => {
                    self.receives(point, &seen, code, &[]);
                    return Ok(error(code));
                }
                Fault::CrashBefore
                | Fault::Disconnect
                | Fault::Error(_)
                | Fault::LateEffect(_)
                | Fault::Hold(_)
                | Fault::Stall(_)
                | Fault::Merge
                | Fault::Double
                | Fault::Cut
                | Fault::Expire
                | Fault::ExpirePage
                | Fault::Miss(_)
                | Fault::Pause(_)
                | Fault::Skew(_)
                | Fault::Touch
                | Fault::Delete(_)
                | Fault::Drift(_) => {}
            }
        }
        match &self.world.steering {
            // The answer to a read that comes late is as one to a late read.
            Some(steering) if seen.kind() == PointKind::Write && !report => {
                let next = steering.answer(point, &seen, status, &answer);
                steering.turn(next, self.incarnation).await;
            }
            Some(_) => {}
            // A real garbage collector takes a while, which limits how often a child of a deleted owner is created again.
            None if is_collected => tokio::time::sleep(COLLECTION).await,
            None => tokio::time::sleep(self.world.latency(point, 1)).await,
        }
        self.alive().await;
        self.receives(point, &seen, status, &answer);
        if seen.verb == "list" && status == 200 {
            self.world.listed(self.replica, &seen, &answer);
        }
        Ok(Response::from_parts(head, unfailing(Full::new(answer))))
    }

    /// Lets a request take effect later, when its sender does not wait for it any more.
    fn takes_effect_after(self, time: Duration, point: Point, seen: Seen, request: Request<Body>) {
        let world = self.world;
        world.busy(time);
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            let before = world.server.revision();
            let response = world.server.service().call(request).await;
            let Ok((head, body)) = response.map(Response::into_parts) else {
                return;
            };
            let effect = world.server.revision() != before;
            let answer = body.collect().await.map(Collected::to_bytes);
            let answer = answer.unwrap_or_default();
            world.answered(&point, &seen, head.status.as_u16(), effect, &answer);
            world.touch();
        });
    }

    /// Waits until it is the turn of what arrives, and returns what goes wrong there.
    pub(super) async fn turn(
        &self,
        at: Point,
        report: bool,
        describe: impl FnOnce(&Steering, &Point) -> Move,
    ) -> (Point, Vec<Fault>) {
        let (point, mut faults) = self.world.arrive(at, report);
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

/// What another client does just before a request; or just after it, where the request would undo that.
async fn interfere(world: &World, seen: &Seen, fault: &Fault) -> Result<(), BoxError> {
    const MERGE: &str = "application/merge-patch+json";
    let service = || world.server.service();
    match fault {
        Fault::Touch => {
            if let Some(path) = seen.object_path() {
                // An object that is stored without validation cannot be touched.
                let body = json!({"metadata": {"labels": {TOUCHED: world.elapsed().as_millis().to_string()}}});
                send(service(), Method::PATCH, &path, MERGE, &body).await?;
            }
        }
        Fault::Delete(path) => {
            let Some(path) = world.resolve(path).await? else {
                return Ok(());
            };
            let json = "application/json";
            // A webhook may reject it; then this client deletes nothing.
            send(service(), Method::DELETE, &path, json, &Value::Null).await?;
        }
        Fault::Drift(path) => {
            let Some(path) = &world.resolve(path).await? else {
                return Ok(());
            };
            let (status, object) = send(service(), Method::GET, path, "", &Value::Null).await?;
            if let Some(patch) = drift(&object).filter(|_| status == 200) {
                // A schema may not permit the new value; then this client changes nothing.
                send(service(), Method::PATCH, path, MERGE, &patch).await?;
            }
        }
        Fault::CrashBefore
        | Fault::CrashAfter
        | Fault::StaleRestart
        | Fault::StaleReconnect
        | Fault::Disconnect
        | Fault::LostAnswer
        | Fault::Error(_)
        | Fault::ErrorAfter(_)
        | Fault::LateEffect(_)
        | Fault::Hold(_)
        | Fault::Stall(_)
        | Fault::Merge
        | Fault::Double
        | Fault::Cut
        | Fault::Expire
        | Fault::ExpirePage
        | Fault::Miss(_)
        | Fault::Pause(_)
        | Fault::Skew(_) => return Ok(()),
    }
    world.touch();
    Ok(())
}
