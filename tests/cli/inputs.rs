//! Every command that takes CRDs reads every form of input: a table of commands, and a table of forms.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
    slice,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{files, stderr, stdout};

/// A command that takes CRDs: its words, `INPUT` among them, and what its output or the files it writes say about the CRD.
const COMMANDS: &[(&str, &[&str], &str)] = &[
    ("generate", &["-o", "out", "-f", "INPUT"], "self.size > 0"),
    (
        "new",
        &["widgets", "-o", "out", "-f", "INPUT"],
        "self.size > 0",
    ),
    ("add", &["-o", "operator", "-f", "INPUT"], "self.size > 0"),
    ("update", &["operator"], "self.size > 0"),
    (
        "crate",
        &["widgets", "-o", "out", "-f", "INPUT"],
        "self.size > 0",
    ),
    (
        "validate",
        &["object.yaml", "-f", "INPUT"],
        "1 object checked",
    ),
    ("lint", &["-f", "INPUT"], "missing-description: `size`"),
    ("sample", &["--full", "-f", "INPUT"], "size: "),
    ("docs", &["-o", "out", "-f", "INPUT"], "self.size"),
    ("schema", &["-o", "out", "-f", "INPUT"], "\"size\""),
    ("diff", &["INPUT", "new.yaml"], "spec.added"),
    ("versions", &["-f", "INPUT"], "Widget v1alpha1 -> v1"),
    ("policy", &["-f", "INPUT"], "self.size > 0"),
    (
        "explain",
        &["Widget.spec.size", "-f", "INPUT"],
        "size <integer>",
    ),
    ("dump", &["-f", "INPUT"], "\"size\""),
];

/// The other commands.
const OTHERS: &[&str] = &[
    "rbac",
    "deploy check",
    "deploy chart",
    "deploy bundle",
    // A program of its own, which reads the manifests of an operator.
    "dev",
    "crd init",
    "emitters",
    "completions",
    "man",
];

/// The argument of each form, and the file that is its standard input. `crds` is a directory, and the commit has it, too.
const FORMS: &[(&str, Option<&str>)] = &[
    ("crd.yaml", None),
    ("crds", None),
    ("crds/*.yaml", None),
    ("-", Some("crd.yaml")),
    ("-", Some("list.yaml")),
    ("-", Some("list.json")),
    ("-", Some("stream.json")),
    ("git:HEAD:crds", None),
    ("cluster:widgets.example.com", None),
    ("cluster:*.example.com", None),
    ("list.yaml", None),
    ("list.json", None),
    ("nested.yaml", None),
    ("typed.yaml", None),
    ("crd.json", None),
    ("v1beta1.yaml", None),
    ("v1beta1-typed.json", None),
];

/// Returns a CRD of two versions.
fn crd() -> Value {
    let version = |name: &str, storage: bool| {
        let size = json!({"type": "integer", "minimum": 1});
        json!({
            "name": name, "served": true, "storage": storage, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
                "type": "object", "properties": {"size": size},
                "x-kubernetes-validations": [{"rule": "self.size > 0"}], "required": ["size"],
            }}}},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": [version("v1alpha1", false), version("v1", true)],
        },
    })
}

/// Returns the same CRD as v1beta1, with one schema for both versions.
fn legacy() -> Value {
    let mut crd = crd();
    crd["apiVersion"] = "apiextensions.k8s.io/v1beta1".into();
    let schema = &mut crd["spec"]["versions"][0]["schema"];
    schema["openAPIV3Schema"]["properties"]["metadata"] = json!({"type": "object"});
    crd["spec"]["validation"] = schema.clone();
    crd["spec"]["subresources"] = json!({"status": {}});
    for version in crd["spec"]["versions"].as_array_mut().unwrap() {
        let version = version.as_object_mut().unwrap();
        version.remove("schema");
        version.remove("subresources");
    }
    crd
}

fn yaml(values: &[Value]) -> String {
    let texts = values.iter().map(|it| serde_yaml::to_string(it).unwrap());
    texts.collect::<Vec<_>>().join("---\n")
}

