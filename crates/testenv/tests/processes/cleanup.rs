//! Nothing remains of a control plane, however its process ends; only a failure keeps the logs.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

use k8s_openapi::api::core::v1::Secret;
use kube::{Api, api::ListParams};
use kube_codegen_testenv::{ControlPlane, Error, Fault, Rule, TestResult, eventually};

use crate::processes::up::{WITHIN, again, available, up};

/// Returns the processes whose working folder or arguments contain the folder.
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

/// Returns the ports of their flags.
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

async fn gone(folder: &Path, ports: &[u16]) -> Result<(), Error> {
    eventually("nothing left", WITHIN, async || {
        let left = processes(folder);
        // The kernel closes the ports of a process after it has removed its name.
        let bound = |port: &&u16| TcpListener::bind(("127.0.0.1", **port)).is_err();
        match (left.is_empty(), folder.exists(), ports.iter().find(bound)) {
            (true, false, None) => Ok(()),
            (_, folder, port) => Err(format!("{left:?}, folder: {folder}, port: {port:?}")),
        }
    })
    .await
}

#[tokio::test]
async fn nothing_remains_after_sigkill_ctrl_c_or_the_end_of_the_parent() -> TestResult {
    let Some(plane) = available().await? else {
        return Ok(());
    };
    for signal in [Some("-KILL"), Some("-INT"), None] {
        let (mut child, folder) = up();
        let running = processes(&folder);
        let ports = ports(&running);
        // etcd with two ports, the API server with one, the shell, and possibly controllers.
        let expected = 3 + usize::from(plane.has_controllers());
        assert_eq!((running.len(), ports.len()), (expected, 3), "{running:?}");
        if let Some(signal) = signal {
            let id = child.id().to_string();
            let sent = Command::new("kill").args([signal, &id]).status();
            assert!(sent.unwrap().success());
        }
        // `wait` closes its input, as the end of this process would.
        child.wait().unwrap();
        gone(&folder, &ports).await?;
    }
    Ok(())
}

#[tokio::test]
async fn nothing_remains_after_sigkill_with_a_paused_component() -> TestResult {
    if available().await?.is_none() {
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
    gone(&folder, &[]).await?;
    Ok(())
}

#[tokio::test]
async fn only_the_logs_remain_after_a_failure() -> TestResult {
    if available().await?.is_none() {
        return Ok(());
    }
    for how in ["panics_on_purpose", "fails_on_purpose"] {
        let logs = tempfile::tempdir()?;
        let output = again(&format!("processes::cleanup::{how}"))
            .env("KUBE_CODEGEN_E2E_LOGS", logs.path())
            .output()?;
        assert!(!output.status.success());
        let text = String::from_utf8_lossy(&output.stdout);
        let folder = text
            .lines()
            .find_map(|line| line.strip_prefix("folder: "))
            .unwrap_or_else(|| panic!("{text}"));
        gone(Path::new(folder), &[]).await?;
        let kept = logs.path().join(Path::new(folder).file_name().unwrap());
        for name in ["etcd.log", "kube-apiserver.log", "operator.log"] {
            assert!(kept.join(name).exists(), "{name} of {}", kept.display());
        }
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains(kept.to_str().unwrap()));
        // The picture has the requests, the faults, and why the test failed.
        assert!(printed.contains(kept.join("run.html").to_str().unwrap()));
        let picture = fs::read_to_string(kept.join("run.html"))?;
        for text in [
            "create configmaps default/seen: 201",
            "Gone: GET /api/v1/namespaces/default/secrets",
            "<b>operator</b> starts",
            if how == "panics_on_purpose" {
                "on purpose"
            } else {
                "no-such-command"
            },
        ] {
            assert!(picture.contains(text), "{text} is not in {picture}");
        }
    }
    Ok(())
}

/// Returns the control plane of a test that will fail, with a running operator.
async fn doomed() -> Result<&'static ControlPlane, Error> {
    let plane = ControlPlane::shared().await?.unwrap();
    let folder = plane.kubeconfig().parent().unwrap();
    let mut operator = Command::new("sleep");
    operator.arg("1000").current_dir(folder);
    std::mem::forget(plane.spawn("operator", operator)?);
    let create = ["create", "configmap", "seen", "-n", "default"];
    plane.kubectl(create).await?;
    let proxy = plane.proxy().await?;
    proxy.add(Rule::new(Fault::Gone).path("/secrets"));
    let secrets: Api<Secret> = Api::namespaced(proxy.client()?, "default");
    assert!(secrets.list(&ListParams::default()).await.is_err());
    println!("\nfolder: {}", folder.display());
    Ok(plane)
}

#[tokio::test]
#[ignore = "run by only_the_logs_remain_after_a_failure in a process of its own"]
async fn panics_on_purpose() {
    doomed().await.unwrap();
    panic!("on purpose");
}

#[tokio::test]
#[ignore = "run by only_the_logs_remain_after_a_failure in a process of its own"]
async fn fails_on_purpose() -> TestResult {
    doomed().await?.kubectl(["no-such-command"]).await?;
    Ok(())
}

#[test]
fn without_a_control_plane_tests_are_skipped_or_fail() {
    let run = |wanted: &str| {
        Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "processes::cleanup::nothing_remains_after_sigkill_with_a_paused_component",
            ])
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
        text.contains(
            "SKIPPED processes::cleanup::nothing_remains_after_sigkill_with_a_paused_component: "
        ) && text.contains("KUBEBUILDER_ASSETS"),
        "{text}"
    );
    assert!(run("off").status.success());
    assert!(!run("required").status.success());
    assert!(!run("requierd").status.success());
}
