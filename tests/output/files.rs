//! Checks the output directory after killed runs, concurrent runs and I/O errors: each file is old or new, and the next run repairs the tree.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

const LIST: &str = ".kube-codegen.json";

/// Returns the CRDs of some kinds, each with one field of this name.
fn definitions(kinds: std::ops::Range<usize>, field: &str) -> String {
    let mut text = String::new();
    for index in kinds {
        write!(
            text,
            "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
             metadata: {{ name: kinds{index}.group{index}.example.com }}\nspec:\n  group: group{index}.example.com\n  scope: Namespaced\n  \
             names: {{ plural: kinds{index}, kind: Kind{index} }}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
             schema: {{ openAPIV3Schema: {{ type: object, properties: {{ spec: {{ type: object, properties: {{ {field}: {{ type: string }} }} }} }} }} }}\n"
        )
        .unwrap();
    }
    text
}

/// A folder with two sets of CRDs and the files generated from each.
struct Fixture {
    folder: TempDir,
    /// File name of the CRDs, and the files generated from them.
    sides: [(&'static str, BTreeMap<String, String>); 2],
}

impl Fixture {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mut sides = [("a.yaml", BTreeMap::new()), ("b.yaml", BTreeMap::new())];
        // Some files exist on one side only, some are equal, some differ.
        fs::write(folder.path().join("a.yaml"), definitions(0..12, "first")).unwrap();
        fs::write(folder.path().join("b.yaml"), definitions(4..16, "second")).unwrap();
        for (name, files) in &mut sides {
            let clean = format!("clean-{name}");
            assert!(run(folder.path(), name, &clean).status.success());
            *files = read(&folder.path().join(clean));
        }
        Self { folder, sides }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn output(&self) -> BTreeMap<String, String> {
        read(&self.path().join("out"))
    }

    /// Asserts that each file has the full text of one side, and that the file list is JSON.
    #[track_caller]
    fn assert_whole(&self) {
        for (path, text) in self.output() {
            if path == LIST {
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            } else if !path.contains(".kube-codegen-") {
                let known = self
                    .sides
                    .iter()
                    .any(|(_, files)| files.get(&path) == Some(&text));
                assert!(known, "{path} is neither old nor new:\n{text}");
            }
        }
    }

    /// Asserts that the next run leaves exactly its own files.
    #[track_caller]
    fn assert_repaired_by(&self, side: usize) {
        let (name, files) = &self.sides[side];
        let output = run(self.path(), name, "out");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let output = self.output();
        assert_eq!(
            output.keys().collect::<Vec<_>>(),
            files.keys().collect::<Vec<_>>()
        );
        assert!(output == *files);
        let empty = directories(&self.path().join("out"))
            .into_iter()
            .filter(|path| fs::read_dir(path).unwrap().next().is_none());
        assert_eq!(empty.count(), 0);
    }
}

fn command(folder: &Path, definitions: &str, output: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-codegen"));
    command
        .args(["generate", "-f", definitions, "-o", output])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn run(folder: &Path, definitions: &str, output: &str) -> Output {
    command(folder, definitions, output).output().unwrap()
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.to_owned()];
    let mut index = 0;
    while index < all.len() {
        for entry in fs::read_dir(&all[index]).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                all.push(path);
            }
        }
        index += 1;
    }
    all
}

