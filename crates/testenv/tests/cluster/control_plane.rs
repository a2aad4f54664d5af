//! The control plane: workloads, RBAC, and recovery of its components.

use std::{fs, path::Path, process::Command, time::Duration};

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Pod},
};
use kube::{
    Api,
    api::{ListParams, ObjectMeta, PostParams},
};
use kube_codegen_testenv::{ControlPlane, Error, TestResult, eventually, skip};

const WITHIN: Duration = Duration::from_secs(60);

fn config_map(name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}

#[tokio::test]
async fn a_deployment_gets_running_pods_and_is_collected() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    if !plane.has_controllers() {
        return Ok(skip("a Deployment needs controllers")?);
    }
    let ns = plane.namespace("deployment").await?;
    plane
        .kubectl([
            "create",
            "deployment",
            "web",
            "--image=example.com/web:1",
            "--replicas=2",
            "-n",
            ns.name(),
        ])
        .await?;
    let deployments: Api<Deployment> = Api::namespaced(plane.client()?, ns.name());
    eventually("two Pods available", WITHIN, async || {
        let status = deployments
            .get("web")
            .await
            .map_err(|e| e.to_string())?
            .status
            .unwrap_or_default();
        if status.available_replicas == Some(2) {
            Ok(())
        } else {
            Err(format!("{status:?}"))
        }
    })
    .await?;
    let pods: Api<Pod> = Api::namespaced(plane.client()?, ns.name());
    let running = pods
        .list(&ListParams::default().fields("status.phase=Running"))
        .await?;
    assert_eq!(running.items.len(), 2);
    assert!(
        running
            .items
            .iter()
            .all(|pod| pod.spec.as_ref().unwrap().node_name.as_deref() == Some("node-0"))
    );

    plane
        .kubectl([
            "delete",
            "deployment",
            "web",
            "--wait=false",
            "-n",
            ns.name(),
        ])
        .await?;
    eventually("no Pods", WITHIN, async || {
        let left = pods
            .list(&ListParams::default())
            .await
            .map_err(|e| e.to_string())?
            .items
            .len();
        if left == 0 {
            Ok(())
        } else {
            Err(format!("{left} Pods"))
        }
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_job_completes() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    if !plane.has_controllers() {
        return Ok(skip("a Job needs controllers")?);
    }
    let ns = plane.namespace("job").await?;
    plane
        .kubectl([
            "create",
            "job",
            "once",
            "--image=example.com/once:1",
            "-n",
            ns.name(),
        ])
        .await?;
    plane
        .kubectl([
            "wait",
            "--for=condition=complete",
            "job/once",
            "--timeout=60s",
            "-n",
            ns.name(),
        ])
        .await?;
    Ok(())
}

#[tokio::test]
async fn a_service_account_has_exactly_the_rights_of_its_role() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("rbac").await?;
    let ns = ns.name();
    plane
        .kubectl(["create", "serviceaccount", "reader", "-n", ns])
        .await?;
    plane
        .kubectl([
            "create",
            "role",
            "reader",
            "--verb=get,list",
            "--resource=configmaps",
            "-n",
            ns,
        ])
        .await?;
    plane
        .kubectl([
            "create",
            "rolebinding",
            "reader",
            "--role=reader",
            &format!("--serviceaccount={ns}:reader"),
            "-n",
            ns,
        ])
        .await?;

    let config_maps: Api<ConfigMap> =
        Api::default_namespaced(plane.client_for(ns, "reader").await?);
    config_maps.list(&ListParams::default()).await?;
    let refused = config_maps
        .create(&PostParams::default(), &config_map("a"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("cannot create resource \"configmaps\""),
        "{refused}"
    );

    let kubeconfig = plane.kubeconfig_for(ns, "reader").await?;
    let kubeconfig = kubeconfig.to_str().unwrap();
    plane
        .kubectl(["--kubeconfig", kubeconfig, "get", "configmaps"])
        .await?;
    let refused = plane
        .kubectl(["--kubeconfig", kubeconfig, "get", "secrets"])
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("cannot list resource \"secrets\""),
        "{refused}"
    );
    Ok(())
}

#[tokio::test]
async fn objects_survive_killed_servers() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let config_maps: Api<ConfigMap> = Api::default_namespaced(plane.client()?);
    config_maps
        .create(&PostParams::default(), &config_map("a"))
        .await?;

    plane.api_server()?.kill();
    assert!(config_maps.get("a").await.is_err());
    plane.api_server()?.restart().await?;
    config_maps.get("a").await?;

    plane.etcd()?.restart().await?;
    plane.api_server()?.ready().await?;
    eventually("the object", WITHIN, async || config_maps.get("a").await).await?;

    let folder = plane.kubeconfig().parent().unwrap().to_owned();
    plane.stop().await?;
    assert!(!folder.exists());
    Ok(())
}

