//! Rewrites all objects of a kind in its storage version, so that you can remove an old version from the CRD.
//!
//! The API server keeps an object in the version that was the storage version when the object was last written. As long as
//! `status.storedVersions` of a CRD includes a version, you cannot remove it from `spec.versions`. See
//! <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/storage-version-migration/>.
use std::{collections::HashSet, time::Duration};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, ListParams, ObjectMeta, PostParams},
};
use serde_json::{Value, json};
use tracing::{debug, info};

use crate::client::{ErrorExt as _, pages::fresh_token};

/// How often in a row a list may expire without a new object. Then the migration fails.
const EXPIRED: u32 = 8;
/// How long the migration waits after a list has expired; twice as long each time in a row.
const BACK_OFF: Duration = Duration::from_millis(250);
/// How often the state of a `StorageVersionMigration` is read.
const POLL: Duration = Duration::from_secs(1);

/// Rewrites all objects of a kind in its storage version.
///
/// ```no_run
/// # async fn run(client: kube::Client) -> Result<(), kube_codegen_runtime::migration::Error> {
/// use kube_codegen_runtime::migration::Migration;
///
/// let report = Migration::of("widgets.example.com")
///     .on_progress(|progress| println!("{} of about {:?}", progress.seen, progress.total))
///     .run(&client)
///     .await?;
/// println!("{} objects rewritten, stored versions are {:?}", report.rewritten, report.stored_versions);
/// # Ok(()) }
/// ```
///
/// While a large kind is migrated, etcd may be compacted so that the list of objects expires. After a short pause, the migration continues
/// where it was, calls [`on_progress`](Migration::on_progress) and logs its progress. It fails only if the list expires repeatedly without
/// returning a new object.
///
/// If a migration is interrupted, start it again: the API server writes nothing for objects that are already in the storage version.
///
/// The client needs `list` and `update` on the kind, `get` on CRDs and `update` on `customresourcedefinitions/status`. For
/// [`Migration::by_server`], it needs `create`, `get` and `delete` on `storageversionmigrations` of `storagemigration.k8s.io`.
pub struct Migration<'a> {
    crd: String,
    chunk: u32,
    by_server: bool,
    on_progress: Box<dyn FnMut(&Progress) + Send + 'a>,
}

/// The progress of a migration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Objects read so far.
    pub seen: usize,
    /// Objects written so far.
    pub rewritten: usize,
    /// Objects that another client changed or deleted in the meantime; changed ones are therefore already in the storage version.
    pub skipped: usize,
    /// The approximate number of objects, if the API server reports it.
    pub total: Option<usize>,
}

/// The result of a migration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Objects that were written; 0 if the API server did it.
    pub rewritten: usize,
    /// Objects that other clients had written in the meantime.
    pub skipped: usize,
    /// `status.storedVersions` after the migration.
    pub stored_versions: Vec<String>,
}

/// The reason why a migration failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A request failed.
    #[error(transparent)]
    Request(#[from] kube::Error),
    /// No version of the CRD is served.
    #[error("{0} has no served version")]
    NotServed(String),
    /// Another version became the storage version during the migration. Start again.
    #[error("the storage version of {crd} changed from {from} to {to} during the migration")]
    Changed {
        /// The CRD.
        crd: String,
        /// The storage version at the start.
        from: String,
        /// The storage version at the end.
        to: String,
    },
    /// The API server reported that its migration failed.
    #[error("the StorageVersionMigration of {crd} failed: {message}")]
    Failed {
        /// The CRD.
        crd: String,
        /// The API server's message.
        message: String,
    },
}

impl<'a> Migration<'a> {
    /// Creates a migration for the CRD with this name, such as `widgets.example.com`.
    pub fn of(crd: impl Into<String>) -> Self {
        Self {
            crd: crd.into(),
            chunk: 500,
            by_server: false,
            on_progress: Box::new(|_| ()),
        }
    }

    /// Sets how many objects are read per request. The default is 500.
    #[must_use]
    pub fn chunk(mut self, objects: u32) -> Self {
        self.chunk = objects.max(1);
        self
    }

    /// Lets the API server rewrite the objects through a `StorageVersionMigration` (v1 or v1beta1), if it serves this kind. It is beta
    /// from Kubernetes 1.35 and stable from 1.37; on other servers, this client rewrites the objects.
    #[must_use]
    pub fn by_server(mut self) -> Self {
        self.by_server = true;
        self
    }

