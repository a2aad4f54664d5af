//! Reconciles of objects that are gone, while the watch has not delivered that.
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use k8s_openapi::api::{
    core::v1::{ConfigMap, Namespace},
    networking::v1::Ingress,
};
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, PatchParams},
};
use kube_codegen_runtime::{
    children::Children,
    client::{ErrorExt, FieldManager, TypedClient},
    controller::{Action, Controller, OnError},
    finalizer::finalize,
    informer::InformerFactory,
    record::apply::Apply,
};
use kube_codegen_testing::{ApiServer, On};
use serde_json::json;
use tower::BoxError;

use crate::{
    caches::{
        ignoring::late,
        own_writes::{catch_up, map, merge},
        script::server,
    },
    client::gadget::{self, Gadget, GadgetStatus},
};

struct Context {
    client: Client,
    gadgets: TypedClient<Gadget>,
    maps: Children<ConfigMap>,
    /// What the status and a label should say.
    wanted: AtomicI64,
    errors: AtomicU32,
}

impl Context {
    fn wanted(&self) -> i64 {
        self.wanted.load(Ordering::SeqCst)
    }

    /// Keeps three children, without looking at their state.
    async fn keep(&self, gadget: &Gadget) -> Result<(), BoxError> {
        for name in ["a", "b", "c"] {
            self.maps
                .apply(gadget, Apply::namespaced(name, "default"))
                .await?;
        }
        Ok(())
    }

    async fn report(&self, gadget: &Gadget) -> Result<(), BoxError> {
        let status = GadgetStatus {
            size: Some(self.wanted()),
            ..GadgetStatus::default()
        };
        let change = |gadget: &mut Gadget| gadget.status = Some(status.clone());
        self.gadgets.modify_status_from(gadget, change).await?;
        Ok(())
    }
}

type Style = fn(Arc<Gadget>, Arc<Context>) -> BoxFuture<'static, Result<Action, BoxError>>;

/// How reconciles are written.
const STYLES: [(&str, Style); 6] = [
    ("children and a status", |gadget, context| {
        Box::pin(async move {
            context.keep(&gadget).await?;
            context.report(&gadget).await?;
            Ok(Action::await_change())
        })
    }),
    ("a status alone", |gadget, context| {
        Box::pin(async move {
            context.report(&gadget).await?;
            Ok(Action::await_change())
        })
    }),
    ("a status by a plain patch", |gadget, context| {
        Box::pin(async move {
            let api = Api::<Gadget>::namespaced(context.client.clone(), "default");
            let patch = merge(json!({"status": {"size": context.wanted()}}));
            let name = gadget.name_any();
            api.patch_status(&name, &PatchParams::default(), &patch)
                .await?;
            Ok(Action::await_change())
        })
    }),
    ("a finalizer", |gadget, context| {
        Box::pin(async move {
            let gadgets = context.gadgets.clone();
            finalize(&gadgets, "example.com/gadget", gadget, async |step| {
                let (kube_codegen_runtime::finalizer::Step::Apply(gadget)
                | kube_codegen_runtime::finalizer::Step::Cleanup(gadget)) = step;
                context.keep(&gadget).await?;
                context.report(&gadget).await?;
                Ok(Action::await_change())
            })
            .await
        })
    }),
    ("a change of the object", |gadget, context| {
        Box::pin(async move {
            let wanted = context.wanted();
            let change = |gadget: &mut Gadget| {
                let labels = gadget.metadata.labels.get_or_insert_default();
                labels.insert("at".to_owned(), wanted.to_string());
            };
            context.gadgets.modify_from(&gadget, change).await?;
            let is_over = wanted == 0;
            is_over
                .then(Action::await_change)
                .ok_or_else(|| "whatever fails for an object that is gone".into())
        })
    }),
    ("the newest state", |gadget, context| {
        Box::pin(async move {
            let newest = context.gadgets.get(&gadget.name_any()).await?;
            (newest.metadata.uid == gadget.metadata.uid)
                .then(Action::await_change)
                .ok_or_else(|| "another gadget".into())
        })
    }),
];

