//! Which objects are reconciled first, and what ends a back-off.
use crate::caches::{
    reconciling::{SECOND, Setup, Step, deployment, setup},
    script::map,
};
use kube_codegen_runtime::{
    controller::{Enqueue, OnError},
    informer::ObjectKey,
    queue::LOW_PRIORITY,
};
use serde_json::{Value, json};
use std::time::Duration;

impl Setup {
    /// Returns the objects of the next reconciles, in order. `Step::Sleep` reports its end too.
    async fn order(&mut self, count: usize) -> Vec<String> {
        let mut names = Vec::new();
        while names.len() < count {
            let (name, _) = self.call().await;
            if !name.ends_with(" ended") {
                names.push(name);
            }
        }
        names
    }
}

#[tokio::test(start_paused = true)]
async fn changes_are_before_the_first_list_and_resyncs() {
    let steps = [Step::Sleep(SECOND); 100];
    let objects: Vec<_> = (0..6).map(|n| map(&format!("m{n}"), "1")).collect();
    let (sender, keys) = futures::channel::mpsc::unbounded::<ObjectKey>();
    let mut setup = setup(&objects, &steps, OnError::Backoff, |c| c.enqueue_from(keys)).await;
    // The order within the first list is random. What runs already would be queued again after its end.
    let running = setup.order(1).await.remove(0);
    let mut waiting = ["m1", "m2", "m3"]
        .into_iter()
        .filter(|name| *name != running);
    let [changed, owner] = [(); 2].map(|()| waiting.next().unwrap());
    setup.maps.send("MODIFIED", &map(changed, "11"));
    setup.maps.send("ADDED", &map("new", "12"));
    setup
        .deployments
        .send("ADDED", &deployment("d", "13", Some(owner)));
    let order = setup.order(3).await;
    assert_eq!(order, [changed, "new", owner]);
    while tokio::time::timeout(100 * SECOND, setup.calls.recv())
        .await
        .is_ok()
    {}
    // The resync after ten minutes, by when the watch has ended.
    let first = setup.order(1).await.remove(0);
    let changed = if first == owner { changed } else { owner };
    let key = ObjectKey::namespaced("ns", changed);
    sender.unbounded_send(key.clone()).unwrap();
    assert_eq!(setup.order(1).await, [changed]);
    let depths = setup.metrics.get().queue.depths;
    assert!(depths[&LOW_PRIORITY] > 0 && depths[&0] == 0, "{depths:?}");
    let queue = setup.metrics.queue(1).unwrap();
    assert_eq!(
        (queue.waiting.len(), queue.waiting[0].priority),
        (1, LOW_PRIORITY)
    );
    assert_eq!(queue.processing[0].item, key);
}

#[tokio::test(start_paused = true)]
async fn keys_from_outside_and_requeues_have_the_priority_that_they_ask_for() {
    let (sender, keys) = futures::channel::mpsc::unbounded();
    let objects = ["a", "b", "c"].map(|name| map(name, "1"));
    let steps = [Step::Sleep(SECOND); 2];
    let mut first = setup(&objects, &steps, OnError::Backoff, |c| c.enqueue_from(keys)).await;
    let running = first.order(1).await.remove(0);
    let others: Vec<_> = ["a", "b", "c"]
        .into_iter()
        .filter(|name| *name != running)
        .collect();
    first.maps.send("MODIFIED", &map(others[0], "11"));
    tokio::time::sleep(SECOND / 10).await;
    let key = ObjectKey::namespaced("ns", others[1]);
    sender
        .unbounded_send(Enqueue { key, priority: 10 })
        .unwrap();
    assert_eq!(first.order(2).await, [others[1], others[0]]);

    let requeue = Step::RequeueWithPriority(2 * SECOND, 10);
    let steps = [requeue, Step::Done, Step::Done, Step::Sleep(5 * SECOND)];
    let mut setup = setup(&objects, &steps, OnError::Backoff, |c| c).await;
    let order = setup.order(3).await;
    setup.maps.send("MODIFIED", &map(&order[1], "11"));
    assert_eq!(setup.order(1).await, order[1..2]);
    setup.maps.send("MODIFIED", &map(&order[2], "12"));
    assert_eq!(
        setup.order(2).await,
        [order[0].as_str(), &order[2]],
        "both wait while the worker is busy"
    );
}

fn spec(version: &str, generation: u64) -> Value {
    let mut object = map("a", version);
    object["metadata"]["generation"] = json!(generation);
    object
}

#[tokio::test(start_paused = true)]
async fn events_do_not_destroy_the_back_off_but_a_new_spec_ends_it() {
    let mut setup = setup(&[spec("1", 1)], &[Step::Fail; 100], OnError::Backoff, |c| c).await;
    // 5 ms doubles to 10.24 s in 11 retries.
    let mut attempts = 0;
    for version in 0..2000 {
        tokio::time::sleep(SECOND / 100).await;
        setup
            .maps
            .send("MODIFIED", &spec(&(11 + version).to_string(), 1));
        while setup.calls.try_recv().is_ok() {
            attempts += 1;
        }
    }
    assert!((16..=28).contains(&attempts), "{attempts}");
    setup.maps.send("MODIFIED", &spec("3000", 2));
    let began = tokio::time::Instant::now();
    for _ in 0..4 {
        setup.call().await;
    }
    let took = began.elapsed();
    assert!(
        took < Duration::from_millis(60),
        "a new spec starts with short delays: {took:?}"
    );
}
