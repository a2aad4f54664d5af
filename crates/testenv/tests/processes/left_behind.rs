//! Nothing of a control plane is left, however the process that started it ends; only a failure keeps the logs.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

use kube_codegen_testenv::{ControlPlane, Error, TestResult, eventually};

use crate::up::{WITHIN, again, available, up};

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

#[tokio::test]
async fn after_sigkill_ctrl_c_and_the_end_of_who_started_it() -> TestResult {
    let Some(plane) = available().await? else {
        return Ok(());
    };
    for signal in [Some("-KILL"), Some("-INT"), None] {
        let (mut child, folder) = up();
        let running = processes(&folder);
        let ports = ports(&running);
        // etcd, API server and the shell that watches, and maybe controllers; two ports and one.
        let expected = 3 + usize::from(plane.has_controllers());
        assert_eq!((running.len(), ports.len()), (expected, 3), "{running:?}");
        if let Some(signal) = signal {
            let id = child.id().to_string();
            let sent = Command::new("kill").args([signal, &id]).status();
            assert!(sent.unwrap().success());
        }
        // Waiting closes its input, as the end of this process would.
        child.wait().unwrap();
        gone(&folder, &ports).await?;
    }
    Ok(())
}

#[tokio::test]
async fn after_sigkill_with_a_paused_component() -> TestResult {
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
async fn after_a_failure_all_but_the_logs() -> TestResult {
    if available().await?.is_none() {
        return Ok(());
    }
    for how in ["panics_on_purpose", "fails_on_purpose"] {
        let logs = tempfile::tempdir()?;
        let output = again(&format!("left_behind::{how}"))
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
        assert!(String::from_utf8_lossy(&output.stderr).contains(kept.to_str().unwrap()));
    }
    Ok(())
}

/// The control plane of a test that is about to fail, with an operator at work.
async fn doomed() -> Result<&'static ControlPlane, Error> {
    let plane = ControlPlane::shared().await?.unwrap();
    let folder = plane.kubeconfig().parent().unwrap();
    let mut operator = Command::new("sleep");
    operator.arg("1000").current_dir(folder);
    std::mem::forget(plane.spawn("operator", operator)?);
    println!("\nfolder: {}", folder.display());
    Ok(plane)
}

#[tokio::test]
#[ignore = "run by after_a_failure_all_but_the_logs in a process of its own"]
async fn panics_on_purpose() {
    doomed().await.unwrap();
    panic!("on purpose");
}

#[tokio::test]
#[ignore = "run by after_a_failure_all_but_the_logs in a process of its own"]
async fn fails_on_purpose() -> TestResult {
    doomed().await?.kubectl(["no-such-command"]).await?;
    Ok(())
}

#[test]
fn where_there_is_none_tests_are_skipped_loudly_or_fail() {
    let run = |wanted: &str| {
        Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "left_behind::after_sigkill_with_a_paused_component",
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
        text.contains("SKIPPED left_behind::after_sigkill_with_a_paused_component: ")
            && text.contains("KUBEBUILDER_ASSETS"),
        "{text}"
    );
    assert!(run("off").status.success());
    assert!(!run("required").status.success());
    assert!(!run("requierd").status.success());
}
