//! Keeps an object of an external system, with a limit of calls and a cache.

// ANCHOR: recipe
use std::{collections::HashMap, sync::Arc, time::Duration};

use kube::{Client, ResourceExt as _};
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{
    client::TypedClient,
    controller::Action,
    finalizer::{Step, finalize},
    manager::Manager,
};
use tokio::{sync::Mutex, time::Instant};

const FINALIZER: &str = "example.com/machine";
/// The time between two calls: the provider allows ten in a second.
const PAUSE: Duration = Duration::from_millis(100);
/// How long an answer of the provider is believed.
const FRESH: Duration = Duration::from_secs(300);

struct Context {
    client: Client,
    provider: Provider,
    /// When the next call may begin.
    next: Mutex<Instant>,
    /// What the provider has, by the uid of the App.
    known: Mutex<HashMap<String, (String, Instant)>>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Api(#[from] kube::Error),
    #[error("the provider rejects: {0}")]
    Provider(#[from] Rejected),
}

fn register(manager: &Manager, provider: Provider) {
    let controller = manager.reconcile().workers(4);
    let context = Context {
        client: manager.client(),
        provider,
        next: Mutex::new(Instant::now()),
        known: Mutex::default(),
    };
    controller.run(reconcile, context);
}

async fn reconcile(app: Arc<App>, context: Arc<Context>) -> Result<Action, Error> {
    let apps = TypedClient::<App>::namespaced(
        context.client.clone(),
        &app.namespace().unwrap_or_default(),
    );
    finalize(&apps, FINALIZER, app, async |step| match step {
        Step::Apply(app) => context.keep(&app).await,
        Step::Cleanup(app) => {
            let uid = app.uid().unwrap_or_default();
            context.known.lock().await.remove(&uid);
            context.turn().await;
            // A machine that is gone is a success: a clean-up is repeated until it succeeds.
            context.provider.delete(&uid).await?;
            Ok(Action::await_change())
        }
    })
    .await
}

impl Context {
    async fn keep(&self, app: &App) -> Result<Action, Error> {
        // The uid is known before the machine exists, so that no answer can be lost.
        let (uid, image) = (app.uid().unwrap_or_default(), &app.spec.image);
        if let Some((known, at)) = self.known.lock().await.get(&uid)
            && known == image
            && let Some(rest) = FRESH.checked_sub(at.elapsed())
        {
            return Ok(Action::requeue(rest));
        }
        self.turn().await;
        self.provider.put(&uid, image).await?;
        let now = Instant::now();
        self.known.lock().await.insert(uid, (image.clone(), now));
        Ok(Action::requeue(FRESH))
    }

    /// Waits for the turn of a call.
    async fn turn(&self) {
        let mut next = self.next.lock().await;
        tokio::time::sleep_until(*next).await;
        *next = Instant::now() + PAUSE;
    }
}
// ANCHOR_END: recipe

use std::sync::atomic::{AtomicBool, Ordering};

/// The client of an external system, in memory: it rejects calls that come too fast.
#[derive(Clone)]
struct Provider {
    machines: Machines,
    /// The last calls of this process.
    calls: Arc<std::sync::Mutex<Vec<Instant>>>,
    rejected: Arc<AtomicBool>,
}

type Machines = Arc<std::sync::Mutex<std::collections::BTreeMap<String, String>>>;

#[derive(Debug, thiserror::Error)]
#[error("too many calls")]
struct Rejected;

impl Provider {
    async fn call(&self) -> Result<(), Rejected> {
        let now = Instant::now();
        {
            let mut calls = self.calls.lock().unwrap();
            calls.retain(|at| now.duration_since(*at) < Duration::from_secs(1));
            calls.push(now);
            if calls.len() > 10 {
                self.rejected.store(true, Ordering::Relaxed);
                return Err(Rejected);
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(())
    }

    async fn put(&self, uid: &str, image: &str) -> Result<(), Rejected> {
        self.call().await?;
        self.machines
            .lock()
            .unwrap()
            .insert(uid.into(), image.into());
        Ok(())
    }

    async fn delete(&self, uid: &str) -> Result<(), Rejected> {
        self.call().await?;
        self.machines.lock().unwrap().remove(uid);
        Ok(())
    }
}

#[test]
fn machines_are_kept_within_the_limit() {
    let (machines, rejected) = (Machines::default(), Arc::new(AtomicBool::new(false)));
    let was_rejected = rejected.clone();
    let (read, restored, used) = (machines.clone(), machines.clone(), machines);
    super::simulation("cookbook external", move |manager| {
        let provider = Provider {
            machines: used.clone(),
            calls: Arc::default(),
            rejected: rejected.clone(),
        };
        register(manager, provider);
    })
    .objects(5)
    .sample(&super::app("a", &serde_json::json!({})))
    .outside(
        "machines",
        move || read.lock().unwrap().clone(),
        move |before| *restored.lock().unwrap() = before,
    )
    .run();
    assert!(
        !was_rejected.load(Ordering::Relaxed),
        "more calls than the provider allows"
    );
}
