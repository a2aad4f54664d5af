//! The program `kube-apiserver`: the API server in memory, with the flags that envtest gives.

use std::{
    fs,
    future::pending,
    net::{IpAddr, SocketAddr},
    path::Path,
};

use kube_codegen_testing::{ApiServer, Tls, User};
use tokio::runtime;

use super::{Flags, end_with_parent};

/// The flags that have an effect.
const USED: [&str; 8] = [
    "authorization-mode",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "secure-port",
    "tls-cert-file",
    "tls-private-key-file",
    "token-auth-file",
];
/// Flags of envtest that need no effect: nothing in memory depends on them.
const SATISFIED: [&str; 9] = [
    "advertise-address",
    "allow-privileged",
    "disable-admission-plugins",
    "etcd-servers",
    "insecure-port",
    "service-account-issuer",
    "service-account-key-file",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
];

pub(super) fn run(flags: &Flags) -> Result<(), String> {
    if flags.help(
        "Serves the Kubernetes API from memory, as kube-apiserver does for envtest.",
        &USED,
    ) {
        return Ok(());
    }
    let others = flags.others(&[&USED, &SATISFIED]);
    if !others.is_empty() {
        eprintln!(
            "warning: these flags have no effect on the API server in memory: --{}",
            others.join(", --")
        );
    }
    end_with_parent();
    let runtime = runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start threads: {error}"))?;
    runtime.block_on(serve(flags))
}

async fn serve(flags: &Flags) -> Result<(), String> {
    let tls = certificates(flags)?;
    let mut builder = ApiServer::builder().envtest().authority(tls.authority());
    if flags
        .get("authorization-mode")
        .is_some_and(|modes| modes.contains("RBAC"))
    {
        builder = builder.authorization();
    }
    let server = builder.build();
    server.set_request_limit(0);
    if let Some(file) = flags.get("token-auth-file") {
        tokens(&server, &read(file)?);
    }
    let ip = flags.get("bind-address").unwrap_or("127.0.0.1");
    let ip: IpAddr = ip
        .parse()
        .map_err(|error| format!("--bind-address={ip}: {error}"))?;
    let port = flags.get("secure-port").unwrap_or("6443");
    let port: u16 = port
        .parse()
        .map_err(|error| format!("--secure-port={port}: {error}"))?;
    let address = SocketAddr::new(ip, port);
    let listens = server.listen_tls_on(address, &tls).await;
    listens.map_err(|error| {
        format!("cannot listen at {address} (--bind-address, --secure-port): {error}")
    })?;
    // Until a signal ends the process.
    pending().await
}

/// Returns the certificates of the server and of its clients; new ones without a directory or files.
fn certificates(flags: &Flags) -> Result<Tls, String> {
    let folder = flags.get("cert-dir").map(Path::new);
    let inside = |name: &str| Some(folder?.join(name)).filter(|it| it.is_file());
    let file = |flag, name| flags.get(flag).map(Into::into).or_else(|| inside(name));
    let certificate = file("tls-cert-file", "apiserver.crt");
    let key = file("tls-private-key-file", "apiserver.key");
    let (Some(certificate), Some(key)) = (certificate, key) else {
        return Tls::new().map_err(|error| format!("cannot create a certificate: {error}"));
    };
    let authority = flags
        .get("client-ca-file")
        .map_or(Ok(String::new()), read)?;
    let tls = Tls::from_pem(&read(&certificate)?, &read(&key)?, &authority);
    tls.map_err(|error| {
        let (certificate, key) = (certificate.display(), key.display());
        format!("the certificates {certificate} and {key}, or that of --client-ca-file, cannot be used: {error}")
    })
}

/// Adds the tokens of a file whose lines are `TOKEN,USER,UID,"GROUPS"`.
fn tokens(server: &ApiServer, text: &str) {
    for line in text.lines() {
        let mut fields = line.splitn(4, ',').map(str::trim);
        if let (Some(token), Some(name)) = (fields.next(), fields.next()) {
            let groups = fields
                .nth(1)
                .unwrap_or_default()
                .trim_matches('"')
                .split(',');
            let groups = groups.map(str::trim).filter(|it| !it.is_empty());
            server.add_token(token, groups.fold(User::new(name), User::group));
        }
    }
}

fn read(path: impl AsRef<Path>) -> Result<String, String> {
    let path = path.as_ref();
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
