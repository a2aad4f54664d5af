//! `kube-codegen-dev read-cluster`: prints CRDs and objects of the cluster of the kubeconfig for `kube-codegen`, which has no client. It
//! only reads, page by page.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    time::Duration,
};

use clap::Parser;
use http::{
    Request,
    header::{HeaderValue, USER_AGENT},
};
use kube::{Client, Config, api::ListParams, core::Status};
use serde_json::{Value, json};
use tokio::{runtime, time::sleep};

use crate::cluster::AGENT;

/// How often a request is sent again after an error that may pass.
const TRIES: u32 = 4;
/// How often in a row a list may expire: each time the server gives another token, or the list starts again.
const EXPIRED: u32 = 5;
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Print CRDs or objects of the cluster of the kubeconfig, for `kube-codegen`
///
/// Each line of the output is a JSON text.
#[derive(Debug, Parser)]
#[command(name = "kube-codegen-dev read-cluster", version)]
enum Args {
    /// Print the CRDs, one a line
    Crds,
    /// Print the objects of a kind, a page of the list a line, with the token to go on with
    Objects {
        /// The path of the list, such as `/apis/example.com/v1/widgets`
        path: String,
        /// Objects of a page
        #[arg(long, default_value_t = 500, value_name = "N")]
        limit: u32,
        /// Go on after the page that has this token
        #[arg(long, value_name = "TOKEN")]
        after: Option<String>,
    },
}

pub(super) fn run(args: impl Iterator<Item = OsString>) -> Result<(), String> {
    let args = Args::parse_from(args);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    runtime.block_on(async {
        let config = Config::infer()
            .await
            .map_err(|error| format!("no kubeconfig: {error}"))?;
        let url = config.cluster_url.to_string();
        let client = Client::try_from(config)
            .map_err(|error| format!("cannot use the kubeconfig: {error}"))?;
        let read = async {
            match args {
                Args::Crds => list(&client, CRDS, 100, None, crds).await,
                Args::Objects { path, limit, after } => {
                    list(&client, &path, limit, after, |page| line(&page)).await
                }
            }
        };
        match read.await {
            // Whoever reads this has seen enough.
            Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(Failure::Output(error)) => Err(format!("cannot write: {error}")),
            Err(Failure::Request(why)) => Err(format!("{}: {why}", url.trim_end_matches('/'))),
            Ok(()) => Ok(()),
        }
    })
}

enum Failure {
    Request(String),
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Prints the CRDs of a page, without what changes with each write.
fn crds(mut page: Value) -> io::Result<()> {
    for crd in page["items"].as_array_mut().into_iter().flatten() {
        crd["apiVersion"] = "apiextensions.k8s.io/v1".into();
        crd["kind"] = "CustomResourceDefinition".into();
        if let Some(metadata) = crd["metadata"].as_object_mut() {
            metadata.retain(|name, _| matches!(name.as_str(), "name" | "uid"));
        }
        line(crd)?;
    }
    Ok(())
}

fn line(value: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{value}")?;
    out.flush()
}

/// Reads all pages of a list. A page has `items`, and if it is not the last one `continue` and, as far as the server knows it,
/// `remaining`; `{"restart": true}` says that the pages before it do not count.
async fn list(
    client: &Client,
    path: &str,
    limit: u32,
    mut token: Option<String>,
    mut print: impl FnMut(Value) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut expired = 0;
    loop {
        let mut list = match page(client, path, limit, token.as_deref()).await {
            Ok(list) => list,
            Err(status) if status.code == 410 && expired < EXPIRED => {
                expired += 1;
                // With it the server goes on with the next object as it is now.
                let fresh = status.metadata.and_then(|it| it.continue_);
                token = fresh.filter(|it| !it.is_empty());
                if token.is_none() {
                    print(json!({"restart": true}))?;
                }
                continue;
            }
            Err(status) => return Err(Failure::Request(status.message)),
        };
        expired = 0;
        let metadata = &list["metadata"];
        let next = metadata["continue"].as_str().filter(|it| !it.is_empty());
        token = next.map(str::to_owned);
        let remaining = metadata["remainingItemCount"].clone();
        print(json!({"items": list["items"].take(), "continue": token, "remaining": remaining}))?;
        if token.is_none() {
            return Ok(());
        }
    }
}

/// Reads a page; sends the request again where that may help.
async fn page(
    client: &Client,
    path: &str,
    limit: u32,
    token: Option<&str>,
) -> Result<Value, Box<Status>> {
    let mut tries = 0;
    loop {
        let error = match client.request(request(path, limit, token)?).await {
            Ok(list) => return Ok(list),
            Err(error) => error,
        };
        tries += 1;
        let mut wait = Duration::from_millis(250) * 2_u32.pow(tries);
        let status = match error {
            kube::Error::Api(status) => {
                if let Some(details) = &status.details {
                    let asked = u64::from(details.retry_after_seconds.min(30));
                    wait = wait.max(Duration::from_secs(asked));
                }
                status
            }
            error => failed(&error),
        };
        let may_pass = matches!(status.code, 0 | 429 | 500 | 502 | 503 | 504);
        if !may_pass || tries == TRIES {
            return Err(status);
        }
        sleep(wait).await;
    }
}

fn request(path: &str, limit: u32, token: Option<&str>) -> Result<Request<Vec<u8>>, Box<Status>> {
    let params = ListParams {
        limit: Some(limit),
        continue_token: token.map(str::to_owned),
        ..ListParams::default()
    };
    let request = kube::core::Request::new(path).list(&params);
    let mut request = request.map_err(|error| failed(&error))?;
    let agent = HeaderValue::from_static(AGENT);
    request.headers_mut().insert(USER_AGENT, agent);
    Ok(request)
}

/// An error without an answer, as a status.
fn failed(error: &dyn std::error::Error) -> Box<Status> {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = inner.source();
    }
    Status::failure(&message, "").boxed()
}