    /// Calls a function after each chunk, and whenever the list of objects has expired.
    #[must_use]
    pub fn on_progress(mut self, report: impl FnMut(&Progress) + Send + 'a) -> Self {
        self.on_progress = Box::new(report);
        self
    }

    /// Rewrites all objects, and then removes the other versions from `status.storedVersions`.
    ///
    /// # Errors
    /// If a request fails, or if the storage version changes in the meantime. `status.storedVersions` is not changed in these cases.
    pub async fn run(mut self, client: &Client) -> Result<Report, Error> {
        let crds = Api::<CustomResourceDefinition>::all(client.clone());
        let crd = crds.get(&self.crd).await?;
        let storage = storage(&crd);
        if stored(&crd) == [storage.as_str()] {
            return Ok(Report {
                stored_versions: vec![storage],
                ..Report::default()
            });
        }
        let migration = if self.by_server {
            served_migration(client).await?
        } else {
            None
        };
        let progress = match migration {
            Some(version) => {
                self.wait_for_server(client, &version, &crd).await?;
                Progress::default()
            }
            None => self.rewrite(client, &crd, &storage).await?,
        };
        let stored_versions = self.forget(&crds, &storage).await?;
        let Progress {
            rewritten, skipped, ..
        } = progress;
        Ok(Report {
            rewritten,
            skipped,
            stored_versions,
        })
    }

