//! `kube-codegen generate`, and the options that all commands have.
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

use super::{CRDKIND, directory, kube_codegen, paths, run, stderr, stdout, succeed};

/// Returns the modification times of all files below a directory.
fn times(root: &Path) -> Vec<(PathBuf, SystemTime)> {
    let time = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    paths(root)
        .into_iter()
        .map(|path| (path.clone(), time(&path)))
        .collect()
}

#[test]
fn a_second_run_keeps_every_modification_time() {
    let directory = directory(CRDKIND);
    let args = ["generate", "-f", "crd.yaml", "-o", "out"];
    succeed(directory.path(), &args);
    let before = times(directory.path());
    assert!(before.iter().any(|(path, _)| path.ends_with("types.rs")));
    let second = succeed(directory.path(), &args);
    assert!(second.contains(" 0 files written, "), "{second}");
    assert_eq!(times(directory.path()), before);
}

#[test]
fn standard_input_is_read() {
    let directory = TempDir::new().unwrap();
    let mut child = kube_codegen(directory.path())
        .args(["generate", "-f", "-", "-o", "out"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(CRDKIND.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(
        directory
            .path()
            .join("out/iksoon_test_com/v1/types.rs")
            .exists()
    );
}

#[test]
fn paths_are_relative_to_the_config_file() {
    let directory = directory(CRDKIND);
    let config = "file = ['../crd.yaml']\noutput = 'src'\nemit = ['types']\n";
    let a = directory.path().join("a");
    let b = a.join("b");
    fs::create_dir_all(&b).unwrap();
    fs::write(a.join("kube-codegen.toml"), config).unwrap();
    succeed(&a, &["generate"]);
    assert!(a.join("src/iksoon_test_com/v1/types.rs").exists());
    let args = ["generate", "--config", "../kube-codegen.toml"];
    succeed(&b, &[&args[..], &["--check"]].concat());
    succeed(&b, &[&args[..], &["-o", "flag"]].concat());
    assert!(b.join("flag/mod.rs").exists());
}

#[test]
fn an_ignored_config_file_is_reported() {
    let directory = directory(CRDKIND);
    fs::write(
        directory.path().join("kube-codegen.toml"),
        "emit = ['types']\n",
    )
    .unwrap();
    let warning = |more: &[&str]| {
        let args = [&["generate", "-f", "crd.yaml"], more].concat();
        stderr(&run(directory.path(), &args))
    };
    let expected = "warning: `kube-codegen.toml` is ignored because of --file; use its options with \
                    `--config kube-codegen.toml`\n";
    assert_eq!(warning(&[]), expected);
    assert_eq!(warning(&["--quiet"]), expected);
    assert_eq!(warning(&["-qq"]), "");
    assert_eq!(warning(&["--config", "kube-codegen.toml"]), "");
    let version = directory.path().join("generated/iksoon_test_com/v1");
    assert!(version.join("types.rs").exists());
    assert!(!version.join("client.rs").exists());
}

#[test]
fn json_output_has_one_object_per_line_and_ends_with_a_summary() {
    let directory = directory(CRDKIND);
    let bad = CRDKIND.replace("type: integer", "type: integre");
    fs::write(directory.path().join("bad.yaml"), bad).unwrap();
    for (file, code, outcome) in [("crd.yaml", 0, "generated"), ("bad.yaml", 1, "invalid")] {
        let args = [
            "generate",
            "-f",
            file,
            "-o",
            "out",
            "--message-format",
            "json",
        ];
        let output = run(directory.path(), &args);
        let objects: Vec<serde_json::Value> = stdout(&output)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(output.status.code(), Some(code), "{file}");
        let summary = objects.last().unwrap();
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["outcome"], outcome);
        assert_eq!(summary["findings"], objects.len() - 1);
        if code == 1 {
            assert_eq!(objects[0]["type"], "finding");
            assert_eq!(objects[0]["severity"], "error");
            assert_eq!(objects[0]["file"], "bad.yaml");
            assert!(objects[0]["line"].as_u64() > Some(20), "{}", objects[0]);
        }
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn invalid_input_writes_nothing() {
    let directory = directory(CRDKIND);
    let args = ["generate", "-f", "bad.yaml", "-o", "out"];
    succeed(
        directory.path(),
        &["generate", "-f", "crd.yaml", "-o", "out"],
    );
    for (what, bad) in [
        ("a tab", CRDKIND.replace("  group:", "\tgroup:")),
        ("a duplicate key", CRDKIND.replace("  scope:", "  group: other\n  scope:")),
        ("no names", CRDKIND.replace("    plural: crdplural\n", "")),
        ("a name that is a path", CRDKIND.replace("crdplural", "../../x")),
        ("a version twice", CRDKIND.replace("  versions:\n", "  versions:\n    - { name: v1, served: true, storage: false, schema: { openAPIV3Schema: { type: object } } }\n")),
        ("not a definition", "a: 1\n".to_owned()),
        ("not UTF-8", String::new()),
    ] {
        let bytes = if bad.is_empty() { b"\xff\xfe\xfa".to_vec() } else { bad.into_bytes() };
        fs::write(directory.path().join("bad.yaml"), bytes).unwrap();
        let before = times(directory.path());
        let output = run(directory.path(), &args);
        let code = if what == "not UTF-8" { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{what}: {}", stderr(&output));
        assert!(stderr(&output).contains("bad.yaml"), "{what}: {}", stderr(&output));
        assert_eq!(times(directory.path()), before, "{what}");
    }
}

#[test]
fn warnings_can_be_denied() {
    let directory = directory(CRDKIND);
    let root = directory.path();
    let warned = CRDKIND.replace(
        "type: integer",
        "type: integer\n                  x-vendor: 1",
    );
    fs::write(root.join("warned.yaml"), warned).unwrap();
    let generate = |more: &[&str]| {
        run(
            root,
            &[&["generate", "-f", "warned.yaml", "-o", "out"], more].concat(),
        )
    };
    for denied in ["warnings", "KC0216", "KC0101,kc0216"] {
        let output = generate(&["--deny", denied]);
        assert_eq!(output.status.code(), Some(1), "{denied}");
        assert!(stderr(&output).contains("warning[KC0216]"), "{denied}");
        assert!(stderr(&output).contains("nothing was written"), "{denied}");
        assert!(!root.join("out").exists(), "{denied}");
    }
    // Other commands write nothing anyway.
    let config = "file = 'warned.yaml'\ndeny = 'warnings'\n";
    fs::write(root.join("kube-codegen.toml"), config).unwrap();
    for command in [
        &["sample"][..],
        &["versions"],
        &["policy"],
        &["explain", "CrdKind.spec"],
    ] {
        let output = run(root, command);
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let stderr = stderr(&output);
        assert_eq!(
            stderr.lines().last(),
            Some("error: 1 diagnostic denied"),
            "{command:?}: {stderr}"
        );
    }
    let output = generate(&["--deny", "warnings", "--message-format", "json"]);
    let last = stdout(&output).lines().last().unwrap().to_owned();
    let summary: serde_json::Value = serde_json::from_str(&last).unwrap();
    assert_eq!(summary["outcome"], "denied");
    assert_eq!(summary["denied"], 1);
    for (denied, code) in [("KC0401", 0), ("KC0000", 2)] {
        let output = generate(&["--deny", denied]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{denied}: {}",
            stderr(&output)
        );
    }
    let config = "file = ['warned.yaml']\noutput = 'by-config'\ndeny = ['warnings']\n";
    fs::write(root.join("kube-codegen.toml"), config).unwrap();
    assert_eq!(run(root, &["generate"]).status.code(), Some(1));
    assert!(!root.join("by-config").exists());
}

#[test]
fn quiet_prints_warnings_and_doubled_only_errors() {
    let directory = directory(CRDKIND);
    let both = format!("{CRDKIND}---\napiVersion: v1\nkind: ConfigMap\n---\n{CRDKIND}").replacen(
        "type: integer",
        "type: integre",
        1,
    );
    fs::write(directory.path().join("both.yaml"), both).unwrap();
    let shown = |more: &[&str]| {
        stderr(&run(
            directory.path(),
            &[&["generate", "-f", "both.yaml"], more].concat(),
        ))
    };
    assert!(shown(&[]).contains("warning["));
    assert!(shown(&["--quiet"]).contains("warning["));
    assert!(!shown(&["-qq"]).contains("warning["));
    assert!(shown(&["-qq"]).contains("error["));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let directory = directory(CRDKIND);
    let mut child = kube_codegen(directory.path())
        .args(["generate", "-f", "crd.yaml", "-o", "out"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
    assert!(directory.path().join("out/mod.rs").exists());
}

#[test]
fn output_has_colors_only_on_a_terminal_or_on_request() {
    let directory = directory(CRDKIND);
    fs::write(directory.path().join("bad.yaml"), "a: [\n").unwrap();
    let args = ["generate", "-f", "bad.yaml"];
    assert!(!stderr(&run(directory.path(), &args)).contains('\x1b'));
    let always = run(
        directory.path(),
        &["generate", "-f", "bad.yaml", "--color=always"],
    );
    assert!(stderr(&always).contains("\x1b["));
}

#[test]
fn every_code_has_an_explanation_and_every_shell_a_completion_script() {
    let here = TempDir::new().unwrap();
    let listed = stdout(&run(here.path(), &["explain"]));
    assert!(listed.lines().count() > 20, "{listed}");
    for line in listed.lines() {
        let (code, _) = line.split_once(' ').unwrap();
        let explained = stdout(&run(here.path(), &["explain", &code.to_lowercase()]));
        assert!(
            explained.starts_with(code) && explained.lines().count() > 2,
            "{explained}"
        );
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&run(here.path(), &["completions", shell]));
        for word in ["deny", "keep-going"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        // The values of --kubernetes, --emit, and --deny or `explain`; clap has none for elvish and powershell. The help of --emit has them, too.
        let values = script.replace("`informer", "");
        for value in ["1.35", "informer", "KC0501"] {
            let is_listed = values.contains(value);
            assert_eq!(
                is_listed,
                !matches!(shell, "elvish" | "powershell"),
                "{shell}: {value}"
            );
        }
    }
}

#[test]
fn a_run_says_for_which_directory_it_waits() {
    let directory = directory(CRDKIND);
    let other = fs::File::open(directory.path()).unwrap();
    other.lock().unwrap();
    let start = |more: &[&str]| {
        let mut command = kube_codegen(directory.path());
        command.args(["generate", "-f", "crd.yaml", "-o", "out"]);
        command.args(more).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    };
    let [quiet, json] = [&["-qq"][..], &["--message-format", "json"]].map(start);
    let mut child = start(&[]);
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut line).unwrap();
    let path = directory.path().canonicalize().unwrap();
    let expected = format!(
        "waiting for another kube-codegen process, which is writing to `{}`",
        path.display()
    );
    assert_eq!(line, format!("warning: {expected}\n"));
    // The others started before, but may have been slower.
    thread::sleep(Duration::from_secs(1));
    other.unlock().unwrap();
    assert!(child.wait().unwrap().success());
    let quiet = quiet.wait_with_output().unwrap();
    assert_eq!((quiet.stdout, quiet.stderr), (vec![], vec![]));
    let json = json.wait_with_output().unwrap();
    assert_eq!(super::stderr(&json), "");
    let lines = stdout(&json);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["type"], "warning");
    assert_eq!(first["message"], expected);
}

#[test]
fn a_misspelled_code_is_one_beside_a_config_file() {
    let directory = directory(CRDKIND);
    let config = directory.path().join("kube-codegen.toml");
    fs::write(config, "file = 'crd.yaml'").unwrap();
    for (what, hint) in [
        ("KC01o1", "did you mean KC0101?"),
        ("kc4é", "`kube-codegen explain` lists all codes"),
        ("9999", "`kube-codegen explain` lists all codes"),
    ] {
        let output = run(directory.path(), &["explain", what]);
        let expected = format!("error: unknown code `{what}`; {hint}\n");
        assert_eq!(stderr(&output), expected);
    }
    for what in ["KCé", "KCrdKind", "é", "K"] {
        let output = run(directory.path(), &["explain", what]);
        let stderr = stderr(&output);
        assert!(stderr.starts_with("error: no kind `"), "{what}: {stderr}");
    }
}

#[test]
fn a_conversion_that_matches_nothing_points_at_its_path() {
    let version = |name: &str, storage: bool, host: &str| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {storage}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
             spec:\n            type: object\n            properties:\n              {host}: {{type: string}}\n              same: {{type: string}}\n"
        )
    };
    let crd = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: sites.example.com}}\nspec:\n  group: example.com\n  \
         scope: Namespaced\n  names: {{kind: Site, plural: sites}}\n  versions:\n{}{}",
        version("v1beta1", false, "host"),
        version("v1", true, "domain")
    );
    for (declaration, message, place, hint) in [
        // The field of a misspelled path that there is.
        (
            "path = 'spec.hots'\nkeep = true",
            "`spec.hots` of `Site`",
            "crd.yaml:29:13",
            "did you mean `spec.host`?",
        ),
        (
            "rename = 'spec.host -> spec.domian'",
            "`spec.host -> spec.domian` of `Site`",
            "crd.yaml:29:13",
            "did you mean `spec.domain`?",
        ),
        (
            "path = 'status.host'\nkeep = true",
            "`status.host` of `Site`",
            "crd.yaml:26:9",
            "`kube-codegen versions` lists",
        ),
        // The field that is the same in both versions.
        (
            "path = 'spec.same'\nvalues = {a = 'b'}",
            "`spec.same` of `Site`",
            "crd.yaml:32:",
            "`kube-codegen versions` lists",
        ),
        (
            "from = 'v1'\nto = 'v2'\npath = 'spec.domain'\nkeep = true",
            "`spec.domain` of `Site`",
            "crd.yaml:31:",
            "`kube-codegen versions` lists",
        ),
    ] {
        let folder = super::directory(&crd);
        let config = format!("file = 'crd.yaml'\n[[conversion]]\nkind = 'Site'\n{declaration}\n");
        fs::write(folder.path().join("kube-codegen.toml"), config).unwrap();
        let output = run(folder.path(), &["generate", "-o", "out"]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text.contains("error[KC0504]") && text.contains(message),
            "{text}"
        );
        assert!(
            text.contains(&format!("--> {place}")),
            "{declaration}: {text}"
        );
        assert!(text.contains(hint), "{text}");
        assert!(
            text.ends_with("error: 1 error; nothing was written\n"),
            "{text}"
        );
    }
}

#[test]
fn each_command_that_writes_says_how_many_errors_there_are() {
    let folder =
        super::directory("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n");
    let commands: [&[&str]; 4] = [
        &["generate", "-f", "crd.yaml", "-o", "out"],
        &["new", "web", "-f", "crd.yaml"],
        &["crate", "web", "-f", "crd.yaml"],
        &["new", "web", "-q", "-f", "crd.yaml"],
    ];
    for command in commands {
        let output = run(folder.path(), command);
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let text = stderr(&output);
        let errors = text
            .lines()
            .filter(|line| line.starts_with("error["))
            .count();
        let last = format!("error: {errors} errors; nothing was written\n");
        assert!(errors > 1 && text.ends_with(&last), "{command:?}: {text}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn each_command_prints_the_version_of_the_program() {
    let version = format!("kube-codegen {}\n", env!("CARGO_PKG_VERSION"));
    for command in [
        &["--version"][..],
        &["-V"],
        &["new", "--version"],
        &["deploy", "check", "-V"],
        &["crd", "init", "--version"],
    ] {
        assert_eq!(succeed(Path::new("."), command), version);
    }
}
