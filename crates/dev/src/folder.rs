//! The temporary directory of a run: kubeconfigs and Secrets, for this user alone.
//!
//! A run that is killed cannot remove its directory. Each directory therefore has a file that its process keeps locked, which the system
//! unlocks however the process ends; the next run removes the directories whose file nobody has locked.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use tempfile::TempDir;

const PREFIX: &str = "kube-codegen-dev-";
const LOCK: &str = "lock";

/// Removed with everything in it when it is dropped.
pub(super) struct Folder {
    // Dropped first: some systems remove no open file.
    _lock: File,
    directory: TempDir,
}

impl Folder {
    /// Creates one, and removes those of runs that were killed.
    pub(super) fn create() -> io::Result<Self> {
        Self::create_in(&env::temp_dir())
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        remove_leftovers(parent);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let directory = builder.tempdir_in(parent)?;
        // It gets its name when it is locked: another run may look for leftovers in between.
        let unnamed = directory.path().join("new");
        let lock = private().create_new(true).open(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, directory.path().join(LOCK))?;
        Ok(Self {
            _lock: lock,
            directory,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes the directories of processes that have ended. What cannot be removed is left to the next run.
fn remove_leftovers(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            // Of the link itself: in a directory that all may write, others could lead us elsewhere.
            && entry.path().symlink_metadata().is_ok_and(|it| it.is_dir() && is_own(&it));
        if !is_ours {
            continue;
        }
        let path = entry.path();
        if let Ok(lock) = private().open(path.join(LOCK))
            && lock.try_lock().is_ok()
        {
            drop(lock);
            fs::remove_dir_all(&path).ok();
        }
    }
}

#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Opens files to write that only this user can read, if they are created.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file that only this user can read, also if it exists.
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let written = || {
        let mut file = private().create(true).truncate(true).open(path)?;
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        writeln!(file, "{text}")
    };
    written().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn directories_of_ended_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let running = Folder::create_in(parent.path()).unwrap();
        assert_eq!(mode(running.path()), 0o700);
        // Of a process that was killed: its file is not locked.
        let killed = parent.path().join("kube-codegen-dev-killed");
        fs::create_dir(&killed).unwrap();
        for name in [LOCK, "kubeconfig"] {
            fs::write(killed.join(name), "").unwrap();
        }
        // Not ours: no file, another name, a link.
        let others = ["kube-codegen-dev-fresh", "someone-else"].map(|it| parent.path().join(it));
        for other in &others {
            fs::create_dir(other).unwrap();
        }
        fs::write(others[1].join(LOCK), "").unwrap();
        let link = parent.path().join("kube-codegen-dev-link");
        symlink(&others[1], &link).unwrap();
        let next = Folder::create_in(parent.path()).unwrap();
        assert!(!killed.exists());
        assert!(running.path().exists() && next.path().exists());
        assert!(others.iter().all(|it| it.exists()) && others[1].join(LOCK).exists());
        assert!(link.exists());
        let path = running.path().to_owned();
        drop(running);
        assert!(!path.exists());
    }

    #[test]
    fn files_are_for_this_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        fs::write(&file, "old and longer").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        write(&file, "{}").unwrap();
        assert_eq!(mode(&file), 0o600);
        assert_eq!(fs::read_to_string(&file).unwrap(), "{}\n");
    }
}
