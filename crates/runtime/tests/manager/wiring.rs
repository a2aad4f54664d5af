//! `Manager::reconcile` and `Manager::children`: what they wire, and their defaults.
use std::{
    collections::BTreeSet,
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::stream;
use k8s_openapi::api::core::v1::{ConfigMap, ResourceQuota, Secret, ServiceAccount};
use kube::{
    Client, ResourceExt,
    api::{ApiResource, DeleteParams, DynamicObject},
    core::{GroupVersionKind, discovery::Scope},
};
use kube_codegen_runtime::{
    children::{ChildError, Children},
    client::{TypedClient, describe},
    clusters::{Cluster, ClusterChange},
    controller::{Action, OnError, predicate::resource_version_changed},
    informer::ObjectKey,
    manager::Manager,
    queue::ExponentialLimiter,
    record::apply::Apply,
};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

/// What happened, in order.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn add(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn manager(server: &ApiServer) -> Manager {
    Manager::builder(server.client(), "operator")
        .build()
        .unwrap()
}

fn seed(server: &ApiServer, kind: &str, name: &str) {
    let object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}});
    server.seed(&object).unwrap();
}

/// An operator with children of three kinds.
struct Context {
    client: Client,
    maps: Children<ConfigMap>,
    secrets: Children<Secret>,
    quotas: Children<ResourceQuota>,
}

async fn keep(account: Arc<ServiceAccount>, context: Arc<Context>) -> Result<Action, ChildError> {
    let (name, namespace) = (account.name_any(), account.namespace().unwrap());
    let map = Apply::namespaced(&name, &namespace);
    context.maps.apply(&*account, map).await?;
    let secret = Apply::namespaced(&name, &namespace);
    context.secrets.apply(&*account, secret).await?;
    let quota = Apply::namespaced(&name, &namespace);
    context.quotas.apply(&*account, quota).await?;
    let accounts = TypedClient::<ServiceAccount>::namespaced(context.client.clone(), &namespace);
    let seen = |it: &mut ServiceAccount| {
        it.annotations_mut().insert("seen".into(), "yes".into());
    };
    accounts.modify_from(&account, seen).await?;
    Ok(Action::await_change())
}

/// Deletes one child after the other, and waits until each is there again.
async fn children_come_back(server: &ApiServer) {
    let client = server.client();
    let exists = |server: &ApiServer| {
        let name = "a";
        let account = server.get::<ServiceAccount>("default", name)?;
        account.annotations().get("seen")?;
        let map = server.get::<ConfigMap>("default", name)?.metadata.uid?;
        let secret = server.get::<Secret>("default", name)?.metadata.uid?;
        let quota = server.get::<ResourceQuota>("default", name)?.metadata.uid?;
        Some([map, secret, quota])
    };
    let before = timeout(60 * SECOND, server.until(exists))
        .await
        .expect("children");
    let options = DeleteParams::default();
    let maps = TypedClient::<ConfigMap>::namespaced(client.clone(), "default");
    maps.delete("a", &options).await.unwrap();
    let secrets = TypedClient::<Secret>::namespaced(client.clone(), "default");
    secrets.delete("a", &options).await.unwrap();
    let quotas = TypedClient::<ResourceQuota>::namespaced(client, "default");
    quotas.delete("a", &options).await.unwrap();
    let is_new = |new: &[String; 3]| new.iter().all(|uid| !before.contains(uid));
    let again = server.until(|server| exists(server).filter(is_new));
    timeout(60 * SECOND, again).await.expect("new children");
}

#[tokio::test(start_paused = true)]
async fn children_are_wired_either_way() {
    let owned = |manager: &Manager| {
        let (maps, secrets) = (manager.children(), manager.children());
        let quotas = manager.children();
        manager
            .reconcile::<ServiceAccount>()
            .owns(&maps)
            .owns(&secrets)
            .owns(&quotas)
            .run(
                keep,
                Context {
                    client: manager.client(),
                    maps,
                    secrets,
                    quotas,
                },
            );
    };
    let at_once = |manager: &Manager| {
        let mut accounts = manager.reconcile::<ServiceAccount>();
        let context = Context {
            client: manager.client(),
            maps: accounts.children(),
            secrets: accounts.children(),
            quotas: accounts.children(),
        };
        accounts.run(keep, context);
    };
    for wire in [&owned as &dyn Fn(&Manager), &at_once] {
        let server = ApiServer::new();
        seed(&server, "ServiceAccount", "a");
        let manager = manager(&server);
        wire(&manager);
        manager.run(children_come_back(&server)).await.unwrap();
        // The name of the operator.
        assert_eq!(
            field_managers(&server),
            BTreeSet::from(["operator".to_owned()])
        );
    }
}

