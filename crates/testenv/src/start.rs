//! Starts the processes of a control plane on free ports.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    sync::Arc,
    time::Duration,
};

use futures::FutureExt as _;
use http::Request;
use k8s_openapi::api::core::v1::{Node, ServiceAccount};
use kube::{Api, Client, api::ListParams};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::time::timeout;

use crate::{
    assets::{Program, Programs},
    component::{Component, Probe},
    error::Error,
    identity::Identity,
    kubeconfig::{secret, with_token, without_retry, write},
    reaper::Reaper,
    recording::POLICY,
    wait::eventually,
};

/// The processes of a control plane, in the order in which they are dropped.
pub(crate) struct Own {
    pub(crate) controllers: Option<Component>,
    pub(crate) api_server: Component,
    pub(crate) etcd: Component,
    pub(crate) etcd_config: kube::Config,
    api_server_program: Program,
    api_server_args: Vec<String>,
    config: kube::Config,
}

impl Own {
    /// Starts another API server on the same etcd, and returns the administrator's configuration for it.
    pub(crate) async fn second_api_server(
        &self,
        reaper: &Arc<Reaper>,
    ) -> Result<(Component, kube::Config), Error> {
        let port = free_port()?;
        let args = self.api_server_args.iter();
        let args = args.map(|arg| {
            if arg.starts_with("--secure-port=") {
                format!("--secure-port={port}")
            } else if arg.starts_with("--audit-log-path=") {
                "--audit-log-path=logs/audit-2.log".to_owned()
            } else {
                arg.clone()
            }
        });
        let mut config = self.config.clone();
        config.cluster_url = local(&format!("https://127.0.0.1:{port}"))?.cluster_url;
        let component = Component::start(
            "kube-apiserver-2",
            &self.api_server_program,
            args.collect(),
            probe(&config, "/readyz"),
            reaper,
        )?;
        component.ready().await?;
        Ok((component, config))
    }
}

/// Starts everything and returns the administrator's configuration.
pub(crate) async fn start(
    programs: &Programs,
    nodes: usize,
    extra_args: &[String],
    reaper: &Arc<Reaper>,
) -> Result<(Own, kube::Config), Error> {
    // Another process may take a port between its choice and its use.
    let mut left = 3;
    loop {
        left -= 1;
        match try_start(programs, nodes, extra_args, reaper).await {
            Err(Error::Exited { log, .. })
                if left > 0 && log.contains("address already in use") =>
            {
                fs::remove_dir_all(reaper.folder().join("etcd"))
                    .map_err(Error::io("etcd's folder"))?;
            }
            result => return result,
        }
    }
}

async fn try_start(
    programs: &Programs,
    nodes: usize,
    extra_args: &[String],
    reaper: &Arc<Reaper>,
) -> Result<(Own, kube::Config), Error> {
    let identity = Identity::new()?;
    let folder = reaper.folder();
    for (name, text) in [
        ("ca.crt", identity.ca_pem),
        ("server.crt", identity.server_certificate.pem()),
        ("server.key", identity.server_key.serialize_pem()),
        ("audit.yaml", POLICY.to_owned()),
        ("account.key", identity.account_key),
        ("account.pub", identity.account_public_key),
        (
            "tokens.csv",
            format!("{},admin,admin,\"system:masters\"\n", identity.token),
        ),
    ] {
        secret(&folder.join(name), &text)?;
    }

    let (client_port, peer_port, server_port) = (free_port()?, free_port()?, free_port()?);
    let etcd_config = local(&format!("http://127.0.0.1:{client_port}"))?;
    let etcd = Component::start(
        "etcd",
        &programs.etcd,
        etcd_args(client_port, peer_port),
        probe(&etcd_config, "/health"),
        reaper,
    )?;
    etcd.ready().await?;

    let mut config = local(&format!("https://127.0.0.1:{server_port}"))?;
    config.root_cert = Some(vec![identity.ca_der]);
    let config = with_token(&config, &identity.token)?;
    let mut args = api_server_args(client_port, server_port);
    if programs.controllers.is_none() {
        // No controller creates the service accounts that it requires.
        args.push("--disable-admission-plugins=ServiceAccount".to_owned());
    }
    args.extend_from_slice(extra_args);
    let api_server = Component::start(
        "kube-apiserver",
        &programs.api_server,
        args.clone(),
        probe(&config, "/readyz"),
        reaper,
    )?;

    let kubeconfig = write(
        folder.join("controllers.kubeconfig"),
        &config,
        &identity.token,
        "default",
    )?;
    let controllers = programs.controllers.as_ref().map(|program| {
        let args = vec![
            format!("--kubeconfig={}", kubeconfig.display()),
            "--root-ca-file=ca.crt".to_owned(),
            format!("--nodes={}", nodes),
        ];
        Component::start(
            "controllers",
            program,
            args,
            populated(&config, nodes),
            reaper,
        )
    });
    let controllers = controllers.transpose()?;
    api_server.ready().await?;
    if let Some(controllers) = &controllers {
        controllers.ready().await?;
    }
    Ok((
        Own {
            controllers,
            api_server,
            etcd,
            etcd_config,
            api_server_program: programs.api_server.clone(),
            api_server_args: args,
            config: config.clone(),
        },
        config,
    ))
}

