//! Calls webhooks over HTTP and HTTPS.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

use super::chain;
use crate::values::object::{at, text};

/// Where a webhook is.
struct Endpoint {
    is_secure: bool,
    /// The name that the certificate has, with the port.
    authority: String,
    /// Where the connection goes.
    address: String,
    path: String,
}

/// Sends a review to the webhook of a `clientConfig` and returns the answer; the error is the reason as Go's client gives it. `services` is
/// the address of webhooks that are configured by their Service.
pub(crate) async fn post(
    services: SocketAddr,
    config: &Value,
    review: &Value,
    seconds: u64,
) -> Result<Value, String> {
    let endpoint = endpoint(services, config)?;
    let Endpoint {
        authority, path, ..
    } = &endpoint;
    let scheme = if endpoint.is_secure { "https" } else { "http" };
    let failed =
        |why: String| format!("Post \"{scheme}://{authority}{path}?timeout={seconds}s\": {why}");
    let stream = connect(&endpoint.address).await.map_err(failed)?;
    let request = Request::post(format!("{path}?timeout={seconds}s"))
        .header(header::HOST, authority)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .body(Full::from(review.to_string()))
        .map_err(|error| failed(error.to_string()))?;
    let answer = if endpoint.is_secure {
        let bundle = at(config, "/caBundle");
        let stream = secure(stream, authority, bundle).await.map_err(failed)?;
        send(stream, request).await
    } else {
        send(stream, request).await
    };
    let (code, body) = answer.map_err(|error| failed(chain(&error)))?;
    let text = String::from_utf8_lossy(&body);
    match code {
        200..=299 => serde_json::from_slice(&body)
            .map_err(|error| format!("couldn't get version/kind; json parse error: {error}")),
        404 => Err("the server could not find the requested resource".to_owned()),
        _ => Err(format!(
            "an error on the server ({text:?}) has prevented the request from succeeding"
        )),
    }
}

fn endpoint(services: SocketAddr, config: &Value) -> Result<Endpoint, String> {
    let url = text(config, "/url");
    if url.is_empty() {
        let service = at(config, "/service");
        let port = at(service, "/port").as_u64().unwrap_or(443);
        return Ok(Endpoint {
            is_secure: true,
            authority: format!(
                "{}.{}.svc:{port}",
                text(service, "/name"),
                text(service, "/namespace")
            ),
            address: services.to_string(),
            path: cleaned(text(service, "/path")),
        });
    }
    let uri: Uri = url.parse().map_err(|error| format!("{url}: {error}"))?;
    let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
    let is_secure = uri.scheme_str() != Some("http");
    let port = if is_secure { 443 } else { 80 };
    Ok(Endpoint {
        is_secure,
        address: match uri.port() {
            Some(_) => authority.clone(),
            None => format!("{authority}:{port}"),
        },
        authority,
        path: cleaned(uri.path()),
    })
}

/// Returns a path without empty and relative steps, as Go's client sends it.
fn cleaned(path: &str) -> String {
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    format!("/{}", steps.join("/"))
}

async fn connect(address: &str) -> Result<TcpStream, String> {
    TcpStream::connect(address).await.map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
            _ => error.to_string(),
        };
        format!("dial tcp {address}: connect: {why}")
    })
}

#[cfg(feature = "tls")]
async fn secure(
    stream: TcpStream,
    authority: &str,
    bundle: &Value,
) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static, String> {
    super::tls::connect(stream, authority, bundle).await
}

#[cfg(not(feature = "tls"))]
async fn secure(_: TcpStream, _: &str, _: &Value) -> Result<TcpStream, String> {
    std::future::ready(Err(
        "https needs the feature `tls` of kube-codegen-testing".to_owned()
    ))
    .await
}

/// Sends one request over a new connection.
async fn send<S>(stream: S, request: Request<Full<Bytes>>) -> Result<(u16, Bytes), hyper::Error>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let exchange = async {
        let answer = sender.send_request(request).await?;
        let code = answer.status().as_u16();
        Ok((code, answer.into_body().collect().await?.to_bytes()))
    };
    tokio::pin!(connection);
    tokio::pin!(exchange);
    let mut is_open = true;
    loop {
        tokio::select! {
            answer = &mut exchange => return answer,
            // The exchange reports why the connection ended.
            _ = &mut connection, if is_open => is_open = false,
        }
    }
}
