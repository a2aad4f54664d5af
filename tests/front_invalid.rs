//! Every file of `fixtures/invalid` has beside it, as `.txt`, how its findings read; `KUBE_CODEGEN_ACCEPT=1` writes those anew.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]
use kube_codegen::crd;
use kube_codegen::diag::human::{self, Style};
use kube_codegen::diag::{Code, Diagnostics, json};
use kube_codegen::source::{self, Input, Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/invalid")
}

/// All cases: a file, or a folder where the case needs several.
fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(folder())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_none_or(|extension| extension != "txt"))
        .collect();
    cases.sort();
    assert!(cases.len() > 30, "{} cases", cases.len());
    cases
}

/// Reads a case; its sources are named as below the folder, wherever the repository lies.
fn read(case: &Path) -> (Vec<Source>, Diagnostics) {
    let input = Input::parse(&case.to_string_lossy());
    let mut sources = source::load(&[input]).expect("readable");
    for source in &mut sources {
        let path = source.path.as_deref().expect("a file");
        let below = path.strip_prefix(folder()).expect("below the folder");
        source.name = below.to_string_lossy().replace('\\', "/");
    }
    let mut diagnostics = Diagnostics::new();
    crd::parse(&sources, &mut diagnostics);
    diagnostics.locate(&sources);
    (sources, diagnostics)
}

#[test]
fn findings_read_as_recorded() {
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
fn every_code_of_the_front_has_a_case() {
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
        .filter(|code| {
            ["KC01", "KC02", "KC03"]
                .iter()
                .any(|family| code.as_str().starts_with(family))
        })
        .filter(|code| !met.contains(code))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn every_finding_has_a_line_of_its_file() {
    for case in cases() {
        let (sources, diagnostics) = read(&case);
        for finding in diagnostics.iter() {
            let Some(source) = sources.get(finding.place.source) else {
                continue;
            };
            if source.text.trim().is_empty() || matches!(finding.code, Code::EmptySource) {
                continue;
            }
            let at = finding.place.position.expect("a position");
            let line = source.text.lines().nth(at.line - 1).unwrap_or_default();
            assert!(
                at.column <= line.chars().count() + 1,
                "{}: {finding:?}",
                case.display()
            );
        }
    }
}

#[test]
fn lines_of_json_have_all_keys() {
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
            "{} is there twice",
            code.as_str()
        );
        assert!(!code.title().is_empty());
        assert!(code.explain().len() > 100, "{} says little", code.as_str());
    }
}
