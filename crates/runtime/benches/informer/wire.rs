//! Compares the forms in which a real API server sends a list: bytes, CPU time of both sides, and time.
use std::{
    env,
    io::BufRead as _,
    path::Path,
    pin::pin,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::sleep,
    time::Duration,
};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use http::Request;
use http_body::Frame;
use http_body_util::BodyExt;
use kube::{
    Client, Config, Resource,
    client::Body,
    config::{KubeConfigOptions, Kubeconfig},
    core::PartialObjectMeta,
    runtime::watcher::{self, watcher},
};
use kube_codegen_runtime::{
    Object,
    informer::{InformerConfig, InitialList, SharedInformer},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower::service_fn;

use crate::{
    Failure,
    measure::Stopwatch,
    options::Options,
    peer,
    widget::{self, Widget},
};

/// Runs of each client, of which the table has the medians.
const RUNS: usize = 5;

/// What a client asks for.
#[derive(Clone, Copy)]
struct Form {
    name: &'static str,
    client: Which,
    is_whole: bool,
    gzip: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Which {
    Objects,
    /// In JSON.
    Metadata,
    Protobuf,
    Kube,
    ClientGo,
}

const fn form(name: &'static str, client: Which, is_whole: bool, gzip: bool) -> Form {
    Form {
        name,
        client,
        is_whole,
        gzip,
    }
}

const FORMS: &[Form] = &[
    form("JSON", Which::Objects, false, false),
    form("JSON, gzip", Which::Objects, false, true),
    form("JSON, whole list", Which::Objects, true, false),
    form("JSON, gzip, whole list", Which::Objects, true, true),
    form("metadata, JSON", Which::Metadata, false, false),
    form("metadata, protobuf", Which::Protobuf, false, false),
    form("kube", Which::Kube, false, false),
    form("client-go", Which::ClientGo, false, false),
    form("client-go, whole list", Which::ClientGo, true, false),
];

/// What a client prints.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Listed {
    cpu: f64,
    wall: f64,
    bytes: u64,
}

/// Compares all forms, or runs one as client.
pub fn run(kubeconfig: &Path, options: &Options) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.enable_all().build()?;
    if let Some(name) = &options.run {
        let form = FORMS.iter().find(|form| form.name == name);
        let form = form.ok_or("unknown form")?;
        let listed = runtime.block_on(list(kubeconfig, form, options.objects))?;
        println!("{}", serde_json::to_string(&listed)?);
        return Ok(());
    }
    let client = runtime.block_on(async { connect(kubeconfig, &Arc::default()).await })?;
    runtime.block_on(fill(&client, options.objects))?;
    let forms: Vec<_> = FORMS
        .iter()
        .filter(|form| {
            options.clients.is_empty() || options.clients.iter().any(|name| name == form.name)
        })
        .collect();
    // In turns, so that a slow minute of the machine meets all of them.
    let mut all = vec![Vec::new(); forms.len()];
    for _ in 0..RUNS {
        for (form, all) in forms.iter().zip(&mut all) {
            let before = runtime.block_on(spent(&client))?;
            let listed = start(kubeconfig, form, options.objects);
            let listed = listed.map_err(|error| format!("{}: {error}", form.name))?;
            let server = runtime.block_on(spent(&client))? - before;
            all.push((listed, server));
            // The server's collector ends its work.
            sleep(Duration::from_millis(500));
        }
    }
    println!("| form | MB | server CPU s | client CPU s | s |\n|---|---|---|---|---|");
    for (form, all) in forms.iter().zip(&all) {
        let median = |value: &dyn Fn(&(Listed, f64)) -> f64| {
            let mut values: Vec<_> = all.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        #[expect(clippy::cast_precision_loss, reason = "of bytes, far below 2^53")]
        let megabytes = median(&|(listed, _)| listed.bytes as f64 / 1e6);
        println!(
            "| {} | {megabytes:.2} | {:.2} | {:.2} | {:.2} |",
            form.name,
            median(&|(_, server)| *server),
            median(&|(listed, _)| listed.cpu),
            median(&|(listed, _)| listed.wall),
        );
    }
    Ok(())
}

/// Runs a client to its end.
fn start(kubeconfig: &Path, form: &Form, objects: usize) -> Result<Listed, Failure> {
    let mut command = if form.client == Which::ClientGo {
        let mut command = Command::new(peer::build()?);
        command.args([
            format!("-kubeconfig={}", kubeconfig.display()),
            format!("-objects={objects}"),
            format!("-watchlist={}", !form.is_whole),
        ]);
        command
    } else {
        let mut command = Command::new(env::current_exe()?);
        command.arg("--kubeconfig").arg(kubeconfig);
        command.args(["--run", form.name, "--objects", &objects.to_string()]);
        command
    };
    let output = command.stderr(Stdio::inherit()).output()?;
    let line = output.stdout.lines().next().ok_or("the client failed")??;
    Ok(serde_json::from_str(&line)?)
}

/// Returns a client that counts the bytes of its responses.
async fn connect(kubeconfig: &Path, bytes: &Arc<AtomicU64>) -> Result<Client, Failure> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    let bytes = Arc::clone(bytes);
    let service = service_fn(move |request: Request<Body>| {
        let (client, bytes) = (client.clone(), Arc::clone(&bytes));
        async move {
            let response = client.send(request).await?;
            Ok::<_, kube::Error>(response.map(|body| {
                body.map_frame(move |frame: Frame<Bytes>| {
                    let length = frame.data_ref().map_or(0, Bytes::len);
                    bytes.fetch_add(length as u64, Ordering::Relaxed);
                    frame
                })
            }))
        }
    });
    Ok(Client::new(service, "default"))
}

