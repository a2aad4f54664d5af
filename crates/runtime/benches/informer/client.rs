//! The clients in Rust: an informer of this crate, and a reflector of kube.
use std::{
    error::Error,
    future::pending,
    hint::black_box,
    io::{self, Write},
    iter,
    pin::pin,
    sync::Arc,
    time::Duration,
};

use futures::TryStreamExt;
use http::{HeaderValue, Request, header};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{
    Api, Client, Config, Resource,
    client::Body,
    core::PartialObjectMeta,
    runtime::{
        WatchStreamExt, reflector,
        watcher::{self, watcher},
    },
};
use kube_codegen_runtime::{
    Object,
    informer::{EventHandlerFuncs, InformerConfig, InitialList, SharedInformer},
};
use parking_lot::Mutex;
use tokio::{sync::Notify, time::timeout};
use tower::service_fn;

use crate::{
    controller,
    measure::{Latencies, Stall, Stopwatch, Synced, Updated, memory},
    options::{Cache, ClientOptions, Kind, List},
    widget::{self, Widget},
};

pub type Failure = Box<dyn Error + Send + Sync>;

/// Runs one client to its end, and prints what it measured.
pub fn run(options: &ClientOptions) -> Result<(), Failure> {
    let mut builder = if options.kind.one_thread {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    builder.enable_all().build()?.block_on(async {
        let client = Client::try_from(Config::new(
            format!("http://127.0.0.1:{}", options.port).parse()?,
        ))?;
        let run = Run::start(options)?;
        if options.controls {
            return controller::run(client, options).await;
        }
        match options.kind.cache {
            Cache::Typed | Cache::Compact => informer::<Widget>(client, run).await,
            Cache::Metadata => informer::<PartialObjectMeta<Widget>>(json(client), run).await,
            Cache::Protobuf => informer::<PartialObjectMeta<Widget>>(client, run).await,
            Cache::Kube => kube_reflector(client, run).await,
            Cache::ClientGo => Err("this client is a program in Go".into()),
        }
    })
}

/// Returns a client that does not ask for protobuf.
pub fn json(client: Client) -> Client {
    let service = service_fn(move |mut request: Request<Body>| {
        let accept = request.headers_mut().get_mut(header::ACCEPT);
        if let Some(accept) = accept
            && let Ok(text) = accept.to_str()
        {
            let json: Vec<_> = text
                .split(',')
                .filter(|form| !form.contains("protobuf"))
                .collect();
            *accept =
                HeaderValue::from_str(&json.join(",")).unwrap_or(HeaderValue::from_static("*/*"));
        }
        let client = client.clone();
        async move { client.send(request).await }
    });
    Client::new(service, "default")
}

/// What every client does in the same way.
struct Run<'o> {
    options: &'o ClientOptions,
    before: u64,
    watch: Stopwatch,
    stall: Option<Stall>,
    updates: Arc<Updates>,
}

#[derive(Default)]
struct Updates {
    latencies: Mutex<Latencies>,
    done: Notify,
}

impl<'o> Run<'o> {
    fn start(options: &'o ClientOptions) -> io::Result<Self> {
        let stall = options.kind.one_thread.then(Stall::default);
        if let Some(stall) = stall.clone() {
            tokio::spawn(stall.watch());
        }
        Ok(Self {
            options,
            before: memory("VmRSS")?,
            watch: Stopwatch::start(),
            stall,
            updates: Arc::default(),
        })
    }