struct Stage {
    server: ApiServer,
    context: Arc<Context>,
    calls: Arc<AtomicU32>,
    /// Calls without an object.
    ends: Arc<AtomicU32>,
    _factory: InformerFactory,
}

/// Runs a controller, and lets the watch of its objects stall once it is at rest.
async fn run(style: Style, keyed: bool) -> Stage {
    let server = ApiServer::new();
    server.apply(&gadget::crd().to_string()).await.unwrap();
    let factory = InformerFactory::new(server.client());
    let client = factory.track_writes(&server.client());
    let maps = factory.informer::<ConfigMap>();
    let gadgets = factory.informer::<Gadget>();
    let context = Arc::new(Context {
        gadgets: TypedClient::namespaced(client.clone(), "default"),
        maps: Children::new(client.clone(), &maps, FieldManager::new("gadgets")),
        client,
        wanted: AtomicI64::new(0),
        errors: AtomicU32::new(0),
    });
    server.seed(&json!({
        "apiVersion": "example.com/v1", "kind": "Gadget",
        "metadata": {"name": "g", "namespace": "default", "finalizers": ["example.com/gadget"]}, "spec": {"mode": "a"},
    })).unwrap();
    let (calls, ends) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (called, ended) = (Arc::clone(&calls), Arc::clone(&ends));
    let controller = Controller::for_informer(&gadgets).owns(&maps);
    let shared = Arc::clone(&context);
    tokio::spawn(async move {
        if keyed {
            let reconcile = move |_,
                                  gadget: Option<Arc<Gadget>>,
                                  context: Arc<Context>|
                  -> BoxFuture<'static, Result<Action, BoxError>> {
                if let Some(gadget) = gadget {
                    called.fetch_add(1, Ordering::SeqCst);
                    return style(gadget, context);
                }
                ended.fetch_add(1, Ordering::SeqCst);
                Box::pin(async { Ok(Action::await_change()) })
            };
            let policy = |_: &_, _: &BoxError, context: Arc<Context>| {
                context.errors.fetch_add(1, Ordering::SeqCst);
                OnError::Backoff
            };
            controller.run_keyed(reconcile, policy, shared).await
        } else {
            let reconcile = move |gadget: Arc<Gadget>, context: Arc<Context>| {
                called.fetch_add(1, Ordering::SeqCst);
                style(gadget, context)
            };
            let policy = |_: Arc<Gadget>, _: &BoxError, context: Arc<Context>| {
                context.errors.fetch_add(1, Ordering::SeqCst);
                OnError::Backoff
            };
            controller.run(reconcile, policy, shared).await
        }
    });
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(calls.load(Ordering::SeqCst) > 0);
    server.stall_watches(&On::verb("watch").resource("gadgets"));
    calls.store(0, Ordering::SeqCst);
    context.errors.store(0, Ordering::SeqCst);
    Stage {
        server,
        context,
        calls,
        ends,
        _factory: factory,
    }
}

