//! The chain of steps that answers a request, as kube-apiserver has a chain of handlers. [`steps`] lists them:
//!
//! 1. `authenticate`: who sends the request;
//! 2. `impersonate`: as whom the sender acts;
//! 3. `route`: what the request addresses;
//! 4. `record`: notes the request, also for tests that look for rejected ones;
//! 5. `authorize`: whether the user may do that;
//! 6. `inject`: what a test does to the request;
//! 7. `execute`: admits and executes it, see [`handlers::execute`];
//! 8. `respond`: writes the answer, unless a test changes it.
//!
//! They pass on one [`Call`], to which each adds what it finds out. A step that returns a [`Stop`] is the last one.

use std::{io, mem, sync::Arc};

use http::{Response, header, request::Parts};
use kube::core::response::Status;
use serde_json::Value;

use super::{
    Body, Shared, discovery,
    openapi::{self, v2},
    paths::{self, Unrouted},
    response::{self, failed, json, stream, warn, with_content, with_warnings},
};
use crate::{
    auth::{
        self,
        review::{self, Review},
        token,
    },
    handlers::{self, Executed},
    kinds::convert,
    rbac::{self, Attributes},
    record::{Action, Effect, Failure, Labels, METRICS, METRICS_CONTENT, RecordedRequest},
    request::{Notes, Request, User, Verb},
    storage::lock,
    values::status::{Answer, document, no_resource},
};

/// A request on its way through the chain.
struct Call {
    parts: Parts,
    body: Vec<u8>,
    /// The user of an in-process client or of a certificate.
    known: Option<User>,
    user: User,
    route: Route,
    /// Its number in the record.
    number: Option<usize>,
    /// How it was recorded, if interceptors see it.
    intercepted: Option<RecordedRequest>,
    /// Whether its answer gets lost once it is executed.
    loses_answer: bool,
    notes: Notes,
}

/// What a request addresses.
enum Route {
    Unknown,
    /// Discovery, OpenAPI, health and metrics: the response for those who may read them.
    Document(Response<Body>),
    Review(Review),
    Resource(Box<Request>),
}

/// Why a step is the last one.
enum Stop {
    Failed(Box<Status>),
    Answered(Response<Body>),
    /// The connection breaks.
    Broken,
}

impl From<Unrouted> for Stop {
    fn from(why: Unrouted) -> Self {
        match why {
            Unrouted::NoPath => Self::Answered(response::no_path()),
            Unrouted::Failed(failure) => Self::Failed(failure),
        }
    }
}

impl From<Box<Status>> for Stop {
    fn from(failure: Box<Status>) -> Self {
        Self::Failed(failure)
    }
}

/// Serves one request; an error breaks the connection.
pub(crate) async fn serve(
    shared: Arc<Shared>,
    parts: Parts,
    body: Vec<u8>,
    user: Option<User>,
) -> io::Result<Response<Body>> {
    let mut call = Call {
        parts,
        body,
        known: user,
        user: User::anonymous(),
        route: Route::Unknown,
        number: None,
        intercepted: None,
        loses_answer: false,
        notes: Notes::default(),
    };
    let response = match steps(&shared, &mut call).await {
        Ok(response) | Err(Stop::Answered(response)) => response,
        Err(Stop::Failed(failure)) => {
            call.notes.message.clone_from(&failure.message);
            failed(&failure)
        }
        Err(Stop::Broken) => {
            let why = "the test broke the connection";
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, why));
        }
    };
    if let Route::Resource(request) = &call.route {
        let code = response.status().as_u16();
        let notes = &call.notes;
        shared
            .record
            .answered(call.number, code, &notes.message, notes.denied);
        lock(&shared.record.metrics).count(Labels::of(request), code);
    }
    Ok(response)
}

async fn steps(shared: &Arc<Shared>, call: &mut Call) -> Result<Response<Body>, Stop> {
    authenticate(shared, call)?;
    impersonate(shared, call)?;
    route(shared, call)?;
    record(shared, call);
    authorize(shared, call)?;
    inject(shared, call).await?;
    let answer = execute(shared, call).await?;
    respond(shared, call, answer).await
}

fn authenticate(shared: &Shared, call: &mut Call) -> Answer<()> {
    let known = call.known.take();
    call.user = auth::authenticate(&shared.auth, &shared.backend, &call.parts, known)?;
    Ok(())
}

