//! Prints what happens, one line for each change of an object, event, request and error.

use std::{
    collections::{BTreeSet, HashMap},
    io::Write as _,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use futures::{StreamExt as _, TryStreamExt as _};
use http::Request;
use kube::{Client, core::WatchEvent};
use kube_codegen_testing::RecordedRequest;
use serde_json::Value;
use tokio::{sync::mpsc::UnboundedSender, time::sleep};

use crate::{
    cluster::{AGENT, Cluster},
    settled::{Seen, written},
    table::{aligned, cell, visible},
};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// Built-in kinds that operators create, by group and version.
const KINDS: [(&str, &[&str]); 5] = [
    (
        "/api/v1",
        &[
            "services",
            "configmaps",
            "secrets",
            "persistentvolumeclaims",
            "pods",
        ],
    ),
    (
        "/apis/apps/v1",
        &["deployments", "statefulsets", "daemonsets"],
    ),
    ("/apis/batch/v1", &["jobs", "cronjobs"]),
    (
        "/apis/networking.k8s.io/v1",
        &["ingresses", "networkpolicies"],
    ),
    ("/apis/policy/v1", &["poddisruptionbudgets"]),
];

/// Prints lines; clones print to the same place.
#[derive(Clone)]
pub(super) struct View(Arc<Inner>);

struct Inner {
    start: Instant,
    color: ColorChoice,
    quiet: bool,
    /// The collections whose objects are shown.
    shown: Mutex<Vec<(String, String)>>,
}

const fn colored(color: AnsiColor) -> Style {
    color.on_default()
}

impl View {
    pub(super) fn new(color: clap::ColorChoice, quiet: bool) -> Self {
        let color = match color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::AlwaysAnsi,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Self(Arc::new(Inner {
            start: Instant::now(),
            color,
            quiet,
            shown: Mutex::default(),
        }))
    }

    fn line(&self, style: Style, topic: &str, text: &str) {
        if !self.0.quiet {
            self.print(style, topic, text);
        }
    }

    fn print(&self, style: Style, topic: &str, text: &str) {
        let seconds = self.0.start.elapsed().as_secs_f64();
        let mut out = AutoStream::new(std::io::stdout().lock(), self.0.color);
        for text in text.lines() {
            // A closed pipe ends nothing: the operator may still be needed.
            let _closed = writeln!(out, "{seconds:7.2} {style}{topic:8}{style:#} {text}");
        }
        let _closed = out.flush();
    }

    /// Prints what this command does.
    pub(super) fn note(&self, text: &str) {
        self.line(Style::new().bold(), "dev", text);
    }

    pub(super) fn error(&self, text: &str) {
        self.print(colored(AnsiColor::Red).bold(), "error", text);
    }

    /// Prints a line of the operator's output.
    pub(super) fn operator(&self, text: &str) {
        self.line(Style::new().dimmed(), "operator", text);
    }

    /// Follows the objects of custom resources, by path and plural, and of built-in ones, events, and the requests of the API server in memory. Changes of objects are also sent.
    pub(super) fn follow(
        &self,
        cluster: &Cluster,
        custom_resources: BTreeSet<(String, String)>,
        all_requests: bool,
        changes: &UnboundedSender<Seen>,
    ) {
        let mut shown: Vec<_> = custom_resources.into_iter().collect();
        for (root, plurals) in KINDS {
            shown.extend(
                plurals
                    .iter()
                    .map(|plural| (root.to_owned(), (*plural).to_owned())),
            );
        }
        for (root, plural) in &shown {
            let follower = Follower {
                view: self.clone(),
                client: cluster.client().clone(),
                path: format!("{root}/{plural}"),
                plural: plural.clone(),
                lines: HashMap::new(),
                changes: changes.clone(),
            };
            tokio::spawn(follower.run());
        }
        *self.0.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
        let events = Follower {
            view: self.clone(),
            client: cluster.client().clone(),
            path: "/api/v1/events".to_owned(),
            plural: "events".to_owned(),
            lines: HashMap::new(),
            changes: changes.clone(),
        };
        tokio::spawn(events.run());
        if let Some(server) = cluster.memory() {
            let mut requests = server.follow_requests();
            let view = self.clone();
            tokio::spawn(async move {
                while let Some(request) = requests.next().await {
                    view.request(&request, all_requests);
                }
            });
        }
    }

    fn request(&self, request: &RecordedRequest, all: bool) {
        // Renewals and events are frequent, and events have lines of their own.
        let is_noise = matches!(request.resource.as_str(), "leases" | "events");
        let failed = request.status >= 400 && !(request.status == 404 && request.verb == "get");
        if request.user_agent == AGENT || !all && !failed && (!request.is_write() || is_noise) {
            return;
        }
        let name = if request.name.is_empty() {
            request.body["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
        } else {
            &request.name
        };
        let place = [request.namespace.as_str(), name]
            .iter()
            .filter(|it| !it.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join("/");
        let resource = match request.subresource.as_str() {
            "" => request.resource.clone(),
            sub => format!("{}/{sub}", request.resource),
        };
        let text = format!("{} {resource} {place}: {}", request.verb, request.status);
        let style = if failed {
            colored(AnsiColor::Red)
        } else {
            colored(AnsiColor::Blue)
        };
        self.line(style, "request", text.replace(" :", ":").trim_end());
    }

    /// Prints the objects in the namespace `default`, as `kubectl get` does for several kinds.
    pub(super) async fn tables(&self, cluster: &Cluster) -> Result<(), String> {
        let shown = self
            .0
            .shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut texts = Vec::new();
        for (root, plural) in shown {
            if matches!(plural.as_str(), "configmaps" | "secrets") {
                continue;
            }
            let path = format!("{root}/namespaces/default/{plural}");
            let Ok(table) = cluster.get(&path, TABLE).await else {
                continue;
            };
            let own = |row: &&Value| row["object"]["metadata"]["name"] != "kubernetes";
            let rows: Vec<&Value> = table["rows"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(own)
                .collect();
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
        let mut out = AutoStream::new(std::io::stdout().lock(), self.0.color);
        let _closed = writeln!(out, "{}", texts.join("\n\n"));
        Ok(())
    }
}

/// Who writes Events about workloads, whose objects have lines of their own.
const OF_THE_CLUSTER: [&str; 7] = [
    "daemonset-controller",
    "default-scheduler",
    "deployment-controller",
    "job-controller",
    "kubelet",
    "replicaset-controller",
    "statefulset-controller",
];

/// Follows one collection.
struct Follower {
    view: View,
    client: Client,
    path: String,
    plural: String,
    /// The last line of each object.
    lines: HashMap<String, String>,
    changes: UnboundedSender<Seen>,
}

impl Follower {
    async fn run(mut self) {
        loop {
            let accept = if self.plural == "events" {
                "application/json"
            } else {
                TABLE
            };
            let request = Request::get(format!("{}?watch=1", self.path))
                .header(http::header::ACCEPT, accept)
                .header(http::header::USER_AGENT, AGENT)
                .body(Vec::new());
            let Ok(request) = request else { return };
            let watch = self.client.request_events::<Value>(request).await;
            if let Ok(events) = watch {
                let mut events = std::pin::pin!(events);
                // The columns are in the first event only.
                let mut columns = Value::Null;
                while let Ok(Some(event)) = events.try_next().await {
                    self.event(event, &mut columns);
                }
            }
            // The server ends watches after a while; a kind may not be served yet.
            sleep(Duration::from_secs(1)).await;
        }
    }

    fn event(&mut self, event: WatchEvent<Value>, columns: &mut Value) {
        let (object, deleted) = match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => (object, false),
            WatchEvent::Deleted(object) => (object, true),
            WatchEvent::Bookmark(_) | WatchEvent::Error(_) => return,
        };
        if self.plural == "events" {
            if !deleted {
                self.kubernetes_event(&object);
            }
            return;
        }
        if object["columnDefinitions"]
            .as_array()
            .is_some_and(|it| !it.is_empty())
        {
            *columns = object.clone();
        }
        for row in object["rows"].as_array().into_iter().flatten() {
            self.row(columns, row, deleted);
        }
    }

    fn row(&mut self, table: &Value, row: &Value, deleted: bool) {
        let metadata = &row["object"]["metadata"];
        let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
        let (namespace, name) = (text("namespace"), text("name"));
        if namespace.starts_with("kube-")
            || name == "kube-root-ca.crt"
            || name == "kubernetes" && self.plural == "services"
        {
            return;
        }
        let mut cells = Vec::new();
        let mut ready = true;
        for index in visible(table) {
            let column = cell(&table["columnDefinitions"][index]["name"]);
            let value = cell(&row["cells"][index]);
            if column == "Ready" {
                let (now, wanted) = value.split_once('/').unwrap_or(("", ""));
                ready = now == wanted;
            }
            if !matches!(column.as_str(), "Name" | "Age") {
                cells.push(format!(
                    "{}={value}",
                    column.to_uppercase().replace(' ', "-")
                ));
            }
        }
        // The state of Pods is in that of their owner, of which Jobs have Pods that end.
        if self.plural == "pods" {
            ready = true;
        }
        let key = format!("{namespace}/{name}");
        let seen = Seen {
            name: (self.plural.clone(), namespace, name),
            written: written(metadata),
            ready: (!deleted).then_some(ready),
        };
        self.changes.send(seen).ok();
        let line = if deleted {
            self.lines.remove(&key);
            "deleted".to_owned()
        } else {
            let line = cells.join(" ");
            if self.lines.insert(key.clone(), line.clone()).as_ref() == Some(&line) {
                return;
            }
            line
        };
        let key = key.trim_start_matches('/');
        self.view.line(
            colored(AnsiColor::Green),
            "object",
            &format!("{} {key} {line}", self.plural),
        );
    }

    fn kubernetes_event(&mut self, event: &Value) {
        let text = |pointer: &str| {
            event
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        if text("/type") == "Normal" && OF_THE_CLUSTER.contains(&text("/reportingComponent")) {
            return;
        }
        let key = text("/metadata/uid").to_owned();
        let message = match text("/message") {
            "" => text("/note"),
            message => message,
        };
        let line = format!(
            "{} {} {}/{}: {message}",
            text("/type"),
            text("/reason"),
            text("/involvedObject/kind"),
            text("/involvedObject/name"),
        );
        if self.lines.insert(key, line.clone()).as_ref() == Some(&line) {
            return;
        }
        let color = if text("/type") == "Warning" {
            AnsiColor::Yellow
        } else {
            AnsiColor::Cyan
        };
        self.view.line(colored(color), "event", &line);
    }
}
