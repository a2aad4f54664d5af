//! 200 changes, during which the operator and the API server are killed.

use kube::api::DeleteParams;
use kube_codegen_testenv::{Error, TestResult, eventually};

use crate::cluster::stage::{ROLLOUT, Stage, WITHIN, own};

const OBJECTS: usize = 20;

fn name(i: usize) -> String {
    format!("k{i}")
}

fn choice(n: usize) -> &'static str {
    if n.is_multiple_of(2) {
        "mysql"
    } else {
        "tomcat"
    }
}

/// Changes one object, and retries while there is no API server.
async fn change(stage: &Stage<'_>, i: usize, round: usize) -> Result<(), Error> {
    eventually(&format!("change {round} of {i}"), WITHIN, async || {
        let replicas = i64::try_from(1 + (i + round) % 3).unwrap_or(1);
        stage
            .change(&name(i), |spec| {
                spec.replicas = Some(replicas);
                spec.choice = Some(choice(i + round).to_owned());
            })
            .await
    })
    .await
}

#[tokio::test]
async fn two_hundred_changes_survive_kills_of_operator_and_server() -> TestResult {
    let Some(plane) = own().await? else {
        return Ok(());
    };
    let stage = Stage::new(&plane, "chaos").await?;
    let mut operator = stage.operator().await?;
    for i in 0..OBJECTS {
        stage.create(&name(i), Some(choice(i)), Some(1)).await?;
    }
    let rounds = 10;
    for round in 1..=rounds {
        for i in 0..OBJECTS {
            match (round, i) {
                (3, 7) => operator.kill(),
                (4, 3) => operator = stage.operator().await?,
                (6, 11) => {
                    plane.api_server()?.kill();
                    let (changed, restarted) =
                        tokio::join!(change(&stage, i, round), plane.api_server()?.restart());
                    changed.and(restarted)?;
                }
                (8, 5) => plane.etcd()?.restart().await?,
                _ => {}
            }
            change(&stage, i, round).await?;
        }
    }
    stage
        .kinds
        .delete(&name(0), &DeleteParams::default())
        .await?;
    for i in 1..OBJECTS {
        let (image, replicas) = (
            format!("iksoon_{}", choice(i + rounds)),
            1 + (i + rounds) % 3,
        );
        stage
            .settled(&name(i), &image, i32::try_from(replicas).unwrap_or(1))
            .await?;
    }
    eventually(
        "only the deleted object's children are gone",
        ROLLOUT,
        async || {
            let deployments = stage
                .deployments
                .list(&kube::api::ListParams::default())
                .await
                .map_err(|e| e.to_string())?
                .items
                .len();
            let services = stage
                .services
                .list(&kube::api::ListParams::default())
                .await
                .map_err(|e| e.to_string())?
                .items
                .len();
            if (deployments, services) == (OBJECTS - 1, OBJECTS - 1) {
                Ok(())
            } else {
                Err(format!("{deployments} Deployments, {services} Services"))
            }
        },
    )
    .await?;
    assert!(operator.terminate(WITHIN).await?.success());
    Ok(())
}
