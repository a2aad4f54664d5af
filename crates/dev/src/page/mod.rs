//! The page: a server on 127.0.0.1 that only the pages of its own address can use, and only with the token in its path.

mod actions;
mod answer;
mod guard;
mod object;
pub(crate) mod picture;
mod stream;
#[cfg(test)]
mod tests;

use std::{convert::Infallible, sync::Arc};

use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use kube_codegen_look as look;
use kube_codegen_testing::serving;
use tokio::{net::TcpListener, task::AbortHandle};

use crate::history::{History, Simulation};
pub(crate) use actions::{Actions, Order};
use answer::{Answer, json, rejected, saved, text};
use guard::Guard;

const PAGE: &str = include_str!("index.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: [(&str, &str); 5] = [
    ("state.js", include_str!("state.js")),
    ("tree.js", include_str!("tree.js")),
    ("timeline.js", include_str!("timeline.js")),
    ("details.js", include_str!("details.js")),
    ("page.js", include_str!("page.js")),
];

/// The longest body of a request.
const LONGEST: usize = 4 * 1024 * 1024;

/// A server, which ends when it is dropped.
pub(crate) struct Page {
    url: String,
    accepting: AbortHandle,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

struct Served {
    guard: Guard,
    history: History,
    actions: Actions,
}

impl Page {
    pub(crate) async fn start(history: History, actions: Actions) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("cannot start the page: {error}");
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let guard = Guard::new(listener.local_addr().map_err(failed)?.port());
        let url = guard.url();
        let served = Arc::new(Served {
            guard,
            history,
            actions,
        });
        let serve = move |stream| {
            let served = served.clone();
            let answer = move |request| {
                let served = served.clone();
                async move { Ok::<_, Infallible>(served.answer(request).await) }
            };
            serving::connection(stream, answer)
        };
        let accepting = tokio::spawn(serving::accept(listener, serve)).abort_handle();
        Ok(Self { url, accepting })
    }

    /// Returns the address with the token.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Served {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let path = match self.guard.admit(&request) {
            Ok(path) => path.to_owned(),
            Err(why) => return rejected(StatusCode::FORBIDDEN, why),
        };
        let known = request.uri().query().and_then(|query| {
            let mut pairs = query.split('&');
            pairs.find_map(|pair| pair.strip_prefix("known=")?.parse().ok())
        });
        match (request.method(), path.as_str()) {
            (&Method::GET, "") => text("text/html", PAGE),
            (&Method::GET, "page.css") => text("text/css", &format!("{}{STYLE}", look::CSS)),
            (&Method::GET, "look.js") => text("text/javascript", look::SCRIPT),
            (&Method::GET, "run.html") => saved(&picture::picture(&self.history)),
            (&Method::GET, "failure.html") => match self.history.simulation() {
                Simulation::Failed(Some(path)) => match std::fs::read_to_string(&path) {
                    Ok(picture) => saved(&picture),
                    Err(error) => {
                        let why = format!("cannot read {}: {error}", path.display());
                        rejected(StatusCode::NOT_FOUND, &why)
                    }
                },
                _ => rejected(StatusCode::NOT_FOUND, "no simulation has failed"),
            },
            (&Method::GET, "events") => stream::events(self.history.clone(), known),
            (&Method::GET, path) => match SCRIPTS.iter().find(|(name, _)| *name == path) {
                Some((_, script)) => text("text/javascript", script),
                None => rejected(StatusCode::NOT_FOUND, "there is no such page"),
            },
            (&Method::POST, "do") => {
                let body = match serving::collect(request.into_body(), LONGEST).await {
                    Ok(body) if body.len() <= LONGEST => body,
                    Ok(_) => {
                        return rejected(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
                    }
                    Err(error) => return rejected(StatusCode::REQUEST_TIMEOUT, &error.to_string()),
                };
                let order = match serde_json::from_slice(&body) {
                    Ok(order) => order,
                    Err(error) => {
                        return rejected(StatusCode::BAD_REQUEST, &format!("no order: {error}"));
                    }
                };
                json(&self.actions.execute(&self.history, &order).await)
            }
            _ => rejected(StatusCode::METHOD_NOT_ALLOWED, "this method is not served"),
        }
    }
}