/// Writes all forms and what commands need besides.
fn prepare(directory: &Path) {
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    let list = |items: &[Value]| json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items});
    let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}});
    let typed = |version: &str, crd: &Value| {
        let mut item = crd.clone();
        item.as_object_mut()
            .unwrap()
            .retain(|name, _| name != "kind" && name != "apiVersion");
        json!({"apiVersion": format!("apiextensions.k8s.io/{version}"), "kind": "CustomResourceDefinitionList", "items": [item]})
    };
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    let crd = crd();
    fs::create_dir(directory.join("crds")).unwrap();
    for name in ["crd.yaml", "crds/widgets.yaml"] {
        write(name, &yaml(slice::from_ref(&crd)));
    }
    write("crd.json", &pretty(&crd));
    write("list.yaml", &yaml(&[list(&[other.clone(), crd.clone()])]));
    write("list.json", &pretty(&list(&[crd.clone(), other.clone()])));
    write(
        "stream.json",
        &format!("{}\n{}\n", pretty(&other), pretty(&crd)),
    );
    write(
        "nested.yaml",
        &yaml(&[
            other.clone(),
            list(&[list(&[]), list(&[other, crd.clone()])]),
        ]),
    );
    write("typed.yaml", &yaml(&[typed("v1", &crd)]));
    write("v1beta1.yaml", &yaml(&[legacy()]));
    write("v1beta1-typed.json", &pretty(&typed("v1beta1", &legacy())));
    let mut new = crd.clone();
    for version in new["spec"]["versions"].as_array_mut().unwrap() {
        let spec = &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"];
        spec["properties"]["added"] = json!({"type": "string"});
    }
    write("new.yaml", &yaml(&[new]));
    write(
        "object.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n",
    );

    // The client is a program beside this one. If this process wrote it, a test that starts another process could keep it open (`ETXTBSY`).
    write("script", &format!("#!/bin/sh\necho '{crd}'\n"));
    for (from, to) in [
        (
            Path::new(env!("CARGO_BIN_EXE_kube-codegen")),
            "kube-codegen",
        ),
        (&directory.join("script"), "kube-codegen-dev"),
    ] {
        let to = directory.join(to);
        let copied = Command::new("cp").arg(from).arg(&to).status().unwrap();
        assert!(copied.success());
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for words in [
        &["init", "--quiet"][..],
        &["add", "crds"],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "commit",
            "--quiet",
            "-m",
            "CRDs",
        ],
    ] {
        let git = Command::new("git")
            .args(words)
            .current_dir(directory)
            .status();
        assert!(git.unwrap().success());
    }
}

/// Runs a command on a form of input, and returns what it printed and wrote.
fn run(directory: &Path, words: &[&str], input: Option<&str>) -> (bool, String) {
    let stdin = match input {
        Some(file) => Stdio::from(fs::File::open(directory.join(file)).unwrap()),
        None => Stdio::null(),
    };
    let output = Command::new(directory.join("kube-codegen"))
        .args(words)
        .current_dir(directory)
        .stdin(stdin)
        .output()
        .unwrap();
    let mut text = stdout(&output) + &stderr(&output);
    for place in ["out", "operator"] {
        let place = directory.join(place);
        if place.exists() {
            text.extend(files(&place).into_values());
            fs::remove_dir_all(place).unwrap();
        }
    }
    (output.status.success(), text)
}

/// Names the commands that do something, without groups of commands.
fn names(command: &clap::Command, above: &str, found: &mut BTreeSet<String>) {
    for inner in command.get_subcommands() {
        let name = format!("{above}{}", inner.get_name());
        if inner.has_subcommands() {
            names(inner, &format!("{name} "), found);
        } else {
            found.insert(name);
        }
    }
}

#[test]
fn every_command_is_in_the_tables() {
    let mut found = BTreeSet::new();
    names(&kube_codegen::cli::command(), "", &mut found);
    let listed = COMMANDS
        .iter()
        .map(|(name, ..)| *name)
        .chain(OTHERS.iter().copied());
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert_eq!(found, listed);
}

/// Makes the operator that `add` and `update` change, whose only kind is one of Kubernetes; `input` is in its config file.
fn operator(directory: &Path, input: Option<&str>) {
    let (made, text) = {
        let output = Command::new(directory.join("kube-codegen"))
            .args(["new", "operator", "--watch", "v1/Pod"])
            .current_dir(directory)
            .output()
            .unwrap();
        (output.status.success(), stderr(&output))
    };
    assert!(made, "{text}");
    if let Some(input) = input {
        let mut config = fs::File::create(directory.join("operator/kube-codegen.toml")).unwrap();
        // From the directory of the config file, where a path is relative to it.
        let is_path = directory.join(input.trim_end_matches("/*.yaml")).exists();
        let input = if is_path {
            format!("../{input}")
        } else {
            input.to_owned()
        };
        writeln!(config, "file = {input:?}\noutput = \"src/generated\"").unwrap();
    }
}