/// Removes the gadget, as another client does, and wakes the controller by a child of it.
async fn remove(stage: &Stage, again: bool) {
    let uid = stage
        .server
        .get::<Gadget>("default", "g")
        .unwrap()
        .metadata
        .uid;
    let foreign = TypedClient::<Gadget>::namespaced(stage.server.client(), "default");
    let patch = merge(json!({"metadata": {"finalizers": null}}));
    foreign.patch("g", &patch).await.unwrap();
    foreign.delete("g", &DeleteParams::default()).await.unwrap();
    if again {
        let mut gadget = Gadget::default();
        gadget.metadata.name = Some("g".to_owned());
        "b".clone_into(&mut gadget.spec.mode);
        foreign.create(&gadget).await.unwrap();
    }
    stage.server.clear_requests();
    stage.context.wanted.store(1, Ordering::SeqCst);
    let mut child = map("woken", "by");
    child.metadata.namespace = Some("default".to_owned());
    child.metadata.owner_references = Some(vec![
        k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference {
            api_version: "example.com/v1".to_owned(),
            kind: "Gadget".to_owned(),
            name: "g".to_owned(),
            uid: uid.unwrap(),
            controller: Some(true),
            block_owner_deletion: None,
        },
    ]);
    stage.server.seed(&child).unwrap();
    tokio::time::sleep(Duration::from_secs(30)).await;
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_whose_object_is_gone_ends_quietly_in_every_style() {
    for (name, style) in STYLES {
        for keyed in [false, true] {
            for again in [false, true] {
                let stage = run(style, keyed).await;
                remove(&stage, again).await;
                let case = format!("{name}, run_keyed: {keyed}, created again: {again}");
                let requests = stage.server.requests();
                let sent = requests
                    .iter()
                    .filter(|it| it.name == "g" && it.verb != "watch");
                assert!(stage.calls.load(Ordering::SeqCst) <= 2, "{case}");
                assert!(sent.count() <= 8, "{case}: {requests:#?}");
                assert_eq!(stage.context.errors.load(Ordering::SeqCst), 0, "{case}");
                let ends = stage.ends.load(Ordering::SeqCst);
                // A plain patch finds the new object, and changes it.
                if keyed && !again {
                    assert!(ends > 0, "{case}");
                }
                stage.calls.store(0, Ordering::SeqCst);
                catch_up(&stage.server).await;
                assert_eq!(stage.calls.load(Ordering::SeqCst) > 0, again, "{case}");
            }
        }
    }
}

/// A custom resource without a status subresource is answered as one that does not exist.
#[tokio::test(start_paused = true)]
async fn a_missing_subresource_hides_nothing() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client.clone());
    let gadgets = factory.informer::<Gadget>();
    factory.start();
    let gadget = json!({
        "apiVersion": "example.com/v1", "kind": "Gadget",
        "metadata": {"name": "g", "namespace": "default", "uid": "u", "resourceVersion": "4"}, "spec": {"mode": "a"},
    });
    let _watch = server.stream(std::slice::from_ref(&gadget), "5").await;
    factory.wait_for_cache_sync().await.unwrap();
    let own = TypedClient::<Gadget>::namespaced(factory.track_writes(&client), "default");
    let missing = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404, "reason": "NotFound",
        "message": "gadgets.example.com \"g\" not found",
        "details": {"name": "g", "group": "example.com", "kind": "gadgets"},
    });
    let is_shown = || !gadgets.lister().all().is_empty();
    for (object, shown) in [((200, &gadget), true), ((404, &missing), false)] {
        let own = own.clone();
        let patch = merge(json!({"status": {"size": 1}}));
        let patched = tokio::spawn(async move { own.patch_status("g", &patch).await });
        let patch = server.next().await;
        assert_eq!(
            patch.path,
            "/apis/example.com/v1/namespaces/default/gadgets/g/status"
        );
        patch.json(404, &missing);
        let read = server.next().await;
        assert_eq!(
            (&*read.method, &*read.path),
            ("GET", "/apis/example.com/v1/namespaces/default/gadgets/g")
        );
        read.json(object.0, object.1);
        assert!(patched.await.unwrap().unwrap_err().is_not_found());
        assert_eq!(is_shown(), shown);
    }
}

/// The path of an object in a namespace begins like the path of the namespace.
#[tokio::test(start_paused = true)]
async fn an_object_hides_no_namespace() {
    let server = ApiServer::new();
    let namespace = Namespace {
        metadata: kube::core::ObjectMeta {
            name: Some("default".to_owned()),
            ..Default::default()
        },
        ..Namespace::default()
    };
    let namespaces = Api::<Namespace>::all(server.client());
    let created = namespaces
        .create(&kube::api::PostParams::default(), &namespace)
        .await;
    assert!(created.is_ok_and(|it| it.metadata.uid.is_some()));
    let factory = InformerFactory::new(server.client());
    let namespaces = factory.informer::<Namespace>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let own =
        TypedClient::<ConfigMap>::namespaced(factory.track_writes(&server.client()), "default");
    let is_shown = || namespaces.lister().get("default").is_ok();
    assert!(is_shown());
    own.create(&map("a", "yes")).await.unwrap();
    own.get("a").await.unwrap();
    assert_eq!(own.get_opt("b").await.unwrap(), None);
    assert!(is_shown());
}

