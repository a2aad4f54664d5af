//! Streams the events of a watch from the store's history.

use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
    time::Duration,
};

use bytes::Bytes;
use futures::Stream;
use kube::core::response::Status;
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::Instant};

use crate::{
    handlers::{
        read::bookmark,
        table::{Include, table},
    },
    kinds::{
        convert,
        store::{Backend, Store},
        target::{Target, shared},
    },
    record::{Command, EventAction, EventInFlight, Record},
    request::{Request, Selector},
    storage::{Change, Changes, lock},
    values::{
        object,
        status::{Answer, document, too_large, too_old},
    },
};

/// The default timeout of a watch; a real server chooses 30 to 60 minutes.
const TIMEOUT: Duration = Duration::from_secs(1800);
/// A longer time could exceed the clock.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
/// The interval of bookmarks of a real server.
const BOOKMARKS: Duration = Duration::from_secs(60);

/// One open watch.
#[allow(clippy::struct_excessive_bools)] // They are independent.
struct Watch {
    backend: Weak<Backend>,
    record: Weak<Record>,
    target: Target,
    selector: Selector,
    metadata_only: bool,
    table: Option<Include>,
    /// The first event alone describes the columns.
    has_columns: bool,
    bookmarks: bool,
    position: u64,
    lines: VecDeque<Bytes>,
    /// Lines that are sent at a time.
    delayed: Vec<(Instant, Bytes)>,
    /// Lines that are sent after the next one.
    swapped: Vec<Bytes>,
    changes: Changes,
    commands: mpsc::UnboundedReceiver<Command>,
    end: Instant,
    next_bookmark: Instant,
    stalled: bool,
    ended: bool,
}

/// Opens a watch. A revision that is too old gives an `ERROR` event or, with `expired_as_410`, an error response.
pub(crate) fn open(
    backend: &Arc<Backend>,
    record: &Arc<Record>,
    store: &mut Store,
    request: &Request,
    expired_as_410: bool,
) -> Answer<impl Stream<Item = Bytes> + Send + use<>> {
    let query = &request.query;
    let target = request.target.clone();
    let mut selector = Selector::read(query, &target)?;
    if store.shards {
        selector = selector.with_shards(query)?;
    }
    query.check_list(true)?;
    let initial = query.flag("sendInitialEvents");
    let no_initial = query.get("sendInitialEvents").is_some() && !initial;
    let asked = query.resource_version()?;
    if let Some(asked) = asked.filter(|asked| *asked > store.revision()) {
        return Err(too_large(asked, store.revision()));
    }
    let timeout = query
        .number("timeoutSeconds")?
        .filter(|seconds| *seconds > 0)
        .map_or(TIMEOUT, |seconds| Duration::from_secs(seconds).min(LONGEST));
    let now = Instant::now();
    let table = request.table.then(|| Include::read(query)).transpose()?;
    let (sender, commands) = mpsc::unbounded_channel();
    let mut watch = Watch {
        backend: Arc::downgrade(backend),
        record: Arc::downgrade(record),
        selector,
        metadata_only: request.metadata_only,
        table,
        has_columns: false,
        bookmarks: query.flag("allowWatchBookmarks"),
        position: store.revision(),
        lines: VecDeque::new(),
        delayed: Vec::new(),
        swapped: Vec::new(),
        changes: backend.changes.clone(),
        commands,
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
                let expired = too_old(asked, oldest);
                if expired_as_410 {
                    return Err(expired);
                }
                watch.fail(&expired);
            }
            watch.position = asked;
        }
        _ if no_initial => {}
        // Without a revision, the watch starts with the current objects as additions.
        _ => watch.initial(store, initial)?,
    }
    lock(&record.watches).add(watch.target.clone(), sender);
    Ok(futures::stream::unfold(watch, |mut watch| async move {
        watch.next().await.map(|line| (line, watch))
    }))
}

impl Watch {
    fn initial(&mut self, store: &Store, marked_end: bool) -> Answer<()> {
        let target = self.target.clone();
        let objects = store.stored(&target.kind, &target.namespace);
        let mut missing = None;
        for object in objects {
            // Each missing conversion is noted before the first is reported.
            let object = match convert::load(store, &target, &object.value()) {
                Ok(object) => object,
                Err(failure) => {
                    missing = Some(failure);
                    continue;
                }
            };
            if self.selector.matches(&object) {
                let shown = shared(&object, &self.target, self.metadata_only);
                self.event("ADDED", &shown);
            }
        }
        if marked_end && self.bookmarks {
            self.event("BOOKMARK", &bookmark(&self.target, store.revision(), true));
        }
        missing.map_or(Ok(()), Err)
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.stalled {
                // Only a cut or the timeout ends a stalled watch.
                tokio::select! {
                    biased;
                    command = self.commands.recv() => if matches!(command, None | Some(Command::Cut)) { return None },
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
            // A command takes effect before changes that were stored after it.
            if let Ok(command) = self.commands.try_recv() {
                self.execute(command);
                continue;
            }
            let change = self.changes.next();
            self.catch_up().await?;
            if !self.lines.is_empty() || self.ended {
                continue;
            }
            tokio::select! {
                biased;
                command = self.commands.recv() => self.execute(command?),
                () = change => {}
                () = due(self.delayed.iter().map(|(time, _)| *time).min()) => self.release(),
                () = tokio::time::sleep_until(self.end) => {
                    self.bookmark();
                    self.ended = true;
                }
                () = tokio::time::sleep_until(self.next_bookmark), if self.bookmarks => {
                    self.bookmark();
                    self.next_bookmark = Instant::now() + BOOKMARKS;
                }
            }
        }
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Cut => self.ended = true,
            Command::Stall => self.stalled = true,
            Command::Line(line) => self.lines.push_back(line),
            Command::Fail(status) => self.fail(&status),
            Command::Bookmark => self.bookmark(),
        }
    }

