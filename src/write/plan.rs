//! Files and a directory come in, what is to be done goes out; nothing is changed here.
use super::error::{Error, Obstacle};
use super::manifest::{MANIFEST, Manifest};
use super::path::below;
use crate::render::File;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What is to be done so that a directory holds just the files of a run.
#[derive(Debug)]
pub struct Plan {
    pub(super) root: PathBuf,
    pub(super) changes: Vec<Change>,
    pub(super) unchanged: usize,
    pub(super) kept: Vec<String>,
    /// The list of own files, as it shall be; none where files are a person's.
    pub(super) list: Option<Manifest>,
    /// Directories where a killed run can have left something.
    pub(super) directories: BTreeSet<PathBuf>,
}

/// What is to be done with one file.
#[derive(Debug)]
pub struct Change {
    /// Path with `/`, below the output directory.
    pub path: String,
    /// What is to be done.
    pub action: Action,
    /// The text that is there; empty if there is none. What is not UTF-8 is shown as U+FFFD.
    pub old: String,
    /// The text that shall be there; empty if none shall.
    pub new: String,
}

/// What is to be done with a file that is not as it shall be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is missing.
    Create,
    /// It has another text.
    Update,
    /// It is an own file that is no longer made.
    Remove,
}

/// Looks at everything and says what is to be done. `force` replaces files that are not our own.
///
/// # Errors
/// All obstacles together, or what the file system said while reading.
pub fn plan(root: &Path, files: &[File], force: bool) -> Result<Plan, Error> {
    let known = Manifest::read(root);
    let mut planner = Planner::new(root);
    let manifest = Manifest::of(files);
    let list = (!manifest.is_empty()).then(|| manifest.to_file());
    for file in files.iter().chain(&list) {
        planner.file(file, |text| {
            if force || file.path == MANIFEST || known.may_replace(&file.path, text) {
                Existing::Replace
            } else {
                Existing::Refuse
            }
        })?;
    }
    for path in known.paths() {
        planner.stale(path, |text| known.may_remove(path, text))?;
    }
    if list.is_none() {
        planner.stale(MANIFEST, |_| true)?;
    }
    planner.plan.list = Some(manifest);
    planner.finish()
}

/// Like [`plan`], for files that belong to a person once they are written: what is there already is kept, unless `force`
/// replaces it; nothing is listed, nothing removed.
///
/// # Errors
/// All obstacles together, or what the file system said while reading.
pub fn plan_once(root: &Path, files: &[File], force: bool) -> Result<Plan, Error> {
    let existing = if force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let mut planner = Planner::new(root);
    for file in files {
        planner.file(file, |_| existing)?;
    }
    planner.finish()
}

impl Plan {
    /// What is to be done: files to write in the order they came, then files to remove.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// How many files are as they shall be.
    pub fn unchanged(&self) -> usize {
        self.unchanged
    }

    /// Files that are not as they would be made, and stay so: a person's.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// The output directory.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// What is to become of a file that is there and has another text.
#[derive(Clone, Copy)]
enum Existing {
    Replace,
    Keep,
    Refuse,
}

struct Planner {
    plan: Plan,
    obstacles: Vec<Obstacle>,
    /// Paths in lower case, as given.
    seen: BTreeMap<String, String>,
}

impl Planner {
    fn new(root: &Path) -> Self {
        Self {
            plan: Plan {
                root: root.to_owned(),
                changes: Vec::new(),
                unchanged: 0,
                kept: Vec::new(),
                list: None,
                directories: BTreeSet::from([root.to_owned()]),
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
                self.obstacles.push(Obstacle::Unsafe(path.clone(), why));
                return Ok(());
            }
        };
        if let Some(other) = self.seen.insert(path.to_lowercase(), path.clone()) {
            self.obstacles.push(Obstacle::Twice(other, path.clone()));
            return Ok(());
        }
        let old = match read(&self.plan.root, &target)? {
            Found::Nothing => None,
            Found::File(text) => Some(text),
            Found::Obstacle(obstacle) => {
                self.obstacles.push(obstacle);
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
                Existing::Refuse => {
                    self.obstacles.push(Obstacle::Foreign(target));
                    return Ok(());
                }
            },
        };
        self.plan.changes.push(Change {
            path: path.clone(),
            action,
            old: shown(old.as_deref()),
            new: file.text.clone(),
        });
        Ok(())
    }

    /// An own file of an earlier run. What a person has taken over since, or put a link in place of, stays.
    fn stale(&mut self, path: &str, may_remove: impl Fn(&[u8]) -> bool) -> Result<(), Error> {
        let Ok(target) = below(&self.plan.root, path) else {
            return Ok(());
        };
        if self.seen.contains_key(&path.to_lowercase()) {
            return Ok(());
        }
        if let Found::File(text) = read(&self.plan.root, &target)?
            && may_remove(&text)
        {
            self.plan.changes.push(Change {
                path: path.to_owned(),
                action: Action::Remove,
                old: shown(Some(&text)),
                new: String::new(),
            });
        }
        Ok(())
    }
}

/// What is found at a path.
pub(super) enum Found {
    Nothing,
    File(Vec<u8>),
    Obstacle(Obstacle),
}

/// Looks from the root down, so that no link on the way is followed. The root itself is the user's choice.
pub(super) fn read(root: &Path, target: &Path) -> Result<Found, Error> {
    let mut at = root.to_owned();
    let below = target.strip_prefix(root).unwrap_or(target);
    match fs::metadata(&at) {
        Ok(meta) if !meta.is_dir() => return Ok(Found::Obstacle(Obstacle::NotADirectory(at))),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(Error::io("read", &at)(error)),
    }
    for part in below {
        at.push(part);
        let is_target = at == target;
        let kind = match fs::symlink_metadata(&at) {
            Ok(meta) => meta.file_type(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
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
            return fs::read(&at)
                .map(Found::File)
                .map_err(Error::io("read", &at));
        } else {
            Obstacle::Foreign(at)
        };
        return Ok(Found::Obstacle(obstacle));
    }
    Ok(Found::Nothing)
}

/// Whether two texts are the same but for line ends, which a checkout may have changed.
fn same(old: &[u8], new: &[u8]) -> bool {
    old == new
        || (old.contains(&b'\r')
            && old
                .iter()
                .filter(|byte| **byte != b'\r')
                .eq(new.iter().filter(|byte| **byte != b'\r')))
}

fn shown(text: Option<&[u8]>) -> String {
    String::from_utf8_lossy(text.unwrap_or_default()).into_owned()
}
