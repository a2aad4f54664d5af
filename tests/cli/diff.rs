//! `kube-codegen diff` on releases in git.
use std::{fs, path::Path, process::Command};

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{kube_codegen, stderr, stdout};

fn git(directory: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    let output = Command::new("git")
        .current_dir(directory)
        .args(identity)
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
}

#[test]
fn a_release_is_read_from_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let deploy = folder.path().join("deploy");
    fs::create_dir(&deploy).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/diff.in");
    let copy = |name: &str| fs::copy(root.join(name), deploy.join("crd.yaml")).unwrap();
    copy("old.yaml");
    fs::write(deploy.join("README.md"), "Not a manifest.").unwrap();
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "one"]);
    copy("new.yaml");

    let diff = |directory: &Path, args: &[&str]| {
        let mut command = kube_codegen(directory);
        let output = command.arg("diff").args(args).output().unwrap();
        (output.status.code(), stdout(&output), stderr(&output))
    };
    // A file and a directory; paths are relative to the working directory.
    for (directory, old, new) in [
        (folder.path(), "git:HEAD:deploy/crd.yaml", "deploy"),
        (folder.path(), "git:HEAD:deploy", "deploy/crd.yaml"),
        (&*deploy, "git:HEAD:crd.yaml", "."),
        (&*deploy, "git:HEAD:.", "crd.yaml"),
    ] {
        let (code, out, error) = diff(directory, &[old, new]);
        assert_eq!(code, Some(1), "{old}: {error}");
        assert!(out.contains("v1 spec.size: narrowed"), "{out}");
        let (code, out, error) = diff(directory, &[old, old]);
        assert_eq!((code, out.trim()), (Some(0), "no change"), "{error}");
    }
    for (old, why) in [
        ("git:HEAD:missing.yaml", "does not exist"),
        ("git:nothing:deploy", "invalid object name"),
        ("git:--output=x:deploy", "not a commit"),
    ] {
        let (code, _, error) = diff(folder.path(), &[old, "deploy"]);
        assert_eq!(code, Some(2));
        assert!(error.contains(old) && error.contains(why), "{error}");
    }
}

#[test]
fn a_comment_of_a_pull_request_holds_texts_of_crds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/diff.in");
    let folder = tempfile::tempdir().unwrap();
    let old = fs::read_to_string(root.join("old.yaml")).unwrap();
    let new = old
        .replace(
            "[Red, Green]",
            r#"["a|b", "<img src=x>", "![i](https://example.com/i.png)", "@people", "`c"]"#,
        )
        .replace("default: Slow", r#"default: "`````""#);
    fs::write(folder.path().join("old.yaml"), old).unwrap();
    fs::write(folder.path().join("new.yaml"), new).unwrap();
    let args = [
        "diff",
        "old.yaml",
        "new.yaml",
        "--markdown",
        "--fail-on",
        "risk",
    ];
    let output = kube_codegen(folder.path()).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let page = stdout(&output);
    let parser = Parser::new_ext(&page, Options::ENABLE_TABLES);
    let (mut rows, mut blocks, mut texts) = (0, 0, String::new());
    for event in parser {
        match event {
            Event::Start(Tag::TableRow) => rows += 1,
            Event::Start(Tag::CodeBlock(_)) => blocks += 1,
            Event::Text(text) | Event::Code(text) => texts.push_str(&text),
            Event::Html(html) | Event::InlineHtml(html) => {
                let own = ["details", "<code>", "</code>", "<!-- -->"];
                assert!(own.iter().any(|it| html.contains(it)), "{html}");
                assert!(!html.contains("<img"), "{html}");
                texts.push_str(if *html == *"<!-- -->" { "_" } else { "" });
            }
            Event::Start(Tag::Image { .. } | Tag::Link { .. }) => panic!("{page}"),
            _ => {}
        }
    }
    // One row per change, and the proofs in blocks that end where they should.
    assert_eq!((rows, blocks), (2, 4), "{page}");
    for text in ["a|b", "<img src=x>", "![i](", "\"@_people"] {
        assert!(texts.contains(text), "{text}: {page}");
    }
}

/// A CRD whose `spec` has these properties.
fn with_fields(fields: &serde_json::Value) -> String {
    serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": fields}},
            }}}],
        },
    })
    .to_string()
}

#[test]
fn many_similar_changes_are_examples_and_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..9).map(|it| format!("field{it}")).collect();
    let fields = |default: i32| -> serde_json::Map<_, _> {
        let field = serde_json::json!({"type": "integer", "default": default});
        names.iter().map(|it| (it.clone(), field.clone())).collect()
    };
    for (file, default) in [("old.json", 1), ("new.json", 2)] {
        let text = with_fields(&fields(default).into());
        fs::write(folder.path().join(file), text).unwrap();
    }
    let diff = |args: &[&str]| {
        let mut command = kube_codegen(folder.path());
        let args = [&["diff", "old.json", "new.json"], args].concat();
        stdout(&command.args(args).output().unwrap())
    };
    let shown = |out: &str| names.iter().filter(|it| out.contains(&***it)).count();
    let out = diff(&[]);
    assert_eq!(shown(&out), 3, "{out}");
    assert!(out.contains("6 more like these; -v shows them"), "{out}");
    // Nothing is left out for those who ask, nor for programs.
    for all in [&["-v"][..], &["--message-format", "json"]] {
        let out = diff(all);
        assert_eq!(shown(&out), names.len(), "{out}");
    }
}

#[test]
fn words_that_yaml_reads_as_booleans_have_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let field = |word: &str| {
        let json = with_fields(&serde_json::json!({"flag": {"type": "string", "enum": ["WORD"]}}));
        fs::write(folder.path().join(word), json.replace("\"WORD\"", word)).unwrap();
    };
    field("y");
    field("n");
    let output = kube_codegen(folder.path())
        .args(["diff", "y", "n"])
        .output();
    let error = stderr(&output.unwrap());
    for word in ["y", "n"] {
        let hint = format!("write \"{word}\" for the text");
        assert!(error.contains(&hint), "{error}");
    }
}
