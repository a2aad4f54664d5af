//! The table of emitters, and how one is chosen.
use super::{ALL, choose};
use crate::diag::{Code, Diagnostics};
use crate::options::Options;
use std::collections::BTreeSet;

fn chosen(names: &[&str]) -> (Vec<&'static str>, Diagnostics) {
    let options = Options {
        emit: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Options::default()
    };
    let mut diagnostics = Diagnostics::new();
    let chosen = choose(&options, &mut diagnostics);
    (chosen.into_iter().collect(), diagnostics)
}

#[test]
fn every_file_of_the_folder_is_in_the_table() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/emit");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| !matches!(name.as_str(), "mod" | "tests"))
        .collect();
    let listed: BTreeSet<String> = ALL.iter().map(|it| it.name().to_owned()).collect();
    assert_eq!(files, listed);
}

#[test]
fn what_an_emitter_needs_comes_with_it() {
    assert_eq!(chosen(&["types"]).0, ["types"]);
    assert_eq!(chosen(&["client"]).0, ["client", "resource", "types"]);
    assert_eq!(chosen(&[]).0.len(), ALL.len());
    for emitter in ALL {
        for needed in emitter.needs() {
            assert!(ALL.iter().any(|it| it.name() == *needed), "{needed}");
        }
    }
}

#[test]
fn an_unknown_emitter_is_told_with_its_like() {
    let (_, diagnostics) = chosen(&["type"]);
    let finding = diagnostics.iter().next().unwrap();
    assert_eq!(finding.code, Code::UnknownEmitter);
    assert_eq!(finding.hint.as_deref(), Some("did you mean `types`?"));
}
