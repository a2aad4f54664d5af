//! The Events that the controllers, the scheduler and the kubelets write about their work.

use std::time::Duration;

use kube_codegen_formats::names;
use serde_json::{Value, json};

use super::pass::{AGENT, Known, Pass};
use crate::{
    handlers::client::check,
    values::object::{self, at, now, put, text},
};

/// How long the API server keeps an Event (`--event-ttl`).
const KEPT: Duration = Duration::from_secs(3600);
/// How often Events that are too old are looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// Who writes an Event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'a> {
    /// A controller, by its name.
    Controller(&'a str),
    Scheduler,
    /// The kubelet of a node, about a container.
    Kubelet(&'a str, &'a str),
}

/// What an Event says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note<'a> {
    pub(super) source: Source<'a>,
    pub(super) is_warning: bool,
    /// Whether the Event counts how often it happens, and its message is part of what it is about.
    pub(super) counts: bool,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

impl Pass<'_> {
    /// Writes what happened to an object.
    pub(super) fn normal(&mut self, source: Source<'_>, of: &Value, reason: &str, message: &str) {
        self.write(
            of,
            Note {
                source,
                is_warning: false,
                counts: true,
                reason,
                message,
            },
        );
    }

    /// Writes what happens to an object once, though it is seen more than once.
    pub(super) fn once(&mut self, source: Source<'_>, of: &Value, reason: &str, message: &str) {
        self.write(
            of,
            Note {
                source,
                is_warning: false,
                counts: false,
                reason,
                message,
            },
        );
    }

    /// Writes what failed. The message may name what was tried, so the same failure is not written again before it is over.
    pub(super) fn warning(&mut self, source: Source<'_>, of: &Value, reason: &str, message: &str) {
        self.has_failed = true;
        self.write(
            of,
            Note {
                source,
                is_warning: true,
                counts: false,
                reason,
                message,
            },
        );
    }

    /// Creates a Pod for an owner, and writes whether that succeeded. Returns whether another one could be created, too.
    pub(super) fn create_pod(&mut self, controller: &str, owner: &Value, pod: &Value) -> bool {
        if !self.has_room(controller, owner) {
            return false;
        }
        let source = Source::Controller(controller);
        match self.client.create(AGENT, pod) {
            Ok(created) => {
                let message = format!("Created pod: {}", object::name(&created));
                self.clear(owner, "FailedCreate");
                self.normal(source, owner, "SuccessfulCreate", &message);
                true
            }
            Err(status) => {
                let message = format!("Error creating: {}", status.message);
                self.warning(source, owner, "FailedCreate", &message);
                false
            }
        }
    }

    /// Deletes a Pod of an owner, and writes that.
    pub(super) fn delete_pod(&mut self, controller: &str, owner: &Value, pod: &Value) {
        if self.delete(pod) {
            let message = format!("Deleted pod: {}", object::name(pod));
            self.normal(
                Source::Controller(controller),
                owner,
                "SuccessfulDelete",
                &message,
            );
        }
    }

    /// Lets a failure be written again.
    pub(super) fn clear(&mut self, of: &Value, reason: &str) {
        self.events.known.remove(&key(of, reason, ""));
    }

    fn write(&mut self, of: &Value, note: Note<'_>) {
        self.sweep();
        let what = if note.counts { note.message } else { "" };
        let mut key = key(of, note.reason, what);
        if let Source::Kubelet(_, container) = note.source {
            key.push_str(container);
        }
        if let Some(known) = self.events.known.get(&key).cloned()
            && (!note.counts || self.count(&known))
        {
            return;
        }
        let event = event(of, note, self.client.unique());
        let known = Known {
            namespace: object::namespace(&event).to_owned(),
            name: object::name(&event).to_owned(),
            written: self.now,
        };
        // An Event in a namespace that is being deleted is lost, as in a cluster.
        match self.client.create(AGENT, &event) {
            Ok(_) => drop(self.events.known.insert(key, known)),
            failed => check(failed),
        }
    }

    /// Counts one more occurrence; returns whether the Event still exists.
    fn count(&mut self, known: &Known) -> bool {
        let Some(event) = self
            .client
            .get("v1", "Event", &known.namespace, &known.name)
        else {
            return false;
        };
        let mut event = Value::clone(&event);
        let count = at(&event, "/count").as_i64().unwrap_or(1).saturating_add(1);
        put(&mut event, "/count", count.into());
        put(&mut event, "/lastTimestamp", now());
        self.update(&event)
    }

    /// Removes Events that are too old.
    fn sweep(&mut self) {
        let now = self.now;
        if self.events.swept.is_some_and(|last| now - last < SWEEP) {
            return;
        }
        self.events.swept = Some(now);
        let old = self
            .events
            .known
            .extract_if(|_, known| now - known.written >= KEPT);
        let old: Vec<Known> = old.map(|(_, known)| known).collect();
        for known in old {
            if let Some(event) = self
                .client
                .get("v1", "Event", &known.namespace, &known.name)
            {
                self.delete(&event);
            }
        }
    }
}

fn key(of: &Value, reason: &str, message: &str) -> String {
    format!("{}/{reason}/{message}", object::uid(of))
}

/// Returns the name of an Event about an object, whose own name may be too long for that or not be allowed.
pub(super) fn name(of: &Value, number: u64) -> String {
    let name = format!("{}.{number:016x}", object::name(of));
    if names::dns_1123_subdomain(&name).is_empty() {
        name
    } else {
        format!("{number:016x}")
    }
}

fn event(of: &Value, note: Note<'_>, number: u64) -> Value {
    let (component, host) = match note.source {
        Source::Controller(name) => (name, ""),
        Source::Scheduler => ("default-scheduler", ""),
        Source::Kubelet(host, _) => ("kubelet", host),
    };
    let namespace = match object::namespace(of) {
        "" => "default",
        namespace => namespace,
    };
    let mut event = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name(of, number), "namespace": namespace},
        "involvedObject": {
            "apiVersion": text(of, "/apiVersion"),
            "kind": text(of, "/kind"),
            "namespace": object::namespace(of),
            "name": object::name(of),
            "uid": object::uid(of),
            "resourceVersion": text(of, "/metadata/resourceVersion"),
        },
        "type": if note.is_warning { "Warning" } else { "Normal" },
        "reason": note.reason,
        "message": note.message,
        "reportingComponent": component,
        "reportingInstance": host,
    });
    if let Source::Scheduler = note.source {
        // The scheduler writes in the newer form.
        let action = if note.is_warning {
            "Scheduling"
        } else {
            "Binding"
        };
        event["eventTime"] = json!(k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime(
            kube_codegen_record::clock::now()
        ));
        event["reportingInstance"] = format!("{component}-0").into();
        event["action"] = action.into();
        return event;
    }
    event["source"] = json!({"component": component, "host": host});
    event["firstTimestamp"] = now();
    event["lastTimestamp"] = now();
    event["count"] = 1.into();
    if let Source::Kubelet(_, container) = note.source {
        event["involvedObject"]["fieldPath"] = format!("spec.containers{{{container}}}").into();
    }
    event
}
