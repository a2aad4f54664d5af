//! The list of own files, kept beside them: it tells what may be removed later, and which unmarked files are ours.
use super::is_marked;
use crate::render::File;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the list in the output directory.
pub const MANIFEST: &str = ".kube-codegen.json";

const ABOUT: &str = "Files that kube-codegen wrote here. Commit this file beside them.";

/// The list: a file that bears our mark is known by it, any other by what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    #[serde(default)]
    about: String,
    files: BTreeMap<String, Known>,
}

/// By what a file is known as ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Known {
    /// By the mark in its first line.
    Marked,
    /// By the hash of its text.
    Hash(String),
    /// By one of these hashes, or the mark: while a run changes it.
    Either(Vec<String>),
}

impl Known {
    fn hashes(&self) -> Vec<String> {
        match self {
            Self::Marked => Vec::new(),
            Self::Hash(hash) => vec![hash.clone()],
            Self::Either(hashes) => hashes.clone(),
        }
    }
}

impl Manifest {
    /// The list for these files.
    pub(super) fn of(files: &[File]) -> Self {
        let known = |file: &File| {
            if is_marked(file.text.as_bytes()) {
                Known::Marked
            } else {
                Known::Hash(hash(file.text.as_bytes()))
            }
        };
        Self {
            about: ABOUT.to_owned(),
            files: files
                .iter()
                .map(|file| (file.path.clone(), known(file)))
                .collect(),
        }
    }

    /// The list as it lies in a directory. Where it is missing or broken (a merge), files are told by their mark alone.
    pub(super) fn read(root: &Path) -> Self {
        fs::read(root.join(MANIFEST))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_else(|| Self {
                about: String::new(),
                files: marked_below(root)
                    .into_iter()
                    .map(|path| (path, Known::Marked))
                    .collect(),
            })
    }

    /// The list of all that is on either.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut all = other.clone();
        for (path, known) in &self.files {
            match all.files.get_mut(path) {
                Some(there) if there == known => {}
                Some(there) => {
                    let mut hashes = there.hashes();
                    hashes.extend(known.hashes());
                    hashes.sort_unstable();
                    hashes.dedup();
                    *there = Known::Either(hashes);
                }
                None => {
                    all.files.insert(path.clone(), known.clone());
                }
            }
        }
        all
    }

    /// Whether a path is on the list.
    pub(super) fn names(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The list as a file, the same bytes for the same files.
    pub(super) fn to_file(&self) -> File {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        File {
            path: MANIFEST.to_owned(),
            text,
        }
    }

    /// The paths, sorted.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether the list has no file.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether a file may be replaced: it bears our mark, or we wrote one there.
    pub(super) fn may_replace(&self, path: &str, text: &[u8]) -> bool {
        is_marked(text) || self.names(path)
    }

    /// Whether a file may be removed: it is as we wrote it, for all that can be told.
    pub(super) fn may_remove(&self, path: &str, text: &[u8]) -> bool {
        match self.files.get(path) {
            Some(Known::Hash(known)) => *known == hash(text),
            Some(Known::Marked) => is_marked(text),
            Some(Known::Either(hashes)) => is_marked(text) || hashes.contains(&hash(text)),
            None => false,
        }
    }
}

/// FNV-1a: tells a changed file from an unchanged one; nothing is guarded by it.
fn hash(text: &[u8]) -> String {
    let hash = text
        .iter()
        .filter(|byte| **byte != b'\r')
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("fnv1a64:{hash:016x}")
}

/// Paths of the marked files below a directory; another run's output directory and what is hidden are left out.
fn marked_below(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting: Vec<(PathBuf, String)> = vec![(root.to_owned(), String::new())];
    while let Some((directory, prefix)) = waiting.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let path = format!("{prefix}{name}");
            if kind.is_dir() {
                let hidden = name.starts_with('.') || name == "target";
                if !hidden && !entry.path().join(MANIFEST).exists() {
                    waiting.push((entry.path(), format!("{path}/")));
                }
            } else if kind.is_file() && has_mark(&entry.path()) {
                found.push(path);
            }
        }
    }
    found
}

fn has_mark(path: &Path) -> bool {
    use std::io::Read;
    let mut start = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(256).read_to_end(&mut start))
        .is_ok()
        && is_marked(&start)
}
