//! Names of tests come in, which of them failed comes out. Runs cargo in the copy alone, and ends what does not end by itself.
use super::Result;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than any test takes, even if it waits for all that never comes.
const PATIENCE: Duration = Duration::from_secs(600);
/// Longer than building from nothing takes.
const BUILD: Duration = Duration::from_secs(3600);

/// Cargo in a folder, with a target folder of its own: the original's would be built anew by turns.
pub(super) struct Cargo {
    folder: PathBuf,
    target: PathBuf,
    log: PathBuf,
}

/// What became of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// The compiler refused.
    NotBuilt,
    /// The tests told how they ended.
    Ended {
        /// How many were green.
        passed: usize,
        /// The names of the others.
        failed: BTreeSet<String>,
    },
    /// The process broke down, or did not come to an end.
    Unfinished,
}

impl Cargo {
    pub(super) fn new(folder: &Path, place: &Path) -> Result<Self> {
        let place = std::path::absolute(place)?;
        Ok(Self {
            folder: folder.to_owned(),
            target: place.join("build"),
            log: place.join("output.log"),
        })
    }

    /// Runs the tests of these names in the program that `program` chooses.
    pub(super) fn test(&self, program: &str, names: &[&str]) -> Result<Run> {
        let built = self.run(program, &["--no-run"], BUILD)?;
        if !built.is_some_and(|status| status.success()) {
            return Ok(Run::NotBuilt);
        }
        let arguments = [&["--", "--exact"], names].concat();
        let ended = self.run(program, &arguments, PATIENCE)?.is_some();
        Ok(if ended {
            parse(&self.said()?)
        } else {
            Run::Unfinished
        })
    }

    /// What the last run printed.
    pub(super) fn said(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(&self.log)?).into_owned())
    }

    /// `None` if it did not end in time.
    fn run(&self, program: &str, more: &[&str], limit: Duration) -> Result<Option<ExitStatus>> {
        let log = File::create(&self.log)?;
        let child = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .arg("test")
            .args(program.split_whitespace())
            .args(more)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            // A fault may leave something unused.
            .env_remove("RUSTFLAGS")
            // A skipped test would look like one that noticed nothing.
            .env("KUBE_CODEGEN_E2E", "required")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()?;
        wait(child, limit)
    }
}

/// Waits for the end of a process, and brings it about for it and all its children when the time is over.
fn wait(mut child: Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        sleep(Duration::from_millis(50));
    }
    kill_process_group(Pid::from_child(&child), Signal::KILL)?;
    child.wait()?;
    Ok(None)
}

/// Reads the summary at the end of what a test program prints. Lines above it may be mixed with what the tests' own processes print.
fn parse(output: &str) -> Run {
    let Some((details, summary)) = output.rsplit_once("\ntest result: ") else {
        return Run::Unfinished;
    };
    let passed = summary
        .split_once(" passed")
        .and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
    let failed = details
        .rsplit_once("\nfailures:\n")
        .map_or("", |(_, names)| names);
    let failed = failed.lines().filter_map(|line| line.strip_prefix("    "));
    passed.map_or(Run::Unfinished, |passed| Run::Ended {
        passed,
        failed: failed.map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let ended = |passed, failed: &[&str]| Run::Ended {
            passed,
            failed: failed.iter().map(|name| (*name).to_owned()).collect(),
        };
        let green =
            "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
        assert_eq!(parse(green), ended(2, &[]));
        let red = "\nrunning 2 tests\na log line test b::c ... FAILED\n\nfailures:\n\n---- b::c stdout ----\n    indented\n\nfailures:\n    b::c\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\nerror: test failed\n";
        assert_eq!(parse(red), ended(1, &["b::c"]));
        assert_eq!(parse("running 1 test\nstack overflow"), Run::Unfinished);
    }

    #[test]
    fn what_does_not_end_is_ended_with_its_children() {
        let scratch = tempfile::tempdir().unwrap();
        let told = scratch.path().join("pid");
        let script = format!("sleep 3600 & echo $! > {}; wait", told.display());
        let child = Command::new("sh")
            .args(["-c", &script])
            .process_group(0)
            .spawn()
            .unwrap();
        while fs::read_to_string(&told).unwrap_or_default().is_empty() {
            sleep(Duration::from_millis(5));
        }
        assert_eq!(wait(child, Duration::ZERO).unwrap(), None);
        let grandchild = fs::read_to_string(&told).unwrap().trim().parse().unwrap();
        let alive = || rustix::process::test_kill_process(Pid::from_raw(grandchild).unwrap());
        while alive().is_ok() && !is_zombie(grandchild) {
            sleep(Duration::from_millis(5));
        }
    }

    /// Killed, and not yet buried by whoever adopted it.
    fn is_zombie(pid: i32) -> bool {
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
    }
}
