//! What is on disk when a run is killed, when two run at once, when the disk is full: each file old or new, and the next run mends all.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

const LIST: &str = ".kube-codegen.json";

/// Definitions of some kinds, each with a field of that name.
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

/// A folder with two sets of definitions, and what becomes of each.
struct Place {
    folder: TempDir,
    /// File name of the definitions, and what is generated from them.
    sides: [(&'static str, BTreeMap<String, String>); 2],
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let mut sides = [("a.yaml", BTreeMap::new()), ("b.yaml", BTreeMap::new())];
        // Both have files of their own, files that are the same, and files that differ.
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

    fn now(&self) -> BTreeMap<String, String> {
        read(&self.path().join("out"))
    }

    /// Each file is of one side, whole; the list is a list.
    #[track_caller]
    fn nothing_is_torn(&self) {
        for (path, text) in self.now() {
            if path == LIST {
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            } else if !path.contains(".kube-codegen-") {
                let of_a_side = self
                    .sides
                    .iter()
                    .any(|(_, files)| files.get(&path) == Some(&text));
                assert!(of_a_side, "{path} is neither old nor new:\n{text}");
            }
        }
    }

    /// The next run leaves exactly what it makes.
    #[track_caller]
    fn is_mended_by(&self, side: usize) {
        let (name, files) = &self.sides[side];
        let output = run(self.path(), name, "out");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let now = self.now();
        assert_eq!(
            now.keys().collect::<Vec<_>>(),
            files.keys().collect::<Vec<_>>()
        );
        assert!(now == *files);
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

fn directories(root: &Path) -> Vec<std::path::PathBuf> {
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

/// All files below a folder, by their paths in it.
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

/// Waits until the run has begun to write, or is over.
fn until_it_writes(child: &mut Child, output: &Path, before: &BTreeMap<String, String>) -> bool {
    let list = before.get(LIST);
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        let now = fs::read_to_string(output.join(LIST)).ok();
        if now.as_ref() != list {
            return true;
        }
    }
}

#[test]
fn a_killed_run_tears_no_file_and_the_next_one_mends_the_tree() {
    let place = Place::new();
    let output = place.path().join("out");
    let mut killed = 0;
    for round in 0..24_u64 {
        let before = place.now();
        let (name, _) = &place.sides[usize::try_from(round % 2).unwrap()];
        let mut child = command(place.path(), name, "out").spawn().unwrap();
        if until_it_writes(&mut child, &output, &before) {
            sleep(Duration::from_micros(round * 7919 % 6000));
            child.kill().unwrap();
            killed += u32::from(!child.wait().unwrap().success());
        }
        place.nothing_is_torn();
        if round % 8 == 7 {
            // As often to the old side as to the new.
            place.is_mended_by(usize::try_from(round / 8 % 2).unwrap());
        }
    }
    assert!(killed > 5, "{killed} runs were killed while they wrote");
    place.is_mended_by(0);
}

#[test]
fn runs_at_once_do_not_hinder_each_other() {
    let place = Place::new();
    let start = |name: &str| command(place.path(), name, "out").spawn().unwrap();
    let all: Vec<_> = (0..4).map(|_| start("a.yaml")).collect();
    for child in all {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert!(place.now() == place.sides[0].1);
    let both = [
        start("a.yaml"),
        start("b.yaml"),
        start("a.yaml"),
        start("b.yaml"),
    ];
    for child in both {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    place.nothing_is_torn();
    place.is_mended_by(1);
}

#[test]
fn a_full_disk_changes_nothing() {
    let place = Place::new();
    place.is_mended_by(0);
    let before = place.now();
    // A file can grow to so many blocks of 512 bytes; the list and the largest file are longer.
    for blocks in [0, 1, 4] {
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec '{}' generate -f b.yaml -o out",
            env!("CARGO_BIN_EXE_kube-codegen")
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(place.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{blocks}: {told}");
        assert!(told.contains("cannot write"), "{blocks}: {told}");
        assert!(place.now() == before, "{blocks}");
    }
    place.is_mended_by(1);
}

#[test]
fn a_folder_that_cannot_be_written_changes_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.is_mended_by(0);
    let before = place.now();
    let locked = place.path().join("out/group7_example_com/v1");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    let output = run(place.path(), "b.yaml", "out");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let by_root = fs::write(locked.join("probe"), "").is_ok();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    if by_root {
        eprintln!("skipped: this user can write into read-only folders");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("cannot write into"), "{told}");
    assert!(place.now() == before);
    place.is_mended_by(1);
}

#[test]
fn names_never_lead_out_of_the_folder() {
    let place = Place::new();
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
            fs::write(place.path().join("evil.yaml"), text).unwrap();
            let before = outside(place.path());
            let output = run(place.path(), "evil.yaml", "out/deep/er");
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{field} {evil}: {told}");
            assert_eq!(outside(place.path()), before, "{field} {evil}");
            assert!(!place.path().join("out").exists(), "{field} {evil}");
        }
    }
}
