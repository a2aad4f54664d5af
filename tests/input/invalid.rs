//! Compares the diagnostics of each file in `fixtures/invalid` with the recorded `.txt`; `KUBE_CODEGEN_ACCEPT=1` records.
//!
//! A `.toml` next to a case contains its options, in the format of the config file.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]
use kube_codegen::diag::human::{self, Style};
use kube_codegen::diag::{Code, Diagnostics, json};
use kube_codegen::options::{Conversion, Options, Override};
use kube_codegen::pipeline;
use kube_codegen::source::{self, Input, Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/invalid")
}

/// Returns all cases: a file each, or a directory if a case needs several files.
fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(folder())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let extension = path.extension().unwrap_or_default();
            extension != "txt" && extension != "toml"
        })
        .collect();
    cases.sort();
    assert!(cases.len() > 30, "{} cases", cases.len());
    cases
}

/// Reads a case; its sources are named relative to the directory of all cases.
fn read(case: &Path) -> (Vec<Source>, Diagnostics) {
    let input = Input::parse(&case.to_string_lossy());
    let mut sources = source::load(&[input]).expect("readable");
    for source in &mut sources {
        let path = source.path.as_deref().expect("a file");
        let below = path.strip_prefix(folder()).expect("below the folder");
        source.name = below.to_string_lossy().replace('\\', "/");
    }
    let diagnostics = pipeline::run(&sources, &options(case)).diagnostics;
    (sources, diagnostics)
}

/// Reads the options of a case.
fn options(case: &Path) -> Options {
    #[derive(Default, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Config {
        #[serde(default, rename = "override")]
        overrides: Vec<Override>,
        #[serde(default, rename = "conversion")]
        conversions: Vec<Conversion>,
    }
    let config: Config = match fs::read_to_string(case.with_extension("toml")) {
        Ok(text) => toml::from_str(&text).expect("options"),
        Err(_) => Config::default(),
    };
    let mut options = Options::default();
    options.overrides = config.overrides;
    options.conversions = config.conversions;
    options
}

#[test]
fn diagnostics_are_as_recorded() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (sources, diagnostics) = read(&case);
        let shown = human::render(
            &diagnostics,
            &sources,
            Style {
                width: 100,
                color: false,
            },
        );
        let beside = case.with_extension("txt");
        if std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
            fs::write(&beside, &shown).expect("writable");
        } else if fs::read_to_string(&beside).ok().as_deref() != Some(shown.as_str()) {
            wrong.push(format!("{}:\n{shown}", case.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "not as recorded; KUBE_CODEGEN_ACCEPT=1 accepts:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_code_has_a_case() {
    // Only a bug in the generator can raise these: no input may.
    // The codes of objects and manifests are tested by transcripts of `validate`, `deploy check`, `rbac` and `lint`; those of projects, in `tests/cli/new`.
    let own_faults = [
        Code::Unsound,
        Code::Unrenderable,
        Code::InvalidObject,
        Code::Manifests,
        Code::Kustomization,
        Code::MissingRight,
        Code::UnusedRight,
        Code::Practice,
        Code::Project,
        Code::Marker,
        Code::NotTranslated,
    ];
    let met: BTreeSet<Code> = cases()
        .iter()
        .flat_map(|case| {
            read(case)
                .1
                .iter()
                .map(|finding| finding.code)
                .collect::<Vec<_>>()
        })
        .collect();
    let without: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !met.contains(code) && !own_faults.contains(code))
        .collect();
    assert!(without.is_empty(), "{without:?}");
    let faults: Vec<_> = met
        .iter()
        .filter(|code| own_faults.contains(code))
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn every_diagnostic_has_a_position_in_its_file() {
    for case in cases() {
        let (sources, diagnostics) = read(&case);
        for finding in diagnostics.iter() {
            let Some(source) = finding.place.source.and_then(|id| id.of(&sources)) else {
                continue;
            };
            if source.text.trim().is_empty() || matches!(finding.code, Code::EmptySource) {
                continue;
            }
            let at = finding.place.position.expect("a position");
            let text = source.text.replace("\r\n", "\n");
            let line = text.split(['\n', '\r']).nth(at.line - 1);
            let line = line.unwrap_or_default();
            assert!(
                at.column <= line.chars().count() + 1,
                "{}: {finding:?}",
                case.display()
            );
        }
    }
}

#[test]
fn every_diagnostic_has_a_hint() {
    let silent: BTreeSet<String> = cases()
        .iter()
        .flat_map(|case| read(case).1.iter().cloned().collect::<Vec<_>>())
        .filter(|finding| finding.hint.is_none())
        .map(|finding| format!("{}: {}", finding.code.as_str(), finding.message))
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn json_diagnostics_have_all_keys() {
    for case in cases() {
        let (sources, diagnostics) = read(&case);
        let lines = json::render(&diagnostics, &sources);
        assert_eq!(lines.lines().count(), diagnostics.iter().len());
        for (line, finding) in lines.lines().zip(diagnostics.iter()) {
            let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let keys: Vec<_> = object
                .as_object()
                .expect("an object")
                .keys()
                .map(String::as_str)
                .collect();
            assert_eq!(
                keys,
                [
                    "code",
                    "column",
                    "crd",
                    "file",
                    "hint",
                    "line",
                    "message",
                    "schemaPath",
                    "severity",
                    "version"
                ]
            );
            assert_eq!(object["code"], finding.code.as_str());
        }
    }
}

#[test]
fn every_code_is_explained() {
    let mut codes = BTreeSet::new();
    for code in Code::ALL {
        assert!(
            codes.insert(code.as_str()),
            "{} is defined twice",
            code.as_str()
        );
        assert!(!code.title().is_empty());
        assert!(
            code.explain().len() > 100,
            "{} has a short explanation",
            code.as_str()
        );
    }
}