    /// Returns the function that the handler of the client calls for each update.
    fn on_update(&self) -> impl Fn(&ObjectMeta) + Send + 'static {
        let updates = Arc::clone(&self.updates);
        let total = self.options.updates;
        move |meta| {
            if updates.latencies.lock().add(widget::sent(meta)) == total {
                updates.done.notify_one();
            }
        }
    }

    /// Prints what the list has cost, then waits for the updates and prints what these have cost.
    async fn finish<K>(
        self,
        read: impl Fn(&str, &str) -> Option<Arc<K>>,
        scan: impl Fn() -> usize,
    ) -> Result<(), Failure> {
        let (cpu, wall) = (self.watch.cpu(), self.watch.wall());
        let stall = self.stall.as_ref().map(Stall::take);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let peak = memory("VmHWM")?;
        let mut order: Vec<_> = (0..self.options.objects).collect();
        fastrand::Rng::with_seed(7).shuffle(&mut order);
        let mut keys: Vec<_> = order.drain(..).take(20_000).map(widget::key).collect();
        let cold = time(&keys, 1, &read)?;
        keys.truncate(1000);
        time(&keys, 1, &read)?;
        let hot = time(&keys, 20, &read)?;
        drop((order, keys));
        let steady = memory("VmRSS")?;
        let watch = Stopwatch::start();
        if scan() != self.options.objects {
            return Err("a list is incomplete".into());
        }
        let scan = watch.cpu() * 1e3;
        print(&Synced {
            cpu,
            wall,
            before: self.before,
            steady,
            peak,
            read: Some(cold),
            hot: Some(hot),
            scan: Some(scan),
            stall,
            collected: None,
        })?;
        if let Some(stall) = &self.stall {
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(5)).await;
            stall.take();
        }
        let watch = Stopwatch::start();
        print(&())?;
        timeout(self.options.deadline(), self.updates.done.notified()).await?;
        let mut latencies = self.updates.latencies.lock();
        print(&Updated {
            cpu: watch.cpu(),
            p50: latencies.quantile(0.5),
            p99: latencies.quantile(0.99),
            stall: self.stall.as_ref().map(Stall::take),
        })
    }
}

/// Returns the CPU time of one read, in microseconds.
fn time<K>(
    keys: &[(String, String)],
    times: usize,
    read: impl Fn(&str, &str) -> Option<Arc<K>>,
) -> Result<f64, Failure> {
    let watch = Stopwatch::start();
    for (namespace, name) in iter::repeat_n(keys, times).flatten() {
        black_box(read(namespace, name)).ok_or("an object is not in the cache")?;
    }
    let count = u32::try_from((keys.len() * times).max(1))?;
    Ok(watch.cpu() * 1e6 / f64::from(count))
}

pub fn print(line: &impl serde::Serialize) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, line)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

async fn informer<K>(client: Client, run: Run<'_>) -> Result<(), Failure>
where
    K: Object + Resource<DynamicType = ()>,
{
    let informer = SharedInformer::<K>::new(client, informer_config(run.options.kind));
    let on_update = run.on_update();
    let handler = informer.add_event_handler(
        EventHandlerFuncs::new()
            .on_add(|object: &Arc<K>, _| {
                black_box(object);
            })
            .on_update(move |_, object| on_update(object.meta())),
    );
    informer.start();
    handler.wait_synced().await?;
    if informer.metrics().objects != run.options.objects {
        return Err("the cache is incomplete".into());
    }
    run.finish(
        |namespace, name| informer.lister().namespaced(namespace).get(name).ok(),
        || informer.lister().all().len(),
    )
    .await
}

async fn kube_reflector(client: Client, run: Run<'_>) -> Result<(), Failure> {
    let config = watcher_config(run.options.kind);
    let (reader, writer) = reflector::store::<Widget>();
    // kube's documentation advises to remove managed fields.
    let events = watcher(Api::<Widget>::all(client), config)
        .modify(|object| object.metadata.managed_fields = None)
        .reflect(writer);
    let synced = Arc::new(Notify::new());
    let notify = Arc::clone(&synced);
    let on_update = run.on_update();
    let follow = async move {
        let mut events = pin!(events);
        while let Some(event) = events.try_next().await? {
            match event {
                watcher::Event::InitDone => notify.notify_one(),
                watcher::Event::Apply(object) => on_update(&object.metadata),
                _ => {}
            }
        }
        Ok::<_, watcher::Error>(())
    };
    tokio::spawn(async move {
        if let Err(error) = follow.await {
            eprintln!("{error}");
        }
        pending::<()>().await;
    });
    synced.notified().await;
    if reader.len() != run.options.objects {
        return Err("the cache is incomplete".into());
    }
    run.finish(
        |namespace, name| reader.get(&reflector::ObjectRef::new(name).within(namespace)),
        || reader.state().len(),
    )
    .await
}

pub fn informer_config(kind: &Kind) -> InformerConfig {
    InformerConfig {
        initial_list: match kind.list {
            List::Streaming => InitialList::Streaming,
            List::Paged => InitialList::Paged(500),
            List::Whole => InitialList::WatchCache,
        },
        compact: kind.cache == Cache::Compact,
        ..InformerConfig::default()
    }
}

pub fn watcher_config(kind: &Kind) -> watcher::Config {
    match kind.list {
        List::Streaming => watcher::Config::default().streaming_lists(),
        List::Paged => watcher::Config::default().page_size(500),
        List::Whole => watcher::Config {
            page_size: None,
            ..watcher::Config::default().any_semantic()
        },
    }
}
