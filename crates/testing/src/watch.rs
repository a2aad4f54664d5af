//! A watch request in, a stream of event lines out; it reads the store's history and never writes to it.
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use kube::core::response::Status;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::action::On;
use super::failure::{Answer, bad_request, too_large, too_old};
use super::read::{bookmark, present};
use super::request::{Request, Target, Verb};
use super::selector::Selector;
use super::store::{Change, Store};
use super::write::status;
use super::{Shared, lock};

/// How long a watch lives that does not say; a real server picks 30 to 60 minutes.
const TIMEOUT: Duration = Duration::from_secs(1800);
/// A real server's interval of bookmarks.
const BOOKMARKS: Duration = Duration::from_secs(60);

/// What a test does to open watches.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// The connection ends, as when a server goes away.
    Cut,
    /// Nothing comes any more, and the connection stays.
    Stall,
    /// A line that is no event.
    Line(Bytes),
    /// An `ERROR` event, then the end.
    Fail(Box<Status>),
    Bookmark,
}

/// The open watches, as tests reach them.
#[derive(Debug, Default)]
pub(super) struct Watches(Vec<(Target, mpsc::UnboundedSender<Order>)>);

impl Watches {
    /// Hands an order to the watches that fit and returns their number.
    pub(super) fn order(&mut self, on: &On, order: &Order) -> usize {
        self.0.retain(|(_, orders)| !orders.is_closed());
        let chosen = self
            .0
            .iter()
            .filter(|(target, _)| on.matches(Verb::Watch, target));
        chosen
            .filter(|(_, orders)| orders.send(order.clone()).is_ok())
            .count()
    }
}

/// One open watch.
#[allow(clippy::struct_excessive_bools)] // Each is a state of its own.
struct Watch {
    shared: std::sync::Weak<Shared>,
    target: Target,
    selector: Selector,
    metadata_only: bool,
    bookmarks: bool,
    position: u64,
    lines: VecDeque<Bytes>,
    revisions: watch::Receiver<u64>,
    orders: mpsc::UnboundedReceiver<Order>,
    end: Instant,
    next_bookmark: Instant,
    stalled: bool,
    ended: bool,
}

/// Opens a watch; what cannot be watched any more is an `ERROR` line in the stream unless `gone_as_answer`.
pub(super) fn open(
    shared: &Arc<Shared>,
    store: &mut Store,
    request: &Request,
    gone_as_answer: bool,
) -> Answer<impl Stream<Item = Bytes> + Send + use<>> {
    let query = &request.query;
    let target = request.target.clone();
    let selector = Selector::read(query, &target)?;
    let initial = query.flag("sendInitialEvents");
    if initial != (query.get("resourceVersionMatch") == Some("NotOlderThan")) {
        return Err(bad_request(
            "sendInitialEvents and resourceVersionMatch=NotOlderThan are used together",
        ));
    }
    let asked = query.resource_version()?;
    if let Some(asked) = asked.filter(|asked| *asked > store.revision) {
        return Err(too_large(asked, store.revision));
    }
    let timeout = query
        .number("timeoutSeconds")?
        .filter(|seconds| *seconds > 0)
        .map_or(TIMEOUT, Duration::from_secs);
    let now = Instant::now();
    let (sender, orders) = mpsc::unbounded_channel();
    let mut watch = Watch {
        shared: Arc::downgrade(shared),
        selector,
        metadata_only: request.metadata_only,
        bookmarks: query.flag("allowWatchBookmarks"),
        position: store.revision,
        lines: VecDeque::new(),
        revisions: shared.revisions.subscribe(),
        orders,
        end: now + timeout,
        next_bookmark: now + BOOKMARKS,
        stalled: false,
        ended: false,
        target,
    };
    match asked.filter(|asked| *asked > 0) {
        Some(asked) if !initial => {
            let oldest = store.collection(&watch.target.kind).oldest();
            if asked < oldest {
                let gone = too_old(asked, oldest);
                if gone_as_answer {
                    return Err(gone);
                }
                watch.fail(&gone);
            }
            watch.position = asked;
        }
        // From any state: what there is comes first, as additions.
        _ => watch.initial(store, initial),
    }
    lock(&shared.watches).0.push((watch.target.clone(), sender));
    Ok(futures::stream::unfold(watch, |mut watch| async move {
        watch.next().await.map(|line| (line, watch))
    }))
}

