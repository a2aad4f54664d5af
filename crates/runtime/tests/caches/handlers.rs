//! Handlers: late, removed and slow ones, resyncs, sync state and shutdown.
use crate::caches::script::{informer, map, recorder, server, short};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::informer::{
    EventHandler, EventHandlerFuncs, InformerConfig, SharedInformer, Stopped,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::timeout;

#[tokio::test(start_paused = true)]
async fn a_late_handler_gets_cached_objects_and_then_every_change() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[map("a", "1"), map("b", "2")], "2").await;
    informer.wait_synced().await.unwrap();
    let (handler, mut log) = recorder();
    let registration = informer.add_event_handler(handler);
    registration.wait_synced().await.unwrap();
    assert_eq!(log.sorted(2).await, ["+a@1!", "+b@2!"]);
    watch.send("ADDED", &map("c", "3"));
    assert_eq!(log.next().await, "+c@3");
    let mut events = informer.events();
    let mut seen = Vec::new();
    for _ in 0..3 {
        assert!(!events.has_synced());
        seen.push(short(&events.next().await.unwrap()));
    }
    seen.sort();
    assert_eq!(seen, ["+a@1!", "+b@2!", "+c@3!"]);
    watch.send("DELETED", &map("a", "4"));
    assert_eq!(short(&events.next().await.unwrap()), "-a@4");
    assert!(events.has_synced());
}

