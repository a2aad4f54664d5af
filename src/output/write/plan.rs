//! Compares files with a directory and plans the changes; changes nothing itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    error::{Error, Obstacle},
    file_list::{FILE_LIST, FileList},
    path::below,
    root::Root,
};
use crate::output::render::File;

/// The changes after which a directory contains exactly the files of a run.
#[derive(Debug)]
pub struct Plan {
    pub(super) root: PathBuf,
    /// The directory above all files from which no link is followed.
    pub(super) trusted: PathBuf,
    pub(super) changes: Vec<Change>,
    pub(super) unchanged: usize,
    pub(super) kept: Vec<String>,
    /// The new file list; none for files that belong to the user.
    pub(super) list: Option<FileList>,
    /// Directories that may contain temporary files of a killed run.
    pub(super) directories: BTreeSet<PathBuf>,
}

/// A change to one file.
#[derive(Debug)]
pub struct Change {
    /// Path below the output directory, separated by `/`.
    pub path: String,
    /// The kind of change.
    pub action: Action,
    /// The new text, empty for a removal.
    pub new: Arc<str>,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The file is missing.
    Create,
    /// The file has a different text.
    Update,
    /// The file is stale: generated earlier, but not by this run.
    Remove,
}

/// Plans the changes to a directory of generated files. `force` also replaces files that kube-codegen did not write.
///
/// # Errors
/// All obstacles, or an I/O error while reading.
pub fn plan(root: impl Into<Root>, files: &[File], force: bool) -> Result<Plan, Error> {
    plan_generated(root.into(), files, force, FileList::of(files))
}

/// Like [`plan`], for a run that lacks some of the input: keeps stale files, and their entries in the file list.
///
/// # Errors
/// All obstacles, or an I/O error while reading.
pub fn plan_part(root: impl Into<Root>, files: &[File], force: bool) -> Result<Plan, Error> {
    let root = root.into();
    let list = FileList::of(files).and(FileList::read(root.path()));
    plan_generated(root, files, force, list)
}

fn plan_generated(root: Root, files: &[File], force: bool, list: FileList) -> Result<Plan, Error> {
    let known = FileList::read(root.path());
    let mut planner = Planner::new(root);
    let list_file = (!list.is_empty()).then(|| list.to_file());
    for file in files.iter().chain(&list_file) {
        planner.file(file, |text| {
            if force || file.path == FILE_LIST || known.may_replace(&file.path, text) {
                Existing::Replace
            } else {
                Existing::Reject
            }
        })?;
    }
    for path in known.paths().filter(|path| !list.contains(path)) {
        planner.stale(path, |text| known.may_remove(path, text))?;
    }
    if list_file.is_none() {
        planner.stale(FILE_LIST, |_| true)?;
    }
    planner.plan.list = Some(list);
    planner.finish()
}

/// Plans scaffolded files, which belong to the user once they are written: existing files are kept unless `force` is set,
/// and none are listed or removed.
///
/// # Errors
/// All obstacles, or an I/O error while reading.
pub fn plan_once(root: impl Into<Root>, files: &[File], force: bool) -> Result<Plan, Error> {
    let existing = if force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let mut planner = Planner::new(root.into());
    for file in files {
        planner.file(file, |_| existing)?;
    }
    planner.finish()
}

/// Plans changes to scaffolded files: writes `files` over existing ones, and removes others.
///
/// # Errors
/// All obstacles, or an I/O error while reading.
pub fn plan_update(
    root: impl Into<Root>,
    files: &[File],
    removed: &[String],
) -> Result<Plan, Error> {
    let mut planner = Planner::new(root.into());
    for file in files {
        planner.file(file, |_| Existing::Replace)?;
    }
    for path in removed {
        planner.stale(path, |_| true)?;
    }
    planner.finish()
}

impl Plan {
    /// Returns the changes: files to write, in the given order, then files to remove.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns how many files are up to date.
    pub fn unchanged(&self) -> usize {
        self.unchanged
    }