impl Watch {
    fn initial(&mut self, store: &Store, marked_end: bool) {
        for object in store.list(&self.target.kind, &self.target.namespace) {
            if self.selector.matches(&object) {
                self.event("ADDED", present(&object, &self.target, self.metadata_only));
            }
        }
        if marked_end && self.bookmarks {
            self.event("BOOKMARK", bookmark(&self.target, store.revision, true));
        }
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.stalled {
                // Nothing but a cut or the timeout ends the silence.
                tokio::select! {
                    order = self.orders.recv() => if matches!(order, None | Some(Order::Cut)) { return None },
                    () = tokio::time::sleep_until(self.end) => return None,
                }
                continue;
            }
            if let Some(line) = self.lines.pop_front() {
                return Some(line);
            }
            if self.ended {
                return None;
            }
            // What a test ordered comes before what was stored after it.
            if let Ok(order) = self.orders.try_recv() {
                self.obey(order);
                continue;
            }
            self.catch_up()?;
            if !self.lines.is_empty() || self.ended {
                continue;
            }
            tokio::select! {
                order = self.orders.recv() => self.obey(order?),
                changed = self.revisions.changed() => changed.ok()?,
                () = tokio::time::sleep_until(self.end) => {
                    self.mark();
                    self.ended = true;
                }
                () = tokio::time::sleep_until(self.next_bookmark), if self.bookmarks => {
                    self.mark();
                    self.next_bookmark = Instant::now() + BOOKMARKS;
                }
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Cut => self.ended = true,
            Order::Stall => self.stalled = true,
            Order::Line(line) => self.lines.push_back(line),
            Order::Fail(status) => self.fail(&status),
            Order::Bookmark => self.mark(),
        }
    }

    /// Turns the changes since the last look into lines; none where the server is gone.
    fn catch_up(&mut self) -> Option<()> {
        let shared = self.shared.upgrade()?;
        let mut store = lock(&shared.store);
        self.revisions.mark_unchanged();
        let newest = store.revision;
        let changes = store
            .collection(&self.target.kind)
            .since(self.position)
            .map(|changes| changes.cloned().collect::<Vec<_>>());
        drop(store);
        match changes {
            Ok(changes) => {
                for change in &changes {
                    self.tell(change);
                }
                self.position = newest;
            }
            Err(oldest) => self.fail(&too_old(self.position, oldest)),
        }
        Some(())
    }

    /// One change as its watcher sees it: an object that enters the selection is added, one that leaves it is deleted.
    fn tell(&mut self, change: &Change) {
        let namespace = &self.target.namespace;
        let seen = |object: &&Arc<Value>| {
            (namespace.is_empty() || super::object::namespace(object) == namespace)
                && self.selector.matches(object)
        };
        let (old, new) = (
            change.old.as_ref().filter(seen),
            change.new.as_ref().filter(seen),
        );
        let (kind, object) = match (old, new) {
            (None, Some(new)) => ("ADDED", new.clone()),
            (Some(_), Some(new)) => ("MODIFIED", new.clone()),
            (Some(old), None) => ("DELETED", old.clone()),
            (None, None) => return,
        };
        let mut shown = present(&object, &self.target, self.metadata_only);
        if kind == "DELETED" {
            super::object::put(
                &mut shown,
                "/metadata/resourceVersion",
                change.revision.to_string().into(),
            );
        }
        self.event(kind, shown);
    }

    fn mark(&mut self) {
        if self.bookmarks {
            self.event("BOOKMARK", bookmark(&self.target, self.position, false));
        }
    }

    fn fail(&mut self, failure: &Status) {
        self.event("ERROR", status(failure));
        self.ended = true;
    }

    #[allow(clippy::needless_pass_by_value)]
    fn event(&mut self, kind: &str, object: Value) {
        let mut line = json!({"type": kind, "object": object}).to_string();
        line.push('\n');
        self.lines.push_back(Bytes::from(line));
    }
}
