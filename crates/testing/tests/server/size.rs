//! Many objects: the time to delete a collection, and the memory of stored objects.
use std::{fs, time::Instant};

use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Secret},
};
use kube::{
    Api,
    api::{DeleteParams, ListParams, PostParams},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;

use super::support::rejected;

/// How many objects are measured.
#[cfg(target_os = "linux")]
const OBJECTS: usize = 1_000_000;

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
    maps.delete_collection(&DeleteParams::default(), &ListParams::default())
        .await
        .unwrap();
    assert!(
        maps.list(&ListParams::default())
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

#[tokio::test]
#[cfg(target_os = "linux")]
#[ignore = "takes two minutes without optimization"]
async fn a_million_objects_take_less_than_2_gib() {
    let bytes = |name: &str| -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.unwrap().trim().trim_end_matches(" kB").trim();
        number.parse::<u64>().unwrap() * 1024
    };
    let before = bytes("VmRSS:");
    let server = filled(OBJECTS);
    let each = (bytes("VmRSS:") - before) / OBJECTS as u64;
    println!("{each} bytes an object, stored");
    // A client lists all of them, page by page.
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut pages = ListParams::default().limit(500);
    let mut found = 0;
    loop {
        let page = maps.list(&pages).await.unwrap();
        found += page.items.len();
        match page.metadata.continue_.filter(|it| !it.is_empty()) {
            Some(token) => pages = pages.continue_token(&token),
            None => break,
        }
    }
    assert_eq!(found, OBJECTS);
    let peak = bytes("VmHWM:") - before;
    println!("{} MiB at most", peak >> 20);
    assert!(peak < 2 << 30, "{peak} bytes");
}

#[tokio::test]
async fn the_values_of_a_config_map_or_a_secret_have_a_limit() {
    let server = ApiServer::new();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    for (bytes, fits) in [(1 << 20, true), ((1 << 20) + 1, false)] {
        let name = format!("a-{bytes}");
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        map.data = Some([("a".to_owned(), "x".repeat(bytes))].into());
        let created = maps.create(&PostParams::default(), &map).await;
        let expected = format!(
            "ConfigMap {name:?} is invalid: []: Too long: may not be more than 1048576 bytes"
        );
        assert_eq!(created.is_ok(), fits);
        if !fits {
            assert_eq!(rejected(created).message, expected);
        }
        let mut secret = Secret::default();
        secret.metadata.name = Some(name.clone());
        secret.data = Some([("a".to_owned(), ByteString(vec![0; bytes]))].into());
        let created = secrets.create(&PostParams::default(), &secret).await;
        let expected = format!(
            "Secret {name:?} is invalid: data: Too long: may not be more than 1048576 bytes"
        );
        assert_eq!(created.is_ok(), fits);
        if !fits {
            assert_eq!(rejected(created).message, expected);
        }
    }
}
