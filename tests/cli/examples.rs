//! The operators in `generated-examples/`: what is not by hand is what `kube-codegen new` writes.
//!
//! `KUBE_CODEGEN_ACCEPT=1 cargo test --test generator cli::` updates that.
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use diffy::Line;
use tempfile::TempDir;

use super::{ROOT, deploy::FEATURES, files, run, succeed};

/// An operator, which `kube-codegen new` made.
struct Example {
    name: &'static str,
    /// The arguments, in the directory of the example.
    args: &'static [&'static str],
    /// What `kube-codegen add` has added.
    features: &'static [&'static str],
    /// The scaffolded files that were changed by hand, besides `Cargo.toml` and `README.md`.
    by_hand: &'static [&'static str],
}

const EXAMPLES: [Example; 6] = [
    Example {
        name: "crdkind-operator",
        args: &["-f", "deploy/crd.yaml"],
        features: &FEATURES,
        by_hand: &[
            "deploy/rbac.yaml",
            "kube-codegen.toml",
            "src/controller.rs",
            "src/lib.rs",
            "src/main.rs",
        ],
    },
    Example {
        name: "foo-controller",
        args: &["-f", "deploy/crd.yaml"],
        features: &[],
        by_hand: &[
            "deploy/rbac.yaml",
            "src/controller.rs",
            "src/lib.rs",
            "src/main.rs",
        ],
    },
    Example {
        name: "network-controller",
        args: &["-f", "network.v1beta1.yaml"],
        features: &[],
        by_hand: &[
            "deploy/deployment.yaml",
            "deploy/rbac.yaml",
            "src/controller.rs",
            "src/lib.rs",
            "src/main.rs",
        ],
    },
    Example {
        name: "pod-watcher",
        args: &["--watch", "v1/Pod"],
        features: &[],
        by_hand: &["src/controller.rs", "src/lib.rs"],
    },
    Example {
        name: "secret-copier",
        args: &["--watch", "v1/Secret"],
        features: &[],
        by_hand: &[
            "deploy/rbac.yaml",
            "src/controller.rs",
            "src/lib.rs",
            "src/main.rs",
        ],
    },
    Example {
        name: "virtualmachine-operator",
        args: &[
            "-f",
            "deploy/crd.yaml",
            "--webhooks",
            "defaulting,validating,conversion",
        ],
        features: &["metrics", "network-policy", "roles"],
        by_hand: &[
            ".kube-codegen/scaffold.json",
            "deploy/rbac.yaml",
            "deploy/sample.yaml",
            "kube-codegen.toml",
            "src/controller.rs",
            "src/generated/infra_example_com/v1/conversion.rs",
            "src/lib.rs",
            "src/webhooks.rs",
        ],
    },
];

/// Returns the names of the examples.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    EXAMPLES.iter().map(|example| example.name)
}

impl Example {
    fn directory(&self) -> PathBuf {
        Path::new(ROOT).join("generated-examples").join(self.name)
    }

    /// Returns the files that `kube-codegen new` writes, except the tests: the examples have others.
    fn scaffold(&self) -> BTreeMap<String, String> {
        // An operator in this repository has relative paths.
        let repository = TempDir::new().unwrap();
        let crates = repository.path().join("crates");
        for (path, text) in [
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"generated-examples/*\"]\n",
            ),
            (
                "crates/runtime/Cargo.toml",
                "[package]\nname = \"kube-codegen-runtime\"\n",
            ),
        ] {
            let path = repository.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let target = repository.path().join("generated-examples").join(self.name);
        let (output, crates) = (target.to_str().unwrap(), crates.to_str().unwrap());
        let new = [
            "new",
            self.name,
            "-qq",
            "-o",
            output,
            "--runtime-path",
            crates,
        ];
        succeed(&self.directory(), &[&new, self.args].concat());
        if !self.features.is_empty() {
            succeed(&target, &[&["add", "-qq"], self.features].concat());
        }
        let mut files = files(&target);
        files.retain(|path, _| !path.starts_with("tests/"));
        files
    }

    fn is_by_hand(&self, path: &str) -> bool {
        ["Cargo.toml", "README.md"].contains(&path) || self.by_hand.contains(&path)
    }
}

