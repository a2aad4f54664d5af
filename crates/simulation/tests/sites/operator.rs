//! An operator for sites that is right, and its mutants.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use k8s_openapi::{
    api::{apps::v1::Deployment, core::v1::ConfigMap},
    apimachinery::pkg::apis::meta::v1::OwnerReference,
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions},
};
use kube_codegen_runtime::{
    client::{ErrorExt as _, TypedClient},
    clock,
    condition::{condition, set_condition},
    controller::{Action, Controller, OnError, is_controlled_by, owned_by},
    finalizer::{Step, finalize},
    informer::{Deleted, EventHandlerFuncs, InformerFactory, InitialList},
    leader_election::{LeaderElectionConfig, LeaderElector},
    lister::{Lister, Selector},
};
use serde_json::json;
use tokio::time::Instant;

use crate::{
    account,
    bug::Bug,
    site::{Site, SiteStatus},
};

const FINALIZER: &str = "example.com/account";

struct Context {
    bug: Bug,
    client: Client,
    sites: TypedClient<Site>,
    deployments: Lister<Deployment>,
    maps: Lister<ConfigMap>,
    seen: Mutex<BTreeMap<String, i32>>,
    /// The status that was written last, by uid.
    written: Mutex<BTreeMap<String, (Option<i64>, bool)>>,
    /// When children were created, by their names.
    created: Mutex<BTreeMap<String, Instant>>,
}

/// Runs one of several replicas.
pub(crate) async fn run_replica(client: Client, bug: Bug) {
    let mut started = false;
    loop {
        let config = LeaderElectionConfig::new("sites")
            .namespace("default")
            .identity(format!("replica-{}", fastrand::u32(..)))
            .seed(fastrand::u64(..));
        let Ok(elector) = LeaderElector::new(&client, config) else {
            return;
        };
        if bug != Bug::TwoLeaders {
            let ended = Box::pin(elector.run(|term| run(term.fence(&client), bug))).await;
            // The process ends when it loses the lease.
            return drop(ended);
        }
        let _lost = elector
            .run(async |_| {
                if !std::mem::replace(&mut started, true) {
                    tokio::spawn(run(client.clone(), bug));
                }
                std::future::pending::<()>().await;
            })
            .await;
    }
}

/// Runs the operator until it is dropped.
pub(crate) async fn run(client: Client, bug: Bug) {
    let list = match bug {
        Bug::NoneInPages => InitialList::Paged(500),
        _ => InitialList::default(),
    };
    let factory = InformerFactory::builder(client.clone());
    let factory = factory.initial_list(list).build();
    let sites = factory.informer::<Site>();
    let deployments = factory.informer::<Deployment>();
    let maps = factory.informer::<ConfigMap>();
    if bug == Bug::MissedDelete {
        let client = client.clone();
        let funcs = EventHandlerFuncs::new().on_delete(move |deleted: &Deleted<Site>| {
            let (client, name) = (client.clone(), deleted.object.name_any());
            tokio::spawn(async move { drop(account::delete(&client, &name, true).await) });
        });
        let _registration = sites.add_event_handler(funcs);
    }
    let context = Context {
        bug,
        sites: TypedClient::namespaced(client.clone(), "default"),
        client,
        deployments: deployments.lister(),
        maps: maps.lister(),
        seen: Mutex::default(),
        written: Mutex::default(),
        created: Mutex::default(),
    };
    let controller = Controller::for_informer(&sites)
        .owns(&deployments)
        .owns(&maps);
    let _ended = controller
        .run(reconcile, |_, _, _| OnError::Backoff, Arc::new(context))
        .await;
}

