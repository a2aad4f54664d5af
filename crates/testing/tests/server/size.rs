//! Many objects: the time to delete a collection, and the memory of stored objects.
use std::{fs, time::Instant};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, api::DeleteParams};
use kube_codegen_testing::ApiServer;
use serde_json::json;

/// How many objects are measured.
const OBJECTS: usize = 200_000;

fn filled(objects: usize) -> ApiServer {
    let server = ApiServer::new();
    for number in 0..objects {
        let map = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": format!("map-{number}"), "labels": {"app": "a"}},
            "data": {"key": "value"},
        });
        server.seed(&map).unwrap();
    }
    server
}

/// Deletes a collection and returns the time for each object, in seconds.
async fn time_of(objects: usize) -> f64 {
    let maps: Api<ConfigMap> = Api::default_namespaced(filled(objects).client());
    let start = Instant::now();
    maps.delete_collection(&DeleteParams::default(), &kube::api::ListParams::default())
        .await
        .unwrap();
    assert!(
        maps.list(&kube::api::ListParams::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
    start.elapsed().as_secs_f64() / f64::from(u32::try_from(objects).unwrap())
}

#[tokio::test]
async fn the_time_to_delete_a_collection_is_proportional_to_its_size() {
    let (small, large) = (time_of(500).await, time_of(4000).await);
    println!("{:.0} and {:.0} µs an object", small * 1e6, large * 1e6);
    // Quadratic, it would be eight times as much.
    assert!(large < small * 4.0, "{small} s, {large} s");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "takes a minute without optimization"]
fn a_million_objects_take_4_gib() {
    let resident = || -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        line.trim()
            .trim_end_matches(" kB")
            .trim()
            .parse::<u64>()
            .unwrap()
            * 1024
    };
    let before = resident();
    let server = filled(OBJECTS);
    let each = (resident() - before) / OBJECTS as u64;
    println!("{each} bytes an object");
    assert_eq!(server.objects().len(), OBJECTS);
    assert!(each * 1_000_000 < 4 << 30, "{each} bytes an object");
}
