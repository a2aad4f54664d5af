//! The network between one candidate and the API server, and the scheduler of the candidate's process, with faults by a seed.
use std::{
    cell::Cell,
    future::poll_fn,
    pin::pin,
    rc::Rc,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use http::{Request, Response};
use k8s_openapi::{
    api::coordination::v1::Lease,
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::{SignedDuration, Timestamp},
};
use kube::{Client, client::Body};
use kube_codegen_testing::{ApiServer, ApiService};
use tokio::time::{Instant, sleep, sleep_until};
use tower::{BoxError, ServiceExt as _, service_fn};

/// Longest time from the client to the server. Less than the lease duration minus the renew deadline.
const LONGEST_WAY: Duration = Duration::from_millis(4_900);

type OnArrival = dyn Fn(&Request<Body>) + Send + Sync;

/// A network with random delays and losses. Clones share its state.
#[derive(Clone)]
pub(crate) struct Network {
    server: ApiServer,
    state: Arc<Mutex<State>>,
    on_arrival: Arc<OnArrival>,
    longest_way: Duration,
    clock_error: SignedDuration,
}

struct State {
    random: fastrand::Rng,
    cut_until: Instant,
    is_calm: bool,
}

/// What happens to one request.
struct Journey {
    there: Duration,
    back: Duration,
    is_lost: bool,
    is_response_lost: bool,
}

impl Network {
    /// Creates a network; `on_arrival` sees each request at the moment at which the server executes it.
    pub(crate) fn new(
        server: &ApiServer,
        seed: u64,
        on_arrival: impl Fn(&Request<Body>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            server: server.clone(),
            state: Arc::new(Mutex::new(State {
                random: fastrand::Rng::with_seed(seed),
                cut_until: Instant::now(),
                is_calm: false,
            })),
            on_arrival: Arc::new(on_arrival),
            longest_way: LONGEST_WAY,
            clock_error: SignedDuration::ZERO,
        }
    }

    /// Sets the longest time from the client to the server.
    pub(crate) fn longest_way(mut self, time: Duration) -> Self {
        self.longest_way = time;
        self
    }

    /// Makes leases arrive as from a client whose clock is set wrong by this.
    pub(crate) fn clock_error(mut self, error: SignedDuration) -> Self {
        self.clock_error = error;
        self
    }

    /// Loses all requests and responses for this time.
    pub(crate) fn cut(&self, time: Duration) {
        self.state.lock().unwrap().cut_until = Instant::now() + time;
    }

    /// Loses nothing from now on, and delivers all soon.
    pub(crate) fn calm(&self) {
        self.state.lock().unwrap().is_calm = true;
    }

    fn is_cut(&self) -> bool {
        Instant::now() < self.state.lock().unwrap().cut_until
    }

    fn journey(&self) -> Journey {
        let mut state = self.state.lock().unwrap();
        let is_calm = state.is_calm;
        let random = &mut state.random;
        let mut way = || {
            let longest = if random.u8(..100) < 85 || is_calm {
                Duration::from_millis(40)
            } else {
                self.longest_way
            };
            longest.mul_f64(random.f64())
        };
        let (there, back) = (way(), way());
        Journey {
            there,
            back,
            is_lost: random.u8(..100) < 3 && !is_calm,
            is_response_lost: random.u8(..100) < 4 && !is_calm,
        }
    }

    /// Returns a client whose requests take this network.
    pub(crate) fn client(&self) -> Client {
        let network = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let network = network.clone();
            async move { network.send(request).await }
        });
        Client::new(service, "default")
    }

    /// Replaces the time of a renewal by what the client's clock would have shown.
    async fn with_clock_error(&self, request: Request<Body>) -> Result<Request<Body>, BoxError> {
        let (parts, body) = request.into_parts();
        if self.clock_error.is_zero() || !parts.uri.path().contains("/leases") {
            return Ok(Request::from_parts(parts, body));
        }
        let body = body.collect_bytes().await?;
        let Ok(mut lease) = serde_json::from_slice::<Lease>(&body) else {
            return Ok(Request::from_parts(parts, Body::from(body)));
        };
        let name = lease.metadata.name.clone().unwrap_or_default();
        let stored: Option<Lease> = self.server.get("default", &name);
        let last = stored.and_then(|stored| stored.spec?.renew_time);
        // The elector writes a time after the last one.
        let last = last.map(|last| last.0 + SignedDuration::from_micros(1));
        let shown = Timestamp::now() + self.clock_error;
        let spec = lease.spec.get_or_insert_default();
        spec.renew_time = Some(MicroTime(last.map_or(shown, |last| last.max(shown))));
        let body = serde_json::to_vec(&lease)?;
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    async fn send(
        &self,
        request: Request<Body>,
    ) -> Result<Response<<ApiService as TypedService>::Body>, BoxError> {
        let journey = self.journey();
        if journey.is_lost || self.is_cut() {
            sleep(Duration::from_secs(20)).await;
            return Err("the request was lost".into());
        }
        // What is on its way arrives, even if the client gives up.
        let (network, there) = (self.clone(), journey.there);
        let arrival = tokio::spawn(async move {
            sleep(there).await;
            let request = network.with_clock_error(request).await?;
            (network.on_arrival)(&request);
            network.server.service().oneshot(request).await
        });
        let response = arrival.await??;
        sleep(journey.back).await;
        if journey.is_response_lost || self.is_cut() {
            sleep(Duration::from_secs(20)).await;
            return Err("the response was lost".into());
        }
        Ok(response)
    }
}

/// Names the body of the server's responses.
pub(crate) trait TypedService {
    type Body;
}

impl<S, B> TypedService for S
where
    S: tower::Service<Request<Body>, Response = Response<B>>,
{
    type Body = B;
}

/// A process that can be paused, as by SIGSTOP or by a busy node.
#[derive(Clone)]
pub(crate) struct Process(Rc<Cell<Instant>>);

impl Process {
    pub(crate) fn new() -> Self {
        Self(Rc::new(Cell::new(Instant::now())))
    }

    /// Pauses the process for this time.
    pub(crate) fn pause(&self, time: Duration) {
        self.0.set(Instant::now() + time);
    }

    /// Runs `program`, which makes no step while the process is paused.
    pub(crate) async fn run<T>(&self, program: impl Future<Output = T>) -> T {
        let mut program = pin!(program);
        let mut resumed = pin!(sleep_until(Instant::now()));
        poll_fn(move |context| {
            let until = self.0.get();
            if Instant::now() < until {
                resumed.as_mut().reset(until);
                if resumed.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
            }
            program.as_mut().poll(context)
        })
        .await
    }
}