fn impersonate(shared: &Shared, call: &mut Call) -> Answer<()> {
    let headers = &call.parts.headers;
    call.user = auth::impersonate(&shared.auth, &shared.backend, headers, call.user.clone())?;
    Ok(())
}

fn route(shared: &Shared, call: &mut Call) -> Result<(), Unrouted> {
    let path = call.parts.uri.path();
    call.route = if let Some(review) = Review::read(&call.parts.method, path) {
        Route::Review(review?)
    } else if let Some(response) = read_document(shared, &call.parts) {
        Route::Document(response)
    } else {
        let kinds = &lock(&shared.backend.store).kinds;
        let mut request = paths::request(&call.parts, mem::take(&mut call.body), kinds)?;
        request.user = call.user.clone();
        Route::Resource(Box::new(request))
    };
    Ok(())
}

/// Returns the document at a path, if there is one.
fn read_document(shared: &Shared, parts: &Parts) -> Option<Response<Body>> {
    let path = parts.uri.path();
    let accept = parts.headers.get(header::ACCEPT);
    let accept = accept.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let store = lock(&shared.backend.store);
    let kinds = &store.kinds;
    if let Some(groups) = discovery::aggregated(path, accept, kinds) {
        let response = response::document(&groups);
        return Some(with_content(response, discovery::AGGREGATED));
    }
    if let Some(document) = discovery::document(path, kinds) {
        return Some(response::document(&document));
    }
    if path == METRICS {
        let metrics = lock(&shared.record.metrics).print(&store);
        let response = response::document(&metrics.into());
        return Some(with_content(response, METRICS_CONTENT));
    }
    let document = openapi::document(path, kinds)?;
    Some(if path == v2::PATH && accept.contains(v2::ACCEPT) {
        response::protobuf(&document)
    } else {
        response::document(&document)
    })
}

fn record(shared: &Shared, call: &mut Call) {
    let Route::Resource(request) = &call.route else {
        return;
    };
    let path = call.parts.uri.path_and_query();
    let path = path.map_or_else(|| call.parts.uri.path(), |path| path.as_str());
    let new = || RecordedRequest::new(request, path, &call.user);
    call.intercepted = lock(&shared.record.interceptors).has_any().then(new);
    let recorded = || call.intercepted.clone().unwrap_or_else(new);
    call.number = shared.record.add(recorded);
}

fn authorize(shared: &Shared, call: &mut Call) -> Answer<()> {
    if !lock(&shared.auth).enabled {
        return Ok(());
    }
    let attributes = match &call.route {
        Route::Unknown => return Ok(()),
        Route::Document(_) => Attributes::of_path(&call.parts.method, call.parts.uri.path()),
        Route::Review(review) => review.attributes(),
        Route::Resource(request) => Attributes::of(request),
    };
    let store = lock(&shared.backend.store);
    rbac::authorize(&store, &call.user, &attributes).inspect_err(|_| {
        if let Route::Resource(request) = &call.route {
            call.notes.denied = Some(request.verb.as_str());
        }
    })
}

async fn inject(shared: &Shared, call: &mut Call) -> Result<(), Stop> {
    let Route::Resource(request) = &mut call.route else {
        return Ok(());
    };
    let interceptors = lock(&shared.record.interceptors).clone();
    let intercepted = call.intercepted.as_ref();
    let effect = match intercepted.map_or(Action::Pass, |it| interceptors.request(it)) {
        Action::Pass => lock(&shared.record.faults).take(request.verb, &request.target),
        Action::Body(body) => {
            request.set_body(&body);
            None
        }
        Action::Answer(code, body) => return Err(Stop::Answered(json(code, &body))),
        Action::Fail(failure) => Some(failure.0),
        Action::Delay(time) => Some(Effect::Delay(time)),
    };
    match effect {
        Some(Effect::Answer(failure)) => return Err(failure.into()),
        Some(Effect::Disconnect) => return Err(Stop::Broken),
        Some(Effect::Delay(time)) => tokio::time::sleep(time).await,
        Some(Effect::LostAnswer) => call.loses_answer = true,
        None => {}
    }
    Ok(())
}

/// What the execution of a request gives.
enum Outcome {
    /// A document or a review.
    Ready(Response<Body>),
    Executed(Answer<Executed>),
}

