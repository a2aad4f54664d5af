//! Watches the files of an operator.

use std::{
    collections::BTreeMap,
    mem,
    path::{Path, PathBuf},
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
    _watcher: RecommendedWatcher,
}

/// Watches sources and manifests below the directory of an operator, and further files.
pub(super) fn watch(directory: &Path, files: &[PathBuf]) -> Result<Sources, String> {
    let failed = |error: notify::Error| format!("cannot watch files: {error}");
    let own =
        ["src", "build.rs", "Cargo.toml", "kube-codegen.toml"].map(|name| directory.join(name));
    let all = own.iter().chain(files);
    let all: Vec<PathBuf> = all.filter_map(|it| it.canonicalize().ok()).collect();
    // Editors write a new file and give it the name of the old one: that is a change of the directory.
    let mut modes = BTreeMap::new();
    for path in &all {
        match path.parent().filter(|_| path.is_file()) {
            Some(parent) => {
                modes.entry(parent).or_insert(RecursiveMode::NonRecursive);
            }
            None => {
                modes.insert(path, RecursiveMode::Recursive);
            }
        }
    }
    let (sender, paths) = mpsc::unbounded_channel();
    let of_interest = all.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if !event.kind.is_access() {
            let is_watched = |path: &PathBuf| of_interest.iter().any(|it| path.starts_with(it));
            for path in event.paths.into_iter().filter(is_watched) {
                // The receiver is gone at the end only.
                sender.send(path).ok();
            }
        }
    })
    .map_err(failed)?;
    for (path, mode) in modes {
        watcher.watch(path, mode).map_err(failed)?;
    }
    Ok(Sources {
        paths,
        change: Change::default(),
        quiet: None,
        _watcher: watcher,
    })
}

impl Sources {
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