async fn reconcile(site: Arc<Site>, context: Arc<Context>) -> kube::Result<Action> {
    match context.bug {
        Bug::MissedDelete if site.metadata.deletion_timestamp.is_some() => {
            Ok(Action::await_change())
        }
        Bug::MissedDelete => apply(&site, &context).await,
        Bug::FinalizerTooEarly if site.metadata.deletion_timestamp.is_some() => {
            if site.finalizers().iter().any(|name| name == FINALIZER) {
                let mut others = site.finalizers().to_vec();
                others.retain(|name| name != FINALIZER);
                let version = &site.metadata.resource_version;
                let patch = Patch::Merge(
                    json!({"metadata": {"finalizers": others, "resourceVersion": version}}),
                );
                let api = Api::<Site>::namespaced(context.client.clone(), "default");
                let removed = api
                    .patch(&site.name_any(), &PatchParams::default(), &patch)
                    .await;
                if !removed.as_ref().is_err_and(kube::Error::is_not_found) {
                    removed?;
                }
                account::delete(&context.client, &site.name_any(), true).await?;
            }
            Ok(Action::await_change())
        }
        _ => {
            finalize(&context.sites, FINALIZER, site, async |step| match step {
                Step::Apply(site) => apply(&site, &context).await,
                Step::Cleanup(site) => {
                    let account = site
                        .status
                        .as_ref()
                        .and_then(|status| status.account.clone());
                    let name = account.unwrap_or_else(|| site.name_any());
                    let careful = context.bug != Bug::DeleteByName;
                    account::delete(&context.client, &name, careful).await?;
                    Ok(Action::await_change())
                }
            })
            .await
        }
    }
}

async fn apply(site: &Site, context: &Context) -> kube::Result<Action> {
    let Some(owner) = owned_by(site) else {
        return Ok(Action::await_change());
    };
    let bug = context.bug;
    let name = site.name_any();
    if bug == Bug::HalfDone && context.deployments.namespaced("default").get(&name).is_ok() {
        return status(site, context, None).await;
    }
    // What is noted as observed is taken as done.
    if bug == Bug::IgnoredError && is_observed(site) {
        return deployment(site, context, &owner)
            .await
            .map(|()| Action::await_change());
    }
    let account = account::create(site, &context.client, context.bug).await?;
    deployment(site, context, &owner).await?;
    config(site, context, &owner).await?;
    if bug != Bug::LeakOnRename {
        remove_old_colors(site, context).await?;
    }
    if bug == Bug::Rewrites {
        let at = clock::now().to_string();
        let patch = Patch::Merge(json!({"metadata": {"annotations": {"at": at}}}));
        let api = Api::<Site>::namespaced(context.client.clone(), "default");
        api.patch(&name, &PatchParams::default(), &patch).await?;
    }
    status(site, context, account).await
}

fn is_observed(site: &Site) -> bool {
    let observed = site.status.as_ref().and_then(|it| it.observed_generation);
    observed == site.metadata.generation
}

async fn deployment(site: &Site, context: &Context, owner: &OwnerReference) -> kube::Result<()> {
    let name = site.name_any();
    let replicas = site.spec.replicas;
    let cached = context.deployments.namespaced("default").get(&name).ok();
    let current = cached.and_then(|cached| cached.spec.as_ref().and_then(|spec| spec.replicas));
    if context.bug == Bug::EdgeTriggered {
        let mut seen = context.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let before = seen.insert(name.clone(), replicas);
        if current.is_some() && before.is_none_or(|before| before == replicas) {
            return Ok(());
        }
    } else if current == Some(replicas) {
        return Ok(());
    }
    let labels = json!({"site": name});
    let object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "ownerReferences": [owner]},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "site", "image": "example.com/site:1"}]},
        }},
    });
    let api = Api::<Deployment>::namespaced(context.client.clone(), "default");
    api.patch(
        &name,
        &PatchParams::apply("sites").force(),
        &Patch::Apply(object),
    )
    .await
    .map(drop)
}