async fn execute(shared: &Arc<Shared>, call: &mut Call) -> Result<Outcome, Stop> {
    let request = match &mut call.route {
        Route::Resource(request) => request,
        Route::Document(response) => return Ok(Outcome::Ready(mem::take(response))),
        Route::Review(review) => {
            let answer = review.answer(&shared.auth, &shared.backend, &call.user, &call.body);
            let path = call.parts.uri.path();
            return Ok(Outcome::Ready(reviewed(shared, path, review, answer)));
        }
        Route::Unknown => return Err(no_resource().into()),
    };
    let (backend, record) = (&shared.backend, &shared.record);
    let executed = if request.verb == Verb::Create && request.target.subresource == "token" {
        let token = convert::retried(backend, |store| token::create(&shared.auth, store, request));
        token.await.map(|token| Executed::Object(201, token.into()))
    } else {
        let expired_as_410 = lock(&shared.settings).expired_as_410;
        handlers::execute(backend, record, request, expired_as_410, &mut call.notes).await
    };
    Ok(Outcome::Executed(executed))
}

fn reviewed(
    shared: &Shared,
    path: &str,
    review: &Review,
    answer: Answer<(u16, Value)>,
) -> Response<Body> {
    if let Ok((201, answer)) = &answer {
        lock(&shared.record.requests).append(&review::line(answer, path));
    }
    let mut response = match answer {
        Ok((code, answer)) => json(code, &answer),
        Err(failure) => failed(&failure),
    };
    if let Some(text) = review.kind.warning {
        warn(&mut response, text);
    }
    response
}

async fn respond(
    shared: &Shared,
    call: &mut Call,
    outcome: Outcome,
) -> Result<Response<Body>, Stop> {
    let executed = match outcome {
        Outcome::Ready(response) => return Ok(response),
        Outcome::Executed(executed) => executed,
    };
    let response = match executed {
        Ok(Executed::Stream(lines)) => warned(call, stream(lines)),
        Ok(Executed::Object(code, value)) => match call.intercepted.take() {
            None => warned(call, json(code, &value)),
            Some(recorded) => {
                let value = Arc::unwrap_or_clone(value);
                let (code, value) = changed(shared, recorded, code, value).await?;
                let message = value["message"].as_str().filter(|_| code >= 400);
                message
                    .unwrap_or_default()
                    .clone_into(&mut call.notes.message);
                warned(call, json(code, &value))
            }
        },
        Err(failure) => match call.intercepted.take() {
            None => {
                call.notes.message.clone_from(&failure.message);
                warned(call, failed(&failure))
            }
            Some(recorded) => {
                let before = document(&failure);
                let after = changed(shared, recorded, failure.code, before.clone()).await?;
                let message = after.1["message"].as_str().filter(|_| after.0 >= 400);
                message
                    .unwrap_or_default()
                    .clone_into(&mut call.notes.message);
                // The status of a failure may have headers.
                if after == (failure.code, before) {
                    warned(call, failed(&failure))
                } else {
                    json(after.0, &after.1)
                }
            }
        },
    };
    if call.loses_answer {
        return Err(Stop::Broken);
    }
    Ok(response)
}

/// Adds the warnings of the request.
fn warned(call: &Call, response: Response<Body>) -> Response<Body> {
    match &call.route {
        Route::Resource(request) => with_warnings(response, request, &call.notes),
        _ => response,
    }
}

/// Returns the answer that the interceptors leave.
async fn changed(
    shared: &Shared,
    mut request: RecordedRequest,
    code: u16,
    value: Value,
) -> Result<(u16, Value), Stop> {
    request.status = code;
    let interceptors = lock(&shared.record.interceptors).clone();
    match interceptors.answer(&request, &value) {
        Action::Pass => Ok((code, value)),
        Action::Body(value) => Ok((code, value)),
        Action::Answer(code, value) => Ok((code, value)),
        Action::Delay(time) | Action::Fail(Failure(Effect::Delay(time))) => {
            tokio::time::sleep(time).await;
            Ok((code, value))
        }
        Action::Fail(Failure(Effect::Answer(failure))) => Err(failure.into()),
        Action::Fail(Failure(Effect::Disconnect | Effect::LostAnswer)) => Err(Stop::Broken),
    }
}