#[test]
fn every_command_reads_every_form_of_input() {
    let directory = TempDir::new().unwrap();
    let directory = directory.path();
    prepare(directory);
    let mut wrong = Vec::new();
    for (name, words, says) in COMMANDS {
        for (form, stdin) in FORMS {
            let words = words
                .iter()
                .map(|it| if *it == "INPUT" { form } else { it });
            let words: Vec<&str> = [*name].into_iter().chain(words.copied()).collect();
            match *name {
                "add" => operator(directory, None),
                "update" => operator(directory, Some(form)),
                _ => {}
            }
            let (succeeded, text) = run(directory, &words, *stdin);
            // The API server rejects v1beta1, and what the old release accepted the new one may drop.
            let may_fail = *name == "diff" && form.starts_with("v1beta1");
            if !text.contains(says) || !(succeeded || may_fail) {
                wrong.push(format!("{words:?} < {stdin:?}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_command_reads_the_config_file() {
    let directory = TempDir::new().unwrap();
    let directory = directory.path();
    prepare(directory);
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write("kube-codegen.toml", "file = 'crd.yaml'\n");
    write("deny.toml", "deny = 'KC0217'\n");
    for (name, words, says) in COMMANDS {
        let Some(flag) = words.iter().position(|it| *it == "-f") else {
            continue;
        };
        // The one of the operator.
        if *name == "add" {
            continue;
        }
        let words = [&[*name][..], &words[..flag]].concat();
        let (succeeded, text) = run(directory, &words, None);
        assert!(succeeded && text.contains(says), "{words:?}: {text}");
        // A flag that names inputs comes before the file, unless a flag names that, too.
        let ignored = "`kube-codegen.toml` is ignored because of --file";
        let with = |flags: &[&str]| {
            let words = [&words[..], flags].concat();
            run(directory, &words, None)
        };
        let (succeeded, text) = with(&["-f", "v1beta1.yaml"]);
        // A warning, where the options of the file would change what the command writes or reports.
        let is_said = matches!(*name, "generate" | "crate" | "new" | "lint" | "dump");
        assert!(
            succeeded && text.contains(ignored) == is_said,
            "{words:?}: {text}"
        );
        // Its other options count: what is denied there is an error.
        let (succeeded, text) = with(&["-f", "v1beta1.yaml", "--config", "deny.toml"]);
        assert!(!succeeded && !text.contains(ignored), "{words:?}: {text}");
        let (succeeded, text) = with(&["-f", "crd.yaml", "--config", "deny.toml"]);
        assert!(succeeded && text.contains(says), "{words:?}: {text}");
    }
}

/// The rules of the API server for `apiextensions.k8s.io/v1beta1`: fields at the top are those of each version, and unknown fields are kept
/// unless `preserveUnknownFields` is false.
#[test]
fn v1beta1_is_converted_as_the_api_server_does() {
    let directory = TempDir::new().unwrap();
    let directory = directory.path();
    let with = |preserves: Value| {
        let mut crd = legacy();
        crd["spec"]["preserveUnknownFields"] = preserves;
        fs::write(directory.join("crd.yaml"), yaml(&[crd])).unwrap();
    };
    let run = |words: &[&str]| {
        let output = super::run(directory, words);
        (output.status.success(), stdout(&output) + &stderr(&output))
    };
    let object = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1, unknown: {a: 1}}\n";
    fs::write(directory.join("object.yaml"), object).unwrap();
    for (preserves, keeps) in [
        (Value::Null, true),
        (true.into(), true),
        (false.into(), false),
    ] {
        with(preserves);
        let (valid, text) = run(&["validate", "object.yaml", "-f", "crd.yaml"]);
        assert_eq!(valid, keeps, "{text}");
        run(&["schema", "-o", "out", "-f", "crd.yaml"]);
        let schema = fs::read_to_string(directory.join("out/example.com/widget_v1.json")).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let spec = &schema["properties"]["spec"];
        assert_eq!(spec["additionalProperties"] != false, keeps, "{spec}");
        // What becomes of it is a CRD that the API server accepts.
        run(&["generate", "-o", "generated", "-f", "crd.yaml"]);
        let manifest = "generated/example_com/widgets.json";
        let (valid, text) = run(&["validate", "-f", manifest]);
        assert!(valid, "{text}");
        // Each version has the schema and the subresource of the whole.
        let (_, text) = run(&["policy", "-f", "crd.yaml"]);
        for version in ["v1alpha1", "v1"] {
            let policy =
                format!("kind: ValidatingAdmissionPolicy\nmetadata:\n  name: {version}.widgets");
            assert!(text.contains(&policy), "{text}");
        }
        assert_eq!(text.matches("widgets/status").count(), 2, "{text}");
    }
}