async fn list(kubeconfig: &Path, form: &Form, objects: usize) -> Result<Listed, Failure> {
    let bytes = Arc::default();
    let client = connect(kubeconfig, &bytes).await?;
    let watch = Stopwatch::start();
    let count = match form.client {
        Which::Objects => informer::<Widget>(client, form).await?,
        Which::Metadata => {
            informer::<PartialObjectMeta<Widget>>(crate::client::json(client), form).await?
        }
        Which::Protobuf => informer::<PartialObjectMeta<Widget>>(client, form).await?,
        Which::Kube => kube(client).await?,
        Which::ClientGo => return Err("this client is a program in Go".into()),
    };
    let (cpu, wall) = (watch.cpu(), watch.wall());
    if count != objects {
        return Err(format!("the cache has {count} objects").into());
    }
    let bytes = bytes.load(Ordering::Relaxed);
    Ok(Listed { cpu, wall, bytes })
}

async fn informer<K>(client: Client, form: &Form) -> Result<usize, Failure>
where
    K: Object + Resource<DynamicType = ()>,
{
    let config = InformerConfig {
        initial_list: if form.is_whole {
            InitialList::WatchCache
        } else {
            InitialList::Streaming
        },
        gzip: form.gzip,
        ..InformerConfig::default()
    };
    let informer = SharedInformer::<K>::new(client, config);
    informer.start();
    informer.wait_synced().await?;
    Ok(informer.metrics().objects)
}

async fn kube(client: Client) -> Result<usize, Failure> {
    let config = watcher::Config::default().streaming_lists();
    let api = kube::Api::<Widget>::all(client);
    let mut events = pin!(watcher(api, config));
    let mut objects = Vec::new();
    while let Some(event) = events.try_next().await? {
        match event {
            watcher::Event::InitApply(object) => objects.push(object),
            watcher::Event::InitDone => return Ok(objects.len()),
            _ => {}
        }
    }
    Err("the watch ended".into())
}

/// Returns the CPU seconds that the API server has spent.
async fn spent(client: &Client) -> Result<f64, Failure> {
    let request = Request::get("/metrics").body(Vec::new())?;
    let text = client.request_text(request).await?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("process_cpu_seconds_total "));
    Ok(line
        .ok_or("the server has no metrics of its process")?
        .parse()?)
}

/// Creates the kind, the namespaces and the objects that are missing.
async fn fill(client: &Client, objects: usize) -> Result<(), Failure> {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            }}}],
        },
    });
    create(
        client,
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        &crd,
    )
    .await?;
    let namespaces: std::collections::BTreeSet<_> =
        (0..objects).map(|index| widget::key(index).0).collect();
    for name in namespaces {
        create(
            client,
            "/api/v1/namespaces",
            &json!({"metadata": {"name": name}}),
        )
        .await?;
    }
    let served = Request::get("/apis/example.com/v1/widgets?limit=1").body(Vec::new())?;
    while client.request_text(served.clone()).await.is_err() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let add = |index| async move {
        let mut text = String::new();
        widget::write_json(&mut text, false, index, 1, 0);
        let mut object: Value = serde_json::from_str(&text)?;
        let metadata = object["metadata"].as_object_mut().ok_or("no metadata")?;
        metadata.retain(|key, _| !matches!(key.as_str(), "resourceVersion" | "uid" | "finalizers"));
        let path = format!(
            "/apis/example.com/v1/namespaces/{}/widgets",
            widget::key(index).0
        );
        create(client, &path, &object).await
    };
    let adding = stream::iter(0..objects).map(add).buffer_unordered(32);
    adding.try_collect::<()>().await
}

/// Creates an object, unless it exists.
async fn create(client: &Client, path: &str, object: &Value) -> Result<(), Failure> {
    let request = Request::post(path).header("content-type", "application/json");
    let request = request.body(serde_json::to_vec(object)?)?;
    match client.request_text(request).await {
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        result => Ok(result.map(drop)?),
    }
}
