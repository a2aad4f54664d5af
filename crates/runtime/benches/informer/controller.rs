//! The controllers in Rust: of this crate, and of kube. Each reconciles all objects once, and does nothing.
use std::{
    convert::Infallible,
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures::StreamExt;
use kube::{
    Api, Client,
    runtime::controller::{Action as KubeAction, Controller as KubeController},
};
use kube_codegen_runtime::{
    controller::{Action, Controller, OnError},
    informer::SharedInformer,
};
use tokio::sync::Notify;

use crate::{
    client::{Failure, informer_config, print, watcher_config},
    measure::{Stopwatch, Synced, memory},
    options::{Cache, ClientOptions},
    widget::Widget,
};

/// Counts reconciles.
struct Seen {
    count: AtomicUsize,
    all: usize,
    done: Notify,
}

impl Seen {
    fn add(&self) {
        if self.count.fetch_add(1, Ordering::Relaxed) + 1 == self.all {
            self.done.notify_one();
        }
    }
}

/// Runs one controller until it has reconciled all objects, and prints what that has cost.
pub async fn run(client: Client, options: &ClientOptions) -> Result<(), Failure> {
    let before = memory("VmRSS")?;
    let watch = Stopwatch::start();
    let seen = Arc::new(Seen {
        count: AtomicUsize::new(0),
        all: options.objects,
        done: Notify::new(),
    });
    if options.kind.cache == Cache::Kube {
        let all = Api::<Widget>::all(client);
        let controller = KubeController::new(all, watcher_config(options.kind));
        let reconcile = |_, seen: Arc<Seen>| {
            seen.add();
            ready(Ok::<_, Infallible>(KubeAction::await_change()))
        };
        let policy = |_, _: &Infallible, _| KubeAction::await_change();
        let run = controller.run(reconcile, policy, Arc::clone(&seen));
        tokio::spawn(run.for_each(|_| ready(())));
    } else {
        let informer = SharedInformer::<Widget>::new(client, informer_config(options.kind));
        let reconcile = |_, seen: Arc<Seen>| {
            seen.add();
            ready(Ok::<_, Infallible>(Action::await_change()))
        };
        let policy = |_, _: &Infallible, _| OnError::Drop;
        let controller = Controller::for_informer(&informer);
        tokio::spawn(controller.run(reconcile, policy, Arc::clone(&seen)));
    }
    seen.done.notified().await;
    print(&Synced {
        cpu: watch.cpu(),
        wall: watch.wall(),
        before,
        steady: memory("VmRSS")?,
        peak: memory("VmHWM")?,
        read: None,
        hot: None,
        scan: None,
        stall: None,
        collected: None,
    })
}