async fn config(site: &Site, context: &Context, owner: &OwnerReference) -> kube::Result<()> {
    let name = format!("{}-{}", site.name_any(), site.spec.color);
    let maps = context.maps.namespaced("default");
    let generated = matches!(context.bug, Bug::StaleRead | Bug::Impatient | Bug::ListsAny);
    let api = Api::<ConfigMap>::namespaced(context.client.clone(), "default");
    let cached = if context.bug == Bug::ListsAny {
        let listed = api.list(&ListParams::default().match_any()).await?;
        let mut children = listed.items.into_iter();
        let found = children.find(|map| {
            is_controlled_by(map, site) && map.labels().get("color") == Some(&site.spec.color)
        });
        found.map(Arc::new)
    } else if generated {
        let all = maps.list(&Selector::default()).into_iter();
        let mut children = all.filter(|map| is_controlled_by(&**map, site));
        children.find(|map| map.labels().get("color") == Some(&site.spec.color))
    } else {
        maps.get(&name).ok()
    };
    let data = BTreeMap::from([("text".to_owned(), site.spec.text.clone())]);
    let Some(cached) = cached else {
        if context.bug == Bug::Impatient {
            let key = format!("{name} {}", site.uid().unwrap_or_default());
            let mut created = context
                .created
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let before = created.get(&key);
            if before.is_some_and(|at| at.elapsed() < Duration::from_secs(20)) {
                return Ok(());
            }
            created.insert(key, Instant::now());
        }
        let mut map = ConfigMap {
            data: Some(data),
            ..ConfigMap::default()
        };
        map.metadata.labels = Some(BTreeMap::from([(
            "color".to_owned(),
            site.spec.color.clone(),
        )]));
        if context.bug != Bug::NoOwner {
            map.metadata.owner_references = Some(vec![owner.clone()]);
        }
        if generated {
            map.metadata.generate_name = Some(format!("{name}-"));
        } else {
            map.metadata.name = Some(name);
        }
        return match api.create(&PostParams::default(), &map).await {
            Err(_) if context.bug == Bug::IgnoredError => Ok(()),
            // The cache is behind; its event enqueues the site.
            Err(error) if error.is_already_exists() => Ok(()),
            other => other.map(drop),
        };
    };
    if context.bug == Bug::OnlyCreated
        || (context.bug == Bug::ConflictSwallowed && is_observed(site))
    {
        return Ok(());
    }
    if cached.data.as_ref() == Some(&data) || cached.metadata.deletion_timestamp.is_some() {
        return Ok(());
    }
    let mut changed = ConfigMap::clone(&cached);
    changed.data = Some(data);
    match api
        .replace(&cached.name_any(), &PostParams::default(), &changed)
        .await
    {
        Err(error) if error.is_conflict() && context.bug == Bug::ConflictSwallowed => Ok(()),
        other => other.map(drop),
    }
}

async fn remove_old_colors(site: &Site, context: &Context) -> kube::Result<()> {
    let api = Api::<ConfigMap>::namespaced(context.client.clone(), "default");
    for map in context
        .maps
        .namespaced("default")
        .list(&Selector::default())
    {
        let other = map.labels().get("color") != Some(&site.spec.color);
        if !other || !is_controlled_by(&*map, site) {
            continue;
        }
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: map.uid(),
            resource_version: None,
        });
        match api.delete(&map.name_any(), &params).await {
            Err(error) if error.is_not_found() || error.is_conflict() => {}
            other => drop(other?),
        }
    }
    Ok(())
}

async fn status(site: &Site, context: &Context, account: Option<String>) -> kube::Result<Action> {
    let deployment = context
        .deployments
        .namespaced("default")
        .get(&site.name_any());
    assert!(
        deployment.is_ok() || context.bug != Bug::Panics,
        "the Deployment was just created"
    );
    let ready = deployment.is_ok_and(|deployment| {
        deployment.status.as_ref().is_some_and(|status| {
            status.ready_replicas == Some(site.spec.replicas)
                && status.observed_generation == deployment.metadata.generation
        })
    });
    let old = site.status.clone().unwrap_or_default();
    let mut new = SiteStatus {
        observed_generation: site.metadata.generation,
        account: account.or(old.account.clone()),
        ..old.clone()
    };
    set_condition(
        &mut new.conditions,
        condition("Ready", ready, "Replicas", ""),
    );
    if context.bug == Bug::StatusFlaps {
        new.reconciles = Some(old.reconciles.unwrap_or(0) + 1);
    }
    let uid = site.uid().unwrap_or_default();
    let brief = (new.observed_generation, ready);
    let is_written = {
        let written = context
            .written
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        context.bug == Bug::RemembersStatus && written.get(&uid) == Some(&brief)
    };
    if new != old && !is_written {
        let api = Api::<Site>::namespaced(context.client.clone(), "default");
        let patch = Patch::Merge(json!({ "status": new }));
        match api
            .patch_status(&site.name_any(), &PatchParams::default(), &patch)
            .await
        {
            Err(error) if error.is_not_found() => {}
            other => drop(other?),
        }
        let mut written = context
            .written
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        written.insert(uid, brief);
    }
    Ok(match context.bug {
        Bug::Impatient => Action::requeue(Duration::from_secs(10)),
        Bug::HotLoop => Action::requeue(Duration::from_millis(100)),
        _ => Action::await_change(),
    })
}
