//! `KUBEBUILDER_ASSETS` and `KUBE_CODEGEN_E2E_KUBECONFIG` select the programs or the cluster.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, ServiceAccount};
use kube::{
    Api, Client, Config, ResourceExt,
    api::{ListParams, ObjectMeta, PostParams},
    config::{KubeConfigOptions, Kubeconfig},
};
use kube_codegen_testenv::{ControlPlane, Error, TestResult, eventually, skip};

use crate::processes::up::{WITHIN, again, available, up};

/// Writes a script that records its use and then runs `command`.
fn script(folder: &Path, name: &str, command: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(
        &path,
        format!("#!/bin/sh\necho used >> \"$0.used\"\n{command}\n"),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Returns the binary that contains all programs; on `None`, its absence has been reported.
async fn built() -> Result<Option<PathBuf>, Error> {
    if available().await?.is_none() {
        return Ok(None);
    }
    let build = Command::new(env!("CARGO_BIN_EXE_control-plane"))
        .arg("build")
        .env_remove("KUBEBUILDER_ASSETS")
        .output()
        .unwrap();
    if !build.status.success() {
        skip(&String::from_utf8_lossy(&build.stderr))?;
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&build.stdout).trim().into()))
}

/// Returns a folder like envtest's.
fn assets(binary: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["etcd", "kube-apiserver", "kubectl"] {
        script(
            folder.path(),
            name,
            &format!("exec '{}' {name} \"$@\"", binary.display()),
        );
    }
    folder
}

