//! Forwards one request to the API server and applies the fault of a matching rule to the response.

use std::{io, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::stream::BoxStream;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyDataStream, BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use kube::{Client, client::Body, config::AuthInfo};
use tokio::time::{sleep, timeout};

use super::{
    Fault, RecordedRequest, connection::Connection, fault, rule::Rules, transform::transform,
};
use crate::{error::Error, kubeconfig::without_retry, reaper::Reaper};

/// How long a client may take for the body of a request.
const BODY: Duration = Duration::from_secs(60);

pub(super) type Answer = Response<StreamBody<BoxStream<'static, Result<Frame<Bytes>, io::Error>>>>;

/// Headers of one connection (RFC 9110, section 7.6.1), and the host.
const HOP_BY_HOP: [header::HeaderName; 7] = [
    header::CONNECTION,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::CONTENT_LENGTH,
];

/// The API server and the rules.
pub(super) struct Upstream {
    /// Sends the administrator's token.
    admin: Client,
    /// Forwards the client's token.
    plain: Client,
    /// The `Authorization` header that the administrator's clients send to the proxy.
    secret: HeaderValue,
    rules: Arc<Rules>,
    reaper: Arc<Reaper>,
}

impl Upstream {
    pub(super) fn new(
        config: &kube::Config,
        token: &str,
        rules: Arc<Rules>,
        reaper: Arc<Reaper>,
    ) -> Result<Self, Error> {
        let mut admin = without_retry(config);
        admin.read_timeout = None;
        let mut plain = admin.clone();
        plain.auth_info = AuthInfo::default();
        let secret = HeaderValue::from_str(&format!("Bearer {token}"));
        let secret = secret.map_err(|_| Error::io("token")(io::ErrorKind::InvalidInput.into()))?;
        Ok(Self {
            admin: Client::try_from(admin)?,
            plain: Client::try_from(plain)?,
            secret,
            rules,
            reaper,
        })
    }

    /// Answers one request; an error closes the connection without a response.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Connection,
    ) -> Result<Answer, io::Error> {
        let recorded = RecordedRequest::new(request.method().clone(), request.uri().clone());
        let (fault, signal) = self.rules.on(&recorded);
        if let Some(fault) = &fault {
            let RecordedRequest { method, uri } = &recorded;
            let text = format!("{fault:?}: {method} {}", uri.path());
            self.reaper.recording().fault(text);
        }
        let token = request.headers().get(header::AUTHORIZATION);
        if token.is_some_and(|token| self.rules.has_expired(token)) {
            return Ok(full(fault::unauthorized()));
        }
        if let Some(answer) = fault.as_ref().and_then(Fault::answer) {
            return Ok(full(answer));
        }
        match &fault {
            Some(Fault::Refuse) => return Err(io::ErrorKind::ConnectionReset.into()),
            Some(Fault::Delay(time)) => sleep(*time).await,
            _ => {}
        }
        let (parts, body) = self.forward(request).await?.into_parts();
        let body = Box::pin(BodyDataStream::new(body));
        let mut answer = Response::from_parts(
            parts,
            StreamBody::new(
                Box::pin(transform(body, fault, signal, connection)) as BoxStream<'static, _>
            ),
        );
        remove_hop_by_hop(answer.headers_mut());
        Ok(answer)
    }

    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Body>, io::Error> {
        let (mut parts, body) = request.into_parts();
        let body = timeout(BODY, body.collect()).await?;
        let body = body.map_err(io::Error::other)?.to_bytes();
        remove_hop_by_hop(&mut parts.headers);
        let upstream = if parts.headers.get(header::AUTHORIZATION) == Some(&self.secret) {
            parts.headers.remove(header::AUTHORIZATION);
            &self.admin
        } else {
            &self.plain
        };
        let answer = upstream
            .send(Request::from_parts(parts, Body::from(body.to_vec())))
            .await;
        // If the API server is down, so is the proxy for its clients.
        answer.map_err(io::Error::other)
    }
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

pub(super) fn full(answer: Response<Bytes>) -> Answer {
    answer.map(|body| {
        StreamBody::new(
            Box::pin(futures::stream::iter([Ok(Frame::data(body))])) as BoxStream<'static, _>
        )
    })
}
