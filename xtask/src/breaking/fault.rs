//! Files of faults come in, faults by the tests that ought to notice them come out; nothing is broken here.
use super::Result;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One file: faults that tests of one program ought to notice.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    /// Arguments of `cargo test` that choose the program.
    pub(super) tests: String,
    #[serde(rename = "fault")]
    pub(super) faults: Vec<Fault>,
}

/// One thing to break.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    /// What `--only` calls it.
    pub(super) name: String,
    /// What is wrong with it in place.
    pub(super) what: String,
    /// The file to break, from the root of the repository.
    pub(super) file: PathBuf,
    /// The text to be replaced, which must be there once.
    find: String,
    /// What takes its place.
    replace: String,
    /// The tests that ought to fail then, each of them, by their full names.
    pub(super) notice: Vec<String>,
}

impl Fault {
    /// The broken text, and how often there was something to break.
    pub(super) fn apply(&self, text: &str) -> (String, usize) {
        (
            text.replace(&self.find, &self.replace),
            text.matches(&self.find).count(),
        )
    }
}

/// Reads all files of a folder, in the order of their names.
pub(super) fn read(folder: &Path) -> Result<Vec<Group>> {
    let mut files = fs::read_dir(folder)?
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
                return Err(format!("two faults are called {}", fault.name).into());
            }
            if fault.find == fault.replace || fault.find.is_empty() || fault.notice.is_empty() {
                return Err(
                    format!("{} breaks nothing, or nobody is to notice it", fault.name).into(),
                );
            }
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Only the faults of these names, or all of them if there are none.
pub(super) fn choose(mut groups: Vec<Group>, only: &[String]) -> Result<Vec<Group>> {
    let known = |name: &String| {
        let mut faults = groups.iter().flat_map(|group| &group.faults);
        faults.any(|fault| fault.name == *name)
    };
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        return Err(format!("there is no fault called {unknown}: see --list").into());
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
    use crate::folders::root;

    #[test]
    fn every_fault_still_applies() {
        let groups = read(&root().join("xtask/src/breaking/faults")).unwrap();
        for fault in groups.iter().flat_map(|group| &group.faults) {
            let text = fs::read_to_string(root().join(&fault.file)).unwrap();
            assert_eq!(fault.apply(&text).1, 1, "{}", fault.name);
        }
    }

    #[test]
    fn faults_are_chosen_by_name() {
        let groups = || read(&root().join("xtask/src/breaking/faults")).unwrap();
        let name = groups()[0].faults[0].name.clone();
        let chosen = choose(groups(), std::slice::from_ref(&name)).unwrap();
        assert_eq!((chosen.len(), chosen[0].faults.len()), (1, 1));
        assert_eq!(chosen[0].faults[0].name, name);
        assert!(choose(groups(), &["no-such-fault".to_owned()]).is_err());
    }
}