    /// Writes every object back unchanged.
    async fn rewrite(
        &mut self,
        client: &Client,
        crd: &CustomResourceDefinition,
        storage: &str,
    ) -> Result<Progress, Error> {
        let served = || crd.spec.versions.iter().filter(|version| version.served);
        let preferred = served().find(|version| version.name == storage);
        let version = preferred.or_else(|| served().next());
        let version = version.ok_or_else(|| Error::NotServed(self.crd.clone()))?;
        let resource = ApiResource {
            group: crd.spec.group.clone(),
            version: version.name.clone(),
            api_version: format!("{}/{}", crd.spec.group, version.name),
            kind: crd.spec.names.kind.clone(),
            plural: crd.spec.names.plural.clone(),
        };
        let all = Api::<DynamicObject>::all_with(client.clone(), &resource);
        let mut progress = Progress::default();
        let mut params = ListParams::default().limit(self.chunk);
        let mut expired = 0;
        // Objects that were listed since the last start from the first page.
        let mut listed = 0;
        // By name: an object that is deleted and created again is in the storage version too.
        let mut done = HashSet::new();
        loop {
            let page = match all.list(&params).await {
                // The API server no longer has the state of the first page: etcd is compacted every five minutes. With the token of the answer, it
                // goes on with the next object as it is now. Objects that are missed in that way are new, and so in the storage version.
                Err(error) if error.is_gone() && expired < EXPIRED => {
                    params.continue_token = fresh_token(&error);
                    if params.continue_token.is_none() {
                        listed = 0;
                    }
                    info!(
                        crd = self.crd,
                        seen = progress.seen,
                        total = progress.total,
                        from_the_start = params.continue_token.is_none(),
                        "the list of the objects has expired; the migration goes on"
                    );
                    (self.on_progress)(&progress);
                    tokio::time::sleep(BACK_OFF * 2_u32.pow(expired)).await;
                    expired += 1;
                    continue;
                }
                page => page?,
            };
            let mut objects = page.items;
            listed += objects.len();
            // After a start from the first page, the objects before are done.
            objects.retain(|object| {
                let ObjectMeta {
                    namespace, name, ..
                } = &object.metadata;
                done.insert((namespace.clone(), name.clone()))
            });
            if !objects.is_empty() {
                expired = 0;
            }
            progress.seen += objects.len();
            let remaining = page.metadata.remaining_item_count.unwrap_or(0);
            let there = listed + usize::try_from(remaining).unwrap_or(0);
            // Objects may have been deleted since they were seen.
            progress.total = Some(there.max(progress.seen));
            for object in objects {
                let api = match &object.metadata.namespace {
                    Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
                    None => all.clone(),
                };
                let name = object.metadata.name.clone().unwrap_or_default();
                match api.replace(&name, &PostParams::default(), &object).await {
                    Ok(_) => progress.rewritten += 1,
                    // Whoever changed it has written it in the storage version.
                    Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {
                        progress.skipped += 1;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            (self.on_progress)(&progress);
            debug!(
                crd = self.crd,
                seen = progress.seen,
                total = progress.total,
                "migrating"
            );
            params.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
            if params.continue_token.is_none() {
                return Ok(progress);
            }
        }
    }

    /// Creates a `StorageVersionMigration` and waits for its end.
    async fn wait_for_server(
        &self,
        client: &Client,
        version: &str,
        crd: &CustomResourceDefinition,
    ) -> Result<(), Error> {
        let resource = ApiResource {
            group: GROUP.to_owned(),
            version: version.to_owned(),
            api_version: format!("{GROUP}/{version}"),
            kind: "StorageVersionMigration".to_owned(),
            plural: "storageversionmigrations".to_owned(),
        };
        let api = Api::<DynamicObject>::all_with(client.clone(), &resource);
        let mut wanted = DynamicObject::new("", &resource);
        wanted.metadata.name = None;
        wanted.metadata.generate_name = Some(format!("{}-", self.crd));
        let target = json!({"group": crd.spec.group, "resource": crd.spec.names.plural});
        wanted.data = json!({"spec": {"resource": target}});
        let mut migration = api.create(&PostParams::default(), &wanted).await?;
        let name = migration.metadata.name.clone().unwrap_or_default();
        let outcome = loop {
            match outcome(&migration.data) {
                Some(outcome) => break outcome,
                None => tokio::time::sleep(POLL).await,
            }
            migration = api.get(&name).await?;
        };
        api.delete(&name, &kube::api::DeleteParams::default())
            .await?;
        outcome.map_err(|message| Error::Failed {
            crd: self.crd.clone(),
            message,
        })
    }

    /// Removes the other versions from `status.storedVersions`, unless the CRD has another storage version by now.
    async fn forget(
        &self,
        crds: &Api<CustomResourceDefinition>,
        storage: &str,
    ) -> Result<Vec<String>, Error> {
        loop {
            let mut crd = crds.get(&self.crd).await?;
            let now = self::storage(&crd);
            if now != storage {
                return Err(Error::Changed {
                    crd: self.crd.clone(),
                    from: storage.to_owned(),
                    to: now,
                });
            }
            if stored(&crd) == [storage] {
                return Ok(vec![now]);
            }
            if let Some(status) = &mut crd.status {
                status.stored_versions = Some(vec![now]);
            }
            match crds
                .replace_status(&self.crd, &PostParams::default(), &crd)
                .await
            {
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                crd => return Ok(stored(&crd?).iter().map(|&name| name.to_owned()).collect()),
            }
        }
    }
}

const GROUP: &str = "storagemigration.k8s.io";

/// Returns the newest version of `StorageVersionMigration` that the API server serves and this module knows.
async fn served_migration(client: &Client) -> Result<Option<String>, Error> {
    let groups = client.list_api_groups().await?;
    let group = groups.groups.into_iter().find(|group| group.name == GROUP);
    let versions = group.map(|group| group.versions).unwrap_or_default();
    let mut known = ["v1", "v1beta1"].into_iter();
    Ok(known
        .find(|name| versions.iter().any(|version| version.version == *name))
        .map(str::to_owned))
}

fn outcome(migration: &Value) -> Option<Result<(), String>> {
    let conditions = migration["status"]["conditions"].as_array()?;
    let find = |name: &str| {
        let mut conditions = conditions.iter();
        conditions.find(|it| it["type"] == name && it["status"] == "True")
    };
    if find("Succeeded").is_some() {
        return Some(Ok(()));
    }
    let failed = find("Failed")?;
    Some(Err(failed["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned()))
}

fn storage(crd: &CustomResourceDefinition) -> String {
    let mut versions = crd.spec.versions.iter();
    let storage = versions.find(|version| version.storage);
    storage
        .map(|version| version.name.clone())
        .unwrap_or_default()
}

fn stored(crd: &CustomResourceDefinition) -> Vec<&str> {
    let status = crd.status.as_ref();
    let stored = status.and_then(|status| status.stored_versions.as_ref());
    stored.into_iter().flatten().map(String::as_str).collect()
}