/// Returns the field managers of all patches: those of children, and of the owner.
fn field_managers(server: &ApiServer) -> BTreeSet<String> {
    let writes = server.writes().into_iter();
    let patches: Vec<_> = writes.filter(|write| write.verb == "patch").collect();
    for resource in ["configmaps", "secrets", "resourcequotas", "serviceaccounts"] {
        assert!(
            patches.iter().any(|it| it.resource == resource),
            "{resource}"
        );
    }
    let query = |path: &str| path.split_once('?').unwrap_or_default().1.to_owned();
    let manager = |query: String| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(name, _)| *name == "fieldManager")
            .map_or(String::new(), |it| it.1.to_owned())
    };
    patches.iter().map(|it| manager(query(&it.path))).collect()
}

#[tokio::test(start_paused = true)]
async fn the_field_manager_of_the_builder_replaces_the_name() {
    let server = ApiServer::new();
    seed(&server, "ServiceAccount", "a");
    let manager = Manager::builder(server.client(), "operator").field_manager("web");
    let manager = manager.build().unwrap();
    let mut accounts = manager.reconcile::<ServiceAccount>();
    let context = Context {
        client: manager.client(),
        maps: accounts.children(),
        secrets: accounts.children(),
        quotas: accounts.children(),
    };
    accounts.run(keep, context);
    manager.run(children_come_back(&server)).await.unwrap();
    assert_eq!(field_managers(&server), BTreeSet::from(["web".to_owned()]));
}

async fn fail(map: Arc<ConfigMap>, seen: Arc<Seen>) -> Result<Action, String> {
    seen.add(map.name_any());
    Err("no".to_owned())
}

