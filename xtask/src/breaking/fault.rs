//! Reads the fault files.
use super::Result;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One file: faults that tests of one program must notice.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    /// Arguments of `cargo test` that select the program.
    pub(super) tests: String,
    #[serde(rename = "fault")]
    pub(super) faults: Vec<Fault>,
}

/// A fault: a textual change that makes the code wrong.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    /// The name for `--only`.
    pub(super) name: String,
    /// What it makes wrong.
    pub(super) what: String,
    /// The file to change, relative to the root of the repository.
    pub(super) file: PathBuf,
    /// The text to replace; the file must contain it exactly once.
    find: String,
    /// The replacement.
    replace: String,
    /// The full names of the tests that must fail.
    pub(super) notice: Vec<String>,
}

impl Fault {
    /// Returns the changed text and the number of replacements.
    pub(super) fn apply(&self, text: &str) -> (String, usize) {
        (
            text.replace(&self.find, &self.replace),
            text.matches(&self.find).count(),
        )
    }
}

/// Reads all files of a directory, in the order of their names.
pub(super) fn read(directory: &Path) -> Result<Vec<Group>> {
    let mut files = fs::read_dir(directory)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    let mut names = BTreeSet::new();
    let mut groups = Vec::new();
    for file in files {
        let group: Group = toml::from_str(&fs::read_to_string(&file)?)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        for fault in &group.faults {
            if !names.insert(fault.name.clone()) {
                return Err(format!("duplicate fault name {}", fault.name).into());
            }
            if fault.find == fault.replace || fault.find.is_empty() || fault.notice.is_empty() {
                return Err(
                    format!("fault {} changes nothing or lists no test", fault.name).into(),
                );
            }
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Selects the faults with these names, or all of them if there are no names.
pub(super) fn choose(mut groups: Vec<Group>, only: &[String]) -> Result<Vec<Group>> {
    let known = |name: &String| {
        let mut faults = groups.iter().flat_map(|group| &group.faults);
        faults.any(|fault| fault.name == *name)
    };
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        return Err(format!("unknown fault {unknown}; --list shows all").into());
    }
    if !only.is_empty() {
        for group in &mut groups {
            group.faults.retain(|fault| only.contains(&fault.name));
        }
        groups.retain(|group| !group.faults.is_empty());
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root;

    #[test]
    fn every_fault_applies() {
        let groups = read(&root().join("xtask/src/breaking/faults")).unwrap();
        for fault in groups.iter().flat_map(|group| &group.faults) {
            let text = fs::read_to_string(root().join(&fault.file)).unwrap();
            assert_eq!(fault.apply(&text).1, 1, "{}", fault.name);
        }
    }

    #[test]
    fn every_named_test_exists() {
        let mut sources = String::new();
        for directory in ["crates", "src", "tests", "generated-examples"] {
            read_sources(&root().join(directory), &mut sources);
        }
        let groups = read(&root().join("xtask/src/breaking/faults")).unwrap();
        for fault in groups.iter().flat_map(|group| &group.faults) {
            for test in &fault.notice {
                let function = test.rsplit("::").next().unwrap_or(test);
                assert!(
                    sources.contains(&format!("fn {function}(")),
                    "{}: {test}",
                    fault.name
                );
            }
        }
    }

    fn read_sources(directory: &Path, sources: &mut String) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_sources(&path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }

    #[test]
    fn faults_are_selected_by_name() {
        let groups = || read(&root().join("xtask/src/breaking/faults")).unwrap();
        let name = groups()[0].faults[0].name.clone();
        let chosen = choose(groups(), std::slice::from_ref(&name)).unwrap();
        assert_eq!((chosen.len(), chosen[0].faults.len()), (1, 1));
        assert_eq!(chosen[0].faults[0].name, name);
        assert!(choose(groups(), &["no-such-fault".to_owned()]).is_err());
    }
}
