//! Tests the table of emitters and the choice of some of them.
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
fn every_emitter_of_the_folder_is_in_the_table() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/emit");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.trim_end_matches(".rs").to_owned())
        .filter(|name| !matches!(name.as_str(), "mod" | "modules" | "parts" | "tests"))
        .collect();
    let listed: BTreeSet<String> = ALL.iter().map(|it| it.name().to_owned()).collect();
    assert_eq!(files, listed);
}

#[test]
fn needed_emitters_run_too() {
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
fn an_unknown_emitter_is_reported_with_a_suggestion() {
    let (_, diagnostics) = chosen(&["type"]);
    let finding = diagnostics.iter().next().unwrap();
    assert_eq!(finding.code, Code::UnknownEmitter);
    assert_eq!(finding.hint.as_deref(), Some("did you mean `types`?"));
}
