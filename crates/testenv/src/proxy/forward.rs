//! In: one request. Out: its answer from the API server, spoilt if a rule says so. Never a retry.

use std::{io, sync::Arc};

use bytes::Bytes;
use futures::stream::BoxStream;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyDataStream, BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use kube::{Client, client::Body, config::AuthInfo};
use tokio::time::sleep;

use super::{Fault, Seen, rule::Rules, transform::transform};
use crate::{error::Error, kubeconfig::without_retry};

type Answer = Response<StreamBody<BoxStream<'static, Result<Frame<Bytes>, io::Error>>>>;

/// Headers that concern one connection, not the request (RFC 9110, section 7.6.1), and the host, which is another.
const OF_THE_CONNECTION: [header::HeaderName; 7] = [
    header::CONNECTION,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::CONTENT_LENGTH,
];

/// The way to the API server, with the rules.
pub(super) struct Upstream {
    /// Shows the administrator's rights.
    admin: Client,
    /// Hands on what the client shows.
    plain: Client,
    /// What the administrator's clients show to the proxy.
    secret: HeaderValue,
    rules: Arc<Rules>,
}

impl Upstream {
    pub(super) fn new(
        config: &kube::Config,
        token: &str,
        rules: Arc<Rules>,
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
        })
    }

    /// An error ends the connection without an answer.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Answer, io::Error> {
        let seen = Seen::new(request.method().clone(), request.uri().clone());
        let (fault, cut) = self.rules.on(&seen);
        if let Some(answer) = fault.as_ref().and_then(Fault::answer) {
            return Ok(whole(answer));
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
            StreamBody::new(Box::pin(transform(body, fault.clone(), cut)) as BoxStream<'static, _>),
        );
        clean(answer.headers_mut());
        Ok(answer)
    }

    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Body>, io::Error> {
        let (mut parts, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        clean(&mut parts.headers);
        let upstream = if parts.headers.get(header::AUTHORIZATION) == Some(&self.secret) {
            parts.headers.remove(header::AUTHORIZATION);
            &self.admin
        } else {
            &self.plain
        };
        let answer = upstream
            .send(Request::from_parts(parts, Body::from(body.to_vec())))
            .await;
        // The API server is down: so is the proxy, as far as its client can see.
        answer.map_err(io::Error::other)
    }
}

fn clean(headers: &mut HeaderMap) {
    for name in OF_THE_CONNECTION {
        headers.remove(name);
    }
}

fn whole(answer: Response<Bytes>) -> Answer {
    answer.map(|body| {
        StreamBody::new(
            Box::pin(futures::stream::iter([Ok(Frame::data(body))])) as BoxStream<'static, _>
        )
    })
}
