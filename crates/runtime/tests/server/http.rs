//! A client of the servers: one request per connection.
use std::{io, net::SocketAddr, sync::Arc};

use kube_codegen_runtime::server::Server;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ALL_VERSIONS, CipherSuite, ClientConfig, DigitallySignedStruct, Error, ProtocolVersion,
        SignatureScheme, SupportedProtocolVersion,
        client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        crypto::ring::default_provider,
        pki_types::{CertificateDer, ServerName, UnixTime},
    },
};

/// A running server. It stops when this is dropped.
pub struct Running {
    pub address: SocketAddr,
    pub stop: oneshot::Sender<()>,
    pub ended: tokio::task::JoinHandle<()>,
}

/// Starts a server on a free port.
pub async fn start(server: Server) -> Running {
    let listening = server.bind().await.unwrap();
    let address = listening.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(listening.serve(async move { drop(stopped.await) }));
    Running {
        address,
        stop,
        ended,
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    pub body: String,
}

/// Gets a path over plain HTTP.
pub async fn get(address: SocketAddr, path: &str) -> Answer {
    request(TcpStream::connect(address).await.unwrap(), "GET", path, "").await
}

/// Gets a path over TLS, with further header lines, and returns the server's certificate too.
pub async fn get_tls(
    address: SocketAddr,
    path: &str,
    headers: &str,
) -> (Answer, CertificateDer<'static>) {
    let stream = connect(address, ALL_VERSIONS).await.unwrap();
    let certificate = stream.get_ref().1.peer_certificates().unwrap()[0]
        .clone()
        .into_owned();
    (request(stream, "GET", path, headers).await, certificate)
}

/// Agrees on a version and a suite with a client that has these versions.
pub async fn handshake(
    address: SocketAddr,
    versions: &[&'static SupportedProtocolVersion],
) -> io::Result<(ProtocolVersion, CipherSuite)> {
    let stream = connect(address, versions).await?;
    let connection = stream.get_ref().1;
    let suite = connection.negotiated_cipher_suite().unwrap().suite();
    Ok((connection.protocol_version().unwrap(), suite))
}

async fn connect(
    address: SocketAddr,
    versions: &[&'static SupportedProtocolVersion],
) -> io::Result<TlsStream<TcpStream>> {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate))
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

pub async fn request(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    method: &str,
    path: &str,
    headers: &str,
) -> Answer {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_lowercase(),
        body: body.to_owned(),
    }
}

/// Accepts any certificate: the tests compare them.
#[derive(Debug)]
struct AnyCertificate;

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}