/// The handler blocks its thread, so the test needs a second one and with it the real clock. It waits for events, not for time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_has_synced_when_it_has_handled_the_list() {
    let (informer, mut server) = informer();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let slow =
        informer.add_event_handler(EventHandlerFuncs::<ConfigMap>::new().on_add(move |_, _| {
            let _ = released.recv();
        }));
    let (handler, mut log) = recorder();
    let quick = informer.add_event_handler(handler);
    let watch = server.stream(&[map("a", "1")], "1").await;
    watch.send("ADDED", &map("b", "2"));
    assert_eq!(
        (log.next().await, log.next().await),
        ("+a@1!".into(), "+b@2".into()),
        "other handlers are not delayed"
    );
    quick.wait_synced().await.unwrap();
    assert!(informer.has_synced() && !slow.has_synced());
    assert_eq!(slow.pending(), 2, "one in progress, one queued");
    drop(release);
    slow.wait_synced().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_removed_handler_gets_no_more_events() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let registration = informer.add_event_handler(handler);
    let (handler, mut other) = recorder();
    let _other = informer.add_event_handler(handler);
    let watch = server.stream(&[map("a", "1")], "1").await;
    assert_eq!(log.next().await, "+a@1!");
    registration.remove();
    watch.send("ADDED", &map("b", "2"));
    assert_eq!(
        (other.next().await, other.next().await),
        ("+a@1!".into(), "+b@2".into())
    );
    assert_eq!(log.rest(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_resync_redelivers_every_object_without_a_request() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _resynced = informer.add_event_handler_with_resync(handler, Duration::from_secs(60));
    let (handler, mut plain) = recorder();
    let _plain = informer.add_event_handler(handler);
    let watch = server.stream(&[map("a", "1"), map("b", "2")], "2").await;
    assert_eq!(log.sorted(2).await, ["+a@1!", "+b@2!"]);
    // A tenth earlier or later, so that not all handlers get theirs at once.
    server.quiet_for(Duration::from_secs(53)).await;
    assert_eq!(log.rest(), Vec::<String>::new());
    server.quiet_for(Duration::from_secs(14)).await;
    assert_eq!(log.sorted(2).await, ["~a@1>1", "~b@2>2"]);
    watch.send("MODIFIED", &map("a", "3"));
    assert_eq!(log.next().await, "~a@1>3");
    server.quiet_for(Duration::from_secs(66)).await;
    assert_eq!(log.sorted(2).await, ["~a@3>3", "~b@2>2"]);
    assert_eq!(
        plain.sorted(3).await,
        ["+a@1!", "+b@2!", "~a@1>3"],
        "handlers without a resync period get no resync"
    );
    assert_eq!(plain.rest(), Vec::<String>::new());
}

struct Panics(Arc<AtomicUsize>);

impl EventHandler<ConfigMap> for Panics {
    fn on_add(&mut self, _: &Arc<ConfigMap>, _: bool) {
        self.0.fetch_add(1, Ordering::SeqCst);
        panic!("scripted");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_continues_after_a_panic() {
    let (informer, mut server) = informer();
    let calls = Arc::new(AtomicUsize::new(0));
    let registration = informer.add_event_handler(Panics(Arc::clone(&calls)));
    let _watch = server.stream(&[map("a", "1"), map("b", "2")], "2").await;
    timeout(Duration::from_secs(60), registration.wait_synced())
        .await
        .expect("the handler continues after the panic")
        .unwrap();
    assert_eq!(
        (calls.load(Ordering::SeqCst), registration.pending()),
        (2, 0)
    );
}

/// Panics with a value that panics when it is dropped.
struct PanicsTwice(Arc<AtomicUsize>);

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::panic_any(Self);
    }
}

impl EventHandler<ConfigMap> for PanicsTwice {
    fn on_add(&mut self, _: &Arc<ConfigMap>, _: bool) {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::panic::panic_any(Bomb);
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_continues_after_a_panic_whose_value_panics() {
    let (informer, mut server) = informer();
    let calls = Arc::new(AtomicUsize::new(0));
    let registration = informer.add_event_handler(PanicsTwice(Arc::clone(&calls)));
    let watch = server.stream(&[map("a", "1")], "2").await;
    registration.wait_synced().await.unwrap();
    watch.send("ADDED", &map("b", "3"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        (calls.load(Ordering::SeqCst), registration.pending()),
        (2, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_all_tasks_and_waits() {
    let (client, mut server) = server();
    let informer = SharedInformer::<ConfigMap>::new(client, InformerConfig::default());
    let (handler, _log) = recorder();
    let registration = informer.add_event_handler_with_resync(handler, Duration::from_secs(5));
    let mut events = informer.events();
    informer.start();
    server.watch().await;
    assert!(!informer.is_stopped());
    informer.shutdown().await;
    assert!(informer.is_stopped());
    assert_eq!(informer.wait_synced().await, Err(Stopped));
    assert_eq!(registration.wait_synced().await, Err(Stopped));
    assert!(events.next().await.is_none());
    let (handler, _log) = recorder();
    assert_eq!(
        informer.add_event_handler(handler).wait_synced().await,
        Err(Stopped),
        "added after the shutdown"
    );
    informer.start();
    server.quiet_for(Duration::from_secs(600)).await;
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_ends_all_tasks() {
    let (informer, mut server) = informer();
    let (handler, _log) = recorder();
    let _registration = informer.add_event_handler_with_resync(handler, Duration::from_secs(5));
    let _watch = server.stream(&[map("a", "1")], "1").await;
    informer.wait_synced().await.unwrap();
    let lister = informer.lister();
    drop(informer);
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(lister.all().len(), 1);
    // Reflector, handler, resync and the end of own writes; the client's own buffer is the fifth.
    assert_eq!(tasks(), 5, "the lister keeps its informer alive");
    drop(lister);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stream_keeps_its_informer_running() {
    let (informer, mut server) = informer();
    let mut events = informer.events();
    drop(informer);
    let watch = server.stream(&[map("a", "1")], "1").await;
    assert_eq!(short(&events.next().await.unwrap()), "+a@1!");
    watch.send("DELETED", &map("a", "2"));
    assert_eq!(short(&events.next().await.unwrap()), "-a@2");
    drop(events);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let alive = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    assert_eq!(alive, 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_stream_leaves_nothing_in_the_informer() {
    let (informer, mut server) = informer();
    let _watch = server.stream(&[], "1").await;
    informer.wait_synced().await.unwrap();
    let kept = informer.events();
    for _ in 0..100 {
        drop(informer.events());
    }
    assert_eq!(informer.status().handlers.len(), 1);
    drop(kept);
    assert_eq!(informer.status().handlers.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_handler_with_a_detached_lister_does_not_keep_its_informer() {
    let (informer, mut server) = informer();
    let lister = informer.lister().detached();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let _registration =
        informer.add_event_handler(EventHandlerFuncs::<ConfigMap>::new().on_add(move |_, _| {
            counted.store(lister.all().len(), Ordering::SeqCst);
        }));
    let _watch = server.stream(&[map("a", "1")], "1").await;
    informer.wait_synced().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(count.load(Ordering::SeqCst), 1);
    drop(informer);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let alive = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    assert_eq!(alive, 0);
}

/// Blocks its thread in each notification until the test releases it.
struct Blocks {
    entered: tokio::sync::mpsc::UnboundedSender<()>,
    release: std::sync::mpsc::Receiver<()>,
    ended: Arc<AtomicUsize>,
}

impl EventHandler<ConfigMap> for Blocks {
    fn on_add(&mut self, _: &Arc<ConfigMap>, _: bool) {
        self.entered.send(()).unwrap();
        let _ = self.release.recv();
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removal_can_wait_for_the_last_notification() {
    let (informer, mut server) = informer();
    let (entered, mut handling) = tokio::sync::mpsc::unbounded_channel();
    let (released, release) = std::sync::mpsc::channel();
    let ended = Arc::new(AtomicUsize::new(0));
    let registration = informer.add_event_handler(Blocks {
        entered,
        release,
        ended: Arc::clone(&ended),
    });
    let _watch = server.stream(&[map("a", "1"), map("b", "2")], "2").await;
    handling.recv().await.unwrap();
    let mut removal = std::pin::pin!(registration.remove_and_wait());
    let early = timeout(Duration::from_millis(100), &mut removal).await;
    assert!(early.is_err(), "the handler has not returned");
    assert_eq!(ended.load(Ordering::SeqCst), 0);
    released.send(()).unwrap();
    removal.await;
    assert_eq!(
        ended.load(Ordering::SeqCst),
        1,
        "the second notification is dropped"
    );
    assert!(handling.recv().await.is_none(), "the handler is dropped");
}
