//! Objects that change all the time, by a client without faults.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::json;
use tokio::{task::JoinHandle, time::sleep};

use crate::chaos::{api, ours};

/// Concurrent requests while the objects are created, and while they change.
const CREATING: usize = 16;
const CHANGING: usize = 3;

pub(crate) struct Load {
    objects: Api<ConfigMap>,
    count: usize,
    changes: AtomicUsize,
}

fn object(n: usize) -> ConfigMap {
    let object = json!({
        "metadata": { "name": format!("o-{n}"), "labels": { "soak": "yes" } },
        "data": { "n": "0", "filler": "x".repeat(500) },
    });
    serde_json::from_value(object).unwrap()
}

impl Load {
    pub(crate) async fn create(
        client: Client,
        namespace: &str,
        count: usize,
    ) -> kube::Result<Self> {
        let objects = api(&client, namespace);
        let params = PostParams::default();
        stream::iter((0..count).map(Ok))
            .try_for_each_concurrent(CREATING, async |n| {
                objects.create(&params, &object(n)).await.map(drop)
            })
            .await?;
        Ok(Self {
            objects,
            count,
            changes: AtomicUsize::new(0),
        })
    }

    /// Changes random objects until it is aborted: most are updated, some deleted or created again.
    pub(crate) fn start(self: &Arc<Self>, random: fastrand::Rng) -> JoinHandle<()> {
        let load = Arc::clone(self);
        tokio::spawn(async move {
            let load = &load;
            let random = Mutex::new(random);
            let changes = stream::iter(0_u64..).for_each_concurrent(CHANGING, async |round| {
                let (n, action) = {
                    let mut random = random.lock().unwrap();
                    (random.usize(..load.count), random.u8(..10))
                };
                if load.change(n, action, round).await.is_err() {
                    // A server is down, or the object does not exist.
                    sleep(Duration::from_millis(20)).await;
                }
            });
            changes.await;
        })
    }

    async fn change(&self, n: usize, action: u8, round: u64) -> kube::Result<()> {
        let name = format!("o-{n}");
        match action {
            0 => drop(self.objects.delete(&name, &DeleteParams::default()).await?),
            1 => drop(
                self.objects
                    .create(&PostParams::default(), &object(n))
                    .await?,
            ),
            _ => {
                let patch = Patch::Merge(json!({ "data": { "n": round.to_string() } }));
                self.objects
                    .patch(&name, &PatchParams::default(), &patch)
                    .await?;
            }
        }
        self.changes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn changes(&self) -> usize {
        self.changes.load(Ordering::Relaxed)
    }

    /// Returns the objects of the server by name.
    pub(crate) async fn stored(&self) -> kube::Result<BTreeMap<String, ConfigMap>> {
        let list = self.objects.list(&ours()).await?;
        Ok(list
            .items
            .into_iter()
            .map(|map| (map.metadata.name.clone().unwrap_or_default(), map))
            .collect())
    }
}
