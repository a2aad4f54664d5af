//! Follows the objects and Events of an API server, and the requests of the one in memory.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use futures::{StreamExt as _, TryStreamExt as _};
use http::Request;
use kube::{Client, core::WatchEvent};
use serde_json::Value;
use tokio::{sync::mpsc::UnboundedSender, time::sleep};

use crate::{
    cluster::{AGENT, Cluster},
    history::{Change, Entry, History, Topic},
    settled::{Seen, written},
    table::{cell, shown, visible},
    view::{TABLE, View},
};

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

/// Kinds between those and their Pods, which only the page shows.
const BETWEEN: [(&str, &str); 2] = [
    ("/apis/apps/v1", "replicasets"),
    ("/apis/apps/v1", "controllerrevisions"),
];

/// Follows the objects of custom resources, by path and plural, and of built-in ones, Events, and the requests of the API server in memory.
/// Changes of objects are also sent.
pub(super) fn follow(
    view: &View,
    cluster: &Cluster,
    custom_resources: BTreeSet<(String, String)>,
    all_requests: bool,
    changes: &UnboundedSender<Seen>,
) {
    let customs = custom_resources.len();
    let custom_roots: BTreeSet<String> =
        (custom_resources.iter().map(|(root, _)| root.clone())).collect();
    let custom_roots = Arc::new(custom_roots);
    let mut shown: Vec<_> = custom_resources.into_iter().collect();
    for (root, plurals) in KINDS {
        let kinds = plurals.iter();
        shown.extend(kinds.map(|plural| (root.to_owned(), (*plural).to_owned())));
    }
    let mut collections = shown.clone();
    if view.history().is_some() {
        let between = BETWEEN.iter();
        collections
            .extend(between.map(|(root, plural)| ((*root).to_owned(), (*plural).to_owned())));
    }
    collections.push(("/api/v1".to_owned(), "events".to_owned()));
    for (rank, (root, plural)) in collections.into_iter().enumerate() {
        let follower = Follower {
            view: view.clone(),
            client: cluster.client().clone(),
            root,
            plural,
            rank,
            custom: rank < customs,
            printed: rank < shown.len(),
            lines: HashMap::new(),
            custom_roots: custom_roots.clone(),
            changes: changes.clone(),
        };
        tokio::spawn(follower.run());
    }
    view.shows(shown, customs);
    if let Some(server) = cluster.memory() {
        let mut requests = server.follow_requests();
        let view = view.clone();
        tokio::spawn(async move {
            while let Some(request) = requests.next().await {
                view.request(&request, all_requests);
            }
        });
    }
}

/// Returns the entry of an Event, at the object that it is about.
fn entry(history: &History, event: &Value) -> Entry {
    let text = |pointer: &str| {
        event
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let mut kind = text("/involvedObject/kind").to_owned();
    if let Some((group, _)) = text("/involvedObject/apiVersion").split_once('/') {
        kind = format!("{kind}.{group}");
    }
    let path = [
        text("/involvedObject/namespace"),
        text("/involvedObject/name"),
    ];
    let path = path.into_iter().filter(|it| !it.is_empty());
    let path = path.collect::<Vec<_>>().join("/");
    let message = match text("/message") {
        "" => text("/note"),
        message => message,
    };
    let count = match event["count"].as_u64() {
        Some(count) if count > 1 => format!(" (×{count})"),
        _ => String::new(),
    };
    let line = format!("{}: {message}{count}", text("/reason"));
    Entry::new(Topic::Event, history.key(&kind, &path), line).failed(text("/type") == "Warning")
}

/// Who writes Events about workloads, whose objects have lines of their own.
pub(crate) const OF_THE_CLUSTER: [&str; 7] = [
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
    root: String,
    plural: String,
    /// Where the kind is shown on the page.
    rank: usize,
    custom: bool,
    /// Whether changes are printed; those of other kinds are for the page.
    printed: bool,
    /// The last line of each object.
    lines: HashMap<String, String>,
    /// The paths of the versions of custom resources.
    custom_roots: Arc<BTreeSet<String>>,
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
            let include = if self.view.history().is_some() {
                "&includeObject=Object"
            } else {
                ""
            };
            let path = format!("{}/{}?watch=1{include}", self.root, self.plural);
            let request = Request::get(path)
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
        if let Some(history) = self.view.history() {
            history.object(self.change(table, row, deleted));
        }
        if !self.printed {
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
                let value = shown(&row["cells"][index]);
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
        self.view.object(&format!("{} {key} {line}", self.plural));
    }

    /// Returns what the page shows of an object.
    fn change(&self, table: &Value, row: &Value, deleted: bool) -> Change {
        let mut object = row["object"].clone();
        // The items of a list have no kind.
        if object["kind"] == "PartialObjectMetadata" || object["kind"].is_null() {
            object["kind"] = self.plural.clone().into();
        }
        let columns = visible(table).into_iter();
        // Ages would be those of the last change.
        let columns = columns.filter(|index| {
            let name = &table["columnDefinitions"][index]["name"];
            name != "Name" && name != "Age"
        });
        let (columns, cells) = columns
            .map(|index| {
                (
                    cell(&table["columnDefinitions"][index]["name"]),
                    cell(&row["cells"][index]),
                )
            })
            .unzip();
        Change {
            root: self.root.clone(),
            plural: self.plural.clone(),
            rank: self.rank,
            custom: self.custom,
            object,
            columns,
            cells,
            deleted,
        }
    }

    fn kubernetes_event(&mut self, event: &Value) {
        let text = |pointer: &str| {
            event
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        if let Some(history) = self.view.history() {
            history.add(entry(history, event));
        }
        if text("/type") == "Normal" && OF_THE_CLUSTER.contains(&text("/reportingComponent")) {
            return;
        }
        let root = format!("/apis/{}", text("/involvedObject/apiVersion"));
        if text("/type") == "Normal" && self.custom_roots.contains(&root) {
            // An operator that creates nothing says so: a new one does.
            let seen = Seen {
                name: (
                    "events".to_owned(),
                    String::new(),
                    text("/metadata/uid").to_owned(),
                ),
                written: true,
                ready: Some(true),
            };
            self.changes.send(seen).ok();
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
        self.view.event(&line, text("/type") == "Warning");
    }
}
