//! Reads a token file again as soon as the API server rejects its token: a service account token is rotated, and kube keeps it for a minute.
use std::{
    fs,
    sync::Arc,
    task::{Context, Poll},
};

use futures::{TryFutureExt, future::BoxFuture};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header::AUTHORIZATION};
use kube::{client::Body, config::AuthInfo};
use parking_lot::Mutex;
use tower::{BoxError, Service, ServiceExt};

/// A service below the one that adds the token to requests.
#[derive(Clone)]
pub(super) struct Renewing<S> {
    inner: S,
    file: Option<Arc<TokenFile>>,
}

struct TokenFile {
    path: String,
    /// The rejected header that kube still sends, and what replaces it.
    renewed: Mutex<Option<(HeaderValue, HeaderValue)>>,
}

impl<S> Renewing<S> {
    pub(super) fn new(inner: S, auth: &AuthInfo) -> Self {
        let path = auth.token_file.clone().filter(|_| auth.token.is_none());
        let file = path.map(|path| {
            Arc::new(TokenFile {
                path,
                renewed: Mutex::default(),
            })
        });
        Self { inner, file }
    }
}

impl<S, B> Service<Request<Body>> for Renewing<S>
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Send + 'static,
{
    type Response = Response<B>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<B>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // A clone of the inner service becomes ready for each attempt.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (inner, file) = (self.inner.clone(), self.file.clone());
        // A streamed body cannot be sent twice.
        let (Some(file), Some(again)) = (file, request.body().try_clone()) else {
            return Box::pin(inner.oneshot(request).map_err(Into::into));
        };
        Box::pin(async move {
            let (mut head, body) = request.into_parts();
            file.replace_rejected(&mut head.headers);
            let first = inner.clone();
            let sent = first.oneshot(Request::from_parts(head.clone(), body));
            let response = sent.await.map_err(Into::into)?;
            if response.status() != StatusCode::UNAUTHORIZED || !file.renew(&mut head.headers) {
                return Ok(response);
            }
            let sent = inner.oneshot(Request::from_parts(head, again));
            sent.await.map_err(Into::into)
        })
    }
}

impl TokenFile {
    /// Replaces a header that was rejected before.
    fn replace_rejected(&self, headers: &mut HeaderMap) {
        if let Some((rejected, renewed)) = &*self.renewed.lock()
            && headers.get(AUTHORIZATION) == Some(rejected)
        {
            headers.insert(AUTHORIZATION, renewed.clone());
        }
    }

    /// Replaces a header that has just been rejected. Returns `false` if the file has the same token.
    fn renew(&self, headers: &mut HeaderMap) -> bool {
        let Ok(token) = fs::read_to_string(&self.path) else {
            return false;
        };
        let Ok(mut header) = HeaderValue::try_from(format!("Bearer {}", token.trim())) else {
            return false;
        };
        header.set_sensitive(true);
        let is_bearer = |rejected: &HeaderValue| rejected.as_bytes().starts_with(b"Bearer ");
        let rejected = headers.insert(AUTHORIZATION, header.clone());
        let Some(rejected) = rejected.filter(|rejected| is_bearer(rejected) && *rejected != header)
        else {
            return false;
        };
        *self.renewed.lock() = Some((rejected, header));
        true
    }
}
