//! Reads the stored objects of the cluster, and says what the new release does with them.
use std::{
    collections::BTreeMap,
    fs,
    hash::Hasher as _,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::progress::Progress;
use crate::{
    api::compat::{self, Group, Level, Reading},
    base::source::cluster::Pages,
    cli::{console::Console, count},
};

/// What was read of a list.
pub(super) struct Stored {
    /// The name of the CRD.
    pub(super) crd: String,
    pub(super) kind: String,
    /// The version by which the objects were read.
    pub(super) version: String,
    pub(super) read: u64,
    /// The worst first.
    pub(super) groups: Vec<Group>,
    /// Why it was not read to its end.
    pub(super) failed: Option<String>,
}

/// How far a comparison has come, as it is kept in a file.
#[derive(Default, Deserialize, Serialize)]
struct State {
    /// Both releases: a file of another comparison is rejected.
    releases: String,
    lists: BTreeMap<String, List>,
}

#[derive(Default, Deserialize, Serialize)]
struct List {
    read: u64,
    /// What the rest of the list is read with.
    next: Option<String>,
    done: bool,
    groups: Vec<Group>,
}

/// Reads the objects of all kinds that both releases have and treat differently. With a file, goes on where the last run ended.
pub(super) fn read(
    old: &[Value],
    new: &[Value],
    file: Option<&Path>,
    console: &Console,
) -> Result<Vec<Stored>, String> {
    let mut keeper = Keeper::open(file, old, new)?;
    let mut found = Vec::new();
    for new in new {
        let name = |crd: &Value| crd["metadata"]["name"].as_str().map(str::to_owned);
        let Some(old) = old.iter().find(|old| name(old) == name(new)) else {
            continue;
        };
        let crd = name(new).unwrap_or_default();
        for reading in compat::readings(old, new) {
            let key = format!("{crd}/{}", reading.version);
            let mut list = keeper.state.lists.remove(&key).unwrap_or_default();
            let failed = if list.done {
                None
            } else {
                read_list(&reading, &key, &mut list, &mut keeper, console)?
            };
            let mut groups = list.groups.clone();
            groups.sort_by_key(|it| (std::cmp::Reverse(it.effect.level()), it.effect));
            found.push(Stored {
                crd: crd.clone(),
                kind: new["spec"]["names"]["kind"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                version: reading.version.clone(),
                read: list.read,
                groups,
                failed,
            });
            keeper.state.lists.insert(key, list);
        }
    }
    if found.iter().all(|it| it.failed.is_none()) {
        keeper.remove();
    }
    Ok(found)
}

/// Reads a list to its end; returns why it could not be read.
fn read_list(
    reading: &Reading<'_>,
    key: &str,
    list: &mut List,
    keeper: &mut Keeper,
    console: &Console,
) -> Result<Option<String>, String> {
    let progress = Progress::new(console.shows_progress());
    for page in Pages::read(&reading.path, list.next.as_deref())? {
        let page = match page {
            Ok(page) => page,
            Err(why) => return Ok(Some(why)),
        };
        if page.restart {
            *list = List::default();
            continue;
        }
        for object in &page.objects {
            reading.judge(object, &mut list.groups);
        }
        list.read += page.objects.len() as u64;
        list.done = page.next.is_none();
        list.next = page.next;
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let total = list.read.saturating_add(page.remaining.unwrap_or_default());
        progress.draw(key, number(list.read), number(total));
        keeper.keep(key, list)?;
    }
    Ok(None)
}

/// Keeps the state in a file after each page, so that an interrupted run loses none.
struct Keeper {
    file: Option<PathBuf>,
    state: State,
}

impl Keeper {
    fn open(file: Option<&Path>, old: &[Value], new: &[Value]) -> Result<Self, String> {
        let mut hash = FnvHasher::default();
        for crd in old.iter().chain(new) {
            hash.write(crd.to_string().as_bytes());
        }
        let releases = format!("{:016x}", hash.finish());
        let fresh = State {
            releases: releases.clone(),
            lists: BTreeMap::new(),
        };
        let state = match file.map(|file| (file, fs::read_to_string(file))) {
            None => fresh,
            Some((_, Err(error))) if error.kind() == ErrorKind::NotFound => fresh,
            Some((file, Err(error))) => {
                return Err(format!("cannot read {}: {error}", file.display()));
            }
            Some((file, Ok(text))) => {
                let state: State = serde_json::from_str(&text).map_err(|error| {
                    format!("{} is not a file of --resume: {error}", file.display())
                })?;
                if state.releases != releases {
                    let file = file.display();
                    return Err(format!(
                        "{file} belongs to other CRDs than those that are compared now: remove it to start again"
                    ));
                }
                state
            }
        };
        Ok(Self {
            file: file.map(Path::to_path_buf),
            state,
        })
    }

    fn keep(&mut self, key: &str, list: &mut List) -> Result<(), String> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        self.state
            .lists
            .insert(key.to_owned(), std::mem::take(list));
        let written = write(file, &self.state);
        if let Some(kept) = self.state.lists.remove(key) {
            *list = kept;
        }
        written.map_err(|error| format!("cannot write {}: {error}", file.display()))
    }

    /// Removes the file of a run that has come to its end.
    fn remove(&self) {
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
        }
    }
}

