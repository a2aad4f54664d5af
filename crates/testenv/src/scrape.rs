//! Requests to the servers of an operator: health, metrics, debugging.

use kube::{Client, Config, client::Body};

use crate::Error;

/// Gets a path of an operator's server, such as `https://127.0.0.1:8443` and `/metrics`, and returns status code and body.
///
/// `token` is a bearer token; see [`ControlPlane::kubeconfig_for`](crate::ControlPlane::kubeconfig_for). Any certificate is accepted, since that of an
/// operator is usually self-signed.
///
/// ```no_run
/// # async fn example() -> Result<(), kube_codegen_testenv::Error> {
/// let (status, _) = kube_codegen_testenv::scrape("http://127.0.0.1:8081", "/readyz", None).await?;
/// assert_eq!(status, 200);
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// The URL or the path is invalid, or the server does not answer.
pub async fn scrape(url: &str, path: &str, token: Option<&str>) -> Result<(u16, String), Error> {
    let invalid = |error: http::Error| Error::Kube(kube::Error::HttpError(error));
    let url = url
        .parse::<http::Uri>()
        .map_err(|error| invalid(error.into()))?;
    let mut config = Config::new(url);
    config.accept_invalid_certs = true;
    config.auth_info.token = token.map(|token| token.to_owned().into());
    let request = http::Request::get(path)
        .body(Body::empty())
        .map_err(invalid)?;
    let response = Client::try_from(config)?.send(request).await?;
    let status = response.status().as_u16();
    let body = response.into_body().collect_bytes().await?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}
