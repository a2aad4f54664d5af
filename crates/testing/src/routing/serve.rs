//! Serves one HTTP request: injects faults, records the request and calls its verb.

use std::{convert::Infallible, io, sync::Arc};

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::{HeaderValue, Method, Response, StatusCode, header, request::Parts};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use kube::core::response::Status;
use serde_json::Value;

use crate::{
    admission::webhooks,
    auth::{
        self, User,
        rbac::{self, Attributes},
        review, token,
    },
    handlers::{pods, read, watch, write},
    kinds::{convert, transient},
    record::{
        fault::{Effect, Failure},
        intercept::{Action, Interceptors},
        metrics::{self, Labels},
        recorded::RecordedRequest,
    },
    request::{Request, Verb},
    routing::{
        discovery,
        openapi::{self, v2},
    },
    server::shared::{Shared, lock},
    storage::store::Store,
    values::status::{Answer, document},
};

/// The response body of both transports.
pub(crate) type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Serves one request; an error breaks the connection.
pub(crate) async fn serve(
    shared: Arc<Shared>,
    parts: Parts,
    body: Vec<u8>,
    user: Option<User>,
) -> io::Result<Response<Body>> {
    let user = match auth::authenticate(&shared, &parts, user) {
        Ok(user) => user,
        Err(failure) => return Ok(failed(&failure)),
    };
    let path = parts.uri.path();
    if let Some(answer) = review::answer(&shared, &user, &parts.method, path, &body) {
        let mut response = match answer {
            Ok((code, answer)) => {
                if code == 201 {
                    lock(&shared.requests).append(&review::line(&answer, path));
                }
                json(code, &answer)
            }
            Err(failure) => failed(&failure),
        };
        let warning = transient::target(path).and_then(|(kind, ..)| kind.warning);
        if let Some(text) = warning.filter(|_| parts.method == Method::GET) {
            warn(&mut response, text);
        }
        return Ok(response);
    }
    let authorized = lock(&shared.auth).enabled.then_some(&user);
    let request = {
        let store = lock(&shared.store);
        let accept = parts.headers.get(header::ACCEPT);
        let accept = accept.and_then(|it| it.to_str().ok()).unwrap_or_default();
        if let Some(groups) = discovery::aggregated(path, accept, &store.kinds) {
            let mut response = json(200, &groups);
            let content = HeaderValue::from_static(discovery::AGGREGATED);
            response.headers_mut().insert(header::CONTENT_TYPE, content);
            return Ok(response);
        }
        let metrics = || lock(&shared.metrics).print(&store).into();
        let document = discovery::document(path, &store.kinds)
            .or_else(|| (path == metrics::PATH).then(metrics))
            .or_else(|| openapi::document(path, &store.kinds));
        if let Some(document) = document {
            let refused = authorized.and_then(|user| {
                rbac::authorize(&store, user, &Attributes::of_path(&parts.method, path)).err()
            });
            let wants_protobuf = path == v2::PATH && accept.contains(v2::ACCEPT);
            return Ok(match refused {
                Some(refused) => failed(&refused),
                None if wants_protobuf => protobuf_response(&document),
                None if path == metrics::PATH => {
                    let mut response = document_response(&document);
                    let content = HeaderValue::from_static(metrics::CONTENT);
                    response.headers_mut().insert(header::CONTENT_TYPE, content);
                    response
                }
                None => document_response(&document),
            });
        }
        Request::read(&parts, body, &store.kinds)
    };
    let request = match request {
        Ok(request) => request,
        Err(failure) => return Ok(failed(&failure)),
    };
    let path = parts
        .uri
        .path_and_query()
        .map_or_else(|| parts.uri.path(), |path| path.as_str());
    let refused = authorized.and_then(|user| {
        rbac::authorize(&lock(&shared.store), user, &Attributes::of(&request)).err()
    });
    if let Some(refused) = refused {
        let is_kept = lock(&shared.requests).is_kept();
        let index = is_kept.then(|| shared.record(RecordedRequest::new(&request, path, &user)));
        shared.answered(index, refused.code);
        lock(&shared.metrics).count(Labels::of(&request), refused.code);
        return Ok(failed(&refused));
    }
    let labels = Labels::of(&request);
    let response = answer(&shared, request, &user, path).await?;
    let code = response.status().as_u16();
    lock(&shared.metrics).count(labels, code);
    Ok(response)
}

