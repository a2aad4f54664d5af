//! Prints what happens, one line for each change of an object, event, request and error.
//!
//! Whatever is printed passes through here, and here texts of objects, Events and programs are escaped.

use std::{
    io::Write as _,
    sync::{Arc, Mutex, PoisonError},
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
    /// The collections whose objects are shown.
    shown: Mutex<Vec<(String, String)>>,
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

    /// Remembers the collections that `tables` shows.
    pub(super) fn shows(&self, shown: Vec<(String, String)>) {
        *self.0.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
    }

    /// Returns where what happens is recorded for the page.
    pub(super) fn history(&self) -> Option<&History> {
        self.0.history.as_ref()
    }

    pub(super) fn request(&self, request: &RecordedRequest, all: bool) {
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
        let resource = request.rule_resource();
        let mut text = format!("{} {resource} {place}: {}", request.verb, request.status);
        if request.denied {
            let missing = rights::missing(request, self.0.measures);
            text = format!("{text}: {missing}");
        }
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
        let text = texts.join("\n\n");
        let _closed = writeln!(out, "{}", printable::lines(&text));
        Ok(())
    }
}
