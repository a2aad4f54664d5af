//! The server as the tower service under a `kube::Client`: requests in process, without a socket.
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http::{Request, Response};
use kube::client::Body;
use tower::{BoxError, Service};

use super::Shared;
use super::request::collect;
use super::serve::{self, serve};

/// The in-memory API server as a [`Service`], to be put under layers of one's own before [`kube::Client::new`].
#[derive(Clone, Debug)]
pub struct ApiService(pub(super) Arc<Shared>);

impl Service<Request<Body>> for ApiService {
    type Response = Response<serve::Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let shared = self.0.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = collect(body).await?;
            Ok(serve(shared, parts, body).await?)
        })
    }
}
