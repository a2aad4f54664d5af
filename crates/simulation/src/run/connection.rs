//! The connection of an operator to the server: every request and every watch event is a choice point.

use std::{
    future::pending,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Collected, Full};
use kube::client::Body;
use kube_codegen_testing::{ApiServer, On};
use serde_json::Value;
use tower::{BoxError, Service};

use super::{
    answers::{Answer, error, reset, unfailing},
    requests,
    world::{Move, Steering, World},
};
use crate::{
    faults::{Fault, Received, Sent, Site},
    request::Seen,
    schedule::{Point, PointKind},
    state::text,
};

/// How long it takes to create an object that is collected at once.
const COLLECTION: Duration = Duration::from_millis(200);

/// The connection of one process of the operator.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(super) world: Arc<World>,
    pub(super) replica: usize,
    pub(super) incarnation: u64,
}

impl Connection {
    pub(crate) fn new(world: Arc<World>, replica: usize, incarnation: u64) -> Self {
        Self {
            world,
            replica,
            incarnation,
        }
    }

    pub(super) fn at<'a>(&'a self, point: &'a Point, seen: Option<&'a Seen>) -> At<'a> {
        let connection = self;
        At {
            connection,
            point,
            seen,
        }
    }

    /// Returns only to a process that has not crashed.
    pub(super) async fn alive(&self) {
        self.world.replicas.until_resumed(self.replica).await;
        if !self
            .world
            .replicas
            .is_running(self.replica, self.incarnation)
        {
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
                self.world.history.lacks_resource(&path);
            }
            return Ok(response.map(unfailing));
        };
        self.alive().await;
        if self.world.is_storm(&seen) {
            pending::<()>().await;
        }
        let report = seen.is_report();
        let (point, faults) = self
            .turn(seen.point(self.replica), report, |steering, point| {
                steering.request(point, &seen, &bytes)
            })
            .await;
        let rejected = self.world.meets(&seen).await?;
        let at = self.at(&point, Some(&seen));
        let mut sent = Sent::Passes;
        for fault in &faults {
            let act = fault.act();
            sent = act.before(&at);
            if sent != Sent::Passes {
                break;
            }
            if !act.object().is_some_and(|path| seen.restores(path)) {
                act.interferes(&at).await?;
            }
        }
        if sent == Sent::Passes {
            sent = rejected.unwrap_or(Sent::Passes);
        }
        match sent {
            Sent::Passes => {}
            Sent::Broken => {
                self.receives(&point, &seen, 0, &[]);
                return Err(reset());
            }
            Sent::Answered(code) => {
                self.world.answered(&point, &seen, code, false, &[]);
                self.receives(&point, &seen, code, &[]);
                return Ok(error(code));
            }
            Sent::Late(time) => {
                let request = Request::from_parts(parts, Body::from(bytes));
                self.clone()
                    .takes_effect_after(time, point.clone(), seen.clone(), request);
                self.receives(&point, &seen, 504, &[]);
                return Ok(error(504));
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
        let needs_past = faults.iter().any(|fault| fault.act().needs_past());
        let past = needs_past.then(|| self.world.server.fork());
        if seen.kind() == PointKind::Write && !report {
            seen.before = self.world.show_view(self.replica);
        }
        self.world.verbatim(self.replica, request.body());
        seen.free = self.world.is_free_delete(&seen).await?;
        let before = self.world.server.revision();
        let mut request = request.map(|body| self.as_it_writes(&seen.resource, body));
        let cut = self.world.link.cut(self.replica, &seen);
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
            let list: Value = serde_json::from_slice(&answer).unwrap_or_default();
            if self
                .world
                .server
                .expire_list(text(&list, "/metadata/continue"))
            {
                self.world.link.has_cut(self.replica, &seen);
            }
        }
        let is_collected = self.world.answered(point, &seen, status, effect, &answer);
        let at = self.at(point, Some(&seen));
        for fault in &faults {
            let act = fault.act();
            // Of a child that is new, an operator whose watch is interrupted sees nothing.
            if status == 200 && act.object().is_some_and(|path| seen.restores(path)) {
                act.interferes(&at).await?;
            }
            match act.after(&at, past.as_ref()) {
                Received::Response => {}
                Received::Broken => {
                    self.receives(point, &seen, 0, &[]);
                    return Err(reset());
                }
                Received::Answered(code) => {
                    self.receives(point, &seen, code, &[]);
                    return Ok(error(code));
                }
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
            None => tokio::time::sleep(self.world.link.latency(point, 1)).await,
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
            None => tokio::time::sleep(self.world.link.latency(&point, 0)).await,
        }
        (point, faults)
    }

    /// Notes what the process learns from an answer; the status is 0 where the connection breaks.
    fn receives(&self, point: &Point, seen: &Seen, status: u16, answer: &[u8]) {
        if status == 0 || (status >= 400 && !(status == 404 && seen.kind() == PointKind::Read)) {
            self.world.link.fails_request();
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

impl Service<Request<Body>> for Connection {
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

/// A point on a connection, for the faults at it.
pub(super) struct At<'a> {
    connection: &'a Connection,
    point: &'a Point,
    seen: Option<&'a Seen>,
}

impl Site for At<'_> {
    fn server(&self) -> &ApiServer {
        &self.connection.world.server
    }

    fn request(&self) -> Option<&Seen> {
        self.seen
    }

    fn elapsed(&self) -> Duration {
        self.connection.world.clock.elapsed()
    }

    fn crash(&self) {
        self.connection.world.crash(self.connection.replica);
    }

    fn pause(&self, time: Duration) {
        self.connection.world.pause(self.connection.replica, time);
    }

    fn set_clock_ahead(&self, ms: i64) {
        self.connection
            .world
            .replicas
            .set_skew(self.connection.replica, ms);
    }

    fn expire_second_page(&self) {
        let Self {
            connection, point, ..
        } = self;
        connection
            .world
            .link
            .cut_list(connection.replica, &point.resource, point);
    }

    fn show_past(&self, past: ApiServer) {
        self.connection
            .world
            .show_past(self.connection.replica, past);
    }

    fn expire_watches(&self) {
        self.connection.world.server.expire_watches(&On::any());
    }

    fn hide_events(&self) {
        self.connection.world.link.hides_events();
    }

    fn touch(&self) {
        self.connection.world.touch();
    }

    fn resolve<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<String>, BoxError>> {
        Box::pin(self.connection.world.resolve(path))
    }
}