#[tokio::test(start_paused = true)]
async fn an_error_backs_off_unless_a_policy_says_otherwise() {
    #[expect(clippy::needless_pass_by_value, reason = "what a policy gets")]
    fn drop_it(map: Arc<ConfigMap>, error: &String, seen: Arc<Seen>) -> OnError {
        seen.add(format!("{error} {}", map.name_any()));
        OnError::Drop
    }
    let run = async |with: fn(&Manager, Seen)| {
        let (server, seen) = (ApiServer::new(), Seen::default());
        seed(&server, "ConfigMap", "a");
        let manager = manager(&server);
        with(&manager, seen.clone());
        manager.run(sleep(SECOND)).await.unwrap();
        seen.take()
    };
    // 5 ms, 10 ms and so on.
    let backed_off = run(|manager, seen| manager.reconcile::<ConfigMap>().run(fail, seen)).await;
    assert_eq!(backed_off, ["a"; 8]);
    let dropped = run(|manager, seen| {
        let maps = manager.reconcile::<ConfigMap>().on_error(drop_it);
        // Settings follow the policy as well as precede it.
        maps.workers(2).run(fail, seen);
    });
    assert_eq!(dropped.await, ["a", "no a"]);
    let closure = run(|manager, seen| {
        let maps = manager.reconcile::<ConfigMap>();
        maps.on_error(|_, _, _| OnError::After(600 * SECOND))
            .run(fail, seen);
    });
    assert_eq!(closure.await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn keyed_reconciles_have_the_same_builder() {
    async fn note(
        key: ObjectKey,
        map: Option<Arc<ConfigMap>>,
        seen: Arc<Seen>,
    ) -> Result<Action, String> {
        let exists = map.is_some();
        seen.add(format!("{key} {exists}"));
        (!exists)
            .then(Action::await_change)
            .ok_or_else(|| "exists".to_owned())
    }
    let keyed = |key: ObjectKey, error: &String, seen: Arc<Seen>| {
        seen.add(format!("{key} failed: {error}"));
        OnError::Drop
    };
    let (server, seen) = (ApiServer::new(), Seen::default());
    seed(&server, "ConfigMap", "a");
    let manager = manager(&server);
    manager
        .reconcile::<ConfigMap>()
        .on_error(keyed)
        .run_keyed(note, seen.clone());
    manager
        .reconcile::<ConfigMap>()
        .named("without a policy")
        .filter(|_| false)
        .run_keyed(note, seen.clone());
    let delete = async {
        sleep(SECOND).await;
        let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
        maps.delete("a", &DeleteParams::default()).await.unwrap();
        sleep(SECOND).await;
    };
    manager.run(delete).await.unwrap();
    assert_eq!(
        seen.take(),
        [
            "default/a true",
            "default/a failed: exists",
            "default/a false"
        ]
    );
}

async fn name(map: Arc<ConfigMap>, seen: Arc<Seen>) -> Result<Action, Infallible> {
    seen.add(map.name_any());
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn every_setting_of_a_controller_is_there() {
    let (server, seen) = (ApiServer::new(), Seen::default());
    for kind in ["ConfigMap", "Secret", "ServiceAccount"] {
        seed(&server, kind, "a");
    }
    let manager = manager(&server);
    let (secrets, accounts) = (
        manager.children::<Secret>(),
        manager.factory().informer::<ServiceAccount>(),
    );
    let key = |name: String| vec![ObjectKey::namespaced("default", name)];
    let controller = manager
        .reconcile::<ConfigMap>()
        .named("maps")
        .filter(resource_version_changed)
        .owns_if(&secrets, |_| true)
        .watches(&secrets, move |secret| key(secret.name_any()))
        .watches_if(&accounts, |_| false, move |account| key(account.name_any()))
        .enqueue_from(stream::iter(key("a".into())))
        .workers(3)
        .rate_limiter(ExponentialLimiter::new(SECOND, SECOND))
        .max_retries(3)
        .reconcile_timeout(SECOND)
        .cache_sync_timeout(SECOND)
        .needs_leader_election(false)
        .without_shards()
        .with_whole_caches()
        .warm_up(true)
        .ignore_own_writes();
    let metrics = controller.metrics();
    controller.run(name, seen.clone());
    manager.run(sleep(SECOND)).await.unwrap();
    assert_eq!((metrics.get().workers, metrics.name()), (3, "maps".into()));
    assert!(!seen.take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn controllers_are_built_at_the_same_time() {
    let (server, seen) = (ApiServer::new(), Seen::default());
    seed(&server, "ConfigMap", "a");
    let manager = manager(&server);
    let (one, other) = (
        manager.reconcile::<ConfigMap>(),
        manager.reconcile::<ConfigMap>(),
    );
    one.named("one").run(name, seen.clone());
    other.named("other").run(name, seen.clone());
    manager.run(sleep(SECOND)).await.unwrap();
    assert_eq!(seen.take(), ["a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn two_controllers_of_one_name_are_an_error() {
    let (server, seen) = (ApiServer::new(), Seen::default());
    let manager = manager(&server);
    manager.reconcile::<ConfigMap>().run(name, seen.clone());
    manager.reconcile::<ConfigMap>().run(name, seen);
    let error = manager.run(pending()).await.unwrap_err();
    assert!(describe(&error).contains("configmap"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_of_run_time_comes_from_its_informer() {
    async fn note(map: Arc<DynamicObject>, seen: Arc<Seen>) -> Result<Action, Infallible> {
        seen.add(map.name_any());
        Ok(Action::await_change())
    }
    let (server, seen) = (ApiServer::new(), Seen::default());
    seed(&server, "ConfigMap", "a");
    let manager = manager(&server);
    let maps = GroupVersionKind::gvk("", "v1", "ConfigMap");
    let maps = ApiResource::from_gvk_with_plural(&maps, "configmaps");
    let maps = manager
        .factory()
        .dynamic_informer::<DynamicObject>(&maps, &Scope::Namespaced);
    manager.reconcile_from(&maps).run(note, seen.clone());
    manager.run(sleep(SECOND)).await.unwrap();
    assert_eq!(seen.take(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_member_cluster_is_wired_like_the_manager() {
    let (hub, member) = (ApiServer::new(), ApiServer::new());
    seed(&member, "ServiceAccount", "a");
    let joined = ClusterChange::Joined {
        name: "paris".into(),
        client: member.client(),
    };
    let start = Instant::now();
    let mut manager = manager(&hub);
    manager.clusters(stream::iter([joined]), |cluster: &mut Cluster| {
        let mut accounts = cluster.reconcile::<ServiceAccount>();
        let quotas = cluster.children();
        let context = Context {
            client: cluster.client(),
            maps: accounts.children(),
            secrets: accounts.children(),
            quotas,
        };
        let accounts = accounts.owns(&context.quotas);
        accounts.run(keep, context);
    });
    manager.run(children_come_back(&member)).await.unwrap();
    assert!(hub.get::<ConfigMap>("default", "a").is_none());
    assert!(start.elapsed() < 60 * SECOND);
    let map = member.get::<ConfigMap>("default", "a").unwrap();
    let manager = map.metadata.managed_fields.unwrap().remove(0).manager;
    assert_eq!(manager.as_deref(), Some("operator"));
}
