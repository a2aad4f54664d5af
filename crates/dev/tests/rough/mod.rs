//! What operators, objects and other processes should not do, and do.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use kube::config::Kubeconfig;
use serde_json::{Value, json};

use super::{Dev, command, directory};

/// Hides text, sets the clipboard, clears the screen with the one-byte form of an escape, and reorders what follows.
const HOSTILE: &str = "pay\u{1b}[8m\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{202e}\u{2066}load";
const SHOWN: &str = r"pay\u{1b}[8m\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{202e}\u{2066}load";

#[test]
fn an_operator_may_write_anything() {
    let folder = directory();
    let script = r"printf 'a\377b\n'; printf '\033[31mred\033[0m \033[2J\302\2332J\342\200\256\n'
head -c 3000000 /dev/zero | tr '\0' x; echo; printf '\377\376'; echo after; exec sleep 1000";
    let mut dev = Dev::start(
        folder.path(),
        &[
            "--color", "always", "-f", "crd.yaml", "--", "sh", "-c", script,
        ],
    );
    dev.line(" a\u{fffd}b");
    let line = dev.line(" red ");
    assert!(
        line.ends_with(r" red \u{1b}[2J\u{9b}2J\u{202e}"),
        "{line:?}"
    );
    let cut = dev.line("xxx");
    assert!(cut.ends_with("x … (cut: the line is longer than 64 KiB)"));
    assert!(cut.len() < 66_000, "{}", cut.len());
    let line = dev.line("after");
    assert!(line.ends_with(" \u{fffd}\u{fffd}after"), "{line:?}");
}

#[tokio::test]
async fn texts_of_objects_and_events_are_escaped() {
    let folder = directory();
    let mut dev = Dev::start(folder.path(), &["--color", "always", "-f", "crd.yaml"]);
    let client = dev.client().await;
    dev.line("no operator");
    let event = json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"name": "a", "namespace": "default"},
        "involvedObject": {"kind": format!("Kind{HOSTILE}"), "name": "a", "namespace": "default"},
        "reason": format!("Reason{HOSTILE}"), "message": format!("{HOSTILE}\nsecond {HOSTILE}"), "type": "Warning",
    });
    let request = http::Request::post("/api/v1/namespaces/default/events")
        .body(event.to_string().into_bytes());
    client.request::<Value>(request.unwrap()).await.unwrap();
    for line in [dev.line("Reason"), dev.line("second")] {
        let text = line.rsplit("\u{1b}[0m ").next().unwrap();
        assert!(text.ends_with(SHOWN), "{line:?}");
        assert!(
            !text.contains(|c: char| c.is_control() || c == '\u{202e}'),
            "{line:?}"
        );
    }
}

/// Starts the command with a directory of its own for temporary files.
fn start(folder: &Path, temporary: &Path) -> Dev {
    let mut command = command(folder);
    command.env("TMPDIR", temporary);
    command.args(["-f", "crd.yaml", "--", "sleep", "1000"]);
    Dev::of(command)
}

fn kubeconfig(dev: &mut Dev) -> PathBuf {
    let line = dev.line("KUBECONFIG=");
    let (_, path) = line.split_once("KUBECONFIG=").unwrap();
    path.trim_end_matches(')').into()
}

#[test]
fn the_files_of_a_killed_command_are_removed_by_the_next_one() {
    let (folder, temporary) = (directory(), tempfile::tempdir().unwrap());
    let mut killed = start(folder.path(), temporary.path());
    let mut running = start(folder.path(), temporary.path());
    let (left, used) = (kubeconfig(&mut killed), kubeconfig(&mut running));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&left), mode(left.parent().unwrap())), (0o600, 0o700));
    killed.signal("-KILL");
    killed.end();
    assert!(left.exists());
    let mut next = start(folder.path(), temporary.path());
    let new = kubeconfig(&mut next);
    assert!(!left.parent().unwrap().exists());
    assert!(used.exists() && new.exists());
}

const ROLES: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: default}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: op}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: op}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view-crds}
subjects: [{kind: ServiceAccount, name: op}]
";