#[test]
fn all_is_as_scaffolded_but_the_files_changed_by_hand() {
    let accepts = env::var_os("KUBE_CODEGEN_ACCEPT").is_some();
    for example in EXAMPLES {
        let name = example.name;
        let present = files(&example.directory());
        let scaffold = example.scaffold();
        for (path, text) in &scaffold {
            let is_same = present.get(path) == Some(text);
            if example.is_by_hand(path) {
                assert!(!is_same, "{name}/{path} is not changed by hand any more");
            } else if accepts {
                let path = example.directory().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            } else {
                assert!(
                    is_same,
                    "{name}/{path} differs from what is scaffolded; KUBE_CODEGEN_ACCEPT=1 updates it"
                );
            }
        }
        for path in example.by_hand {
            assert!(scaffold.contains_key(*path), "{name}/{path}");
        }
        let crate_of = |path: &str| scaffold.contains_key(path);
        let generated = present.keys().filter(|path| path.contains("/generated/"));
        let stale: Vec<_> = generated.filter(|path| !crate_of(path)).collect();
        assert_eq!(stale, [""; 0], "{name}");
    }
}

#[test]
fn generate_and_new_keep_the_examples() {
    for example in EXAMPLES {
        let directory = example.directory();
        if directory.join("kube-codegen.toml").exists() {
            succeed(&directory, &["generate", "--check"]);
        }
        // Newer templates are merged already, and the manifests fit together.
        succeed(&directory, &["update", "--check"]);
        succeed(&directory, &["deploy", "check"]);
        let args = ["new", example.name, "-o", ".", "--dry-run"];
        let output = run(&directory, &[&args, example.args].concat());
        let text = super::stdout(&output);
        assert!(output.status.success(), "{}", super::stderr(&output));
        let writes = |line: &&str| line.starts_with("create") || line.starts_with("update");
        let mut written: Vec<_> = text.lines().filter(writes).collect();
        // The examples have tests of their own.
        written.retain(|line| !line.starts_with("create   ./tests/"));
        // `new` does not know the conversions that the configuration declares; `generate --check` above does.
        let is_declared = |line: &str| line.ends_with("/v1/conversion.rs");
        written
            .retain(|line| !(example.by_hand.contains(&"kube-codegen.toml") && is_declared(line)));
        assert_eq!(written, [""; 0], "{text}");
    }
}

/// Counts the lines of an example's program and manifests: by hand, scaffolded, generated.
fn lines(example: &Example) -> [usize; 3] {
    let scaffold = example.scaffold();
    let [mut by_hand, mut scaffolded, mut generated] = [0; 3];
    for (path, text) in files(&example.directory()) {
        if path.contains("/generated/") {
            generated += text.lines().count();
        } else if path.starts_with("src/") || path.starts_with("deploy/") {
            let before = scaffold.get(&path).map_or("", String::as_str);
            let patch = diffy::create_patch(before, &text);
            let lines = patch.hunks().iter().flat_map(diffy::Hunk::lines);
            let inserted = lines.filter(|line| matches!(line, Line::Insert(_))).count();
            by_hand += inserted;
            scaffolded += text.lines().count() - inserted;
        }
    }
    [by_hand, scaffolded, generated]
}

#[test]
fn the_introduction_has_the_lines_of_the_examples() {
    let path = Path::new(ROOT).join("docs/introduction.md");
    let mut page = fs::read_to_string(&path).unwrap();
    let accepts = env::var_os("KUBE_CODEGEN_ACCEPT").is_some();
    for example in EXAMPLES {
        let name = example.name;
        // The first row of this name says what the operator does.
        let row = format!("| `{name}` |");
        let line = page.lines().rfind(|line| line.starts_with(&row));
        let line = line
            .unwrap_or_else(|| panic!("the page has no row {row}"))
            .to_owned();
        let [by_hand, scaffolded, generated] = lines(&example);
        let expected = format!("{row} {by_hand} | {scaffolded} | {generated} |");
        if accepts {
            page = page.replace(&line, &expected);
        } else {
            assert_eq!(line, expected, "KUBE_CODEGEN_ACCEPT=1 updates it");
        }
    }
    if accepts {
        fs::write(path, page).unwrap();
    }
    let walk = fs::read_to_string(Path::new(ROOT).join("docs/from-kubebuilder.md")).unwrap();
    let machines = EXAMPLES
        .iter()
        .find(|it| it.name == "virtualmachine-operator");
    let [by_hand, ..] = lines(machines.unwrap());
    let row = "| the program and its manifests: lines | 185 |";
    let expected = format!("{row} {by_hand} |");
    assert!(
        walk.contains(&expected),
        "docs/from-kubebuilder.md lacks {expected}"
    );
}
