//! Watches the files of an operator.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};

use crate::install::is_manifest;

/// Editors write files in several steps.
const QUIET: Duration = Duration::from_millis(300);

/// What has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) code: bool,
    pub(super) manifests: bool,
}

pub(super) struct Sources {
    paths: mpsc::UnboundedReceiver<PathBuf>,
    /// What has changed since the last call that returned.
    change: Change,
    /// When that is complete, unless more follows.
    quiet: Option<Instant>,
    /// Watches until it is dropped.
    watcher: RecommendedWatcher,
    /// Files and directories whose changes count.
    of_interest: Arc<Mutex<BTreeSet<PathBuf>>>,
}

/// Watches sources and manifests below the directory of an operator, and further files.
pub(super) fn watch(directory: &Path, files: &[PathBuf]) -> Result<Sources, String> {
    let of_interest = Arc::<Mutex<BTreeSet<PathBuf>>>::default();
    let counted = Arc::clone(&of_interest);
    let (sender, paths) = mpsc::unbounded_channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if !event.kind.is_access() {
            let counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            let is_watched = |path: &PathBuf| counted.iter().any(|it| path.starts_with(it));
            for path in event.paths.into_iter().filter(is_watched) {
                // The receiver is gone at the end only.
                sender.send(path).ok();
            }
        }
    })
    .map_err(|error| failed(&error))?;
    let mut sources = Sources {
        paths,
        change: Change::default(),
        quiet: None,
        watcher,
        of_interest,
    };
    let own =
        ["src", "build.rs", "Cargo.toml", "kube-codegen.toml"].map(|name| directory.join(name));
    sources.add(&[&own, files].concat())?;
    Ok(sources)
}

/// The path of a file without symbolic links, also of one that does not exist yet.
fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let directory = path.parent()?.canonicalize().ok()?;
        Some(directory.join(path.file_name()?))
    })
}

fn failed(error: &notify::Error) -> String {
    format!("cannot watch files: {error}")
}

impl Sources {
    /// Watches more files and directories. A file that does not exist yet is watched if its directory exists.
    pub(super) fn add(&mut self, files: &[PathBuf]) -> Result<(), String> {
        let all = files.iter().filter_map(|it| real(it));
        let known = || {
            let known = self.of_interest.lock();
            known.unwrap_or_else(PoisonError::into_inner)
        };
        let new: Vec<PathBuf> = all.filter(|it| !known().contains(it)).collect();
        // Editors write a new file and give it the name of the old one: that is a change of the directory.
        let mut modes = BTreeMap::new();
        for path in &new {
            match path.parent().filter(|_| !path.is_dir()) {
                Some(parent) => {
                    modes.entry(parent).or_insert(RecursiveMode::NonRecursive);
                }
                None => {
                    modes.insert(path, RecursiveMode::Recursive);
                }
            }
        }
        // The directory of a file may be watched with those below it already.
        modes.retain(|path, mode| {
            *mode == RecursiveMode::Recursive
                || !known().iter().any(|it| it.is_dir() && path.starts_with(it))
        });
        for (path, mode) in modes {
            self.watcher
                .watch(path, mode)
                .map_err(|error| failed(&error))?;
        }
        known().extend(new.iter().cloned());
        Ok(())
    }

    /// Waits for changes, and until they have ended for a moment. A call that is dropped loses none.
    pub(super) async fn next(&mut self) -> Option<Change> {
        loop {
            let path = match self.quiet {
                None => Ok(self.paths.recv().await),
                Some(quiet) => timeout_at(quiet, self.paths.recv()).await,
            };
            let Ok(path) = path else {
                self.quiet = None;
                return Some(mem::take(&mut self.change));
            };
            self.change.add(&path?);
            if self.change != Change::default() {
                self.quiet = Some(Instant::now() + QUIET);
            }
        }
    }
}

impl Change {
    fn add(&mut self, path: &Path) {
        if is_manifest(path) || path.ends_with("kube-codegen.toml") {
            self.manifests = true;
        } else if path
            .extension()
            .is_some_and(|it| it == "rs" || it == "toml")
        {
            self.code = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn calls_that_are_dropped_lose_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("crd.yaml");
        std::fs::write(&file, "a").unwrap();
        let mut sources = watch(folder.path(), slice::from_ref(&file)).unwrap();
        std::fs::write(&file, "b").unwrap();
        // As if the operator did something all the time.
        let often = QUIET / 10;
        let deadline = Instant::now() + Duration::from_secs(30);
        let change = loop {
            if let Ok(change) = timeout(often, sources.next()).await {
                break change;
            }
            assert!(Instant::now() < deadline, "the change is lost");
        };
        assert!(change.unwrap().manifests);
    }

    #[tokio::test]
    async fn files_that_are_added_are_watched_too() {
        let [folder, elsewhere] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let file = elsewhere.path().join("Kustomization");
        std::fs::write(&file, "a").unwrap();
        let mut sources = watch(folder.path(), &[]).unwrap();
        for _ in 0..2 {
            sources.add(slice::from_ref(&file)).unwrap();
        }
        std::fs::write(&file, "b").unwrap();
        let change = timeout(Duration::from_secs(30), sources.next()).await;
        assert!(change.expect("the change is lost").unwrap().manifests);
    }

    #[test]
    fn a_change_is_one_of_code_or_of_manifests() {
        let of = |path: &str| {
            let mut change = Change::default();
            change.add(Path::new(path));
            (change.code, change.manifests)
        };
        assert_eq!(of("src/lib.rs"), (true, false));
        assert_eq!(of("Cargo.toml"), (true, false));
        assert_eq!(of("deploy/crd.yaml"), (false, true));
        assert_eq!(of("kube-codegen.toml"), (false, true));
        assert_eq!(of("src/.lib.rs.swp"), (false, false));
    }

    #[tokio::test]
    async fn a_file_that_an_editor_replaces_changes_each_time() {
        let directory = tempfile::tempdir().unwrap();
        let [object, new, other] =
            ["object.yaml", "object.new", "other.yaml"].map(|it| directory.path().join(it));
        std::fs::write(&object, "0").unwrap();
        let mut sources = watch(directory.path(), std::slice::from_ref(&object)).unwrap();
        for text in ["1", "2"] {
            std::fs::write(&other, text).unwrap();
            std::fs::write(&new, text).unwrap();
            std::fs::rename(&new, &object).unwrap();
            let change = timeout(Duration::from_secs(60), sources.next()).await;
            assert!(matches!(change, Ok(Some(it)) if it.manifests && !it.code));
        }
    }
}
