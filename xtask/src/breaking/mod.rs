//! Known faults go into a copy of this repository one by one, and the tests that ought to notice are run; a table of what noticed them comes out. The
//! checkout itself is never touched.
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

use crate::folders::{root, target};

/// What a run of the task is told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Only the fault of this name; can be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Tell the faults and run nothing
    #[arg(long)]
    list: bool,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What became of a fault.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Every test that ought to notice did.
    Noticed,
    /// The test program broke down or had to be ended, so that it cannot have been green.
    BrokeDown,
    /// These tests stayed green.
    Green(Vec<String>),
    /// Its text is not in its file, or more than once: it has to be written anew.
    NeverApplied(usize),
    /// The broken code does not compile, so no test had a say.
    DoesNotCompile,
    /// Its tests fail without it.
    RedBefore,
}

impl Verdict {
    fn is_noticed(&self) -> bool {
        matches!(self, Self::Noticed | Self::BrokeDown)
    }
}

/// Runs the task; says whether every fault was noticed.
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
    let place = target().join("break");
    let _lock = alone(&place)?;
    let tree = Tree::copy(&root(), place.join("tree"))?;
    let cargo = Cargo::new(tree.path(), &place)?;
    let mut rows = Vec::new();
    for group in &groups {
        let red = red_before(&cargo, group)?;
        for fault in &group.faults {
            let started = Instant::now();
            let verdict = if fault.notice.iter().any(|test| red.contains(test)) {
                Verdict::RedBefore
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

/// Holds that no other run breaks the same copy, as long as the file is open.
fn alone(place: &Path) -> Result<File> {
    fs::create_dir_all(place)?;
    let lock = File::create(place.join("lock"))?;
    lock.try_lock()
        .map_err(|error| format!("{}: {error}; does another run go on?", place.display()))?;
    Ok(lock)
}

/// Runs the tests of a group unbroken, and gives those that are not green.
fn red_before(cargo: &Cargo, group: &Group) -> Result<BTreeSet<String>> {
    let all: BTreeSet<&str> = group
        .faults
        .iter()
        .flat_map(|fault| &fault.notice)
        .map(String::as_str)
        .collect();
    let names: Vec<_> = all.into_iter().collect();
    let everything = || names.iter().map(|name| (*name).to_owned()).collect();
    let red = match cargo.test(&group.tests, &names)? {
        Run::Ended { passed, failed } if passed + failed.len() == names.len() => failed,
        Run::Ended { passed, failed } => {
            eprintln!(
                "{}: {} tests are named, {passed} passed and {} failed: some do not exist",
                group.tests,
                names.len(),
                failed.len()
            );
            everything()
        }
        Run::NotBuilt | Run::Unfinished => everything(),
    };
    if !red.is_empty() {
        eprintln!("red before anything was broken: {red:?}\n{}", cargo.said()?);
    }
    Ok(red)
}

/// Breaks the copy, lets the tests look at it, and mends it.
fn try_out(tree: &Tree, cargo: &Cargo, tests: &str, fault: &Fault) -> Result<Verdict> {
    let (broken, times) = fault.apply(&tree.read(&fault.file)?);
    if times != 1 {
        return Ok(Verdict::NeverApplied(times));
    }
    let _mended_after = tree.change(&fault.file, &broken)?;
    let names: Vec<_> = fault.notice.iter().map(String::as_str).collect();
    Ok(match cargo.test(tests, &names)? {
        Run::NotBuilt => {
            eprintln!("{}", cargo.said()?);
            Verdict::DoesNotCompile
        }
        Run::Unfinished => Verdict::BrokeDown,
        Run::Ended { failed, .. } => {
            let green = fault.notice.iter().filter(|name| !failed.contains(*name));
            match green.cloned().collect::<Vec<_>>() {
                green if green.is_empty() => Verdict::Noticed,
                green => Verdict::Green(green),
            }
        }
    })
}

/// A row of the table: what was broken, what became of it, and how long building and testing took.
type Row<'f> = (&'f Fault, Verdict, Duration);
