//! Leads a request to its answer: authenticates its user, finds what it addresses, authorizes and records it, injects faults, and executes it.
//!
//! It may use all parts but `transport`, `controllers` and `server`.

mod discovery;
mod openapi;
pub(crate) mod paths;
mod response;
mod shared;

use std::{io, sync::Arc};

use http::{Method, Response, header, request::Parts};
use serde_json::Value;

use crate::{
    admission::webhooks,
    auth::{self, review, token},
    handlers::{self, Executed},
    kinds::{convert, transient},
    rbac::{self, Attributes},
    record::{
        Action, Effect, Failure, Interceptors, Labels, METRICS, METRICS_CONTENT, RecordedRequest,
    },
    request::{Request, User, Verb},
    storage::lock,
    values::status::{self, Answer, document},
};
use openapi::v2;
pub(crate) use paths::LARGEST;
pub(crate) use response::Body;
pub use response::Watch;
use response::{failed, json, stream, warn, with_content, with_warnings};
pub(crate) use shared::{Listener, Shared};

/// The answer to a request whose body does not arrive in time.
pub(crate) fn timed_out() -> Response<Body> {
    failed(&status::timed_out())
}

/// Serves one request; an error breaks the connection.
pub(crate) async fn serve(
    shared: Arc<Shared>,
    parts: Parts,
    body: Vec<u8>,
    user: Option<User>,
) -> io::Result<Response<Body>> {
    let user = match auth::authenticate(&shared.auth, &shared.backend, &parts, user) {
        Ok(user) => user,
        Err(failure) => return Ok(failed(&failure)),
    };
    let path = parts.uri.path();
    if let Some(answer) = review::answer(
        &shared.auth,
        &shared.backend,
        &user,
        &parts.method,
        path,
        &body,
    ) {
        let mut response = match answer {
            Ok((code, answer)) => {
                if code == 201 {
                    lock(&shared.record.requests).append(&review::line(&answer, path));
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
        let store = lock(&shared.backend.store);
        let accept = parts.headers.get(header::ACCEPT);
        let accept = accept.and_then(|it| it.to_str().ok()).unwrap_or_default();
        let metrics = || lock(&shared.record.metrics).print(&store).into();
        let aggregated = discovery::aggregated(path, accept, &store.kinds);
        let is_aggregated = aggregated.is_some();
        let document = aggregated
            .or_else(|| discovery::document(path, &store.kinds))
            .or_else(|| (path == METRICS).then(metrics))
            .or_else(|| openapi::document(path, &store.kinds));
        if let Some(document) = document {
            let refused = authorized.and_then(|user| {
                rbac::authorize(&store, user, &Attributes::of_path(&parts.method, path)).err()
            });
            let wants_protobuf = path == v2::PATH && accept.contains(v2::ACCEPT);
            return Ok(match refused {
                Some(refused) => failed(&refused),
                None if is_aggregated => {
                    with_content(response::document(&document), discovery::AGGREGATED)
                }
                None if wants_protobuf => response::protobuf(&document),
                None if path == METRICS => {
                    with_content(response::document(&document), METRICS_CONTENT)
                }
                None => response::document(&document),
            });
        }
        paths::request(&parts, body, &store.kinds)
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
        let store = lock(&shared.backend.store);
        let verbs = [
            Some(request.verb.as_str()),
            handlers::creates(&store, &request).then_some("create"),
        ];
        verbs.into_iter().flatten().find_map(|verb| {
            let attributes = Attributes {
                verb,
                ..Attributes::of(&request)
            };
            let refused = rbac::authorize(&store, user, &attributes).err();
            refused.map(|refused| (verb, refused))
        })
    });
    if let Some((verb, refused)) = refused {
        // The verb that is missing: that of an apply, or what it takes besides.
        let recorded = || RecordedRequest {
            denied: true,
            verb,
            ..RecordedRequest::new(&request, path, &user)
        };
        let index = shared.record.add(recorded);
        shared.record.answered(index, refused.code);
        lock(&shared.record.metrics).count(Labels::of(&request), refused.code);
        return Ok(failed(&refused));
    }
    let labels = Labels::of(&request);
    let response = answer(&shared, request, &user, path).await?;
    let code = response.status().as_u16();
    lock(&shared.record.metrics).count(labels, code);
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
    let interceptors = lock(&shared.record.interceptors).clone();
    let intercepted = interceptors
        .has_any()
        .then(|| RecordedRequest::new(&request, path, user));
    let index = shared.record.add(|| {
        let recorded = intercepted.clone();
        recorded.unwrap_or_else(|| RecordedRequest::new(&request, path, user))
    });
    let action = intercepted
        .as_ref()
        .map_or(Action::Pass, |recorded| interceptors.request(recorded));
    let effect = match action {
        Action::Pass => lock(&shared.record.faults).take(request.verb, &request.target),
        Action::Body(body) => {
            request.set_body(&body);
            None
        }
        Action::Answer(code, body) => {
            shared.record.answered(index, code);
            return Ok(json(code, &body));
        }
        Action::Fail(failure) => Some(failure.0),
        Action::Delay(time) => Some(Effect::Delay(time)),
    };
    let lose_answer = match effect {
        Some(Effect::Answer(failure)) => {
            shared.record.answered(index, failure.code);
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
    if let Err(failure) =
        webhooks::admit(&shared.backend, &mut request, user, handlers::written).await
    {
        shared.record.answered(index, failure.code);
        return Ok(with_warnings(failed(&failure), &request));
    }
    let warnings = request.warnings.get_mut().len();
    let expired_as_410 = lock(&shared.settings).expired_as_410;
    let executed = convert::retried(&shared.backend, |store| {
        request.warnings.get_mut().truncate(warnings);
        if request.verb == Verb::Create && request.target.subresource == "token" {
            let token = token::create(&shared.auth, store, &request);
            return token.map(|token| Executed::Object(201, token.into()));
        }
        let (backend, record) = (&shared.backend, &shared.record);
        handlers::execute(backend, record, store, &request, expired_as_410)
    });
    let response = match executed.await {
        Ok(Executed::Stream(lines)) => stream(lines, &request),
        Ok(Executed::Object(code, value)) => {
            let answer = match intercepted {
                Some(recorded) => {
                    let value = Arc::unwrap_or_clone(value);
                    let answer = changed(&interceptors, recorded, code, value).await?;
                    answer.map(|(code, value)| (code, Arc::new(value)))
                }
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
    shared.record.answered(index, response.status().as_u16());
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

fn broken() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the test broke the connection",
    )
}
