//! Lost history, and killed or paused servers.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::DeleteParams;
use kube_codegen_runtime::{client::TypedClient, informer::InitialList};
use kube_codegen_testenv::{ControlPlane, Error, Fault, Proxy, Rule, TestResult, eventually};

use super::{agree, informer, set, started};
use crate::cluster::support::{WITHIN, config_map};

/// Disconnects the informer during `meanwhile`, and compacts the history it would need to catch up.
async fn blackout(
    plane: &ControlPlane,
    proxy: &Proxy,
    meanwhile: impl AsyncFnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let all = Rule::new(Fault::Refuse);
    let rule = proxy.add(all.clone());
    proxy.cut(&all);
    meanwhile().await?;
    plane.compact().await?;
    plane.api_server()?.restart().await?;
    rule.remove();
    Ok(())
}

#[tokio::test]
async fn nothing_is_lost_by_a_compaction_or_killed_servers() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, "default");
    for (name, n) in [("a", 1), ("b", 2), ("c", 3)] {
        maps.create(&config_map(name, n)).await?;
    }
    let proxy = plane.proxy().await?;
    let informer = informer(proxy.client()?, "default", InitialList::Streaming);
    let recorded = started(&informer, 3).await?;

    recorded.lock().unwrap().clear();
    let lists = informer.metrics().lists;
    blackout(&plane, &proxy, async || {
        maps.delete("a", &DeleteParams::default()).await?;
        set(&maps, "b", 20).await?;
        maps.create(&config_map("d", 4)).await?;
        Ok(())
    })
    .await?;
    agree(&informer, &maps).await?;
    assert!(informer.metrics().lists > lists);
    eventually("what was missed", WITHIN, async || {
        let mut recorded = recorded.lock().unwrap().clone();
        recorded.sort();
        if recorded == ["+d4", "?a1", "~b2>20"] {
            Ok(())
        } else {
            Err(format!("{recorded:?}"))
        }
    })
    .await?;

    recorded.lock().unwrap().clear();
    plane.api_server()?.kill();
    plane.etcd()?.restart().await?;
    plane.api_server()?.restart().await?;
    set(&maps, "c", 30).await?;
    maps.delete("d", &DeleteParams::default()).await?;
    agree(&informer, &maps).await?;
    eventually("both changes", WITHIN, async || {
        let mut recorded = recorded.lock().unwrap().clone();
        recorded.sort();
        let known = recorded
            .iter()
            .filter(|event| event.as_str() == "~c3>30" || event[1..] == *"d4")
            .count();
        if known == 2 && recorded.len() == 2 {
            Ok(())
        } else {
            Err(format!("{recorded:?}"))
        }
    })
    .await?;

    plane.api_server()?.pause()?;
    let params = DeleteParams::default();
    let mut delete = Box::pin(maps.delete("c", &params));
    assert!(
        tokio::time::timeout(Duration::from_secs(1), &mut delete)
            .await
            .is_err()
    );
    plane.api_server()?.resume()?;
    delete.await?;
    agree(&informer, &maps).await?;
    Ok(())
}