/// Answers an authorized request for a resource; an error breaks the connection.
async fn answer(
    shared: &Arc<Shared>,
    mut request: Request,
    user: &User,
    path: &str,
) -> io::Result<Response<Body>> {
    request.user = user.clone();
    let interceptors = lock(&shared.interceptors).clone();
    let is_kept = lock(&shared.requests).is_kept();
    let intercepted = interceptors
        .has_any()
        .then(|| RecordedRequest::new(&request, path, user));
    let index = is_kept.then(|| {
        let recorded = intercepted.clone();
        shared.record(recorded.unwrap_or_else(|| RecordedRequest::new(&request, path, user)))
    });
    let action = intercepted
        .as_ref()
        .map_or(Action::Pass, |recorded| interceptors.request(recorded));
    let effect = match action {
        Action::Pass => lock(&shared.faults).take(request.verb, &request.target),
        Action::Body(body) => {
            request.set_body(&body);
            None
        }
        Action::Answer(code, body) => {
            shared.answered(index, code);
            return Ok(json(code, &body));
        }
        Action::Fail(failure) => Some(failure.0),
        Action::Delay(time) => Some(Effect::Delay(time)),
    };
    let lose_answer = match effect {
        Some(Effect::Answer(failure)) => {
            shared.answered(index, failure.code);
            return Ok(failed(&failure));
        }
        Some(Effect::Disconnect) => return Err(broken()),
        Some(Effect::Delay(time)) => {
            tokio::time::sleep(time).await;
            false
        }
        Some(Effect::LostAnswer) => true,
        None => false,
    };
    if let Err(failure) = webhooks::admit(shared, &mut request, user).await {
        shared.answered(index, failure.code);
        return Ok(with_warnings(failed(&failure), &request));
    }
    let warnings = request.warnings.get_mut().len();
    let executed = convert::retried(shared, |store| {
        request.warnings.get_mut().truncate(warnings);
        execute(shared, store, &request)
    });
    let response = match executed.await {
        Ok(Executed::Stream(response)) => response,
        Ok(Executed::Object(code, value)) => {
            let answer = match intercepted {
                Some(recorded) => changed(&interceptors, recorded, code, value).await?,
                None => Ok((code, value)),
            };
            match answer {
                Ok((code, value)) => with_warnings(json(code, &value), &request),
                Err(failure) => failed(&failure),
            }
        }
        Err(failure) => match intercepted {
            Some(recorded) => {
                let before = document(&failure);
                match changed(&interceptors, recorded, failure.code, before.clone()).await? {
                    // The status of a failure may have headers.
                    Ok((code, value)) if value == before && code == failure.code => {
                        with_warnings(failed(&failure), &request)
                    }
                    Ok((code, value)) => json(code, &value),
                    Err(failure) => failed(&failure),
                }
            }
            None => with_warnings(failed(&failure), &request),
        },
    };
    if lose_answer {
        return Err(broken());
    }
    shared.answered(index, response.status().as_u16());
    Ok(response)
}

/// Returns the answer that the interceptors leave; an outer error breaks the connection.
async fn changed(
    interceptors: &Interceptors,
    mut request: RecordedRequest,
    code: u16,
    value: Value,
) -> io::Result<Answer<(u16, Value)>> {
    request.status = code;
    Ok(match interceptors.answer(&request, &value) {
        Action::Pass => Ok((code, value)),
        Action::Body(value) => Ok((code, value)),
        Action::Answer(code, value) => Ok((code, value)),
        Action::Delay(time) | Action::Fail(Failure(Effect::Delay(time))) => {
            tokio::time::sleep(time).await;
            Ok((code, value))
        }
        Action::Fail(Failure(Effect::Answer(failure))) => Err(failure),
        Action::Fail(Failure(Effect::Disconnect | Effect::LostAnswer)) => return Err(broken()),
    })
}

/// What a request gives.
enum Executed {
    Object(u16, Value),
    Stream(Response<Body>),
}

fn broken() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the test broke the connection",
    )
}

