//! Finds and reads inputs: in a fixed order, each file once, with all errors.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]
use kube_codegen::source::{self, Input, MAX_BYTES, Problem};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    folder
}

fn input(path: &Path) -> Input {
    Input::parse(&path.to_string_lossy())
}

/// Returns the names below the directory, in the order in which they are read.
fn read(folder: &TempDir, inputs: &[Input]) -> Vec<String> {
    let sources = source::load(inputs).expect("readable");
    let below = |name: &str| {
        let path = Path::new(name).strip_prefix(folder.path()).expect("below");
        path.to_string_lossy().into_owned()
    };
    sources.iter().map(|source| below(&source.name)).collect()
}

fn problems(inputs: &[Input]) -> Vec<Problem> {
    source::load(inputs).expect_err("a problem").problems
}

#[test]
fn arguments_become_inputs() {
    let folder = folder(&[("a.yaml", b"a"), ("b[1].yaml", b"b")]);
    assert_eq!(Input::parse("-"), Input::Stdin);
    assert_eq!(
        input(folder.path()),
        Input::Directory(folder.path().to_path_buf())
    );
    for there in ["a.yaml", "b[1].yaml", "missing.yaml"] {
        let path = folder.path().join(there);
        assert_eq!(input(&path), Input::File(path));
    }
    let pattern = folder.path().join("*.yaml").to_string_lossy().into_owned();
    assert_eq!(Input::parse(&pattern), Input::Glob(pattern));
}

#[test]
fn directories_are_read_recursively_and_in_order() {
    let folder = folder(&[
        ("b.yml", b"b"),
        ("a.yaml", b"a"),
        ("sub/deep/c.JSON", b"{}"),
        ("readme.md", b"#"),
        (".hidden.yaml", b"x"),
        (".git/config.yaml", b"x"),
    ]);
    let inputs = [input(folder.path())];
    assert_eq!(
        read(&folder, &inputs),
        ["a.yaml", "b.yml", "sub/deep/c.JSON"]
    );

    let watched = source::watched(&inputs).expect("readable");
    let expected = ["", "a.yaml", "b.yml", "sub", "sub/deep", "sub/deep/c.JSON"];
    let expected: Vec<_> = expected
        .iter()
        .map(|name| folder.path().join(name))
        .collect();
    assert_eq!(watched, expected);
}

#[cfg(unix)]
#[test]
fn cycles_of_symbolic_links_end() {
    let folder = folder(&[("sub/a.yaml", b"a")]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("sub/up")).expect("a link");
    std::os::unix::fs::symlink(
        folder.path().join("sub/a.yaml"),
        folder.path().join("b.yaml"),
    )
    .expect("a link");
    // A link and its target count as one file.
    assert_eq!(read(&folder, &[input(folder.path())]), ["b.yaml"]);
}

#[test]
fn patterns_match_files_and_directories() {
    let folder = folder(&[("x/a.yaml", b"a"), ("x/b.txt", b"b"), ("y/c.yaml", b"c")]);
    let pattern = folder.path().join("x/*");
    assert_eq!(read(&folder, &[input(&pattern)]), ["x/a.yaml", "x/b.txt"]);
    let pattern = folder.path().join("[xy]");
    assert_eq!(read(&folder, &[input(&pattern)]), ["x/a.yaml", "y/c.yaml"]);
    let watched = source::watched(&[input(&folder.path().join("x/*.yaml"))]).expect("readable");
    assert_eq!(
        watched,
        [folder.path().join("x"), folder.path().join("x/a.yaml")]
    );
}

#[test]
fn a_file_named_twice_is_read_once() {
    let folder = folder(&[("a.yaml", b"a"), ("b.yaml", b"b")]);
    let file = input(&folder.path().join("b.yaml"));
    assert_eq!(
        read(&folder, &[file.clone(), input(folder.path()), file]),
        ["b.yaml", "a.yaml"]
    );
}

#[test]
fn byte_order_marks_are_removed() {
    let folder = folder(&[("a.yaml", "\u{feff}a: 1\r\n".as_bytes())]);
    let text = Input::Text {
        name: "text".to_owned(),
        text: "\u{feff}b".to_owned(),
    };
    let sources = source::load(&[input(folder.path()), text]).expect("readable");
    let texts: Vec<_> = sources.iter().map(|source| source.text.as_str()).collect();
    assert_eq!(texts, ["a: 1\r\n", "b"]);
    assert_eq!(sources[1].path, None);
}

#[test]
fn all_errors_are_reported_at_once() {
    let folder = folder(&[("a.yaml", b"ok\n\xff\xfe"), ("none/b.txt", b"")]);
    let at = |name: &str| folder.path().join(name);
    let problems = problems(&[
        Input::File(at("a.yaml")),
        Input::File(at("missing.yaml")),
        Input::File(at("none")),
        Input::Directory(at("none")),
        Input::Glob(at("*.nothing").to_string_lossy().into_owned()),
        Input::Glob("a**[".to_owned()),
    ]);
    let [utf8, missing, folder, empty, no_match, pattern] = problems.as_slice() else {
        panic!("{problems:#?}");
    };
    assert!(
        matches!(
            utf8,
            Problem::Utf8 {
                offset: 3,
                line: 2,
                ..
            }
        ),
        "{utf8}"
    );
    assert!(matches!(missing, Problem::Io { .. }), "{missing}");
    assert!(matches!(folder, Problem::Io { .. }), "{folder}");
    assert!(matches!(empty, Problem::NoFile { .. }), "{empty}");
    assert!(matches!(no_match, Problem::NoFile { .. }), "{no_match}");
    assert!(matches!(pattern, Problem::Pattern { .. }), "{pattern}");
    assert!(missing.to_string().contains("missing.yaml"));
}

#[test]
fn large_files_are_rejected() {
    let folder = folder(&[("a.yaml", b"")]);
    let path = folder.path().join("a.yaml");
    let file = fs::File::options().write(true).open(&path).expect("a file");
    file.set_len(MAX_BYTES + 1).expect("a sparse file");
    let problems = problems(&[Input::File(path)]);
    assert!(
        matches!(problems.as_slice(), [Problem::TooLarge { .. }]),
        "{problems:?}"
    );
}
