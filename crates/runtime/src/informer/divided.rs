//! Caches the ranges of objects that this process needs. A range that comes is listed by itself, and then joins the watch of the others, which
//! continues where it was; so nothing that is cached is listed again.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures::future::{BoxFuture, FutureExt, OptionFuture};
use tokio::time::{Duration, Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{part::Part, reflector::Reflector, scope::Scope, state::State};

/// How long ranges are gathered that are taken one after the other: a server that ignores the selector sends all objects for each list.
const GATHER: Duration = Duration::from_millis(100);

/// Ranges that are being listed, or will be.
struct Joining {
    scope: Arc<Scope>,
    begins: Instant,
    /// With which number each was taken.
    taken: BTreeMap<u16, u64>,
    listed: BoxFuture<'static, ()>,
}

/// Keeps the cache of a divided informer up to date. Runs until it is dropped.
pub(super) async fn run(
    reflector: impl Fn(Arc<Scope>) -> Reflector,
    state: Arc<State>,
    scope: Arc<Scope>,
    part: &Part,
) {
    // Without ranges, nothing is missing.
    scope.set_synced();
    state.update_synced();
    let watches = reflector(Arc::clone(&scope)).run();
    let loads = async {
        let mut changes = part.division.changes();
        let mut cached = BTreeMap::new();
        let mut joining: Option<Joining> = None;
        loop {
            changes.borrow_and_update();
            let wanted = part.division.wanted();
            let gone = unwanted(&cached, &wanted);
            if !gone.is_empty() {
                part.remove(&gone);
                cached.retain(|range, _| !gone.contains(range));
                state.forget_ranges(&gone, part).await;
            }
            if let Some(one) = &mut joining {
                let gone = unwanted(&one.taken, &wanted);
                if !gone.is_empty()
                    && let Some(joins) = one.scope.part.get()
                {
                    joins.remove(&gone);
                    one.taken.retain(|range, _| !gone.contains(range));
                    state.forget_ranges(&gone, part).await;
                }
                if one.taken.is_empty() {
                    joining = None;
                }
            }
            let taken: BTreeMap<u16, u64> = wanted
                .into_iter()
                .filter(|(range, _)| !cached.contains_key(range))
                .collect();
            match &mut joining {
                Some(one) if Instant::now() < one.begins => one.gather(taken),
                None if !taken.is_empty() => joining = Some(join(&reflector, part, taken)),
                _ => {}
            }
            let listed = joining.as_mut().map(|joining| &mut joining.listed);
            tokio::select! {
                biased;
                Some(()) = OptionFuture::from(listed) => {
                    if let Some(one) = joining.take() {
                        state.adopt(&scope, part, &one.scope);
                        for (range, taken) in &one.taken {
                            part.division.loaded(part.cache, *range, *taken);
                        }
                        cached.extend(one.taken);
                    }
                }
                // The division is held here.
                _ = changes.changed() => {}
            }
        }
    };
    futures::join!(watches, loads);
}

impl State {
    /// Adds the ranges of `other`, which are in the cache, to those that the watch of `scope` keeps up to date.
    fn adopt(&self, scope: &Scope, part: &Part, other: &Scope) {
        // No event is applied meanwhile.
        let _listeners = self.listeners.lock();
        if let Some(joins) = other.part.get() {
            scope.set_version(&part.adopt(&scope.version(), joins, &other.version()));
        }
    }
}

/// Returns the ranges that are not wanted any more, or were given back and taken again.
fn unwanted(have: &BTreeMap<u16, u64>, wanted: &BTreeMap<u16, u64>) -> BTreeSet<u16> {
    let have = have.iter();
    have.filter(|(range, taken)| wanted.get(range) != Some(taken))
        .map(|(range, _)| *range)
        .collect()
}

fn join(
    reflector: impl Fn(Arc<Scope>) -> Reflector,
    part: &Part,
    taken: BTreeMap<u16, u64>,
) -> Joining {
    let scope = Scope::new(None, CancellationToken::new());
    scope.part.get_or_init(|| part.joining());
    let scope = Arc::new(scope);
    let begins = Instant::now() + GATHER;
    let list = reflector(Arc::clone(&scope)).load();
    let listed = async move {
        sleep_until(begins).await;
        list.await;
    };
    let mut joining = Joining {
        listed: listed.boxed(),
        begins,
        scope,
        taken: BTreeMap::new(),
    };
    joining.gather(taken);
    joining
}

impl Joining {
    /// Adds ranges before the list begins.
    fn gather(&mut self, taken: BTreeMap<u16, u64>) {
        if let Some(joins) = self.scope.part.get() {
            joins.add(taken.keys().copied());
        }
        self.taken.extend(taken);
    }
}
