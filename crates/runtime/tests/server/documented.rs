//! `docs/metrics.md` lists every metric, with its type and labels, and no other.
use std::collections::{BTreeMap, BTreeSet};

use kube_codegen_runtime::{
    informer::InformerFactory, leader_election::LeaderElectionConfig, manager::Manager,
    metrics::Format, shards::Shards,
};

use crate::server::{
    exposition::{Sample, parse},
    program::Program,
};

const DOCS: &str = include_str!("../../../../docs/metrics.md");

/// Type and labels of each metric.
type Listed = BTreeMap<String, (String, BTreeSet<String>)>;

/// Reads the rows ``| `name` | type | `label`, `label` | … |``.
fn documented() -> Listed {
    let rows = DOCS.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| {
        let mut cells = row.split('|');
        let name = cells.next()?.trim().strip_suffix('`')?;
        let type_name = cells.next()?.trim();
        let labels = cells
            .next()?
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        let is_served = cfg!(feature = "webhook") || !name.contains("webhook");
        let is_metric = is_served && matches!(type_name, "counter" | "gauge" | "histogram");
        is_metric.then(|| (name.to_owned(), (type_name.to_owned(), labels)))
    })
    .collect()
}

#[tokio::test]
async fn the_documentation_lists_every_metric() {
    let mut program = Program::start().await;
    program.reconcile(&["good", "bad", "later"], 6).await;
    let builder = Manager::builder(program.client.clone(), "program")
        .metrics(program.metrics.clone())
        .leader_election(LeaderElectionConfig::new("program").namespace("default"))
        .shards(Shards::new(4));
    let member = InformerFactory::builder(program.client.clone()).cluster("a");
    let member = member.build();
    member.informer::<k8s_openapi::api::core::v1::ConfigMap>();
    program.metrics.informers(&member);
    #[cfg_attr(not(feature = "webhook"), expect(unused_mut))]
    let mut manager = builder.build().unwrap();
    #[cfg(feature = "webhook")]
    {
        use k8s_openapi::api::core::v1::ConfigMap;
        use kube_codegen_runtime::webhook::Webhooks;
        let nothing = |_: &mut ConfigMap, _: &_| Ok(());
        manager.webhooks(Webhooks::new("program").defaulting(nothing));
    }
    let (samples, types) = parse(&program.metrics.encode(Format::Text).unwrap());
    let labels = |family: &str| -> BTreeSet<String> {
        let of_family = |sample: &&Sample| {
            let suffix = sample.name.strip_prefix(family);
            matches!(suffix, Some("" | "_sum" | "_count" | "_bucket"))
        };
        let mut labels = BTreeSet::new();
        for sample in samples.iter().filter(of_family) {
            // Series of members have it, of any family.
            let is_left_out = |label: &str| {
                label == "le" || label == "cluster" && family != "member_cluster_synced"
            };
            let keys = sample.labels.keys();
            labels.extend(keys.filter(|label| !is_left_out(label)).cloned());
        }
        labels
    };
    let exported: Listed = types
        .into_iter()
        .map(|(name, type_name)| (name.clone(), (type_name, labels(&name))))
        .collect();
    drop(manager);
    assert_eq!(documented(), exported);
}

#[tokio::test]
async fn requests_are_measured() {
    let mut program = Program::start().await;
    program.reconcile(&["good"], 2).await;
    let maps = kube::Api::<k8s_openapi::api::core::v1::ConfigMap>::default_namespaced(
        program.client.clone(),
    );
    maps.get("missing").await.unwrap_err();
    let (samples, _) = parse(&program.metrics.encode(Format::Text).unwrap());
    let find = |name: &str, wanted: &[(&str, &str)]| {
        let matches = |sample: &&Sample| {
            sample.name == name
                && wanted
                    .iter()
                    .all(|(label, value)| sample.label(label) == *value)
        };
        samples
            .iter()
            .find(matches)
            .map_or(0.0, |sample| sample.value)
    };
    let requests = |code: &str, method: &str| {
        find(
            "rest_client_requests_total",
            &[("code", code), ("method", method), ("host", "10.0.0.1:443")],
        )
    };
    assert!((requests("201", "POST") - 1.0).abs() < 1e-9);
    assert!((requests("404", "GET") - 1.0).abs() < 1e-9);
    assert!(requests("200", "PATCH") >= 2.0);
    assert!(requests("200", "GET") >= 1.0, "the watch");
    let count =
        |name: &str, verb: &str| find(&format!("rest_client_{name}_count"), &[("verb", verb)]);
    assert!(
        (count("request_duration_seconds", "GET") - 1.0).abs() < 1e-9,
        "watches are not measured"
    );
    assert!(count("response_size_bytes", "PATCH") >= 2.0);
    assert!(find("rest_client_response_size_bytes_sum", &[("verb", "PATCH")]) > 200.0);
    assert!(find("rest_client_request_size_bytes_sum", &[("verb", "POST")]) > 20.0);
}
