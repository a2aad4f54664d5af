//! Informers and their lists and watches, with the names of component-base and of client-go's reflector.
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use super::encoder::{Encoder, Labels, of_cluster};
use crate::informer::InformerStatus;

pub(super) fn encode(all: Vec<InformerStatus>, out: &mut Encoder<'_>) -> fmt::Result {
    let mut names = HashMap::<(Option<String>, String), usize>::new();
    let all: Vec<_> = all
        .into_iter()
        .map(|status| {
            let mut name = name(&status);
            let count = names.entry((status.cluster.clone(), name.clone()));
            let count = count.or_default();
            *count += 1;
            if *count > 1 {
                name = format!("{name}-{count}");
            }
            (labels(name, &status), status)
        })
        .collect();
    encode_informers(&all, out)?;
    encode_clusters(&all, out)?;
    let all: Vec<_> = all
        .into_iter()
        .map(|(mut labels, status)| {
            labels.push(("namespace", status.namespace.clone().unwrap_or_default()));
            (labels, status)
        })
        .collect();
    encode_reflectors(&all, out)
}

/// Returns `deployments.apps`, or `deployments.apps/ns` for one namespace.
fn name(status: &InformerStatus) -> String {
    let mut name = status.resource.clone();
    for (separator, part) in [('.', Some(&status.group)), ('/', status.namespace.as_ref())] {
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            name.push(separator);
            name.push_str(part);
        }
    }
    name
}

fn labels(name: String, status: &InformerStatus) -> Labels {
    let labels = vec![
        ("name", name),
        ("group", status.group.clone()),
        ("version", status.version.clone()),
        ("resource", status.resource.clone()),
    ];
    of_cluster(labels, status.cluster.as_deref())
}

/// Returns the last 15 digits, which a float holds exactly; as component-base does.
fn number(resource_version: &str) -> u64 {
    let start = resource_version.len().saturating_sub(15);
    resource_version
        .get(start..)
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_default()
}

fn encode_informers(all: &[(Labels, InformerStatus)], out: &mut Encoder<'_>) -> fmt::Result {
    out.gauge(
        "informer_queued_items",
        "Notifications that wait for the handlers of an informer",
        all.iter().map(|(labels, status)| {
            let pending: usize = status.handlers.iter().map(|handler| handler.pending).sum();
            (labels, pending)
        }),
    )?;
    out.histogram(
        "informer_processing_latency_seconds",
        "Time between the arrival of a change and its place in the cache and the queues of the handlers",
        all.iter().map(|(labels, status)| (labels, &status.metrics.processing_latency)),
    )?;
    out.gauge(
        "informer_store_resource_version",
        "Last 15 digits of the resource version of the cache",
        all.iter()
            .map(|(labels, status)| (labels, number(&status.last_sync_resource_version))),
    )?;
    out.gauge(
        "informer_objects",
        "Objects in the cache",
        all.iter().map(|(labels, status)| (labels, status.objects)),
    )?;
    out.gauge(
        "informer_idle_seconds",
        "Seconds since the server last sent an object or a bookmark",
        all.iter()
            .filter_map(|(labels, status)| Some((labels, status.idle_seconds?))),
    )?;
    out.gauge(
        "informer_not_served_seconds",
        "How long the server has said that it does not serve the kind, whose CRD may not be installed; 0 while it does",
        all.iter().map(|(labels, status)| {
            (labels, status.not_served_seconds.unwrap_or_default())
        }),
    )?;
    out.gauge(
        "informer_pending_writes",
        "Writes of this process that the watch has not delivered yet",
        all.iter()
            .map(|(labels, status)| (labels, status.pending_writes)),
    )?;
    out.gauge(
        "informer_staleness_seconds",
        "Age of the oldest write of this process that the watch has not delivered yet; 0 without one",
        all.iter().map(|(labels, status)| {
            let age = status.oldest_pending_write_seconds;
            (labels, age.unwrap_or_default())
        }),
    )?;
    out.counter(
        "informer_objects_received_total",
        "Objects in lists and events of watches",
        all.iter()
            .map(|(labels, status)| (labels, status.metrics.received)),
    )?;
    out.counter(
        "informer_objects_dropped_total",
        "Received objects of other shards, which were dropped before they were decoded",
        all.iter()
            .map(|(labels, status)| (labels, status.metrics.dropped)),
    )?;
    out.counter(
        "informer_decode_failures_total",
        "Received objects that did not decode",
        all.iter()
            .map(|(labels, status)| (labels, status.metrics.decode_failures)),
    )
}

/// Encodes which member clusters have answered.
fn encode_clusters(all: &[(Labels, InformerStatus)], out: &mut Encoder<'_>) -> fmt::Result {
    let mut clusters = BTreeMap::new();
    for (_, status) in all {
        if let Some(name) = &status.cluster {
            *clusters.entry(name).or_insert(true) &= status.synced;
        }
    }
    let series = clusters
        .into_iter()
        .map(|(name, is_synced)| (of_cluster(Labels::new(), Some(name)), u32::from(is_synced)));
    let series: Vec<_> = series.collect();
    out.gauge(
        "member_cluster_synced",
        "1 if all informers of a member cluster have their first list, else 0",
        series.iter().map(|(labels, value)| (labels, *value)),
    )
}

fn encode_reflectors(all: &[(Labels, InformerStatus)], out: &mut Encoder<'_>) -> fmt::Result {
    out.counter(
        "reflector_lists_total",
        "Complete lists",
        all.iter()
            .map(|(labels, status)| (labels, status.metrics.lists)),
    )?;
    out.histogram(
        "reflector_list_duration_seconds",
        "Duration of a complete list",
        all.iter()
            .map(|(labels, status)| (labels, &status.metrics.list_duration)),
    )?;
    out.histogram(
        "reflector_items_per_list",
        "Objects of a complete list",
        all.iter()
            .map(|(labels, status)| (labels, &status.metrics.items_per_list)),
    )?;
    out.counter(
        "reflector_watches_total",
        "Opened watches",
        all.iter()
            .map(|(labels, status)| (labels, status.metrics.watches)),
    )?;
    out.counter(
        "reflector_short_watches_total",
        "Watches that ended within a second without a change",
        all.iter()
            .map(|(labels, status)| (labels, status.metrics.short_watches)),
    )?;
    out.histogram(
        "reflector_watch_duration_seconds",
        "Duration of an ended watch",
        all.iter()
            .map(|(labels, status)| (labels, &status.metrics.watch_duration)),
    )?;
    out.histogram(
        "reflector_items_per_watch",
        "Changes received by an ended watch",
        all.iter()
            .map(|(labels, status)| (labels, &status.metrics.items_per_watch)),
    )?;
    out.gauge(
        "reflector_last_resource_version",
        "Last 15 digits of the last resource version received",
        all.iter()
            .map(|(labels, status)| (labels, number(&status.last_sync_resource_version))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_version_is_exact_as_a_float() {
        assert_eq!(number("123456789012345678"), 456_789_012_345_678);
        assert_eq!((number("7"), number(""), number("x")), (7, 0, 0));
    }
}
