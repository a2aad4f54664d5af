//! Runs the test suites of controller-runtime and kube, and the clients of other languages, against the API server in memory.
//!
//! Go compiles the suites of controller-runtime and Helm from their modules, cargo those of kube from their packages. The clients for Python,
//! JavaScript and Java come from `PyPI`, npm and Maven Central.
mod go;
mod helm;
mod kube;
mod languages;
mod server;

use clap::Args;
use std::error::Error;
use std::fs;
use std::time::Duration;

/// Arguments of the task.
///
/// Compiling the suites takes minutes once. Go is needed; other languages without a toolchain are skipped.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Run only the suites whose names contain this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,

    /// Run them against a real control plane, too
    #[arg(long)]
    real: bool,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What a suite gave on a server.
#[derive(Default)]
struct Outcome {
    passed: usize,
    /// The names of the tests that failed.
    failed: Vec<String>,
    time: Duration,
}

impl Outcome {
    /// Adds another run of the same suite.
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
        self.time += other.time;
    }

    fn shown(&self) -> String {
        let all = self.passed + self.failed.len();
        let seconds = self.time.as_secs_f64();
        format!("{} of {all} | {seconds:.1}", self.passed)
    }
}

/// Runs the task and returns whether all tests pass on the server in memory that can pass without kubelets.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let folder = crate::target().join("peers");
    fs::create_dir_all(&folder)?;
    server::build()?;
    let mut rows = Vec::new();
    let mut suite = |name: &str, run: &dyn Fn(bool) -> Result<Outcome>| -> Result<bool> {
        let mut row = format!("| {name} |");
        let mut is_success = true;
        for is_real in [false, true] {
            if is_real && !arguments.real {
                continue;
            }
            let outcome = run(is_real)?;
            for test in &outcome.failed {
                let server = if is_real { "real" } else { "in memory" };
                eprintln!("{name}, {server}: failed: {test}");
            }
            is_success &= is_real || outcome.failed.is_empty() && outcome.passed > 0;
            row += &[" ", &outcome.shown(), " |"].concat();
        }
        println!("{row}");
        rows.push(row);
        Ok(is_success)
    };
    let mut is_success = true;
    for package in go::PACKAGES {
        if package.name.contains(&arguments.only) {
            let program = go::compile(package, &folder)?;
            is_success &= suite(package.name, &|is_real| {
                go::run(package, &program, &folder, is_real)
            })?;
        }
    }
    if "kube".contains(&arguments.only) {
        let programs = kube::compile(&folder)?;
        is_success &= suite("kube", &|is_real| kube::run(&programs, &folder, is_real))?;
    }
    for flow in languages::FLOWS {
        if flow.name.contains(&arguments.only) && flow.prepare(&folder)? {
            is_success &= suite(flow.name, &|is_real| flow.run(&folder, is_real))?;
        }
    }
    if "helm".contains(&arguments.only)
        && let Some(program) = helm::compile(&folder)?
    {
        is_success &= suite("helm", &|is_real| helm::run(&program, &folder, is_real))?;
    }
    let real = if arguments.real {
        " real | seconds |"
    } else {
        ""
    };
    let line = if arguments.real { "---|---|" } else { "" };
    println!("\n| suite | in memory | seconds |{real}\n|---|---|---|{line}");
    for row in rows {
        println!("{row}");
    }
    Ok(is_success)
}
