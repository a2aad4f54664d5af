//! Lets one run at a time work on a directory.
//!
//! A plan compares files with a directory and is wrong once someone else changes it, so a run locks its directories before it reads
//! them, and until it has written. The locks are on directories: no file stays behind, and a killed run locks nothing.
//!
//! A directory that does not exist yet is locked by the closest one above that does. Therefore a run also shares the directories above its
//! own with others: whoever is about to create something below them excludes it. All locks are taken from the top down, in the order of
//! the paths, so that no two runs wait for each other. Whoever waited looks again, because the directory may exist now.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

use super::{error::Error, root::Root};

/// How long a run waits for another one.
const PATIENCE: Duration = Duration::from_secs(60);

/// After this time, a run says that it is waiting.
const NOTICE: Duration = Duration::from_secs(1);

/// How often it looks.
const PERIOD: Duration = Duration::from_millis(10);

/// Keeps other runs from directories until it is dropped.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "dropping a file unlocks it")] Vec<File>);

impl Lock {
    /// Locks directories. `notice` gets the directory on which another run works, once this one has waited for it a moment.
    ///
    /// # Errors
    /// If another run works on one of them for a minute.
    pub fn of<'r>(
        roots: impl IntoIterator<Item = &'r Root>,
        notice: &mut dyn FnMut(&Path),
    ) -> Result<Self, Error> {
        let roots: Vec<&Root> = roots.into_iter().collect();
        Self::within(&roots, PATIENCE, notice)
    }

    pub(super) fn within(
        roots: &[&Root],
        patience: Duration,
        notice: &mut dyn FnMut(&Path),
    ) -> Result<Self, Error> {
        let mut wait = Wait {
            start: Instant::now(),
            patience,
            notice: Some(notice),
        };
        loop {
            let wanted = wanted(roots);
            let mut files = Vec::new();
            for (directory, access) in &wanted {
                files.extend(lock(directory, *access, &mut wait)?);
            }
            // The run before may have created a directory, which the next one locks.
            if self::wanted(roots) == wanted {
                return Ok(Self(files));
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    /// For runs that work somewhere below.
    Shared,
    /// For a run that works here.
    Exclusive,
}

/// The directories to lock, in the order of their paths.
fn wanted(roots: &[&Root]) -> BTreeMap<PathBuf, Access> {
    let mut all = BTreeMap::new();
    for closest in roots.iter().filter_map(|it| closest(&it.directory)) {
        for above in closest.ancestors().skip(1) {
            all.entry(above.to_owned()).or_insert(Access::Shared);
        }
        all.insert(closest, Access::Exclusive);
    }
    all
}

/// The directory itself, or the closest one above that exists.
fn closest(directory: &Path) -> Option<PathBuf> {
    let above = directory.ancestors().map(|it| {
        if it.as_os_str().is_empty() {
            Path::new(".")
        } else {
            it
        }
    });
    let mut existing = above.filter_map(|it| fs::canonicalize(it).ok());
    existing.find(|it| it.is_dir())
}

/// How long a run has waited for others.
struct Wait<'n> {
    start: Instant,
    patience: Duration,
    /// Says so, once.
    notice: Option<&'n mut dyn FnMut(&Path)>,
}

impl Wait<'_> {
    /// Waits a moment, unless it has waited long enough.
    fn more(&mut self, directory: &Path) -> Result<(), Error> {
        let waited = self.start.elapsed();
        if waited >= self.patience {
            return Err(Error::Busy(directory.to_owned()));
        }
        if waited >= NOTICE
            && let Some(notice) = self.notice.take()
        {
            notice(directory);
        }
        sleep(PERIOD);
        Ok(())
    }
}

/// Locks a directory; `None` where the system or the file system has no locks for directories.
fn lock(directory: &Path, access: Access, wait: &mut Wait<'_>) -> Result<Option<File>, Error> {
    let Ok(file) = File::open(directory) else {
        return Ok(None);
    };
    loop {
        let locked = match access {
            Access::Shared => file.try_lock_shared(),
            Access::Exclusive => file.try_lock(),
        };
        match locked {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => wait.more(directory)?,
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}
