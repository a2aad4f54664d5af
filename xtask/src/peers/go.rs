//! The suites of controller-runtime.
use super::server::Server;
use super::{Outcome, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const MODULE: &str = "sigs.k8s.io/controller-runtime@v0.25.2";
/// Without inlining and debug data, compiling takes less time.
const FLAGS: [&str; 3] = [
    "-trimpath",
    "-gcflags=all=-dwarf=false -l",
    "-ldflags=-s -w",
];

/// A package with a suite.
pub(super) struct Package {
    pub(super) name: &'static str,
    /// The arguments of each run; each has a new server.
    runs: &'static [&'static [&'static str]],
}

const ALL: &[&[&str]] = &[&[]];

const fn package(name: &'static str) -> Package {
    Package { name, runs: ALL }
}

pub(super) const PACKAGES: &[Package] = &[
    package("client"),
    package("cache"),
    package("webhook"),
    Package {
        name: "client/apiutil",
        // The other tests need a server without aggregated discovery, an old version that envtest downloads.
        runs: &[&[
            "-test.v",
            "-test.skip=TestLazyRestMapperProvider/aggregatedDiscovery=false",
        ]],
    },
    Package {
        name: "manager/internal/integration",
        // Both tests create the same objects: envtest has a server for each.
        runs: &[
            &["--ginkgo.focus=controller warmup enabled"],
            &["--ginkgo.focus=controller warmup not enabled"],
        ],
    },
    package("manager"),
    package("controller"),
    package("controller/controllerutil"),
    package("builder"),
    package("source"),
    package("handler"),
    Package {
        name: "internal/controller",
        // A test closes idle connections once and then counts goroutines: a connection that becomes idle a moment later, after the last
        // Event of leader election, fails it on every server, about once in eight runs.
        runs: &[&["--ginkgo.flake-attempts=3"]],
    },
    package("internal/recorder"),
    package("cluster"),
    package("reconcile"),
];

/// Returns the folder of the module, which Go downloads if it is missing.
fn module() -> Result<PathBuf> {
    let output = Command::new("go")
        .args(["mod", "download", "-json", MODULE])
        .env("GOWORK", "off")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("go: {error}; install Go (https://go.dev/dl)"))?;
    let found: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let folder = found["Dir"].as_str();
    let folder = folder.ok_or_else(|| format!("{MODULE}: {}", found["Error"]))?;
    Ok(folder.into())
}

/// Compiles a suite and returns the program.
pub(super) fn compile(package: &Package, folder: &Path) -> Result<PathBuf> {
    let program = folder.join(format!("{}.test", package.name.replace('/', "-")));
    let status = Command::new("go")
        .args(["test", "-c"])
        .args(FLAGS)
        .arg("-o")
        .arg(&program)
        .arg(format!("./pkg/{}", package.name))
        .current_dir(module()?)
        .envs([("CGO_ENABLED", "0"), ("GOWORK", "off"), ("GOGC", "200")])
        .status()?;
    if !status.success() {
        return Err(format!("{} does not compile", package.name).into());
    }
    Ok(program)
}

/// Runs a suite in its package, where its data is.
pub(super) fn run(
    package: &Package,
    program: &Path,
    folder: &Path,
    is_real: bool,
) -> Result<Outcome> {
    let mut whole = Outcome::default();
    for arguments in package.runs {
        let server = Server::start(folder, is_real, false)?;
        let start = Instant::now();
        let output = Command::new(program)
            .args(*arguments)
            .current_dir(module()?.join("pkg").join(package.name))
            .env("USE_EXISTING_CLUSTER", "true")
            .env("KUBECONFIG", &server.kubeconfig)
            .env("GINKGO_NO_COLOR", "TRUE")
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut outcome = read(&text);
        outcome.time = start.elapsed();
        if !output.status.success() && outcome.failed.is_empty() {
            outcome
                .failed
                .push(format!("{}: see the output", output.status));
        }
        if !outcome.failed.is_empty() {
            std::fs::write(program.with_extension("log"), &*text)?;
        }
        whole.add(outcome);
    }
    Ok(whole)
}

/// Reads the results of Ginkgo, or of plain tests, of which those without tests of their own count.
fn read(output: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for line in output.lines().map(str::trim) {
        if let Some((_, counts)) = line.split_once("! -- ") {
            let passed = counts.split_whitespace().next();
            outcome.passed += passed.and_then(|it| it.parse::<usize>().ok()).unwrap_or(0);
        } else if let Some(name) = line.strip_prefix("[FAIL] ") {
            // Ginkgo lists the failures again at the end.
            if !outcome.failed.iter().any(|known| known == name) {
                outcome.failed.push(name.to_owned());
            }
        }
    }
    if outcome.passed > 0 || !outcome.failed.is_empty() {
        return outcome;
    }
    for line in output.lines().map(str::trim) {
        let Some((result, name)) = line.strip_prefix("--- ").and_then(|it| it.split_once(": "))
        else {
            continue;
        };
        let name = name.split(' ').next().unwrap_or(name);
        let has_parts = output.contains(&format!("{name}/"));
        match result {
            "PASS" if !has_parts => outcome.passed += 1,
            "FAIL" if !has_parts => outcome.failed.push(name.to_owned()),
            _ => {}
        }
    }
    outcome
}
