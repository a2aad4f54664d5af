//! Reads manifests and applies them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    slice,
    time::Duration,
};

use http::Method;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use kube_codegen::{
    diag::{Diagnostics, Severity},
    private::yaml,
    source::{self, Input},
};

use crate::{
    cluster::{Cluster, root},
    kustomization::{self, Objects},
    view::View,
};

const APPLY: &str = "application/apply-patch+yaml";

/// How long the webhooks of an operator may take until they answer.
const WEBHOOKS: Duration = Duration::from_secs(30);

/// How soon an object whose webhook does not answer is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// Objects of files, in the order in which they are applied.
#[derive(Default)]
pub(super) struct Manifests(Objects);

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Kinds that others need.
const FIRST: [&str; 3] = ["CustomResourceDefinition", "Namespace", "ServiceAccount"];

/// The object of each kind that the scaffold writes.
const SAMPLE: &str = "sample.yaml";

/// Kinds that others need come first.
fn rank(object: &Value) -> usize {
    let kind = text(object, "/kind");
    FIRST
        .iter()
        .position(|first| *first == kind)
        .unwrap_or(FIRST.len())
}

/// Reads the objects of YAML and JSON files, and of those in directories.
fn objects(paths: &[PathBuf]) -> Result<Objects, String> {
    let inputs: Vec<_> = paths
        .iter()
        .map(|path| Input::parse(&path.to_string_lossy()))
        .collect();
    if inputs.is_empty() {
        return Ok(Objects::new());
    }
    let sources = source::load(&inputs).map_err(|error| error.to_string())?;
    let (mut objects, mut problems) = (Vec::new(), Vec::new());
    for source in &sources {
        let mut diagnostics = Diagnostics::new();
        let path = PathBuf::from(&source.name);
        for document in yaml::documents(source, &mut diagnostics) {
            let found = yaml::objects(document).into_iter();
            objects.extend(found.map(|(_, object)| (path.clone(), object)));
        }
        diagnostics.locate(slice::from_ref(source));
        let errors = diagnostics
            .iter()
            .filter(|it| it.severity == Severity::Error);
        problems.extend(errors.map(|it| format!("{}: {}", source.name, it.message)));
    }
    // Directories also have dashboards and the input of kustomize.
    objects.retain(|(_, object)| {
        !text(object, "/kind").is_empty()
            && !text(object, "/apiVersion").starts_with("kustomize.config.k8s.io/")
    });
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    Ok(objects)
}

/// Where the manifests of a run are.
pub(super) struct Files {
    /// Files and directories that are installed before the operator starts.
    named: Vec<PathBuf>,
    /// The directory of the operator's manifests, if it has one.
    deploy: Option<PathBuf>,
    /// Files and directories that are applied when it runs.
    applied: Vec<PathBuf>,
}

/// The manifests of a run.
#[derive(Default)]
pub(super) struct Read {
    /// What is there before the operator starts.
    pub(super) installed: Manifests,
    /// What is applied when it runs.
    pub(super) applied: Manifests,
    /// What somebody should know who expects the result of kustomize.
    notes: Vec<String>,
}

impl Files {
    pub(super) fn new(directory: &Path, named: &[PathBuf], applied: &[PathBuf]) -> Self {
        let deploy = directory.join("deploy");
        // As people write it.
        let deploy = deploy.strip_prefix(".").unwrap_or(&deploy).to_owned();
        Self {
            named: named.to_vec(),
            deploy: deploy.is_dir().then_some(deploy),
            applied: applied.to_vec(),
        }
    }

    /// Reads all of them. Returns the files and directories whose changes matter, also if one of them cannot be read: a change may mend it.
    pub(super) fn read(&self) -> (Vec<PathBuf>, Result<Read, String>) {
        let mut selected = Vec::new();
        let read = self.objects(&mut selected);
        let all = self.named.iter().chain(&self.deploy).chain(&self.applied);
        let mut all: Vec<PathBuf> = all.chain(&selected).cloned().collect();
        all.sort();
        all.dedup();
        (all, read)
    }

