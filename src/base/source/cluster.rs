//! Reads the cluster of the kubeconfig with the program kube-codegen-dev, as git is read with its program: this crate has no client.
use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use super::{Problem, Source};

/// The program, which has a package of the same name.
pub(crate) const PROGRAM: &str = "kube-codegen-dev";

/// Returns the pattern of an input: `cluster`, `cluster:` or `cluster:PATTERN`.
pub(super) fn pattern(argument: &str) -> Option<&str> {
    match argument.strip_prefix("cluster")? {
        "" => (!Path::new(argument).exists()).then_some(""),
        rest => rest.strip_prefix(':'),
    }
}

/// Returns the program: that beside this one, or the one that `PATH` has.
pub(crate) fn program() -> PathBuf {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().map(|own| own.with_file_name(&name));
    beside
        .filter(|path| path.is_file())
        .unwrap_or_else(|| name.into())
}

/// Says how to install the program.
pub(crate) fn how_to_install() -> String {
    format!(
        "install it with `cargo install --locked --git {} {PROGRAM}`, or from a checkout with `cargo install --locked --path crates/dev`",
        env!("CARGO_PKG_REPOSITORY")
    )
}

/// Returns a command that reads the cluster.
pub(crate) fn command(what: &str) -> Command {
    let mut command = Command::new(program());
    command
        .args(["read-cluster", what])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Says why the program did not run.
pub(crate) fn not_run(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        let how = how_to_install();
        return format!("reading a cluster needs {PROGRAM}, which is not installed; {how}");
    }
    format!("cannot run {PROGRAM}: {error}")
}

/// Returns what the program says about its failure.
pub(crate) fn reason(stderr: &str) -> String {
    let says = stderr.trim();
    let says = says.strip_prefix("error: ").unwrap_or(says);
    match says {
        "" => format!("{PROGRAM} failed"),
        says => says.to_owned(),
    }
}

/// Reads the CRDs whose name, group or kind matches a pattern; all if it is empty. Each is a source of its own.
pub(super) fn read(pattern: &str) -> Result<Vec<Source>, Problem> {
    let failed = |reason: String| Problem::Cluster { reason };
    let wanted = glob::Pattern::new(pattern).map_err(|error| Problem::Pattern {
        pattern: pattern.to_owned(),
        reason: error.msg.to_owned(),
    })?;
    let output = command("crds").output();
    let output = output.map_err(|error| {
        let kubectl = "`kubectl get crd -o yaml`, read from standard input by `-`, does the same";
        failed(format!("{}; {kubectl}", not_run(&error)))
    })?;
    if !output.status.success() {
        return Err(failed(reason(&String::from_utf8_lossy(&output.stderr))));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| failed("not UTF-8 text".to_owned()))?;
    let mut sources = Vec::new();
    for line in text.lines() {
        let crd: Value =
            serde_json::from_str(line).map_err(|error| failed(format!("not JSON: {error}")))?;
        let text = |pointer: &str| crd.pointer(pointer).and_then(Value::as_str);
        let names = [
            text("/metadata/name"),
            text("/spec/group"),
            text("/spec/names/kind"),
        ];
        let mut known = names.iter().flatten();
        if pattern.is_empty() || known.any(|name| wanted.matches(name)) {
            let name = names[0].unwrap_or_default();
            sources.push(Source::new(format!("cluster:{name}"), line));
        }
    }
    if sources.is_empty() && !pattern.is_empty() {
        let pattern = pattern.escape_debug();
        return Err(failed(format!(
            "it has no CRD whose name, group or kind is `{pattern}`"
        )));
    }
    Ok(sources)
}

/// A part of a list.
#[cfg(feature = "cli")]
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Value>,
    /// What the rest of the list is read with; `None` at the end.
    pub(crate) next: Option<String>,
    /// How many objects are left, if the server knows it.
    pub(crate) remaining: Option<u64>,
    /// The list has started again: what was read before does not count.
    pub(crate) restart: bool,
}

/// The pages of a list, as the program prints them.
#[cfg(feature = "cli")]
pub(crate) struct Pages {
    child: std::process::Child,
    lines: io::Lines<io::BufReader<std::process::ChildStdout>>,
}

#[cfg(feature = "cli")]
impl Pages {
    /// Reads a list, or what follows a page.
    pub(crate) fn read(path: &str, after: Option<&str>) -> Result<Self, String> {
        use io::BufRead as _;
        let mut command = command("objects");
        command.arg(path);
        if let Some(after) = after {
            command.args(["--after", after]);
        }
        let mut child = command.spawn().map_err(|error| not_run(&error))?;
        let out = child.stdout.take().ok_or("no output")?;
        Ok(Self {
            child,
            lines: io::BufReader::new(out).lines(),
        })
    }

    /// Returns why the program ended, if it failed.
    fn end(&mut self) -> Option<String> {
        use io::Read as _;
        let mut says = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut says);
        }
        let status = self.child.wait();
        let success = status.is_ok_and(|status| status.success());
        (!success).then(|| reason(&says))
    }
}

#[cfg(feature = "cli")]
impl Iterator for Pages {
    type Item = Result<Page, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.lines.next() {
            Some(Ok(line)) => line,
            Some(Err(error)) => return Some(Err(format!("cannot read its output: {error}"))),
            None => return self.end().map(Err),
        };
        let mut page: Value = match serde_json::from_str(&line) {
            Ok(page) => page,
            Err(error) => return Some(Err(format!("not JSON: {error}"))),
        };
        Some(Ok(Page {
            objects: match page["items"].take() {
                Value::Array(items) => items,
                _ => Vec::new(),
            },
            next: page["continue"].as_str().map(str::to_owned),
            remaining: page["remaining"].as_u64(),
            restart: page["restart"] == true,
        }))
    }
}

#[cfg(feature = "cli")]
impl Drop for Pages {
    fn drop(&mut self) {
        // It has ended, unless this was left early.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