fn etcd_args(client: u16, peer: u16) -> Vec<String> {
    let (client, peer) = (
        format!("http://127.0.0.1:{client}"),
        format!("http://127.0.0.1:{peer}"),
    );
    vec![
        "--name=testenv".to_owned(),
        "--data-dir=etcd".to_owned(),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=testenv={peer}"),
        // Tests kill the process, which loses no data; only a power failure would.
        "--unsafe-no-fsync=true".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

fn api_server_args(etcd: u16, port: u16) -> Vec<String> {
    vec![
        format!("--etcd-servers=http://127.0.0.1:{etcd}"),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        "--tls-cert-file=server.crt".to_owned(),
        "--tls-private-key-file=server.key".to_owned(),
        "--cert-dir=.".to_owned(),
        "--token-auth-file=tokens.csv".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        "--service-account-signing-key-file=account.key".to_owned(),
        "--service-account-key-file=account.pub".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/16".to_owned(),
        "--endpoint-reconciler-type=none".to_owned(),
        "--allow-privileged=true".to_owned(),
        "--audit-policy-file=audit.yaml".to_owned(),
        "--audit-log-path=logs/audit.log".to_owned(),
        // One file: only the newest requests are drawn.
        "--audit-log-maxsize=100".to_owned(),
        "--audit-log-maxbackup=1".to_owned(),
    ]
}

/// Returns a configuration for a local server that ignores proxies in the environment.
fn local(url: &str) -> Result<kube::Config, Error> {
    let url = url
        .parse()
        .map_err(|_| Error::io(url)(std::io::ErrorKind::InvalidInput.into()))?;
    Ok(kube::Config::new(url))
}

/// Checks that a GET of `path` succeeds.
fn probe(config: &kube::Config, path: &'static str) -> Probe {
    check(config, move |client| async move {
        let request = Request::get(path)
            .body(Vec::new())
            .map_err(kube::Error::HttpError)?;
        client.request_text(request).await.map(|_| Ok(()))
    })
}

/// Checks that Pods can be created in the namespace `default`, and that all nodes exist.
fn populated(config: &kube::Config, nodes: usize) -> Probe {
    check(config, move |client| async move {
        Api::<ServiceAccount>::default_namespaced(client.clone())
            .get("default")
            .await?;
        let seen = Api::<Node>::all(client)
            .list_metadata(&ListParams::default())
            .await?
            .items
            .len();
        Ok(if seen == nodes {
            Ok(())
        } else {
            Err(format!("{seen} nodes of {nodes}"))
        })
    })
}

fn check<F>(config: &kube::Config, check: impl Fn(Client) -> F + Send + Sync + 'static) -> Probe
where
    F: Future<Output = Result<Result<(), String>, kube::Error>> + Send + 'static,
{
    let config = without_retry(config);
    Box::new(move || {
        // A client is bound to an async runtime, and each test has its own.
        let seen = Client::try_from(config.clone()).map(&check);
        async move {
            match timeout(Duration::from_secs(5), seen.map_err(|e| e.to_string())?).await {
                Ok(seen) => seen.map_err(|e| e.to_string())?,
                Err(_) => Err("no answer".to_owned()),
            }
        }
        .boxed()
    })
}

/// Returns a free port below the range of outgoing connections, so that it stays free while a killed component restarts.
fn free_port() -> Result<u16, Error> {
    let random = SystemRandom::new();
    for _ in 0..1000 {
        let mut bytes = [0; 2];
        if random.fill(&mut bytes).is_err() {
            break;
        }
        let port = 15_000 + u16::from_ne_bytes(bytes) % 17_000;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err(Error::io("free port on 127.0.0.1")(
        std::io::ErrorKind::AddrInUse.into(),
    ))
}

/// Compacts etcd at its newest revision and returns that revision.
pub(crate) async fn compact(etcd: &kube::Config) -> Result<u64, Error> {
    let client = Client::try_from(etcd.clone())?;
    let call = async |path: &str, body: serde_json::Value| {
        let request = Request::post(path)
            .body(body.to_string().into_bytes())
            .map_err(kube::Error::HttpError)?;
        client.request::<serde_json::Value>(request).await
    };
    // The key of one zero byte does not exist, but the response header has the revision.
    let header = call("/v3/kv/range", serde_json::json!({ "key": "AA==" })).await?;
    let revision = &header["header"]["revision"];
    call(
        "/v3/kv/compaction",
        serde_json::json!({ "revision": revision, "physical": true }),
    )
    .await?;
    let revision = revision.as_str().and_then(|revision| revision.parse().ok());
    revision.ok_or_else(|| Error::io("etcd's revision")(std::io::ErrorKind::InvalidData.into()))
}

/// Waits until Pods can be created in a new namespace.
pub(crate) async fn account_exists(client: &Client, namespace: &str) -> Result<(), Error> {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
    let what = format!("ServiceAccount {namespace}/default");
    eventually(&what, Duration::from_secs(60), async || {
        accounts.get("default").await.map(|_| ())
    })
    .await
}