    /// Of `deploy/`, its kustomization selects what is installed; then its sample is applied unless other objects are to be. No file is
    /// read twice. Adds kustomizations, and the files that they select, which may be elsewhere.
    fn objects(&self, selected: &mut Vec<PathBuf>) -> Result<Read, String> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let paths = |objects: &Objects| -> BTreeSet<PathBuf> {
            objects.iter().map(|(path, _)| real(path)).collect()
        };
        let mut installed = objects(&self.named)?;
        let mut applied = self.applied.clone();
        let mut notes = Vec::new();
        if let Some(deploy) = &self.deploy {
            let mut own = match kustomization::of(deploy)? {
                None => objects(slice::from_ref(deploy))?,
                Some(path) => {
                    let mut reader =
                        kustomization::KustomizationReader::new(&|path| objects(&[path.into()]));
                    let own = reader.read(&path);
                    notes = reader.notes();
                    selected.extend(reader.paths());
                    let own = own?;
                    let sample = deploy.join(SAMPLE);
                    if applied.is_empty() && sample.is_file() {
                        applied.push(sample);
                    }
                    own
                }
            };
            let named = paths(&installed);
            own.retain(|(path, _)| !named.contains(&real(path)));
            installed.extend(own);
        }
        let mut later = objects(&applied)?;
        let twice: BTreeSet<PathBuf> = &paths(&installed) & &paths(&later);
        // A file that is named is applied later, unless it has what the operator needs when it starts.
        let needed: BTreeSet<PathBuf> = installed
            .iter()
            .filter(|(_, object)| rank(object) < FIRST.len())
            .map(|(path, _)| real(path))
            .collect();
        let named: BTreeSet<PathBuf> = applied.iter().map(|it| real(it)).collect();
        let is_later = |path: &Path| named.contains(path) && !needed.contains(path);
        installed.retain(|(path, _)| !twice.contains(&real(path)) || !is_later(&real(path)));
        later.retain(|(path, _)| !twice.contains(&real(path)) || is_later(&real(path)));
        Ok(Read {
            installed: Manifests::new(installed),
            applied: Manifests::new(later),
            notes,
        })
    }
}

impl Read {
    /// Prepares them for an operator that runs outside the cluster, if there is one, and says what differs from the files.
    pub(super) fn prepare(&mut self, has_operator: bool, view: &View) {
        for note in &self.notes {
            view.error(note);
        }
        if has_operator {
            self.installed.leave_out_deployments(view);
        }
    }
}

impl Manifests {
    fn new(mut objects: Objects) -> Self {
        objects.sort_by_key(|(_, object)| rank(object));
        Self(objects)
    }

    /// Removes Deployments: the operator runs outside the cluster.
    fn leave_out_deployments(&mut self, view: &View) {
        self.0.retain(|(path, object)| {
            let is_deployment = text(object, "/kind") == "Deployment";
            if is_deployment {
                let name = text(object, "/metadata/name");
                view.note(&format!(
                    "{}: skipping Deployment {name}, because the operator runs on this machine",
                    path.display()
                ));
            }
            !is_deployment
        });
    }

    /// Returns namespace and name of the only service account.
    pub(super) fn account(&self) -> Option<(String, String)> {
        let mut accounts = self.of_kind("ServiceAccount");
        let account = accounts.next()?;
        let namespace = match text(account, "/metadata/namespace") {
            "" => "default",
            namespace => namespace,
        };
        accounts.next().is_none().then(|| {
            (
                namespace.to_owned(),
                text(account, "/metadata/name").to_owned(),
            )
        })
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.0
            .iter()
            .map(|(_, object)| object)
            .filter(move |object| text(object, "/kind") == kind)
    }

    /// Returns whether the API server calls webhooks of an operator.
    pub(super) fn has_webhooks(&self) -> bool {
        let converts = |crd: &Value| text(crd, "/spec/conversion/strategy") == "Webhook";
        let mut objects = self.0.iter().map(|(_, object)| object);
        objects.any(|it| text(it, "/kind").ends_with("WebhookConfiguration"))
            || self.of_kind("CustomResourceDefinition").any(converts)
    }

    /// Returns the paths of the collections of the custom kinds, and their plurals.
    pub(super) fn custom_resources(&self) -> BTreeSet<(String, String)> {
        self.of_kind("CustomResourceDefinition")
            .filter_map(|crd| {
                let versions = crd.pointer("/spec/versions")?.as_array()?;
                let stored = versions
                    .iter()
                    .find(|it| it["storage"] == true && it["served"] == true);
                let version = text(stored.or(versions.first())?, "/name");
                let (group, plural) = (text(crd, "/spec/group"), text(crd, "/spec/names/plural"));
                Some((format!("/apis/{group}/{version}"), plural.to_owned()))
            })
            .collect()
    }