/// Each kind of Kubernetes itself with a status has it as a subresource: that it is missing says enough. A read might not be permitted.
#[tokio::test(start_paused = true)]
async fn a_missing_object_of_kubernetes_itself_is_hidden_without_a_read() {
    let server = ApiServer::new();
    let factory = InformerFactory::new(server.client());
    let ingresses = factory.informer::<Ingress>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let own = Api::<Ingress>::namespaced(factory.track_writes(&server.client()), "default");
    server
        .apply("{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {defaultBackend: {service: {name: a, port: {number: 80}}}}}")
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.stall_watches(&On::any());
    let foreign = Api::<Ingress>::namespaced(server.client(), "default");
    foreign.delete("a", &DeleteParams::default()).await.unwrap();
    let is_shown = || ingresses.lister().namespaced("default").get("a").is_ok();
    assert!(is_shown());
    let before = server.requests().len();
    let status = merge(json!({"status": {"loadBalancer": {}}}));
    let params = PatchParams::default();
    let patched = own.patch_status("a", &params, &status).await;
    assert!(patched.is_err_and(|error| error.is_not_found()));
    assert!(!is_shown());
    let verbs: Vec<_> = server.requests()[before..]
        .iter()
        .map(|it| it.verb)
        .collect();
    assert_eq!(verbs, ["patch"]);
}

/// An object that was created, deleted and created again, and deleted by another client; and what the watch delivers while the server is asked.
#[tokio::test(start_paused = true)]
async fn a_missing_object_is_hidden_whoever_wrote_it_and_one_that_comes_later_is_not() {
    let server = ApiServer::new();
    let factory = InformerFactory::new(server.client());
    let maps = factory.informer::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let own =
        TypedClient::<ConfigMap>::namespaced(factory.track_writes(&server.client()), "default");
    let foreign = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let is_shown = |name: &str| maps.lister().namespaced("default").get(name).is_ok();
    let now = DeleteParams::default();
    // Of this process, of another one, and of both.
    for (name, again) in [("a", &foreign), ("b", &own)] {
        own.create(&map(name, "yes")).await.unwrap();
        foreign.delete(name, &now).await.unwrap();
        again.create(&map(name, "yes")).await.unwrap();
    }
    foreign.create(&map("c", "yes")).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.stall_watches(&On::any());
    for name in ["a", "b", "c"] {
        foreign.delete(name, &now).await.unwrap();
        assert!(is_shown(name));
        assert_eq!(own.get_opt(name).await.unwrap(), None);
        assert!(!is_shown(name), "{name}");
    }
    catch_up(&server).await;
    assert_eq!(maps.status().pending_writes, 0);

    // What the watch delivers before a late answer, and is another object.
    let delayed = late(&server, || Duration::from_secs(600));
    let slow = TypedClient::<ConfigMap>::namespaced(factory.track_writes(&delayed), "default");
    for was_shown in [false, true] {
        assert_eq!(is_shown("d"), was_shown);
        if was_shown {
            server.stall_watches(&On::any());
            foreign.delete("d", &now).await.unwrap();
        }
        let slow = slow.clone();
        let missed = tokio::spawn(async move { slow.delete("d", &DeleteParams::default()).await });
        tokio::time::sleep(Duration::from_secs(1)).await;
        foreign.create(&map("d", "yes")).await.unwrap();
        catch_up(&server).await;
        assert!(is_shown("d"));
        missed.await.unwrap().unwrap_err();
        assert!(is_shown("d"));
    }
}
