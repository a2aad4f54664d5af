//! One flow of requests by the clients of other languages: create, list, watch, patch, apply, follow and delete.
//!
//! A program prints a line of TAP (`ok 1 - created`) for each step. Each language brings its client from its own registry; one whose tools are
//! missing is skipped with a message.
use super::server::Server;
use super::{Outcome, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A program that uses one client.
pub(super) struct Flow {
    pub(super) name: &'static str,
    /// What has to be installed.
    tool: &'static str,
    /// The names and texts of its files.
    files: &'static [(&'static str, &'static str)],
    /// Installs the client in a folder with the files.
    prepare: fn(&Path) -> Result<()>,
    /// Returns the command without its argument, the path of a kubeconfig.
    command: fn(&Path) -> Result<Command>,
}

pub(super) const FLOWS: &[Flow] = &[
    Flow {
        name: "python kubernetes",
        tool: "python3",
        files: &[("flow.py", include_str!("clients/flow.py"))],
        prepare: |folder| pip(folder, &["kubernetes==37.0.2"]),
        command: |folder| Ok(python(folder, "flow.py")),
    },
    Flow {
        name: "python kopf",
        tool: "python3",
        files: &[("kopf_operator.py", include_str!("clients/kopf_operator.py"))],
        prepare: |folder| pip(folder, &["kubernetes==37.0.2", "kopf==1.45.2"]),
        command: |folder| Ok(python(folder, "kopf_operator.py")),
    },
    Flow {
        name: "node client-node",
        tool: "npm",
        files: &[("flow.mjs", include_str!("clients/flow.mjs"))],
        prepare: |folder| {
            let package = "@kubernetes/client-node@1.4.0";
            let arguments = ["install", "--silent", "--no-save", "--prefix", ".", package];
            succeed(Command::new("npm").args(arguments).current_dir(folder))
        },
        command: |folder| {
            let mut command = Command::new("node");
            command.arg(folder.join("flow.mjs"));
            Ok(command)
        },
    },
    Flow {
        name: "java fabric8",
        tool: "mvn",
        files: &[
            ("Flow.java", include_str!("clients/Flow.java")),
            ("pom.xml", include_str!("clients/pom.xml")),
        ],
        prepare: |folder| {
            let classpath = ["dependency:build-classpath", "-Dmdep.outputFile=classpath"];
            let mut command = Command::new("mvn");
            command.args(["-q", "-B", "compile"]).args(classpath);
            succeed(command.current_dir(folder))
        },
        command: |folder| {
            let dependencies = fs::read_to_string(folder.join("classpath"))?;
            let classes = folder.join("target/classes");
            let path = [classes.as_os_str(), OsStr::new(dependencies.trim())];
            let mut command = Command::new("java");
            command
                .arg("-cp")
                .arg(path.join(OsStr::new(":")))
                .arg("Flow");
            Ok(command)
        },
    },
];

fn pip(folder: &Path, packages: &[&str]) -> Result<()> {
    let mut venv = Command::new("python3");
    succeed(venv.args(["-m", "venv", "venv"]).current_dir(folder))?;
    let mut install = Command::new(folder.join("venv/bin/pip"));
    succeed(install.args(["install", "--quiet"]).args(packages))
}

fn python(folder: &Path, file: &str) -> Command {
    let mut command = Command::new(folder.join("venv/bin/python"));
    command.arg(folder.join(file));
    command
}

pub(super) fn succeed(command: &mut Command) -> Result<()> {
    let status = command.stdout(Stdio::null()).status()?;
    if status.success() {
        return Ok(());
    }
    let program = command.get_program().display();
    Err(format!("{program}: {status}").into())
}

/// Returns whether a program is installed; otherwise it says what is skipped.
pub(super) fn has(tool: &str, name: &str) -> bool {
    // Go has no flag for its version, and its failure says that it is there, too.
    let is_there = Command::new(tool).arg("--version").output().is_ok();
    if !is_there {
        eprintln!("skipped: {name}: {tool} is not installed");
    }
    is_there
}

impl Flow {
    /// Writes the program and installs its client; returns false if that is not possible here.
    pub(super) fn prepare(&self, folder: &Path) -> Result<bool> {
        if !has(self.tool, self.name) {
            return Ok(false);
        }
        let folder = self.folder(folder);
        fs::create_dir_all(&folder)?;
        for (name, text) in self.files {
            fs::write(folder.join(name), text)?;
        }
        if let Err(why) = (self.prepare)(&folder) {
            eprintln!(
                "skipped: {}: its client cannot be installed: {why}",
                self.name
            );
            return Ok(false);
        }
        Ok(true)
    }

    fn folder(&self, folder: &Path) -> std::path::PathBuf {
        folder.join(self.name.replace(' ', "-"))
    }

    pub(super) fn run(&self, folder: &Path, is_real: bool) -> Result<Outcome> {
        let server = Server::start(folder, is_real, false)?;
        let start = Instant::now();
        let mut command = (self.command)(&self.folder(folder))?;
        // kopf looks for it in the environment alone.
        command
            .arg(&server.kubeconfig)
            .env("KUBECONFIG", &server.kubeconfig);
        let output = command.output()?;
        let mut outcome = read(&String::from_utf8_lossy(&output.stdout));
        outcome.time = start.elapsed();
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            let last = why.lines().last().unwrap_or_default();
            outcome.failed.push(format!("{}: {last}", output.status));
        }
        Ok(outcome)
    }
}

/// Reads lines of TAP.
fn read(output: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for line in output.lines() {
        if let Some(failed) = line.strip_prefix("not ok ") {
            outcome.failed.push(failed.to_owned());
        } else if line.starts_with("ok ") {
            outcome.passed += 1;
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn steps_are_counted() {
        let outcome = read("ok 1 - created\nnoise\nnot ok 2 - listed: no items\n");
        assert_eq!(outcome.passed, 1);
        assert_eq!(outcome.failed, ["2 - listed: no items"]);
    }
}
