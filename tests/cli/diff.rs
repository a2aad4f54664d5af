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
        "--deny",
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
