//! The list of generated files, stored next to them: it says which files may be replaced or removed later.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    hash::Hasher as _,
    path::{Path, PathBuf},
};

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};

use super::{is_marked, path::below};
use crate::output::render::{File, MARK};

/// File name of the list in the output directory.
pub const FILE_LIST: &str = ".kube-codegen.json";

const ABOUT: &str = "Files that kube-codegen wrote here. Commit this file with them.";

/// The list. A file with the generated mark is identified by it, any other by its contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileList {
    #[serde(default)]
    about: String,
    files: BTreeMap<String, Identity>,
}

/// How a file is recognized as generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Identity {
    /// By the mark in its first line.
    Marked,
    /// By the hash of its text.
    Hash(String),
    /// By one of these hashes: a run was changing it.
    #[serde(rename = "one-of")]
    OneOf(Vec<String>),
}

impl Identity {
    /// Recognizes what either of both does.
    fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let hashes = [self, other].into_iter().flat_map(|it| match it {
            Self::Marked => Vec::new(),
            Self::Hash(hash) => vec![hash],
            Self::OneOf(hashes) => hashes,
        });
        Self::OneOf(hashes.collect::<BTreeSet<_>>().into_iter().collect())
    }
}

impl FileList {
    /// Creates the list of these files.
    pub(super) fn of(files: &[File]) -> Self {
        let identity = |file: &File| {
            if is_marked(file.text.as_bytes()) {
                Identity::Marked
            } else {
                Identity::Hash(hash(file.text.as_bytes()))
            }
        };
        Self {
            about: ABOUT.to_owned(),
            files: files
                .iter()
                .map(|file| (file.path.clone(), identity(file)))
                .collect(),
        }
    }

    /// Reads the list of a directory. If it is missing or invalid, as in a merge conflict, it consists of the marked files.
    pub(super) fn read(root: &Path) -> Self {
        fs::read(root.join(FILE_LIST))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_else(|| Self {
                about: String::new(),
                files: marked_below(root)
                    .into_iter()
                    .map(|path| (path, Identity::Marked))
                    .collect(),
            })
    }

    /// Adds the entries of another list for other paths.
    pub(super) fn and(mut self, other: Self) -> Self {
        for (path, identity) in other.files {
            self.files.entry(path).or_insert(identity);
        }
        self
    }

    /// Adds the entries of the list before: until a run has ended, a file has its old or its new text.
    pub(super) fn with_former(mut self, former: Self) -> Self {
        for (path, before) in former.files {
            let identity = match self.files.remove(&path) {
                Some(identity) => identity.or(before),
                None => before,
            };
            self.files.insert(path, identity);
        }
        self
    }

    /// Returns whether a path is on the list.
    pub(super) fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns the list as a file.
    pub(super) fn to_file(&self) -> File {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        File {
            path: FILE_LIST.to_owned(),
            text: text.into(),
        }
    }

    /// Returns the paths, sorted.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns whether the list is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns whether a file may be replaced: it is marked, or on the list and of a kind that is generated.
    pub(super) fn may_replace(&self, path: &str, text: &[u8]) -> bool {
        is_marked(text) || (self.contains(path) && shows_origin(path, text))
    }

    /// Returns whether a file may be removed: it has not been changed since it was written, as far as can be determined.
    pub(super) fn may_remove(&self, path: &str, text: &[u8]) -> bool {
        match self.files.get(path) {
            Some(Identity::Hash(known)) => *known == hash(text) && shows_origin(path, text),
            Some(Identity::OneOf(known)) => {
                is_marked(text) || (known.contains(&hash(text)) && shows_origin(path, text))
            }
            Some(Identity::Marked) => is_marked(text),
            None => false,
        }
    }
}

/// Returns the paths and texts of the generated files in a directory that the user has not changed and whose name ends in
/// `extension`.
pub fn unchanged_files(root: &Path, extension: &str) -> Vec<(PathBuf, String)> {
    let list = FileList::read(root);
    let paths = list.paths().filter(|path| path.ends_with(extension));
    let files = paths.filter_map(|path| {
        let target = below(root, path).ok()?;
        let text = fs::read_to_string(&target).ok()?;
        list.may_remove(path, text.as_bytes())
            .then_some((target, text))
    });
    files.collect()
}

/// Returns whether a file without the mark of code shows by itself that it is generated. The list alone proves nothing: whoever can change
/// a repository can add a file of someone else, with its hash.
fn shows_origin(path: &str, text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next();
    let line = String::from_utf8_lossy(line.unwrap_or_default());
    let comment = line.trim_matches(|c: char| "#/*<!->{} \r".contains(c));
    let is_crd = || {
        let object: Result<serde_json::Value, _> = serde_json::from_slice(text);
        object.is_ok_and(|it| it["kind"] == "CustomResourceDefinition")
    };
    match Path::new(path).extension().and_then(|it| it.to_str()) {
        Some("json") => is_crd(),
        _ => comment == MARK || comment == SAMPLE,
    }
}

/// What the comment in the first line of a sample says, which is there to be copied.
const SAMPLE: &str = "A sample by kube-codegen.";

/// Returns a page, or what belongs to it, with the comment by which it is known as generated.
#[cfg(feature = "cli")]
pub(crate) fn marked(file: &File) -> File {
    let (open, mark, close) = match Path::new(&file.path).extension().and_then(|it| it.to_str()) {
        Some("yaml") => ("# ", SAMPLE, ""),
        Some("css" | "js") => ("/* ", MARK, " */"),
        _ => ("<!-- ", MARK, " -->"),
    };
    File {
        path: file.path.clone(),
        text: format!("{open}{mark}{close}\n{}", file.text).into(),
    }
}

/// Hashes a text to detect changes by a person; line endings may differ after a checkout.
pub(crate) fn hash(text: &[u8]) -> String {
    let mut hash = FnvHasher::default();
    for line in text.split(|byte| *byte == b'\r') {
        hash.write(line);
    }
    format!("fnv1a64:{:016x}", hash.finish())
}

/// Returns the marked files below a directory, except in hidden directories and in the output directory of another run.
fn marked_below(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending: Vec<(PathBuf, String)> = vec![(root.to_owned(), String::new())];
    while let Some((directory, prefix)) = pending.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let path = format!("{prefix}{name}");
            if kind.is_dir() {
                let skipped = name.starts_with('.') || name == "target";
                if !skipped && !entry.path().join(FILE_LIST).exists() {
                    pending.push((entry.path(), format!("{path}/")));
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