/// Runs one of the tests below with these assets, with or without Go.
fn with_assets(test: &str, assets: &Path, go: bool, wanted: &str) -> Output {
    let mut command = again(test);
    command
        .env("KUBEBUILDER_ASSETS", assets)
        .env("KUBE_CODEGEN_E2E", wanted);
    let bin = tempfile::tempdir().unwrap();
    if !go {
        script(bin.path(), "go", "exit 1");
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", bin.path().display()))
            .env("XDG_CACHE_HOME", bin.path());
    }
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[tokio::test]
async fn envtest_programs_serve_with_controllers() -> TestResult {
    let Some(binary) = built().await? else {
        return Ok(());
    };
    let folder = assets(&binary);
    let output = with_assets(
        "processes::configuration::with_controllers",
        folder.path(),
        true,
        "required",
    );
    assert!(output.status.success(), "{}", text(&output));
    for name in ["etcd", "kube-apiserver", "kubectl"] {
        assert!(
            folder.path().join(format!("{name}.used")).exists(),
            "{name}"
        );
    }
    Ok(())
}

#[tokio::test]
#[ignore = "run by envtests_programs_serve_with_our_controllers"]
async fn with_controllers() -> TestResult {
    let plane = ControlPlane::shared().await?.unwrap();
    assert!(plane.is_own() && plane.has_controllers());
    plane.kubectl(["get", "nodes"]).await?;
    Ok(())
}

#[tokio::test]
async fn envtest_programs_serve_without_controllers() -> TestResult {
    let Some(binary) = built().await? else {
        return Ok(());
    };
    let folder = assets(&binary);
    for (wanted, passes) in [("", true), ("required", false)] {
        let output = with_assets(
            "processes::configuration::without_controllers",
            folder.path(),
            false,
            wanted,
        );
        let text = text(&output);
        assert_eq!(output.status.success(), passes, "{text}");
        assert!(text.contains("served"), "{text}");
        assert_eq!(
            text.contains(
                "SKIPPED processes::configuration::without_controllers: there are no Pods"
            ),
            passes,
            "{text}"
        );
    }
    Ok(())
}

#[tokio::test]
#[ignore = "run by envtests_programs_serve_alone"]
async fn without_controllers() -> TestResult {
    let plane = ControlPlane::shared().await?.unwrap();
    assert!(plane.is_own() && !plane.has_controllers());
    works(plane).await?;
    println!("served");
    skip("there are no Pods")?;
    Ok(())
}

/// Uses only the API server: a namespace, an object, a service account with its rights.
async fn works(plane: &ControlPlane) -> TestResult {
    let namespace = plane.namespace("sources").await?;
    let named = |name: &str| ObjectMeta {
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    };
    let accounts: Api<ServiceAccount> = Api::namespaced(plane.client()?, namespace.name());
    let account = ServiceAccount {
        metadata: named("unprivileged"),
        ..ServiceAccount::default()
    };
    accounts.create(&PostParams::default(), &account).await?;
    let config_maps: Api<ConfigMap> = Api::namespaced(plane.client()?, namespace.name());
    let object = ConfigMap {
        metadata: named("a"),
        ..ConfigMap::default()
    };
    config_maps.create(&PostParams::default(), &object).await?;

    let kubeconfig = plane
        .kubeconfig_for(namespace.name(), "unprivileged")
        .await?;
    let get = [
        "get",
        "configmap",
        "a",
        "--kubeconfig",
        kubeconfig.to_str().unwrap(),
    ];
    let refused = plane.kubectl(get).await.unwrap_err().to_string();
    assert!(
        refused.contains("cannot get resource \"configmaps\""),
        "{refused}"
    );
    let proxy = plane.proxy().await?;
    let get = [
        "get",
        "configmap",
        "a",
        "-n",
        namespace.name(),
        "--kubeconfig",
        proxy.kubeconfig().to_str().unwrap(),
    ];
    plane.kubectl(get).await?;
    Ok(())
}

#[tokio::test]
async fn missing_assets_fail_the_test() -> TestResult {
    if available().await?.is_none() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let output = with_assets(
        "processes::configuration::without_controllers",
        folder.path(),
        false,
        "",
    );
    let text = text(&output);
    assert!(
        !output.status.success() && text.contains("KUBEBUILDER_ASSETS"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn an_external_cluster_is_used_and_left_unchanged() -> TestResult {
    if available().await?.is_none() {
        return Ok(());
    }
    let (mut cluster, folder) = up();
    let kubeconfig = fs::read_dir(&folder)?
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("kubeconfig-")
        })
        .unwrap();
    let config = Kubeconfig::read_from(&kubeconfig)?;
    let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await?;
    let namespaces: Api<Namespace> = Api::all(Client::try_from(config)?);
    let no_namespace = async || {
        eventually("no namespace of ours", WITHIN, async || {
            let all = namespaces
                .list(&ListParams::default())
                .await
                .map_err(|e| e.to_string())?;
            let ours = all
                .iter()
                .map(ResourceExt::name_any)
                .find(|name| name.starts_with("sources-"));
            ours.map_or(Ok(()), Err)
        })
        .await
    };

    let output = again("processes::configuration::elsewhere")
        .env("KUBE_CODEGEN_E2E_KUBECONFIG", &kubeconfig)
        .output()?;
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("SKIPPED processes::configuration::elsewhere: "),
        "{}",
        text(&output)
    );
    no_namespace().await?;

    // A killed test leaves nothing in it either.
    let mut killed = again("processes::configuration::hangs_elsewhere")
        .env("KUBE_CODEGEN_E2E_KUBECONFIG", &kubeconfig)
        .stdout(Stdio::piped())
        .spawn()?;
    let made = BufReader::new(killed.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(line.strip_prefix("made ")?.to_owned()))
        .unwrap();
    assert!(namespaces.get_opt(&made).await?.is_some());
    killed.kill()?;
    killed.wait()?;
    no_namespace().await?;

    cluster.kill()?;
    cluster.wait()?;
    Ok(())
}

#[tokio::test]
#[ignore = "run by an_external_cluster_is_used_and_left_unchanged"]
async fn elsewhere() -> TestResult {
    let plane = ControlPlane::shared().await?.unwrap();
    assert!(!plane.is_own() && plane.has_controllers());
    assert!(matches!(plane.api_server(), Err(Error::Absent(_))));
    works(plane).await?;
    assert!(ControlPlane::for_test().await?.is_none());
    Ok(())
}

#[tokio::test]
#[ignore = "run by an_external_cluster_is_used_and_left_unchanged, and killed"]
async fn hangs_elsewhere() -> TestResult {
    let plane = ControlPlane::shared().await?.unwrap();
    println!("\nmade {}", plane.namespace("sources").await?);
    std::future::pending::<()>().await;
    Ok(())
}