    /// Applies all objects. An object that is rejected does not stop the others.
    pub(super) async fn install(&self, cluster: &Cluster, view: &View) -> Installed {
        let mut installed = Installed::default();
        let defined: BTreeSet<&str> = self
            .of_kind("CustomResourceDefinition")
            .map(|crd| text(crd, "/spec/group"))
            .collect();
        for (path, object) in &self.0 {
            let what = format!(
                "{} {}",
                text(object, "/kind"),
                text(object, "/metadata/name")
            );
            let api_version = text(object, "/apiVersion");
            let group = api_version.split('/').next().unwrap_or_default();
            let is_served = defined.contains(group)
                || cluster
                    .get(&root(api_version), "application/json")
                    .await
                    .is_ok();
            if !is_served {
                let path = path.display();
                view.note(&format!(
                    "{path}: skipping {what}: this API server does not serve `{api_version}`"
                ));
                continue;
            }
            match apply(cluster, object).await {
                Ok(()) => view.applied(&what),
                Err(problem) => {
                    let text = format!("{}: {what}: {problem}", path.display());
                    if waits_for_webhook(&problem) {
                        installed.waiting.0.push((path.clone(), object.clone()));
                        installed.unanswered.push(text);
                    } else {
                        installed.rejected.push(text);
                    }
                }
            }
        }
        installed
    }
}

/// What became of manifests that were not applied.
#[derive(Default)]
pub(super) struct Installed {
    /// Objects whose webhooks do not answer: the operator may still start.
    pub(super) waiting: Manifests,
    /// Why each of them waits.
    unanswered: Vec<String>,
    rejected: Vec<String>,
}

impl Installed {
    /// Adds what became of others.
    pub(super) fn extend(&mut self, others: Self) {
        self.waiting.0.extend(others.waiting.0);
        self.unanswered.extend(others.unanswered);
        self.rejected.extend(others.rejected);
    }

    /// Fails with all rejections, unless objects only wait.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.rejected.is_empty() {
            return Ok(());
        }
        Err(self.rejected.join("\n"))
    }
}

/// Objects that are applied once the webhooks of the operator answer.
pub(super) struct Waiting {
    objects: Manifests,
    next: Instant,
    until: Instant,
}

impl Waiting {
    /// Starts to wait, as if the operator had just been started.
    pub(super) fn new(objects: Manifests, view: &View) -> Self {
        for (_, object) in &objects.0 {
            let (kind, name) = (text(object, "/kind"), text(object, "/metadata/name"));
            view.note(&format!("{kind} {name} waits for the operator's webhooks"));
        }
        let next = Instant::now() + AGAIN;
        Self {
            objects,
            next,
            until: next + WEBHOOKS,
        }
    }

    /// Goes on, for an operator that was started again.
    pub(super) fn restart(&mut self) {
        self.next = Instant::now() + AGAIN;
        self.until = self.next + WEBHOOKS;
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.0.is_empty()
    }

    /// Waits for the next attempt, for ever if there is none.
    pub(super) async fn due(&self) {
        if self.is_empty() || self.next > self.until {
            std::future::pending::<()>().await;
        }
        sleep_until(self.next).await;
    }

    /// Tries again.
    ///
    /// # Errors
    /// If an object is rejected, or the time is over: it is tried again with the next start of the operator.
    pub(super) async fn again(&mut self, cluster: &Cluster, view: &View) -> Result<(), String> {
        let installed = self.objects.install(cluster, view).await;
        self.next = Instant::now() + AGAIN;
        let result = installed.check();
        let (objects, why) = (installed.waiting, installed.unanswered);
        self.objects = objects;
        if self.next > self.until && !self.is_empty() {
            return result.and(Err(why.join("\n")));
        }
        result
    }
}

/// Returns whether a webhook does not answer. The status is 500, as for other failures: only the text says it
/// (`k8s.io/apiserver/pkg/admission/plugin/webhook/errors`, and the converter of apiextensions-apiserver).
fn waits_for_webhook(problem: &str) -> bool {
    let converts = problem.starts_with("conversion webhook for ") && problem.contains(" failed: ");
    converts || problem.contains("failed calling webhook")
}

async fn apply(cluster: &Cluster, object: &Value) -> Result<(), String> {
    let api_version = text(object, "/apiVersion");
    // A new group is served after a moment; what is missing then has its own message.
    let _missing = cluster.wait_for(&root(api_version)).await;
    let collection = cluster.collection(object).await?;
    let name = text(object, "/metadata/name");
    let manager = cluster.manager();
    let path = format!("{collection}/{name}?fieldManager={manager}&force=true");
    cluster.send(Method::PATCH, &path, APPLY, object).await?;
    if text(object, "/kind") == "CustomResourceDefinition" {
        let group = text(object, "/spec/group");
        let plural = text(object, "/spec/names/plural");
        let versions = object["spec"]["versions"].as_array().into_iter().flatten();
        let mut served = versions.filter(|version| version["served"] == true);
        if let Some(version) = served.find_map(|version| version["name"].as_str()) {
            let path = format!("/apis/{group}/{version}/{plural}");
            cluster.wait_for(&path).await?;
        }
    }
    Ok(())
}

/// Returns whether a file is one that can have manifests.
pub(super) fn is_manifest(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it == "yaml" || it == "yml" || it == "json")
        || kustomization::is_one(path)
}
