//! What metrics cost: the work queue's and the controller's counters per reconcile, a request, and a scrape.
//!
//! `cargo bench -p kube-codegen-runtime --features metrics` prints the times.
#![allow(missing_docs, clippy::unwrap_used)]
use std::{convert::Infallible, hint::black_box, time::Duration};

use bytes::Bytes;
use criterion::{Criterion, criterion_group, criterion_main};
use futures::{FutureExt, future::ready};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use kube_codegen_runtime::{
    informer::ObjectKey,
    metrics::{Format, Metrics},
    queue::{Histogram, WorkQueue},
};
use parking_lot::Mutex;
use tokio::time::Instant;
use tower::{Layer, Service, service_fn};

const BOUNDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

fn per_reconcile(bench: &mut Criterion) {
    // The queue cannot work without its counters, so this is an upper bound of their cost.
    let queue = WorkQueue::new();
    let keys: Vec<_> = (0..1000)
        .map(|n| ObjectKey::namespaced("default", format!("object-{n}")))
        .collect();
    let mut keys = keys.iter().cycle();
    bench.bench_function(
        "queue: add, get and done of one key, counters included",
        |b| {
            b.iter(|| {
                queue.add(keys.next().unwrap().clone());
                let key = queue.get().now_or_never().flatten().unwrap();
                queue.done(&key);
            });
        },
    );
    let mut histogram = Histogram::new(BOUNDS);
    bench.bench_function("one observation of a histogram", |b| {
        b.iter(|| histogram.observe_duration(black_box(Duration::from_millis(7))));
    });
    // What the queue and the controller do per reconcile only for the sake of metrics: they read the clock, observe the time in the queue, of
    // the work and of the reconcile, and count twice, under a lock that no other thread holds.
    let durations = std::array::from_fn::<_, 3, _>(|_| Histogram::new(BOUNDS));
    let counted = Mutex::new((durations, 0_u64, 0_u64));
    bench.bench_function("the counters of one reconcile", |b| {
        b.iter(|| {
            let added = Instant::now();
            let started = Instant::now();
            counted.lock().1 += 1;
            let mut counted = counted.lock();
            let (durations, _, reconciles) = &mut *counted;
            durations[0].observe_duration(started - added);
            durations[1].observe_duration(added.elapsed());
            durations[2].observe_duration(started.elapsed());
            *reconciles += 1;
        });
    });
}

fn per_request(bench: &mut Criterion) {
    let answer = |_: Request<Full<Bytes>>| {
        ready(Ok::<_, Infallible>(Response::new(Full::<Bytes>::from(
            "{}",
        ))))
    };
    let request = || Request::new(Full::<Bytes>::from("{}"));
    let send = |service: &mut dyn FnMut() -> usize| black_box(service());
    let mut plain = service_fn(answer);
    bench.bench_function("a request without the layer", |b| {
        b.iter(|| {
            send(&mut || {
                let response = plain.call(request()).now_or_never().unwrap().unwrap();
                let body = response.into_body().collect().now_or_never().unwrap();
                body.unwrap().to_bytes().len()
            })
        });
    });
    let layer = Metrics::new().client_layer(&"https://10.0.0.1:443".parse().unwrap());
    let mut measured = layer.layer(service_fn(answer));
    bench.bench_function("a request with the layer", |b| {
        b.iter(|| {
            send(&mut || {
                let response = measured.call(request()).now_or_never().unwrap().unwrap();
                let body = response.into_body().collect().now_or_never().unwrap();
                body.unwrap().to_bytes().len()
            })
        });
    });
}

fn per_scrape(bench: &mut Criterion) {
    let metrics = Metrics::new();
    for n in 0..10 {
        let queue = WorkQueue::<ObjectKey>::new();
        metrics.queue(format!("queue-{n}"), &queue).unwrap();
    }
    bench.bench_function("a scrape of ten queues and the process", |b| {
        b.iter(|| metrics.encode(Format::Text).unwrap().len());
    });
}

criterion_group!(benches, per_reconcile, per_request, per_scrape);
criterion_main!(benches);
