//! Applies known faults one by one to a copy of this repository, and checks that the tests notice them.
mod cargo;
mod fault;
mod table;
mod tree;

use cargo::{Cargo, Run};
use clap::Args;
use fault::{Fault, Group};
use std::collections::BTreeSet;
use std::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};
use tree::Tree;

use crate::{root, target};

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Only the fault of this name; can be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// List the faults without running tests
    #[arg(long)]
    list: bool,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The outcome for one fault.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Each of its tests failed.
    Noticed,
    /// The test program crashed or timed out, so the tests did not pass.
    Crashed,
    /// These tests passed.
    Missed(Vec<String>),
    /// Its file does not contain its text exactly once.
    NotApplicable(usize),
    /// The faulty code does not compile, so no test ran.
    DoesNotCompile,
    /// Its tests fail even without it.
    FailedBefore,
}

impl Verdict {
    fn is_noticed(&self) -> bool {
        matches!(self, Self::Noticed | Self::Crashed)
    }
}

/// Runs the task and returns whether every fault was noticed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let groups = fault::choose(
        fault::read(&root().join("xtask/src/breaking/faults"))?,
        &arguments.only,
    )?;
    if arguments.list {
        for fault in groups.iter().flat_map(|group| &group.faults) {
            println!("{:<44} {}", fault.name, fault.what);
        }
        return Ok(true);
    }
    let directory = target().join("break");
    let _lock = lock(&directory)?;
    let tree = Tree::copy(&root(), directory.join("tree"))?;
    let cargo = Cargo::new(tree.path(), &directory)?;
    let mut rows = Vec::new();
    for group in &groups {
        let failing = failing_before(&cargo, group)?;
        for fault in &group.faults {
            let started = Instant::now();
            let verdict = if fault.notice.iter().any(|test| failing.contains(test)) {
                Verdict::FailedBefore
            } else {
                try_out(&tree, &cargo, &group.tests, fault)?
            };
            let row = (fault, verdict, started.elapsed());
            eprint!("{}", table::line(&row));
            rows.push(row);
        }
    }
    print!("{}", table::table(&rows));
    Ok(rows.iter().all(|(_, verdict, _)| verdict.is_noticed()))
}

/// Keeps other runs from using the same copy while the file is open.
fn lock(directory: &Path) -> Result<File> {
    fs::create_dir_all(directory)?;
    let lock = File::create(directory.join("lock"))?;
    lock.try_lock()
        .map_err(|error| format!("{}: {error}; is another run active?", directory.display()))?;
    Ok(lock)
}

/// Runs the tests of a group without any fault and returns those that do not pass.
fn failing_before(cargo: &Cargo, group: &Group) -> Result<BTreeSet<String>> {
    let all: BTreeSet<&str> = group
        .faults
        .iter()
        .flat_map(|fault| &fault.notice)
        .map(String::as_str)
        .collect();
    let names: Vec<_> = all.into_iter().collect();
    let everything = || names.iter().map(|name| (*name).to_owned()).collect();
    let failing = match cargo.test(&group.tests, &names)? {
        Run::Ended { passed, failed } if passed + failed.len() == names.len() => failed,
        Run::Ended { passed, failed } => {
            eprintln!(
                "{}: of {} listed tests, {passed} passed and {} failed; the others do not exist",
                group.tests,
                names.len(),
                failed.len()
            );
            everything()
        }
        Run::NotBuilt | Run::Unfinished => everything(),
    };
    if !failing.is_empty() {
        eprintln!(
            "tests that fail without a fault: {failing:?}\n{}",
            cargo.output()?
        );
    }
    Ok(failing)
}

/// Applies a fault to the copy, runs its tests, and restores the copy.
fn try_out(tree: &Tree, cargo: &Cargo, tests: &str, fault: &Fault) -> Result<Verdict> {
    let (faulty, times) = fault.apply(&tree.read(&fault.file)?);
    if times != 1 {
        return Ok(Verdict::NotApplicable(times));
    }
    let _restore = tree.change(&fault.file, &faulty)?;
    let names: Vec<_> = fault.notice.iter().map(String::as_str).collect();
    Ok(match cargo.test(tests, &names)? {
        Run::NotBuilt => {
            eprintln!("{}", cargo.output()?);
            Verdict::DoesNotCompile
        }
        Run::Unfinished => Verdict::Crashed,
        Run::Ended { failed, .. } => {
            let missed = fault.notice.iter().filter(|name| !failed.contains(*name));
            match missed.cloned().collect::<Vec<_>>() {
                missed if missed.is_empty() => Verdict::Noticed,
                missed => Verdict::Missed(missed),
            }
        }
    })
}

/// A row of the table: the fault, its outcome, and the time for building and testing.
type Row<'f> = (&'f Fault, Verdict, Duration);
