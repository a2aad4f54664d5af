//! Runs tests with cargo in the copy, with a time limit, and reads which of them failed.
use super::Result;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Limit for the tests: longer than any of them takes, including its own time-outs.
const TESTS: Duration = Duration::from_secs(600);
/// Limit for a build from scratch.
const BUILD: Duration = Duration::from_secs(3600);

/// Cargo in a directory, with a separate target directory so that the builds do not invalidate each other.
pub(super) struct Cargo {
    directory: PathBuf,
    target: PathBuf,
    log: PathBuf,
}

/// The outcome of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// The code does not compile.
    NotBuilt,
    /// The tests ran.
    Ended {
        /// How many passed.
        passed: usize,
        /// The names of those that failed.
        failed: BTreeSet<String>,
    },
    /// The process crashed or timed out.
    Unfinished,
}

impl Cargo {
    pub(super) fn new(directory: &Path, parent: &Path) -> Result<Self> {
        let parent = std::path::absolute(parent)?;
        Ok(Self {
            directory: directory.to_owned(),
            target: parent.join("build"),
            log: parent.join("output.log"),
        })
    }

    /// Runs the named tests of the test program that the `program` arguments select.
    pub(super) fn test(&self, program: &str, names: &[&str]) -> Result<Run> {
        let built = self.run(program, &["--no-run"], BUILD)?;
        if !built.is_some_and(|status| status.success()) {
            return Ok(Run::NotBuilt);
        }
        let arguments = [&["--", "--exact"], names].concat();
        let ended = self.run(program, &arguments, TESTS)?.is_some();
        Ok(if ended {
            parse(&self.output()?)
        } else {
            Run::Unfinished
        })
    }

    /// Returns the output of the last run.
    pub(super) fn output(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(&self.log)?).into_owned())
    }

    /// Runs `cargo test`; returns `None` on a time-out.
    fn run(&self, program: &str, more: &[&str], limit: Duration) -> Result<Option<ExitStatus>> {
        let log = File::create(&self.log)?;
        let child = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .arg("test")
            .args(program.split_whitespace())
            .args(more)
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", &self.target)
            // A fault may cause warnings.
            .env_remove("RUSTFLAGS")
            // A skipped test would count as passed.
            .env("KUBE_CODEGEN_E2E", "required")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()?;
        wait(child, limit)
    }
}

/// Waits for a process; on a time-out, kills it and its children.
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

/// Parses the summary at the end of a test program's output. Other lines may be mixed with the output of child processes.
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
    fn summaries_are_parsed() {
        let ended = |passed, failed: &[&str]| Run::Ended {
            passed,
            failed: failed.iter().map(|name| (*name).to_owned()).collect(),
        };
        let passing =
            "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
        assert_eq!(parse(passing), ended(2, &[]));
        let failing = "\nrunning 2 tests\na log line test b::c ... FAILED\n\nfailures:\n\n---- b::c stdout ----\n    indented\n\nfailures:\n    b::c\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\nerror: test failed\n";
        assert_eq!(parse(failing), ended(1, &["b::c"]));
        assert_eq!(parse("running 1 test\nstack overflow"), Run::Unfinished);
    }

    #[test]
    fn time_out_kills_the_process_and_its_children() {
        let scratch = tempfile::tempdir().unwrap();
        let pid_file = scratch.path().join("pid");
        let script = format!("sleep 3600 & echo $! > {}; wait", pid_file.display());
        let child = Command::new("sh")
            .args(["-c", &script])
            .process_group(0)
            .spawn()
            .unwrap();
        while fs::read_to_string(&pid_file).unwrap_or_default().is_empty() {
            sleep(Duration::from_millis(5));
        }
        assert_eq!(wait(child, Duration::ZERO).unwrap(), None);
        let grandchild = fs::read_to_string(&pid_file)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let alive = || rustix::process::test_kill_process(Pid::from_raw(grandchild).unwrap());
        while alive().is_ok() && !is_zombie(grandchild) {
            sleep(Duration::from_millis(5));
        }
    }

    /// Whether a process was killed but not yet reaped by its new parent.
    fn is_zombie(pid: i32) -> bool {
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
    }
}