const SAMPLE: &str = "{apiVersion: iksoon.test.com/v1, kind: CrdKind, metadata: {name: sample}}";

/// Writes the manifests of an operator of which a kustomization selects a part.
fn deploy(folder: &Path, kustomization: &str) {
    let map =
        |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}");
    let write = |name: &str, text: &str| {
        let path = folder.join("deploy").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::rename(folder.join("crd.yaml"), folder.join("crds.yaml")).unwrap();
    let crd = fs::read_to_string(folder.join("crds.yaml")).unwrap();
    write("kustomization.yaml", kustomization);
    write("crd.yaml", &crd);
    write("roles.yaml", ROLES);
    write("sample.yaml", SAMPLE);
    write("selected.yaml", &map("selected"));
    write("left-out.yaml", &map("left-out"));
    write("inner/kustomization.yml", "resources: [map.yaml]");
    write("inner/map.yaml", &map("inner"));
    write("inner/other.yaml", &map("other"));
}

const SELECTED: &str = "
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: place
resources: [crd.yaml, roles.yaml, selected.yaml, inner]
images: [{name: a, newTag: b}]
namePrefix: x-
patches:
# - path: nothing.yaml
";

#[tokio::test]
async fn the_kustomization_selects_what_is_installed_and_the_sample_is_applied_once() {
    for apply in [
        &[][..],
        &["--apply", "deploy/sample.yaml"],
        &["-f", "deploy/crd.yaml", "--apply", "./deploy/sample.yaml"],
    ] {
        let folder = directory();
        deploy(folder.path(), SELECTED);
        let args = [apply, &["--", "sh", "-c", "echo started; exec sleep 1000"]].concat();
        let mut dev = Dev::start(folder.path(), &args);
        let client = dev.client().await;
        dev.line("deploy/kustomization.yaml: `dev` does not apply `namePrefix`:");
        dev.line("the operator runs as serviceaccount place/op");
        dev.line("applied CrdKind sample");
        let seen = dev.seen.join("\n");
        for (name, times) in [
            ("ConfigMap selected", 1),
            ("CustomResourceDefinition ", 1),
            ("ConfigMap inner", 1),
            ("ConfigMap left-out", 0),
            ("ConfigMap other", 0),
            ("CrdKind sample", 1),
        ] {
            let found = seen.matches(&format!("applied {name}")).count();
            assert_eq!(found, times, "{name} in\n{seen}");
        }
        let get = async |path: &str| -> Value {
            let request = http::Request::get(path).body(Vec::new()).unwrap();
            client.request(request).await.unwrap()
        };
        get("/api/v1/namespaces/place/configmaps/inner").await;
        let binding = get("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/op").await;
        assert_eq!(binding["subjects"][0]["namespace"], "place");
    }
}

#[tokio::test]
async fn kustomizations_elsewhere_are_watched_also_those_that_are_selected_later() {
    let folder = directory();
    deploy(folder.path(), "resources: [crd.yaml, ../base]");
    let base = folder.path().join("base");
    let map =
        |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}");
    let write = |path: &str, text: &str| {
        let path = base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("kustomization.yaml", "resources: []");
    write("one.yaml", &map("one"));
    write("../more/kustomization.yaml", "resources: []");
    write("../more/two.yaml", &map("two"));
    let mut dev = Dev::start(
        folder.path(),
        &["--", "sh", "-c", "echo started; exec sleep 1000"],
    );
    dev.line("started");
    write("kustomization.yaml", "resources: [one.yaml, ../more]");
    dev.line("applied ConfigMap one");
    write("../more/kustomization.yaml", "resources: [two.yaml]");
    dev.line("applied ConfigMap two");
    write("../more/two.yaml", &map("three"));
    dev.line("applied ConfigMap three");
    // One that cannot be read yet is watched, too, and so is a file that it names too early.
    write("../broken/kustomization.yaml", "resources: [");
    write("kustomization.yaml", "resources: [one.yaml, ../broken]");
    dev.line("broken/kustomization.yaml: ");
    write("../broken/kustomization.yaml", "resources: [four.yaml]");
    dev.line("there is no file or directory four.yaml");
    write("../broken/four.yaml", &map("four"));
    dev.line("applied ConfigMap four");
    write("../broken/kustomization.yaml", "resources: [../empty]");
    write("../empty/readme.txt", "");
    dev.line("../empty is a directory without kustomization.yaml");
    write(
        "../empty/kustomization.yaml",
        "resources: [../broken/five.yaml]",
    );
    dev.line("there is no file or directory ../broken/five.yaml");
    write("../broken/five.yaml", &map("five"));
    dev.line("applied ConfigMap five");
}