fn execute(shared: &Arc<Shared>, store: &mut Store, request: &Request) -> Answer<Executed> {
    let before = store.revision;
    let answer = match request.verb {
        Verb::Get => read::get(store, request).map(|value| (200, value)),
        Verb::List => read::list(store, request).map(|value| (200, value)),
        Verb::Create if request.target.subresource == "token" => {
            token::create(shared, store, request).map(|value| (201, value))
        }
        Verb::Create if request.target.subresource == "eviction" => {
            pods::evict(store, request).map(|value| (201, value))
        }
        Verb::Create if request.target.subresource == "binding" => {
            pods::bind(store, request).map(|value| (201, value))
        }
        Verb::Create => write::create(store, request).map(|value| (201, value)),
        Verb::Update => write::update(store, request).map(created),
        Verb::Patch => write::patch(store, request).map(created),
        Verb::Delete => write::delete(store, request).map(|value| (200, value)),
        Verb::DeleteCollection => {
            write::delete_collection(store, request).map(|value| (200, value))
        }
        Verb::Watch => {
            let lines = watch::open(
                shared,
                store,
                request,
                lock(&shared.settings).expired_as_410,
            )?;
            return Ok(Executed::Stream(stream(lines, request)));
        }
    };
    if store.revision != before {
        shared.changes.wake();
    }
    answer.map(|(code, value)| Executed::Object(code, value))
}

/// Returns the HTTP status of a write that may have created its object.
fn created((value, is_new): (Value, bool)) -> (u16, Value) {
    (if is_new { 201 } else { 200 }, value)
}

fn json(code: u16, value: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(written(value))).boxed_unsync();
    respond(code, body)
}

/// Writes an object with its kind and version first, as Go does: errors of clients count the columns.
fn written(value: &Value) -> String {
    const FIRST: [&str; 2] = ["kind", "apiVersion"];
    let Some(fields) = value.as_object().filter(|it| it.contains_key(FIRST[0])) else {
        return value.to_string();
    };
    let first = FIRST
        .into_iter()
        .filter_map(|name| fields.get_key_value(name));
    let rest = fields
        .iter()
        .filter(|(name, _)| !FIRST.contains(&name.as_str()));
    let fields = first.chain(rest).map(|(name, value)| {
        // A text is written as JSON.
        let name = Value::from(name.as_str());
        format!("{name}:{value}")
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn respond(code: u16, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

fn stream(lines: impl Stream<Item = Bytes> + Send + 'static, request: &Request) -> Response<Body> {
    let frames = lines.map(|line| Ok::<_, Infallible>(Frame::data(line)));
    with_warnings(
        respond(200, StreamBody::new(frames).boxed_unsync()),
        request,
    )
}

/// Adds the warnings of the request and of a deprecated version.
fn with_warnings(mut response: Response<Body>, request: &Request) -> Response<Body> {
    let version = request.target.version().ok();
    let deprecated = version.and_then(|version| version.warning.as_ref());
    let warnings = request.warnings.borrow();
    for text in deprecated.into_iter().chain(&*warnings) {
        warn(&mut response, text);
    }
    response
}

fn warn(response: &mut Response<Body>, text: &str) {
    if let Ok(value) = HeaderValue::from_str(&format!("299 - {text:?}")) {
        response.headers_mut().append(header::WARNING, value);
    }
}

fn failed(failure: &Status) -> Response<Body> {
    let code = if failure.code == 0 { 500 } else { failure.code };
    let mut response = json(code, &document(failure));
    let wait = failure
        .details
        .as_ref()
        .map_or(0, |details| details.retry_after_seconds);
    if wait > 0 {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(wait));
    }
    response
}

/// Discovery is JSON, health a plain word.
fn document_response(document: &Value) -> Response<Body> {
    match document.as_str() {
        Some(word) => respond(200, Full::new(Bytes::from(word.to_owned())).boxed_unsync()),
        None => json(200, document),
    }
}

/// OpenAPI v2 as kubectl asks for it.
fn protobuf_response(document: &Value) -> Response<Body> {
    let message = Full::new(Bytes::from(v2::protobuf(document)));
    let mut response = respond(200, message.boxed_unsync());
    let content = HeaderValue::from_static(v2::CONTENT);
    response.headers_mut().insert(header::CONTENT_TYPE, content);
    response
}
