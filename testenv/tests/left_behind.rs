//! Nothing of a control plane is left, however the process that started it ends; only a panic keeps the logs.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use kube_codegen_testenv::{ControlPlane, Error, eventually};

const WITHIN: Duration = Duration::from_secs(30);

/// The processes whose working folder or arguments name the folder.
fn processes(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let of = |process: PathBuf| {
        let cwd = fs::read_link(process.join("cwd")).unwrap_or_default();
        let arguments = fs::read(process.join("cmdline")).unwrap_or_default();
        let text = format!(
            "{} {}",
            cwd.display(),
            String::from_utf8_lossy(&arguments).replace('\0', " ")
        );
        text.contains(folder).then_some(text)
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| of(entry.unwrap().path()))
        .collect()
}

/// The ports on which they listen, from their flags.
fn ports(processes: &[String]) -> Vec<u16> {
    let flags = processes.iter().flat_map(|text| text.split(' '));
    let port = |flag: &str| match flag.split_once('=')? {
        ("--secure-port", port) => port.parse().ok(),
        ("--listen-client-urls" | "--listen-peer-urls", url) => {
            url.rsplit_once(':')?.1.parse().ok()
        }
        _ => None,
    };
    flags.filter_map(port).collect()
}

/// Starts `control-plane up`, and gives it with the folder that it works in.
fn up() -> (Child, PathBuf) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_control-plane"))
        .arg("up")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let kubeconfig = line.trim().strip_prefix("export KUBECONFIG=").unwrap();
    (child, Path::new(kubeconfig).parent().unwrap().to_owned())
}

async fn gone(folder: &Path, ports: &[u16]) -> Result<(), Error> {
    eventually("nothing left", WITHIN, async || {
        let left = processes(folder);
        // The kernel closes a process's ports after it has taken its name from it.
        let bound = |port: &&u16| TcpListener::bind(("127.0.0.1", **port)).is_err();
        match (left.is_empty(), folder.exists(), ports.iter().find(bound)) {
            (true, false, None) => Ok(()),
            (_, folder, port) => Err(format!("{left:?}, folder: {folder}, port: {port:?}")),
        }
    })
    .await
}

/// Whether there is a control plane at all; where not, this has been reported.
async fn available() -> Result<bool, Error> {
    let plane = ControlPlane::for_test().await?;
    Ok(plane.is_some())
}

#[tokio::test]
async fn after_sigkill_and_after_ctrl_c() -> Result<(), Error> {
    if !available().await? {
        return Ok(());
    }
    for signal in ["-KILL", "-INT"] {
        let (mut child, folder) = up();
        let running = processes(&folder);
        let ports = ports(&running);
        // etcd, API server, controllers and the shell that watches; two ports and one.
        assert_eq!((running.len(), ports.len()), (4, 3), "{running:?}");
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        child.wait().unwrap();
        gone(&folder, &ports).await?;
    }
    Ok(())
}

#[tokio::test]
async fn after_sigkill_with_a_paused_component() -> Result<(), Error> {
    if !available().await? {
        return Ok(());
    }
    let (mut child, folder) = up();
    for process in fs::read_dir("/proc").unwrap() {
        let process = process.unwrap();
        if fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder) {
            assert!(
                Command::new("kill")
                    .arg("-STOP")
                    .arg(process.file_name())
                    .status()
                    .unwrap()
                    .success()
            );
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    gone(&folder, &[]).await
}

#[tokio::test]
async fn after_a_panic_the_logs() -> Result<(), Error> {
    if !available().await? {
        return Ok(());
    }
    let logs = tempfile::tempdir().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "panics_on_purpose", "--ignored", "--nocapture"])
        .env("KUBE_CODEGEN_E2E_LOGS", logs.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    let folder = text
        .lines()
        .find_map(|line| line.strip_prefix("folder: "))
        .unwrap_or_else(|| panic!("{text}"));
    gone(Path::new(folder), &[]).await?;
    let kept = logs.path().join(Path::new(folder).file_name().unwrap());
    for name in ["etcd.log", "kube-apiserver.log", "controllers.log"] {
        assert!(kept.join(name).exists(), "{name} of {}", kept.display());
    }
    assert!(String::from_utf8_lossy(&output.stderr).contains(kept.to_str().unwrap()));
    Ok(())
}

#[tokio::test]
#[ignore = "run by after_a_panic_the_logs in a process of its own"]
async fn panics_on_purpose() {
    let plane = ControlPlane::shared().await.unwrap().unwrap();
    println!(
        "\nfolder: {}",
        plane.kubeconfig().parent().unwrap().display()
    );
    panic!("on purpose");
}

#[test]
fn where_there_is_none_tests_are_skipped_loudly_or_fail() {
    let run = |wanted: &str| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "after_a_panic_the_logs"])
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("KUBE_CODEGEN_E2E", wanted)
            .output()
            .unwrap()
    };
    let skipped = run("");
    let text = String::from_utf8_lossy(&skipped.stderr);
    assert!(skipped.status.success(), "{text}");
    assert!(
        text.contains("SKIPPED after_a_panic_the_logs: ") && text.contains("KUBEBUILDER_ASSETS"),
        "{text}"
    );
    assert!(run("off").status.success());
    assert!(!run("required").status.success());
    assert!(!run("requierd").status.success());
}
