//! Prints what happens, one line for each change of an object, event, request and error.
//!
//! Whatever is printed passes through here, and here texts of objects, Events and programs are escaped.

use std::{
    collections::BTreeSet,
    io::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use kube_codegen::private::printable;
use kube_codegen_testing::RecordedRequest;
use serde_json::Value;

use crate::{
    cluster::{AGENT, Cluster},
    history::{Entry, Fact, History, Topic},
    rights,
    table::{aligned, cell},
};

pub(super) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// Prints lines; clones print to the same place.
#[derive(Clone)]
pub(super) struct View(Arc<Inner>);

struct Inner {
    start: Instant,
    color: ColorChoice,
    quiet: bool,
    replicas: usize,
    /// Whether `make rbac` measures the permissions of the operator.
    measures: bool,
    history: Option<History>,
    /// The collections whose objects are shown, and how many of them, the first ones, are of custom resources.
    shown: Mutex<(Vec<(String, String)>, usize)>,
    /// What the operator has written.
    written: Mutex<BTreeSet<Written>>,
}

const fn colored(color: AnsiColor) -> Style {
    color.on_default()
}

impl View {
    /// Of several `replicas`, each line has the number of its own.
    pub(super) fn new(
        color: clap::ColorChoice,
        quiet: bool,
        replicas: usize,
        measures: bool,
        history: Option<History>,
    ) -> Self {
        let color = match color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::AlwaysAnsi,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Self(Arc::new(Inner {
            start: Instant::now(),
            color,
            quiet,
            replicas,
            measures,
            history,
            shown: Mutex::default(),
            written: Mutex::default(),
        }))
    }

    /// Prints that an object has changed.
    pub(super) fn object(&self, text: &str) {
        self.line(colored(AnsiColor::Green), "object", text);
    }

    /// Prints an Event.
    pub(super) fn event(&self, text: &str, is_warning: bool) {
        let color = if is_warning {
            AnsiColor::Yellow
        } else {
            AnsiColor::Cyan
        };
        self.line(colored(color), "event", text);
    }

    fn line(&self, style: Style, topic: &str, text: &str) {
        if !self.0.quiet {
            self.print(style, topic, text);
        }
    }

    fn print(&self, style: Style, topic: &str, text: &str) {
        let seconds = self.0.start.elapsed().as_secs_f64();
        let mut out = AutoStream::new(std::io::stdout().lock(), self.0.color);
        for text in printable::lines(text).lines() {
            // A closed pipe ends nothing: the operator may still be needed.
            let _closed = writeln!(out, "{seconds:7.2} {style}{topic:8}{style:#} {text}");
        }
        let _closed = out.flush();
    }

    /// Prints what this command does.
    pub(super) fn note(&self, text: &str) {
        if let Some(history) = &self.0.history {
            history.note(text, false);
        }
        self.say(text);
    }

    /// Says that an object of the manifests was applied.
    pub(super) fn applied(&self, what: &str) {
        let text = format!("applied {what}");
        self.say(&text);
        if let Some(history) = &self.0.history {
            let mut entry = Entry::new(Topic::Dev, String::new(), text);
            entry.fact = Fact::Applied(vec![what.to_owned()]);
            history.add(entry);
        }
    }

    /// Prints what is in no record of the run.
    pub(super) fn say(&self, text: &str) {
        self.line(Style::new().bold(), "dev", text);
    }

    /// Prints a line of the output of a simulation.
    pub(super) fn simulation(&self, line: &str) {
        let text = format!("simulation: {line}");
        self.say(&text);
        if let Some(history) = &self.0.history {
            history.add(Entry::new(Topic::Simulation, String::new(), text));
        }
    }

    pub(super) fn error(&self, text: &str) {
        if let Some(history) = &self.0.history {
            history.note(text, true);
        }
        self.print(colored(AnsiColor::Red).bold(), "error", text);
    }

    /// Prints a line of the output of a replica, unless it only marks a reconcile for the page.
    pub(super) fn operator(&self, replica: usize, text: &str) {
        let history = self.0.history.as_ref();
        if history.is_some_and(|it| it.line(replica, text)) {
            return;
        }
        if self.0.replicas > 1 {
            let text = format!("{replica}: {text}");
            return self.line(Style::new().dimmed(), "operator", &text);
        }
        self.line(Style::new().dimmed(), "operator", text);
    }

    /// Remembers the collections that `tables` shows, the custom resources first.
    pub(super) fn shows(&self, shown: Vec<(String, String)>, customs: usize) {
        *lock(&self.0.shown) = (shown, customs);
    }

    /// Returns where what happens is recorded for the page.
    pub(super) fn history(&self) -> Option<&History> {
        self.0.history.as_ref()
    }

    pub(super) fn request(&self, request: &RecordedRequest, all: bool) {
        // Renewals and events are frequent, and events have lines of their own.
        let is_noise = matches!(request.resource.as_str(), "leases" | "events");
        self.wrote(request);
        let failed = is_failure(request);
        if request.user_agent == AGENT || !all && !failed && (!request.is_write() || is_noise) {
            return;
        }
        let text = describe(request, self.0.measures);
        let style = if failed {
            colored(AnsiColor::Red)
        } else {
            colored(AnsiColor::Blue)
        };
        self.line(style, "request", &text);
    }

    /// Prints objects, as `kubectl get` does for several kinds.
    pub(super) async fn tables(&self, cluster: &Cluster) -> Result<(), String> {
        let text = self.texts(cluster).await?.join("\n\n");
        let mut out = AutoStream::new(std::io::stdout().lock(), self.0.color);
        let _closed = writeln!(out, "{}", printable::lines(&text));
        Ok(())
    }

    /// Returns a table of each kind: the custom resources; the kinds that operators usually create, in the namespaces of custom resources and
    /// in `default`; and whatever else the operator has written.
    async fn texts(&self, cluster: &Cluster) -> Result<Vec<String>, String> {
        let (shown, customs) = lock(&self.0.shown).clone();
        let written = lock(&self.0.written).clone();
        let mut kinds: Vec<(String, String)> = shown.clone();
        for it in &written {
            let kind = (it.root.clone(), it.plural.clone());
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let mut namespaces = BTreeSet::from(["default".to_owned()]);
        let mut texts = Vec::new();
        for (index, (root, plural)) in kinds.into_iter().enumerate() {
            let Ok(table) = cluster.get(&format!("{root}/{plural}"), TABLE).await else {
                continue;
            };
            let all = || table["rows"].as_array().into_iter().flatten();
            let is_custom = index < customs;
            if is_custom {
                let found = all().map(|row| namespace(row).to_owned());
                namespaces.extend(found.filter(|it| !it.is_empty()));
            }
            let is_usual = index < shown.len();
            let is_shown = |row: &&Value| {
                let of_row = |it: &Written| {
                    it.plural == plural && it.root == root && it.is_of(namespace(row), name(row))
                };
                if is_custom {
                    return true;
                }
                let is_here = is_usual && namespaces.contains(namespace(row));
                (is_here && !OF_EACH_NAMESPACE.contains(&(&plural, name(row))))
                    || (!is_usual && written.iter().any(of_row))
            };
            let rows: Vec<&Value> = all().filter(is_shown).collect();
            if rows.is_empty() {
                continue;
            }
            let resources = cluster.get(&root, "application/json").await?;
            let resource = resources["resources"]
                .as_array()
                .into_iter()
                .flatten()
                .find(|it| it["name"] == plural);
            let kind = resource
                .map(|it| cell(&it["kind"]).to_lowercase())
                .unwrap_or_default();
            let group = root
                .strip_prefix("/apis/")
                .and_then(|rest| rest.split('/').next());
            let prefix = group.map_or(kind.clone(), |group| format!("{kind}.{group}"));
            texts.push(aligned(&table, &rows, &prefix));
        }
        Ok(texts)
    }

    /// Remembers what the operator has written.
    fn wrote(&self, request: &RecordedRequest) {
        let is_noise = matches!(request.resource.as_str(), "leases" | "events");
        let is_removal = request.verb.starts_with("delete");
        let is_done = request.is_write() && (200..300).contains(&request.status);
        if !is_done || is_noise || is_removal || request.user_agent == AGENT {
            return;
        }
        let root = match request.group.as_str() {
            "" => format!("/api/{}", request.version),
            group => format!("/apis/{group}/{}", request.version),
        };
        let metadata = |field: &str| request.body["metadata"][field].as_str();
        let own = Some(request.name.as_str()).filter(|it| !it.is_empty());
        let (name, is_prefix) = match own.or_else(|| metadata("name")) {
            Some(name) => (name, false),
            None => (metadata("generateName").unwrap_or_default(), true),
        };
        lock(&self.0.written).insert(Written {
            root,
            plural: request.resource.clone(),
            namespace: request.namespace.clone(),
            name: name.to_owned(),
            is_prefix,
        });
    }
}

/// An object that the operator has written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Written {
    /// The path of its API version.
    root: String,
    plural: String,
    namespace: String,
    /// Its name, or how it begins.
    name: String,
    is_prefix: bool,
}

impl Written {
    fn is_of(&self, namespace: &str, name: &str) -> bool {
        let is_name = self.name == name || self.is_prefix && name.starts_with(&self.name);
        self.namespace == namespace && is_name
    }
}

/// A missing object is no failure for those who ask whether it exists.
fn is_failure(request: &RecordedRequest) -> bool {
    request.status >= 400 && !(request.status == 404 && request.verb == "get")
}

/// Returns what a request did, and why it failed.
fn describe(request: &RecordedRequest, measures: bool) -> String {
    let name = match request.name.as_str() {
        "" => request.body["metadata"]["name"]
            .as_str()
            .unwrap_or_default(),
        name => name,
    };
    let place = [request.namespace.as_str(), name];
    let place = place.into_iter().filter(|it| !it.is_empty());
    let place = place.collect::<Vec<_>>().join("/");
    let words = [request.verb, &request.rule_resource(), &place];
    let words = words.into_iter().filter(|it| !it.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    let status = request.status;
    if request.denied {
        let missing = rights::missing(request, measures);
        return format!("{text}: {status}: {missing}");
    }
    let why = match request.message.as_str() {
        message if is_failure(request) => message,
        _ => "",
    };
    let why = if why.is_empty() {
        String::new()
    } else {
        format!(": {why}")
    };
    format!("{text}: {status}{why}")
}

/// Objects that Kubernetes makes in the namespace `default`, or in each, by plural and name.
const OF_EACH_NAMESPACE: [(&str, &str); 2] = [
    ("configmaps", "kube-root-ca.crt"),
    ("services", "kubernetes"),
];

fn namespace(row: &Value) -> &str {
    let namespace = &row["object"]["metadata"]["namespace"];
    namespace.as_str().unwrap_or_default()
}

fn name(row: &Value) -> &str {
    let name = &row["object"]["metadata"]["name"];
    name.as_str().unwrap_or_default()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use futures::StreamExt as _;
    use http::{Request, header};
    use kube_codegen_testing::ApiServer;
    use serde_json::json;

    use super::*;

    fn view() -> View {
        View::new(clap::ColorChoice::Never, true, 1, false, None)
    }

    /// Creates objects as an operator does, and lets the view see the requests.
    async fn create(view: &View, cluster: &Cluster, server: &ApiServer, objects: &[(&str, Value)]) {
        let mut requests = server.follow_requests();
        for (path, object) in objects {
            let request = Request::post(*path)
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::USER_AGENT, "operator")
                .body(object.to_string().into_bytes());
            _ = cluster.client().request::<Value>(request.unwrap()).await;
            while let Some(request) = requests.next().await {
                if request.user_agent == "operator" {
                    view.request(&request, false);
                    break;
                }
            }
        }
    }

    #[tokio::test]
    async fn all_kinds_that_the_operator_writes_are_listed() {
        let cluster = Cluster::start(false, false, false).await.unwrap();
        let server = cluster.memory().unwrap();
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "sites.example.com"},
            "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Site", "plural": "sites"}, "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}},
            ]},
        });
        server.apply(&crd.to_string()).await.unwrap();
        let view = view();
        let usual = ["services", "configmaps", "secrets"];
        let usual = usual.map(|plural| ("/api/v1".to_owned(), plural.to_owned()));
        let custom = ("/apis/example.com/v1".to_owned(), "sites".to_owned());
        view.shows([custom].into_iter().chain(usual).collect(), 1);
        let named = |name: &str| json!({"metadata": {"name": name}});
        let of = |name: &str| format!("/api/v1/namespaces/default/{name}");
        let role = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
        let lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
        let site =
            json!({"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"name": "mine"}});
        let objects = [
            ("/apis/example.com/v1/sites", site),
            (&*of("configmaps"), named("page")),
            (&*of("secrets"), named("password")),
            (
                &*of("serviceaccounts"),
                json!({"metadata": {"generateName": "runner-"}}),
            ),
            (role, json!({"metadata": {"name": "reader"}, "rules": []})),
            (lease, named("leader")),
            // Rejected, and so not there.
            (&*of("limitranges"), named("NO")),
        ];
        create(&view, &cluster, server, &objects).await;
        let text = view.texts(&cluster).await.unwrap().join("\n");
        for expected in [
            "site.example.com/mine",
            "configmap/page",
            "secret/password",
            "serviceaccount/runner-",
            "role.rbac.authorization.k8s.io/reader",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        for other in [
            "leader",
            "NO",
            "kube-root-ca.crt",
            "service/kubernetes",
            "serviceaccount/default",
        ] {
            assert!(!text.contains(other), "{other}: {text}");
        }
        cluster.stop();
    }

    #[tokio::test]
    async fn a_rejected_request_has_its_reason() {
        let cluster = Cluster::start(false, false, false).await.unwrap();
        let server = cluster.memory().unwrap();
        let mut requests = server.follow_requests();
        for (path, body, expected) in [
            (
                "/api/v1/namespaces/default/configmaps",
                json!({"metadata": {"name": "NO"}}).to_string(),
                "create configmaps default/NO: 422: ConfigMap \"NO\" is invalid: metadata.name: Invalid value",
            ),
            (
                "/api/v1/namespaces/default/configmaps?fieldValidation=Strict",
                json!({"metadata": {"name": "a"}, "datum": 1}).to_string(),
                "create configmaps default/a: 400: ",
            ),
            (
                "/api/v1/namespaces/none/configmaps",
                json!({"metadata": {"name": "a"}}).to_string(),
                "create configmaps none/a: 404: namespaces \"none\" not found",
            ),
        ] {
            let request = Request::post(path)
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::USER_AGENT, "operator")
                .body(body.into_bytes());
            cluster
                .client()
                .request::<Value>(request.unwrap())
                .await
                .unwrap_err();
            let text = loop {
                let request = requests.next().await.unwrap();
                if request.user_agent == "operator" {
                    break describe(&request, false);
                }
            };
            assert!(text.starts_with(expected), "{text}");
            assert!(
                text.len() > "create configmaps default/a: 400: ".len(),
                "{text}"
            );
        }
        cluster.stop();
    }
}
