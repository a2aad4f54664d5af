//! Watches over WebSocket (RFC 6455), as browsers and the Java client of fabric8 open them.
//!
//! The request is that of any watch, with the headers of a handshake. The answer to it has one event per line; over WebSocket, each line is
//! a message. An answer that is no watch, such as an error, is sent as it is. See `WatchServer.HandleWS` in kube-apiserver's
//! `endpoints/handlers/watch.go`.

use std::pin::pin;

use bytes::{Bytes, BytesMut};
use futures::{SinkExt as _, StreamExt as _, future::BoxFuture};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Either, Full};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Utf8Bytes,
        handshake::derive_accept_key,
        protocol::{CloseFrame, Message, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};

use crate::routing::Watch;

/// The version of the protocol in RFC 6455.
const VERSION: &str = "13";
/// The longest message of a client, which has nothing to say.
const LONGEST: usize = 1 << 16;

/// What a client wants that asks for a WebSocket.
pub(super) struct Handshake {
    upgrade: OnUpgrade,
    headers: HeaderMap,
}

/// What happens on the connection after its last answer.
pub(super) type Session = BoxFuture<'static, ()>;

impl Handshake {
    /// Returns the handshake of a request; none if it has none.
    pub(super) fn of<B>(request: &mut Request<B>) -> Option<Self> {
        let headers = request.headers();
        let asks = |name, word: &str| {
            let values = headers.get_all(name).into_iter();
            let mut words = values
                .filter_map(|it| it.to_str().ok())
                .flat_map(|it| it.split(','));
            words.any(|it| it.trim().eq_ignore_ascii_case(word))
        };
        if !asks(header::CONNECTION, "upgrade") || !asks(header::UPGRADE, "websocket") {
            return None;
        }
        Some(Self {
            headers: headers.clone(),
            upgrade: hyper::upgrade::on(request),
        })
    }

    /// Returns the answer to the handshake, and what follows it.
    pub(super) fn answer<B>(
        self,
        response: Response<B>,
    ) -> (Response<Either<B, Full<Bytes>>>, Option<Session>)
    where
        B: Body<Data = Bytes, Error: Send> + Send + 'static,
    {
        if response.extensions().get::<Watch>().is_none() {
            return (response.map(Either::Left), None);
        }
        let header = |name| self.headers.get(name);
        if header(header::SEC_WEBSOCKET_VERSION).is_none_or(|it| it != VERSION) {
            let mut rejected = plain(StatusCode::BAD_REQUEST, "missing or bad WebSocket Version");
            let version = HeaderValue::from_static(VERSION);
            rejected
                .headers_mut()
                .insert(header::SEC_WEBSOCKET_VERSION, version);
            return (rejected, None);
        }
        let Some(key) = header(header::SEC_WEBSOCKET_KEY) else {
            let rejected = plain(StatusCode::BAD_REQUEST, "challenge not found");
            return (rejected, None);
        };
        // Any origin will do, as for kube-apiserver, but not none.
        if header(header::ORIGIN).is_none() {
            return (plain(StatusCode::FORBIDDEN, ""), None);
        }
        let mut accepted = plain(StatusCode::SWITCHING_PROTOCOLS, "");
        let headers = accepted.headers_mut();
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        if let Ok(key) = HeaderValue::from_str(&derive_accept_key(key.as_bytes())) {
            headers.insert(header::SEC_WEBSOCKET_ACCEPT, key);
        }
        if let Some(protocol) = header(header::SEC_WEBSOCKET_PROTOCOL) {
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, protocol.clone());
        }
        let session = session(self.upgrade, response.into_body());
        (accepted, Some(Box::pin(session)))
    }
}

fn plain<B>(code: StatusCode, message: &'static str) -> Response<Either<B, Full<Bytes>>> {
    let mut response = Response::new(Either::Right(Full::from(message)));
    *response.status_mut() = code;
    response
}

/// Sends each line of a body as a message, until the body or the client ends.
async fn session<B: Body<Data = Bytes>>(upgrade: OnUpgrade, body: B) {
    let Ok(upgraded) = upgrade.await else {
        return;
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST));
    let stream = TokioIo::new(upgraded);
    let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    let (mut body, mut rest) = (pin!(body), BytesMut::new());
    loop {
        if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line = rest.split_to(end + 1).freeze();
            // Not JSON: protobuf has no lines, and this server sends none.
            let Ok(line) = Utf8Bytes::try_from(line) else {
                return;
            };
            if socket.send(Message::Text(line)).await.is_err() {
                return;
            }
            continue;
        }
        tokio::select! {
            frame = body.frame() => match frame {
                Some(Ok(frame)) => rest.extend(frame.into_data().unwrap_or_default()),
                // The watch broke, and so does the connection.
                Some(Err(_)) => return,
                None => {
                    let reason = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::default() };
                    let _gone = socket.close(Some(reason)).await;
                    return;
                }
            },
            // Pings are answered by reading on; anything else is ignored, as by kube-apiserver.
            received = socket.next() => if !matches!(received, Some(Ok(_))) { return },
        }
    }
}
