//! Clients that notice dead connections.
use std::time::Duration;

use http::{HeaderValue, Request, Response, Uri};
use http_body_util::BodyExt;
use hyper_timeout::TimeoutConnector;
use hyper_util::{
    client::legacy::{Client as HyperClient, connect::HttpConnector},
    rt::TokioExecutor,
};
use kube::{
    Client, Config,
    client::{AuthError, Body, ClientBuilder, ConfigExt, DynBody, retry::RetryPolicy},
};
use tower::{BoxError, ServiceBuilder, ServiceExt, retry::RetryLayer, util::BoxService};

use super::{token::Renewing, warnings};
use crate::panics;

/// A request without a response. The errors of the connection do not show which server it was.
#[derive(Debug, thiserror::Error)]
#[error("no response from {url}")]
struct NoResponse {
    url: Uri,
    source: BoxError,
}

/// The time without a sign of life after which a connection counts as dead. In client-go, it is 45 s.
pub const DEAD_AFTER: Duration = Duration::from_secs(40);

/// The same service as of kube's `ClientBuilder::try_from`.
type Service = BoxService<Request<Body>, Response<Box<DynBody>>, BoxError>;

/// Connects to the API server of `config`. The client closes connections that have been dead for [`DEAD_AFTER`], logs each distinct
/// warning of the API server once, and reads a token file again when the server rejects its token, for example after a rotation.
///
/// A connection is dead if the other end vanished without closing it, such as a node or a load balancer that lost its power or its state.
/// `kube::Client` does not notice this: a watch hangs until it times out minutes later, and other requests hang for ever.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let config = kube::Config::infer().await?;
/// let client = kube_codegen_runtime::client::connect(config)?;
/// # Ok(()) }
/// ```
pub fn connect(config: Config) -> kube::Result<Client> {
    Ok(builder(config, DEAD_AFTER)?.build())
}

/// Like [`connect`], but returns a builder to which you can add layers, and takes the time limit: one second to nine hours.
///
/// TCP starts to probe a silent connection after half of `dead_after`; on Linux, it gives up unacknowledged data after `dead_after`.
/// Through a proxy (`config.proxy_url`), this has no effect because the proxy answers the probes.
pub fn builder(config: Config, dead_after: Duration) -> kube::Result<ClientBuilder<Service>> {
    if config.proxy_url.is_some() {
        return with_credentials(|| ClientBuilder::try_from(config));
    }
    let mut connector =
        TimeoutConnector::new(config.rustls_https_connector_with_connector(tcp(dead_after))?);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector.set_reset_reader_on_write(config.reset_reader_on_write);
    let hyper: HyperClient<_, Body> = HyperClient::builder(TokioExecutor::new()).build(connector);
    let hyper = Renewing::new(hyper, &config.auth_info);

    let retry = config
        .default_retry
        .then(|| RetryLayer::new(RetryPolicy::server_retry()));
    let url = config.cluster_url.clone();
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(retry)
        .option_layer(with_credentials(|| config.auth_layer())?)
        .layer(config.extra_headers_layer()?)
        .map_err(move |source| {
            let (url, source) = (url.clone(), BoxError::from(source));
            BoxError::from(NoResponse { url, source })
        })
        .service(hyper);
    let service = service.map_response(|response: Response<_>| {
        warnings::log(response.headers());
        response.map(|body| Box::new(BodyExt::map_err(body, BoxError::from)) as Box<DynBody>)
    });
    Ok(ClientBuilder::new(
        service.boxed(),
        config.default_namespace,
    ))
}

/// Calls a function of kube that panics if a token of the configuration, of a file or of an exec plugin cannot be sent: for example because
/// it ends with a line break. The message of the panic is left out, since it might contain the token.
fn with_credentials<T>(make: impl FnOnce() -> kube::Result<T>) -> kube::Result<T> {
    panics::catch(make).unwrap_or_else(|_| {
        let other = || AuthError::AuthExec("the token cannot be sent in a header".to_owned());
        // The value that only this error describes: a line break.
        let invalid = HeaderValue::from_bytes(b"\n").err();
        let error = invalid.map_or_else(other, AuthError::InvalidBearerToken);
        Err(kube::Error::Auth(error))
    })
}

fn tcp(dead_after: Duration) -> HttpConnector {
    /// The unit of the kernel's timers.
    const SECOND: Duration = Duration::from_secs(1);
    /// The longest time before a probe that Linux accepts. It rejects a longer one, and then sends no probes at all.
    const LONGEST: Duration = Duration::from_secs(32_767);
    let dead_after = dead_after.clamp(SECOND, LONGEST);
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_keepalive(Some((dead_after / 2).max(SECOND)));
    tcp.set_keepalive_interval(Some((dead_after / 8).max(SECOND)));
    tcp.set_keepalive_retries(Some(4));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(dead_after));
    tcp
}