#[tokio::test]
async fn a_paused_server_answers_after_it_resumes() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let config_maps: Api<ConfigMap> = Api::default_namespaced(plane.client()?);
    config_maps.list(&ListParams::default()).await?;
    plane.api_server()?.pause()?;
    let params = ListParams::default();
    let mut list = Box::pin(config_maps.list(&params));
    assert!(
        tokio::time::timeout(Duration::from_secs(1), &mut list)
            .await
            .is_err()
    );
    plane.api_server()?.resume()?;
    list.await?;
    Ok(())
}

#[tokio::test]
async fn compaction_expires_continue_tokens() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let config_maps: Api<ConfigMap> = Api::default_namespaced(plane.client()?);
    for name in ["a", "b", "c"] {
        config_maps
            .create(&PostParams::default(), &config_map(name))
            .await?;
    }
    let first = ListParams::default().limit(1);
    let token = config_maps.list(&first).await?.metadata.continue_.unwrap();
    config_maps
        .list(&first.clone().continue_token(&token))
        .await?;
    config_maps
        .create(&PostParams::default(), &config_map("d"))
        .await?;
    assert!(plane.compact().await? > 0);
    // The API server serves from its cache; without the cache it must ask etcd.
    plane.api_server()?.restart().await?;
    match config_maps.list(&first.continue_token(&token)).await {
        Err(kube::Error::Api(status)) => {
            assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));
        }
        other => panic!("{other:?}"),
    }
    Ok(())
}

#[tokio::test]
async fn an_invalid_flag_is_reported_with_the_log() -> TestResult {
    let Some(own) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    own.stop().await?;
    match ControlPlane::builder()
        .api_server_arg("--no-such-flag")
        .start()
        .await
    {
        Err(Error::Exited { name, log, .. }) => assert!(
            name == "kube-apiserver" && log.contains("unknown flag: --no-such-flag"),
            "{log}"
        ),
        other => panic!("started: {}", other.is_ok()),
    }
    Ok(())
}

#[tokio::test]
async fn a_process_has_a_log_and_an_exit_status() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "trap 'echo caught; exit 3' TERM; echo ready; while :; do sleep 0.1; done",
    ]);
    let process = plane.spawn("looping", command)?;
    eventually("its first line", WITHIN, async || {
        if process.log().contains("ready") {
            Ok(())
        } else {
            Err(process.log())
        }
    })
    .await?;
    let status = process.terminate(WITHIN).await?;
    assert_eq!(
        (status.code(), process.log().as_str()),
        (Some(3), "ready\ncaught\n")
    );

    let mut command = Command::new("sleep");
    let stubborn = plane.spawn("sleeping", {
        command.arg("1000");
        command
    })?;
    let proc = format!("/proc/{}", stubborn.id());
    drop(stubborn);
    assert!(!Path::new(&proc).exists());
    assert!(fs::exists(plane.kubeconfig()).unwrap());
    Ok(())
}

#[tokio::test]
async fn a_second_api_server_answers_while_the_first_is_down() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let second = plane.second_api_server().await?;
    let of = |client| Api::<ConfigMap>::namespaced(client, "default");
    let made = of(plane.client()?)
        .create(&PostParams::default(), &config_map("a"))
        .await?;
    assert_eq!(of(second.client()?).get("a").await?, made);
    plane.api_server()?.kill();
    of(second.client()?)
        .create(&PostParams::default(), &config_map("b"))
        .await?;
    plane.api_server()?.restart().await?;
    of(plane.client()?).get("b").await?;
    // A paused server serves what its watch cache had.
    second.component().pause()?;
    of(plane.client()?)
        .create(&PostParams::default(), &config_map("c"))
        .await?;
    second.component().resume()?;
    eventually("the second watch cache", WITHIN, async || {
        let cached = ListParams::default().match_any();
        let maps = of(second.client().map_err(|e| e.to_string())?);
        let seen = maps.list(&cached).await.map_err(|e| e.to_string())?.items;
        let has = seen
            .iter()
            .any(|map| map.metadata.name.as_deref() == Some("c"));
        has.then_some(())
            .ok_or_else(|| format!("{} maps", seen.len()))
    })
    .await?;
    Ok(())
}
