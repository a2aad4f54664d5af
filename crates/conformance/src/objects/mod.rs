//! Compares what the schema of a CRD says of an object with what a real API server says.
//!
//! The objects are random ones that the schema accepts, and random changes to them. Each is sent as a create or an update with
//! `dryRun=All`; verdict, fields, reasons and messages must be the same, and of valid objects the stored form with its defaults.

mod compare;
pub mod costs;
pub mod estimates;
mod metadata;
mod mutate;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use fastrand::Rng;
use futures::{StreamExt as _, TryStreamExt as _};
use http::{Request, header};
use http_body_util::BodyExt as _;
use kube::{Client, client::Body};
use kube_codegen_schema::Schema;
use serde_json::{Value, json};
use testresult::TestResult;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of objects.
    pub count: usize,
    /// The seed of the objects.
    pub seed: u64,
    /// The number of differences of each class that are printed.
    pub show: usize,
    /// Files or directories of CRDs.
    pub crds: Vec<PathBuf>,
}

/// What a run has found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Objects by verdict of the server.
    pub verdicts: BTreeMap<&'static str, usize>,
    /// Versions of CRDs whose objects were sent, and CRDs that the server rejected.
    pub versions: usize,
    /// CRDs that the server did not take.
    pub rejected: usize,
    /// Differences by class.
    pub differences: BTreeMap<&'static str, usize>,
}

/// The CRDs of a chunk are stored at the same time: each one costs the server memory and an OpenAPI document.
const CHUNK: usize = 24;
const PARALLEL: usize = 12;

/// A served version of a CRD.
struct Served {
    title: String,
    path: String,
    api_version: String,
    kind: String,
    source: Value,
    schema: Schema,
    has_status: bool,
    preserves: bool,
    /// The schema of the version in which objects are stored, if it is another one.
    storage: Option<Arc<Schema>>,
}

/// Sends objects to a server and compares.
///
/// # Errors
///
/// Fails if the server cannot be reached or a CRD cannot be read.
pub async fn run(client: &Client, namespace: &str, options: &Options) -> TestResult<Report> {
    let mut crds = Vec::new();
    for path in &options.crds {
        crds.extend(read(path)?);
    }
    let mut report = Report::default();
    let total: usize = crds.iter().map(|crd| versions(crd, namespace).len()).sum();
    let each = options.count.div_ceil(total.max(1));
    for chunk in crds.chunks(CHUNK) {
        let mut names = BTreeSet::new();
        let mut served = Vec::new();
        for crd in chunk {
            let name = crd["metadata"]["name"].as_str().unwrap_or_default();
            if !names.insert(name.to_owned()) {
                continue;
            }
            if create(client, crd).await? {
                served.extend(versions(crd, namespace));
            } else {
                report.rejected += 1;
            }
        }
        for version in &served {
            establish(client, &version.path).await?;
            report.versions += 1;
            objects(client, version, each, options, &mut report).await?;
        }
        for name in names {
            let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
            send(client, "DELETE", &path, None).await?;
        }
        let done: usize = report.verdicts.values().sum();
        eprintln!("{done} objects, {:?}", report.differences);
    }
    Ok(report)
}

/// Reads the CRDs of a file or a directory, sorted by path.
fn read(path: &Path) -> TestResult<Vec<Value>> {
    if path.is_dir() {
        let mut paths = Vec::new();
        for entry in fs::read_dir(path)? {
            paths.push(entry?.path());
        }
        paths.sort();
        let mut crds = Vec::new();
        for path in paths {
            crds.extend(read(&path)?);
        }
        return Ok(crds);
    }
    if path
        .extension()
        .is_none_or(|it| it != "yaml" && it != "yml")
    {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path)?;
    let mut crds = Vec::new();
    for document in serde_yaml::Deserializer::from_str(&text) {
        match serde::Deserialize::deserialize(document) {
            Ok(Value::Object(crd))
                if crd.get("kind") == Some(&json!("CustomResourceDefinition")) =>
            {
                crds.push(Value::Object(crd));
            }
            Ok(_) => {}
            Err(error) => eprintln!("{}: {error}", path.display()),
        }
    }
    Ok(crds)
}

