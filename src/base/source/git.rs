//! Reads files of a commit with the program git.
use std::{
    path::Path,
    process::{Command, Stdio},
};

use super::{MAX_BYTES, Problem, Source, directory, file};

/// Reads a file, or all manifests below a directory.
pub(super) fn read(revision: &str, path: &str) -> Result<Vec<Source>, Problem> {
    let input = format!("git:{revision}:{path}");
    // Such a text would be an option of git.
    if revision.starts_with('-') {
        return Err(Problem::Git {
            input,
            reason: format!("`{}` is not a commit", revision.escape_debug()),
        });
    }
    // Relative to the working directory, as all paths are.
    let relative = match path.trim_start_matches("./") {
        "" => "./".to_owned(),
        path => format!("./{path}"),
    };
    let object = format!("{revision}:{relative}");
    let kind = run(&["cat-file", "-t", &object], &input)?;
    if kind.trim() == "blob" {
        return Ok(vec![text(
            &object,
            &format!("git:{revision}:{path}"),
            &input,
        )?]);
    }
    let listed = run(
        &[
            "ls-tree",
            "-r",
            "-z",
            "--name-only",
            revision,
            "--",
            &relative,
        ],
        &input,
    )?;
    let names = listed.split('\0').filter(|name| {
        let is_hidden = name.split('/').any(|part| part.starts_with('.'));
        !name.is_empty() && !is_hidden && directory::is_manifest(Path::new(name))
    });
    let sources: Result<Vec<Source>, Problem> = names
        .map(|name| {
            let object = format!("{revision}:./{name}");
            text(&object, &format!("git:{revision}:{name}"), &input)
        })
        .collect();
    let sources = sources?;
    if sources.is_empty() {
        return Err(Problem::NoFile { input });
    }
    Ok(sources)
}

fn text(object: &str, name: &str, input: &str) -> Result<Source, Problem> {
    let size = run(&["cat-file", "-s", object], input)?;
    if size.trim().parse().is_ok_and(|size: u64| size > MAX_BYTES) {
        return Err(Problem::TooLarge { path: name.into() });
    }
    let text = run(&["cat-file", "blob", object], input)?;
    Ok(Source::new(name, file::without_mark(text)))
}

fn run(arguments: &[&str], input: &str) -> Result<String, Problem> {
    let failed = |reason: String| Problem::Git {
        input: input.to_owned(),
        reason,
    };
    let output = Command::new("git")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("cannot run git: {error}")))?;
    if !output.status.success() {
        let says = String::from_utf8_lossy(&output.stderr);
        let line = says.lines().next().unwrap_or("git failed");
        let reason = line.strip_prefix("fatal: ").unwrap_or(line);
        return Err(failed(reason.to_owned()));
    }
    String::from_utf8(output.stdout).map_err(|_| failed("not UTF-8 text".to_owned()))
}