/// Reads all files below a folder, by relative path.
fn read(root: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for directory in directories(root) {
        for entry in fs::read_dir(directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// Kills the run once the file differs from `before`. Returns whether the run was still going on.
fn kill_at_change(mut child: Child, file: &Path, before: Option<&String>) -> bool {
    while fs::read_to_string(file).ok().as_ref() == before {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn after_a_killed_run_no_file_is_torn_and_the_next_run_repairs_the_tree() {
    let fixture = Fixture::new();
    let deadline = Instant::now() + Duration::from_secs(300);
    let mut killed = 0;
    let mut round = 0;
    while killed < 12 {
        assert!(
            Instant::now() < deadline,
            "{killed} of {round} runs were killed"
        );
        let side = round % 2;
        let (name, files) = &fixture.sides[side];
        let before = fixture.output();
        // The list changes first; then files are renamed and stale ones removed.
        let mut changing = vec![LIST];
        let paths: BTreeSet<_> = before.keys().chain(files.keys()).collect();
        let changed = paths
            .into_iter()
            .filter(|path| before.get(*path) != files.get(*path));
        changing.extend(changed.map(String::as_str).filter(|path| *path != LIST));
        let path = changing[round * 7 % changing.len()];
        let child = command(fixture.path(), name, "out").spawn().unwrap();
        let file = fixture.path().join("out").join(path);
        killed += u32::from(kill_at_change(child, &file, before.get(path)));
        fixture.assert_whole();
        if round % 8 == 7 {
            fixture.assert_repaired_by(round / 8 % 2);
        }
        round += 1;
    }
    fixture.assert_repaired_by(0);
}

#[test]
fn concurrent_runs_leave_a_whole_tree() {
    let fixture = Fixture::new();
    let start = |name: &str| command(fixture.path(), name, "out").spawn().unwrap();
    let all: Vec<_> = (0..4).map(|_| start("a.yaml")).collect();
    for child in all {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert!(fixture.output() == fixture.sides[0].1);
    let both = [
        start("a.yaml"),
        start("b.yaml"),
        start("a.yaml"),
        start("b.yaml"),
    ];
    for child in both {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    fixture.assert_whole();
    fixture.assert_repaired_by(1);
}

#[test]
fn a_full_disk_changes_nothing() {
    let fixture = Fixture::new();
    fixture.assert_repaired_by(0);
    let before = fixture.output();
    // The limit on file sizes, in blocks of 512 bytes; the list and the largest file exceed it.
    for blocks in [0, 1, 4] {
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec '{}' generate -f b.yaml -o out",
            env!("CARGO_BIN_EXE_kube-codegen")
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(fixture.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{blocks}: {stderr}");
        assert!(stderr.contains("cannot write"), "{blocks}: {stderr}");
        assert!(fixture.output() == before, "{blocks}");
    }
    fixture.assert_repaired_by(1);
}

#[test]
fn an_unwritable_folder_changes_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    fixture.assert_repaired_by(0);
    let before = fixture.output();
    let locked = fixture.path().join("out/group7_example_com/v1");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    let output = run(fixture.path(), "b.yaml", "out");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let ignores_permissions = fs::write(locked.join("probe"), "").is_ok();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    if ignores_permissions {
        eprintln!("skipped: this user can write to read-only folders");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot write into"), "{stderr}");
    assert!(fixture.output() == before);
    fixture.assert_repaired_by(1);
}

#[test]
fn no_name_escapes_the_output_folder() {
    let fixture = Fixture::new();
    let definition = definitions(0..1, "a");
    let outside = |folder: &Path| {
        let mut names: Vec<_> = read(folder).into_keys().collect();
        names.retain(|name| !name.starts_with("out/"));
        names
    };
    for evil in [
        "../../x",
        "/tmp/x",
        "a/../../x",
        "..",
        ".",
        "~",
        "C:\\x",
        "a\\u0000b",
        "$(x)",
        "a b",
    ] {
        for (good, field) in [
            ("group0.example.com", "group"),
            ("kinds0", "plural"),
            ("v1", "version"),
            ("Kind0", "kind"),
        ] {
            let text = match field {
                "version" => definition.replace(
                    "- name: v1\n",
                    &format!("- name: \"{}\"\n", evil.replace('\\', "\\\\")),
                ),
                _ => definition.replace(good, &format!("\"{}\"", evil.replace("C:\\", "C:\\\\"))),
            };
            fs::write(fixture.path().join("evil.yaml"), text).unwrap();
            let before = outside(fixture.path());
            let output = run(fixture.path(), "evil.yaml", "out/deep/er");
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{field} {evil}: {stderr}");
            assert_eq!(outside(fixture.path()), before, "{field} {evil}");
            assert!(!fixture.path().join("out").exists(), "{field} {evil}");
        }
    }
}