/// Returns the served versions with a schema.
fn versions(crd: &Value, namespace: &str) -> Vec<Served> {
    let spec = &crd["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, plural) = (text(&spec["group"]), text(&spec["names"]["plural"]));
    let versions = spec["versions"].as_array().into_iter().flatten();
    let storage = versions.clone().find(|version| version["storage"] == true);
    let storage = storage.and_then(|it| it.pointer("/schema/openAPIV3Schema"));
    let versions = versions
        .filter(|version| version["served"] == true)
        .filter_map(|version| {
            let source = version.pointer("/schema/openAPIV3Schema")?;
            let stored = storage.filter(|storage| *storage != source);
            let stored = stored.and_then(|it| Schema::new(it).ok()).map(Arc::new);
            let name = text(&version["name"]);
            let place = match spec["scope"].as_str() {
                Some("Namespaced") => format!("namespaces/{namespace}/{plural}"),
                _ => plural.clone(),
            };
            Some(Served {
                title: format!("{plural}.{group} {name}"),
                path: format!("/apis/{group}/{name}/{place}"),
                api_version: format!("{group}/{name}"),
                kind: text(&spec["names"]["kind"]),
                source: source.clone(),
                schema: Schema::new(source)
                    .and_then(|schema| schema.with_scale(&version["subresources"]["scale"]))
                    .ok()?,
                storage: stored,
                has_status: version["subresources"]["status"].is_object(),
                preserves: spec["preserveUnknownFields"] == true,
            })
        });
    versions.collect()
}

/// Creates a CRD without its conversion webhook; `false` if the server rejects it.
pub(crate) async fn create(client: &Client, crd: &Value) -> TestResult<bool> {
    let mut crd = crd.clone();
    crd["spec"]
        .as_object_mut()
        .ok_or("spec")?
        .remove("conversion");
    let metadata = crd["metadata"].as_object_mut().ok_or("metadata")?;
    let group = metadata.get("name").is_some_and(|name| {
        let name = name.as_str().unwrap_or_default();
        name.ends_with(".k8s.io") || name.ends_with(".kubernetes.io")
    });
    metadata.retain(|name, _| name == "name");
    if group {
        let approval = json!({"api-approved.kubernetes.io": "unapproved, for a test"});
        metadata.insert("annotations".into(), approval);
    }
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for _ in 0..100 {
        let (status, answer, _) = send(client, "POST", path, Some(&crd)).await?;
        match status {
            201 => return Ok(true),
            // The CRD of the same name is still being deleted.
            409 => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
            _ => {
                eprintln!("rejected: {}", answer["message"]);
                return Ok(false);
            }
        }
    }
    Ok(false)
}

pub(crate) async fn establish(client: &Client, path: &str) -> TestResult {
    for _ in 0..600 {
        if send(client, "GET", path, None).await?.0 == 200 {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Err(format!("{path} is not served").into())
}

/// Sends the objects of one version.
async fn objects(
    client: &Client,
    version: &Served,
    count: usize,
    options: &Options,
    report: &mut Report,
) -> TestResult {
    let base = json!({"apiVersion": version.api_version, "kind": version.kind, "metadata": {"name": "base"}});
    let seed = options.seed
        ^ version.title.bytes().fold(0, |seed: u64, byte| {
            seed.wrapping_mul(31).wrapping_add(byte.into())
        });
    let mut rng = Rng::with_seed(seed);
    let valid = |rng: &mut Rng| {
        let (mut object, _) = version.schema.random(rng.u64(..), &base);
        if version.has_status {
            object.as_object_mut().map(|fields| fields.remove("status"));
        }
        object
    };
    // An update needs a stored object.
    let mut stored = None;
    for _ in 0..5 {
        let object = valid(&mut rng);
        let (status, answer, _) = send(client, "POST", &version.path, Some(&object)).await?;
        if status == 201 {
            stored = Some(answer);
            break;
        }
    }
    let name = |object: &Value| {
        object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let stored_name = stored.as_ref().map(name).unwrap_or_default();
    let stored_name = &*stored_name;
    let cases: Vec<_> = (0..count)
        .map(|_| {
            let old = stored.clone().filter(|_| rng.u8(0..3) == 0);
            let mut object = match &old {
                Some(old) if rng.u8(0..3) > 0 => old.clone(),
                Some(old) => {
                    let mut object = valid(&mut rng);
                    object["metadata"] = old["metadata"].clone();
                    object
                }
                None => valid(&mut rng),
            };
            if rng.u8(0..8) > 0 {
                mutate::mutate(&mut rng, &version.source, &mut object, version.has_status);
            }
            if old.is_none() && rng.u8(0..8) == 0 {
                metadata::change(&mut rng, &mut object);
            }
            (old, object)
        })
        .collect();
    let answers = futures::stream::iter(cases.into_iter().map(|(old, object)| async move {
        let (method, name) = if old.is_some() {
            ("PUT", format!("/{stored_name}"))
        } else {
            ("POST", String::new())
        };
        let path = format!("{}{name}?dryRun=All&fieldValidation=Warn", version.path);
        let mut sent = object.clone();
        if old.is_none() && sent["metadata"]["name"] == stored_name {
            sent["metadata"] = json!({"name": "new"});
        }
        let answer = send(client, method, &path, Some(&sent)).await?;
        TestResult::Ok((old, sent, answer))
    }));
    let answers: Vec<_> = answers.buffered(PARALLEL).try_collect().await?;
    for (old, object, (status, answer, warnings)) in answers {
        let verdict = match status {
            200 | 201 => "valid",
            422 => "invalid",
            400 => "not decoded",
            _ => "other",
        };
        *report.verdicts.entry(verdict).or_default() += 1;
        if let Some((class, what)) =
            compare::difference(version, old.as_ref(), &object, status, &answer, &warnings)
        {
            let known = report.differences.entry(class).or_default();
            *known += 1;
            if *known <= options.show {
                let old = old
                    .map(|old| format!("\n  old    {}", old["spec"]))
                    .unwrap_or_default();
                println!(
                    "---- {class}: {}\n  object {object}{old}\n{what}",
                    version.title
                );
            }
        }
    }
    if stored.is_some() {
        let path = format!("{}/{stored_name}", version.path);
        send(client, "DELETE", &path, None).await?;
    }
    Ok(())
}

/// Sends a request and returns status, body and warnings.
pub(crate) async fn send(
    client: &Client,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> TestResult<(u16, Value, BTreeSet<String>)> {
    let bytes = body
        .map(serde_json::to_vec)
        .transpose()?
        .unwrap_or_default();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .body(Body::from(bytes))?;
    let response = client.send(request).await?;
    let status = response.status().as_u16();
    let warnings = response.headers().get_all(header::WARNING).iter();
    let warnings = warnings
        .filter_map(|it| it.to_str().ok()?.split_once('"')?.1.strip_suffix('"'))
        .map(|text| text.replace("\\\"", "\""))
        .collect();
    let bytes = response.into_body().collect().await?.to_bytes();
    Ok((
        status,
        serde_json::from_slice(&bytes).unwrap_or_default(),
        warnings,
    ))
}