/// Replaces a file at once.
fn write(file: &Path, state: &State) -> io::Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut new, state)?;
    new.persist(file)?;
    Ok(())
}

/// Returns what happened to a group, and to how many objects.
pub(super) fn head(group: &Group) -> String {
    let value = match group.effect {
        compat::Effect::Defaulted => format!(" ({})", group.message),
        _ => String::new(),
    };
    format!(
        "{} {}: {}{value}: {}",
        group.version,
        group.path,
        group.effect.name().replace('-', " "),
        count(group.objects.len(), "object")
    )
}

/// Returns the objects of a group, the first ones alone unless all are wanted.
pub(super) fn names(group: &Group, all: bool) -> String {
    const FIRST: usize = 5;
    let shown = if all { usize::MAX } else { FIRST };
    let mut names: Vec<String> = group.objects.iter().take(shown).cloned().collect();
    let more = group.objects.len().saturating_sub(shown);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

pub(super) fn print(all: &[Stored], console: &mut Console) {
    for stored in all {
        let read = count(usize::try_from(stored.read).unwrap_or(usize::MAX), "object");
        console.line(&format!(
            "{} ({}): {read} read as {}",
            stored.kind, stored.crd, stored.version
        ));
        for group in &stored.groups {
            console.line(&format!("{}: {}", group.effect.level(), head(group)));
            console.line(&format!("  {}", group.effect.means()));
            console.line(&format!("  {}", names(group, console.is_verbose())));
            if group.effect != compat::Effect::Defaulted && !group.message.is_empty() {
                console.line(&format!("    {}", group.message));
            }
        }
        if stored.groups.is_empty() && stored.failed.is_none() {
            console.line("each can be updated, and keeps its fields");
        }
        console.line("");
    }
}

/// Prints it for programs.
pub(super) fn objects(all: &[Stored], console: &mut Console) {
    for stored in all {
        for group in &stored.groups {
            console.object(&json!({
                "type": "stored",
                "crd": stored.crd,
                "kind": stored.kind,
                "version": group.version,
                "path": group.path,
                "effect": group.effect.name(),
                "level": group.effect.level().name(),
                "message": group.message,
                "objects": group.objects,
            }));
        }
        console.object(&json!({
            "type": "read",
            "crd": stored.crd,
            "version": stored.version,
            "objects": stored.read,
            "complete": stored.failed.is_none(),
        }));
    }
}

/// Returns how many groups have at least a level.
pub(super) fn denied(all: &[Stored], deny: Level) -> usize {
    let groups = all.iter().flat_map(|it| &it.groups);
    groups.filter(|it| it.effect.level() >= deny).count()
}

/// Returns why some lists were not read to their end.
pub(super) fn failures(all: &[Stored]) -> Vec<String> {
    let failed = all.iter().filter_map(|it| {
        let why = it.failed.as_ref()?;
        Some(format!(
            "not all objects of {} were read, {} of them: {why}",
            it.crd, it.read
        ))
    });
    failed.collect()
}