    /// Returns the files of the user that differ and are kept.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// Reads the present text of a file, empty if there is none; bytes that are not UTF-8 become U+FFFD.
    pub fn present(&self, change: &Change) -> String {
        let text = fs::read(self.root.join(&change.path)).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the output directory.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// What to do with an existing file whose text differs.
#[derive(Clone, Copy)]
enum Existing {
    Replace,
    Keep,
    Reject,
}

struct Planner {
    plan: Plan,
    obstacles: Vec<Obstacle>,
    /// Paths as given, by their lower-case form.
    seen: BTreeMap<String, String>,
}

impl Planner {
    fn new(Root { trusted, directory }: Root) -> Self {
        Self {
            plan: Plan {
                directories: BTreeSet::from([directory.clone()]),
                root: directory,
                trusted,
                changes: Vec::new(),
                unchanged: 0,
                kept: Vec::new(),
                list: None,
            },
            obstacles: Vec::new(),
            seen: BTreeMap::new(),
        }
    }

    fn finish(self) -> Result<Plan, Error> {
        if self.obstacles.is_empty() {
            Ok(self.plan)
        } else {
            Err(Error::Obstacles(self.obstacles))
        }
    }

    fn file(&mut self, file: &File, existing: impl Fn(&[u8]) -> Existing) -> Result<(), Error> {
        let path = &file.path;
        let target = match below(&self.plan.root, path) {
            Ok(target) => target,
            Err(why) => {
                self.obstacles
                    .push(Obstacle::InvalidPath(path.clone(), why));
                return Ok(());
            }
        };
        if let Some(other) = self.seen.insert(path.to_lowercase(), path.clone()) {
            self.obstacles
                .push(Obstacle::Duplicate(other, path.clone()));
            return Ok(());
        }
        let old = match read(&self.plan.trusted, &target)? {
            Found::Nothing => None,
            Found::File(text) => Some(text),
            Found::Obstacle(obstacle) => {
                // A file in the place of a directory is in the way of every file below.
                if !self.obstacles.contains(&obstacle) {
                    self.obstacles.push(obstacle);
                }
                return Ok(());
            }
        };
        if let Some(directory) = target.parent() {
            self.plan.directories.insert(directory.to_owned());
        }
        let action = match &old {
            None => Action::Create,
            Some(old) if same(old, file.text.as_bytes()) => {
                self.plan.unchanged += 1;
                return Ok(());
            }
            Some(old) => match existing(old) {
                Existing::Replace => Action::Update,
                Existing::Keep => {
                    self.plan.kept.push(path.clone());
                    return Ok(());
                }
                Existing::Reject => {
                    self.obstacles.push(Obstacle::Foreign(target));
                    return Ok(());
                }
            },
        };
        self.plan.changes.push(Change {
            path: path.clone(),
            action,
            new: file.text.clone(),
        });
        Ok(())
    }

    /// Plans the removal of a stale file. A file that the user has changed, or replaced by a link, stays.
    fn stale(&mut self, path: &str, may_remove: impl Fn(&[u8]) -> bool) -> Result<(), Error> {
        let Ok(target) = below(&self.plan.root, path) else {
            return Ok(());
        };
        if self.seen.contains_key(&path.to_lowercase()) {
            return Ok(());
        }
        if let Found::File(text) = read(&self.plan.trusted, &target)?
            && may_remove(&text)
        {
            self.plan.changes.push(Change {
                path: path.to_owned(),
                action: Action::Remove,
                new: "".into(),
            });
        }
        Ok(())
    }
}

/// What exists at a path.
pub(super) enum Found {
    Nothing,
    File(Vec<u8>),
    Obstacle(Obstacle),
}

/// Reads a path from a trusted directory down, without following links. That directory itself may be a link; an empty path is the working
/// directory.
pub(super) fn read(trusted: &Path, target: &Path) -> Result<Found, Error> {
    let mut at = trusted.to_owned();
    let below = target.strip_prefix(trusted).unwrap_or(target);
    let start = if at.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &at
    };
    match fs::metadata(start) {
        Ok(meta) if !meta.is_dir() => return Ok(Found::Obstacle(Obstacle::NotADirectory(at))),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(Error::io("read", &at)(error)),
    }
    // Where the path leads to, without the directories that a run would create only for a step back from them.
    let (mut real, mut missing) = (at.clone(), 0_usize);
    for part in below.components() {
        at.push(part);
        if missing > 0 && part == Component::ParentDir {
            real.pop();
            missing -= 1;
            continue;
        }
        real.push(part);
        if missing > 0 {
            missing += 1;
            continue;
        }
        let is_target = at == target;
        let kind = match fs::symlink_metadata(&real) {
            Ok(meta) => meta.file_type(),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                missing = 1;
                continue;
            }
            Err(error) => return Err(Error::io("read", &at)(error)),
        };
        let obstacle = if kind.is_symlink() {
            Obstacle::Symlink(at)
        } else if kind.is_dir() {
            if !is_target {
                continue;
            }
            Obstacle::Directory(at)
        } else if !is_target {
            Obstacle::NotADirectory(at)
        } else if kind.is_file() {
            return fs::read(&real)
                .map(Found::File)
                .map_err(Error::io("read", &at));
        } else {
            Obstacle::Foreign(at)
        };
        return Ok(Found::Obstacle(obstacle));
    }
    Ok(Found::Nothing)
}

/// Returns whether two texts are equal except for line endings, which a checkout may change.
fn same(old: &[u8], new: &[u8]) -> bool {
    old == new
        || (old.contains(&b'\r')
            && old
                .iter()
                .filter(|byte| **byte != b'\r')
                .eq(new.iter().filter(|byte| **byte != b'\r')))
}
