//! Counts requests, and prints them and the number of stored objects as `/metrics` of a real API server does.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    kinds::store::Store,
    request::{APPLY, Request, Verb},
};

pub(crate) const PATH: &str = "/metrics";
/// The text format of Prometheus.
pub(crate) const CONTENT: &str = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/// What is counted of a request, as the labels of `apiserver_request_total` in their order, but for the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Labels {
    dry_run: &'static str,
    group: String,
    resource: String,
    scope: &'static str,
    subresource: String,
    verb: &'static str,
    version: String,
}

impl Labels {
    pub(crate) fn of(request: &Request) -> Self {
        let target = &request.target;
        let verb = match request.verb {
            Verb::Get => "GET",
            Verb::List => "LIST",
            Verb::Watch => "WATCH",
            Verb::Create => "POST",
            Verb::Update => "PUT",
            Verb::Patch if request.content_type == APPLY => "APPLY",
            Verb::Patch => "PATCH",
            Verb::Delete => "DELETE",
            Verb::DeleteCollection => "DELETECOLLECTION",
        };
        let scope = if !target.name.is_empty() || request.verb == Verb::Create {
            "resource"
        } else if target.namespace.is_empty() {
            "cluster"
        } else {
            "namespace"
        };
        Self {
            dry_run: if request.dry_run() { "All" } else { "" },
            group: target.kind.group.clone(),
            resource: target.kind.plural.clone(),
            scope,
            subresource: target.subresource.clone(),
            verb,
            version: target.version.clone(),
        }
    }
}

/// The number of answered requests, by their labels and the code of the answer.
#[derive(Debug, Default)]
pub(crate) struct Metrics(BTreeMap<(u16, Labels), u64>);

impl Metrics {
    pub(crate) fn count(&mut self, labels: Labels, code: u16) {
        *self.0.entry((code, labels)).or_default() += 1;
    }

    pub(crate) fn print(&self, store: &Store) -> String {
        let mut text = String::from(
            "# HELP apiserver_request_total [STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.\n# TYPE apiserver_request_total counter\n",
        );
        for ((code, labels), count) in &self.0 {
            let Labels {
                dry_run,
                group,
                resource,
                scope,
                subresource,
                verb,
                version,
            } = labels;
            // Names of resources need no escapes.
            _ = writeln!(
                text,
                "apiserver_request_total{{code=\"{code}\",component=\"apiserver\",dry_run=\"{dry_run}\",group=\"{group}\",resource=\"{resource}\",scope=\"{scope}\",subresource=\"{subresource}\",verb=\"{verb}\",version=\"{version}\"}} {count}"
            );
        }
        text.push_str("# HELP apiserver_resource_objects [ALPHA] Number of stored objects at the time of last check split by kind.\n# TYPE apiserver_resource_objects gauge\n");
        for kind in store.kinds.iter() {
            let count = store.stored(kind, "").count();
            let (group, resource) = (&kind.group, &kind.plural);
            _ = writeln!(
                text,
                "apiserver_resource_objects{{group=\"{group}\",resource=\"{resource}\"}} {count}"
            );
        }
        text
    }
}
