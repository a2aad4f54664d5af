//! The memory of one run over many CRDs.
use std::{fs, path::Path, process::Stdio, thread::sleep, time::Duration};

use serde_yaml::Value;
use tempfile::TempDir;

use super::kube_codegen;

/// The number of CRDs.
const CRDS: usize = 1000;

/// The most memory that a run may take, in MiB.
const LIMIT: u64 = 400;

/// Writes the CRDs of a directory as often as needed, each time in other groups.
fn multiply(from: &Path, to: &Path) {
    let mut originals: Vec<Value> = Vec::new();
    for repository in fs::read_dir(from).unwrap() {
        for file in fs::read_dir(repository.unwrap().path()).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            // The few CRDs that only kube-codegen's reader accepts are not needed.
            originals.extend(serde_yaml::from_str::<Value>(&text));
        }
    }
    originals.retain(|crd| {
        crd["spec"]["group"].is_string() && crd["spec"]["versions"][0]["storage"].is_bool()
    });
    assert!(originals.len() > 100);
    for (number, crd) in originals.iter().cycle().take(CRDS).enumerate() {
        let mut crd = crd.clone();
        let group = format!("n{number}.{}", crd["spec"]["group"].as_str().unwrap());
        let plural = crd["spec"]["names"]["plural"].as_str().unwrap();
        crd["metadata"]["name"] = format!("{plural}.{group}").into();
        crd["spec"]["group"] = group.into();
        let text = serde_yaml::to_string(&crd).unwrap();
        fs::write(to.join(format!("{number}.yaml")), text).unwrap();
    }
}

/// Returns the peak memory of a running process in MiB.
fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib >> 10)
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "generates from 1,000 CRDs: takes a minute"]
fn a_thousand_crds_take_at_most_400_mib() {
    let Some(corpus) = std::env::var_os("KUBE_CODEGEN_CORPUS") else {
        eprintln!("skipped: set KUBE_CODEGEN_CORPUS to a directory of CRDs");
        return;
    };
    let directory = TempDir::new().unwrap();
    let input = directory.path().join("crds");
    fs::create_dir(&input).unwrap();
    multiply(&Path::new(&corpus).join("crds"), &input);
    let mut child = kube_codegen(directory.path())
        .args(["generate", "-f", "crds", "-o", "out", "-qq"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut most = 0;
    let status = loop {
        most = most.max(peak(child.id()).unwrap_or_default());
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => sleep(Duration::from_millis(5)),
        }
    };
    assert!(status.success());
    println!("peak memory of a run over {CRDS} CRDs: {most} MiB");
    assert!((1..=LIMIT).contains(&most), "{most} MiB");
}