    /// Converts the changes since the last call to lines; `None` if the server was dropped.
    async fn catch_up(&mut self) -> Option<()> {
        let backend = self.backend.upgrade()?;
        let changes = convert::retried(&backend, |store| {
            let changes = self.changes(store)?;
            Ok((changes, store.revision(), self.is_served(store)))
        });
        match changes.await {
            Ok((changes, newest, is_served)) => {
                for change in &changes {
                    self.change(change);
                }
                self.position = newest;
                // Its definition has been removed, or does not serve the version any more.
                self.ended |= !is_served;
            }
            Err(failure) => self.fail(&failure),
        }
        Some(())
    }

    fn is_served(&self, store: &Store) -> bool {
        let Target { kind, version, .. } = &self.target;
        let now = store.kinds.get(&kind.group, &kind.plural);
        now.is_some_and(|now| now.version(version).is_some())
    }

    /// Returns the changes since the last call, in the version of the watch.
    fn changes(&self, store: &mut Store) -> Answer<Vec<Change>> {
        let changes = store.collection(&self.target.kind).since(self.position);
        let changes = changes.map_err(|oldest| too_old(self.position, oldest))?;
        let changes: Vec<Change> = changes.cloned().collect();
        let load = |object: Option<Arc<Value>>| {
            let loaded = object.map(|object| convert::load(store, &self.target, &object));
            loaded.transpose()
        };
        let changes: Vec<_> = changes
            .into_iter()
            .map(|change| (change.revision, load(change.old), load(change.new)))
            .collect();
        let changes = changes.into_iter().map(|(revision, old, new)| {
            Ok(Change {
                revision,
                old: old?,
                new: new?,
            })
        });
        changes.collect()
    }

    /// Emits the event of a change: an object that enters the selection is added, one that leaves it is deleted.
    fn change(&mut self, change: &Change) {
        let namespace = &self.target.namespace;
        let seen = |object: &&Arc<Value>| {
            (namespace.is_empty() || object::namespace(object) == namespace)
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
        let mut shown = shared(&object, &self.target, self.metadata_only);
        if kind == "DELETED" {
            object::put(
                Arc::make_mut(&mut shown),
                "/metadata/resourceVersion",
                change.revision.to_string().into(),
            );
        }
        self.event(kind, &shown);
    }

    fn bookmark(&mut self) {
        if self.bookmarks {
            self.event("BOOKMARK", &bookmark(&self.target, self.position, false));
        }
    }

    fn fail(&mut self, failure: &Status) {
        self.event("ERROR", &document(failure));
        self.ended = true;
    }

    fn event(&mut self, kind: &str, object: &Value) {
        let action = match self.record.upgrade() {
            Some(record) if kind != "ERROR" => {
                let interceptors = lock(&record.interceptors).clone();
                interceptors.event(EventInFlight {
                    group: &self.target.kind.group,
                    resource: &self.target.kind.plural,
                    namespace: &self.target.namespace,
                    kind,
                    object,
                })
            }
            _ => EventAction::Pass,
        };
        let mut row;
        let object = match self.table {
            Some(include) if !matches!(kind, "BOOKMARK" | "ERROR") => {
                let version = object::at(object, "/metadata/resourceVersion");
                let metadata = json!({"resourceVersion": version});
                row = table(
                    &self.target,
                    std::slice::from_ref(object),
                    &metadata,
                    include,
                );
                if std::mem::replace(&mut self.has_columns, true) {
                    object::put(&mut row, "/columnDefinitions", Value::Null);
                }
                &row
            }
            _ => object,
        };
        let mut line = format!("{{\"type\":\"{kind}\",\"object\":").into_bytes();
        // A value cannot fail to be written to memory.
        let _ = serde_json::to_writer(&mut line, object);
        line.extend(b"}\n");
        let line = Bytes::from(line);
        match action {
            EventAction::Pass => {
                self.lines.push_back(line);
                self.lines.extend(self.swapped.drain(..));
            }
            EventAction::Drop => {}
            EventAction::Delay(time) => {
                // Beyond the clock, it is never sent.
                let due = Instant::now().checked_add(time);
                self.delayed.extend(due.map(|due| (due, line)));
            }
            EventAction::Swap => self.swapped.push(line),
        }
    }

    /// Sends the delayed lines whose time has come.
    fn release(&mut self) {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.delayed)
            .into_iter()
            .partition(|(time, _)| *time <= now);
        self.delayed = later;
        let due: Vec<(Instant, Bytes)> = due;
        self.lines.extend(due.into_iter().map(|(_, line)| line));
    }
}

/// Waits until a time, for ever without one.
async fn due(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