#[test]
fn a_kustomization_that_cannot_be_read_is_reported() {
    for (text, message) in [
        (
            "resources: [absent.yaml]",
            "there is no file or directory absent.yaml",
        ),
        (
            "resources: ['https://example.com/crd.yaml']",
            "is remote, and `dev` downloads nothing",
        ),
        ("resources: [../deploy]", "selects itself"),
        ("resources: crd.yaml", "`resources` is not a list"),
        ("resources: [", "kustomization.yaml: "),
        ("resources: [{a: b}]", "is not a path"),
    ] {
        let folder = directory();
        deploy(folder.path(), text);
        let output = command(folder.path())
            .args(["--no-operator"])
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}: {error}");
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[tokio::test]
async fn a_missing_permission_is_one_line_with_the_rule() {
    let folder = directory();
    fs::create_dir(folder.path().join("deploy")).unwrap();
    fs::write(folder.path().join("deploy/roles.yaml"), ROLES).unwrap();
    fs::write(folder.path().join("Makefile"), "rbac: ## Measure\n").unwrap();
    let script = "echo config: $KUBECONFIG; exec sleep 1000";
    let args = ["-f", "crd.yaml", "--", "sh", "-c", script];
    let mut dev = Dev::start(folder.path(), &args);
    let line = dev.line("operator config: ");
    let (_, path) = line.split_once("config: ").unwrap();
    let client = super::client(Kubeconfig::read_from(path).unwrap()).await;
    let scale = "/apis/apps/v1/namespaces/default/deployments/a/scale";
    let request = http::Request::put(scale).body(b"{}".to_vec()).unwrap();
    client.request::<Value>(request).await.unwrap_err();
    let line = dev.line("403");
    assert!(
        line.ends_with(
            r#"update deployments/scale default/a: 403: serviceaccount default/op lacks the rule {"apiGroups":["apps"],"resources":["deployments/scale"],"verbs":["update"]}; run `make rbac`"#
        ),
        "{line}"
    );
}

#[test]
fn programs_for_envtest_do_not_start_each_other_for_ever() {
    let folder = directory();
    let assets = ["one", "two"].map(|name| {
        let output = command(folder.path()).args(["assets", name]).output();
        assert!(output.unwrap().status.success());
        folder.path().join(name)
    });
    let installed = folder.path().join("installed");
    fs::create_dir(&installed).unwrap();
    let path = |more: &[&Path]| {
        let own = assets.iter().map(PathBuf::as_path);
        std::env::join_paths(own.chain(more.iter().copied())).unwrap()
    };
    let run = |path: std::ffi::OsString| {
        // As a shell finds it.
        let mut shell = Command::new("/bin/sh");
        let shell = shell.args(["-c", "kubectl get pods"]).env("PATH", path);
        let output = shell.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, _, error) = run(path(&[]));
    assert_eq!(code, Some(2), "{error}");
    let [one, two] = assets
        .each_ref()
        .map(|it| fs::canonicalize(it).unwrap().display().to_string());
    assert_eq!(
        error,
        format!(
            "error: kubectl is not installed, only the programs of `kube-codegen-dev assets` in {one} and {two}: install it, or put it into a directory of PATH (https://kubernetes.io/docs/tasks/tools)\n"
        )
    );
    let program = installed.join("kubectl");
    fs::write(&program, "#!/bin/sh\necho real: $*\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, out, _) = run(path(&[&installed]));
    assert_eq!((code, out.as_str()), (Some(0), "real: get pods\n"));
}
