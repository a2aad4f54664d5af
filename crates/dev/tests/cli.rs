//! Tests the program, with others in place of an operator.
#![cfg(unix)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod cluster;
mod envtest;
mod page;
mod policies;
mod rough;

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::{Value, json};
use tempfile::TempDir;

const CRDKIND: &str = include_str!("../../../fixtures/crdkind.yaml");

const WORKLOAD: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}}}";

const WITHIN: Duration = Duration::from_secs(60);

/// Returns a directory with a file `crd.yaml`.
fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("crd.yaml"), CRDKIND).unwrap();
    directory
}

fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-codegen-dev"));
    command.current_dir(directory);
    command
}

async fn client(kubeconfig: Kubeconfig) -> Client {
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    Client::try_from(config.unwrap()).unwrap()
}

/// A running command, killed when it is dropped.
struct Dev {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Dev {
    fn start(directory: &Path, args: &[&str]) -> Self {
        let mut command = command(directory);
        command.args(args);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            out.lines()
                .map_while(Result::ok)
                .all(|line| sender.send(line).is_ok())
        });
        Self {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// Waits for a line that contains `part`.
    fn line(&mut self, part: &str) -> String {
        let end = Instant::now() + WITHIN;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.contains(part) {
                        return line;
                    }
                }
                Err(error) => panic!(
                    "{error}: no line with {part:?} in\n{}",
                    self.seen.join("\n")
                ),
            }
        }
    }

    /// Returns a client of the server.
    async fn client(&mut self) -> Client {
        let address = self.line("KUBECONFIG=");
        let (_, kubeconfig) = address.split_once("KUBECONFIG=").unwrap();
        client(Kubeconfig::read_from(kubeconfig.trim_end_matches(')')).unwrap()).await
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([name, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for the end and returns the exit code and what was printed to standard error.
    fn end(&mut self) -> (Option<i32>, String) {
        let end = Instant::now() + WITHIN;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                let mut text = String::new();
                let mut err = self.child.stderr.take().unwrap();
                err.read_to_string(&mut text).unwrap();
                return (status.code(), text);
            }
            assert!(
                Instant::now() < end,
                "still runs:\n{}",
                self.seen.join("\n")
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn an_interrupt_ends_the_program_and_removes_the_kubeconfig() {
    let folder = directory();
    let script = "echo started as $$; cat $KUBECONFIG; exec sleep 1000";
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml", "--", "sh", "-c", script]);
    let address = dev.line("API server: https://127.0.0.1:");
    let kubeconfig = address
        .split_once("KUBECONFIG=")
        .unwrap()
        .1
        .trim_end_matches(')');
    let kubeconfig = Path::new(kubeconfig);
    dev.line("applied CustomResourceDefinition crdplural.iksoon.test.com");
    let started = dev.line("operator started as ");
    let id = started.rsplit(' ').next().unwrap();
    dev.line("certificate-authority-data");
    assert!(kubeconfig.exists());
    assert!(Path::new("/proc").join(id).exists() || !cfg!(target_os = "linux"));
    dev.signal("-INT");
    dev.line("interrupted");
    assert_eq!(dev.end().0, Some(0));
    assert!(!kubeconfig.exists());
    assert!(!Path::new("/proc").join(id).exists());
}

#[test]
#[cfg(target_os = "linux")]
fn the_program_and_its_children_end_with_a_killed_command() {
    let folder = directory();
    let script = "sleep 1000 & echo child is $!; echo started as $$; wait";
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml", "--", "sh", "-c", script]);
    let id = |line: String| line.rsplit(' ').next().unwrap().to_owned();
    let child = id(dev.line("operator child is "));
    let program = id(dev.line("operator started as "));
    dev.signal("-KILL");
    assert_eq!(dev.end().0, None);
    let end = Instant::now() + WITHIN;
    for id in [program, child] {
        while Path::new("/proc").join(&id).exists() {
            assert!(Instant::now() < end, "process {id} still runs");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn the_end_of_the_program_is_reported() {
    let folder = directory();
    let mut dev = Dev::start(
        folder.path(),
        &[
            "-f",
            "crd.yaml",
            "--once",
            "--",
            "sh",
            "-c",
            "echo no; exit 3",
        ],
    );
    dev.line("operator no");
    dev.line("the operator exited (exit status: 3)");
    let (code, text) = dev.end();
    assert_eq!(
        (code, text.as_str()),
        (Some(2), "error: the operator exited\n")
    );
}

#[test]
fn a_change_of_a_definition_is_applied_again() {
    let folder = directory();
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml", "--", "sleep", "1000"]);
    dev.line("run: sleep 1000");
    let file = folder.path().join("crd.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("maximum: 10", "maximum: 20")).unwrap();
    dev.line("applied CustomResourceDefinition");
    // A mistake is shown, and the next change is applied.
    fs::write(&file, text.replace("scope: Namespaced", "scope: Galaxy")).unwrap();
    dev.line("spec.scope: Unsupported value: \"Galaxy\"");
    fs::write(&file, text).unwrap();
    dev.line("applied CustomResourceDefinition");
}

/// Returns a directory with a CRD whose objects a webhook checks that does not answer.
fn directory_with_webhook() -> TempDir {
    let folder = directory();
    let deploy = folder.path().join("deploy");
    fs::create_dir(&deploy).unwrap();
    let webhook = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "late"},
        "webhooks": [{
            "name": "late.example.com",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            // Nothing listens there.
            "clientConfig": {"url": "https://127.0.0.1:1/"},
            "rules": [{"apiGroups": ["iksoon.test.com"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}],
        }],
    });
    fs::write(deploy.join("webhooks.json"), webhook.to_string()).unwrap();
    folder
}

#[tokio::test]
async fn an_applied_object_waits_for_webhooks() {
    let folder = directory_with_webhook();
    let object = "{apiVersion: iksoon.test.com/v1, kind: CrdKind, metadata: {name: a}}";
    let file = folder.path().join("a.yaml");
    fs::write(&file, object).unwrap();
    let manifest = folder.path().join("deploy/z.yaml");
    fs::write(manifest, object.replace("name: a", "name: z")).unwrap();
    let args = ["-f", "crd.yaml", "--apply", "a.yaml", "--", "sleep", "1000"];
    let mut dev = Dev::start(folder.path(), &args);
    let client = dev.client().await;
    dev.line("CrdKind z waits for the operator's webhooks");
    dev.line("CrdKind a waits for the operator's webhooks");
    // What waits is what the file has now.
    fs::write(&file, object.replace("name: a", "name: b")).unwrap();
    dev.line("CrdKind b waits for the operator's webhooks");
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/late";
    let request = http::Request::delete(path).body(Vec::new()).unwrap();
    client.request::<Value>(request).await.unwrap();
    dev.line("applied CrdKind b");
    let crds = "/apis/iksoon.test.com/v1/namespaces/default/crdplural";
    let request = http::Request::get(crds).body(Vec::new()).unwrap();
    let stored = client.request::<Value>(request).await.unwrap();
    let items = stored["items"].as_array().unwrap().iter();
    let names: Vec<&Value> = items.map(|it| &it["metadata"]["name"]).collect();
    assert_eq!(names, ["b", "z"]);
}

#[test]
fn replicas_share_no_port_of_webhooks() {
    let folder = directory_with_webhook();
    let manifest = "[package]\nname = \"operator\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    let program = "fn main() {\n    println!(\"{:?}\", std::env::args());\n    loop {\n        std::thread::park();\n    }\n}\n";
    fs::write(folder.path().join("src/main.rs"), program).unwrap();
    let mut dev = Dev::start(folder.path(), &["-f", "crd.yaml", "--replicas", "2"]);
    let mut lines = [dev.line("--leader-elect\""), dev.line("--leader-elect\"")];
    lines.sort_by_key(|line| line.contains("2: "));
    let [first, second] = lines;
    assert!(
        first.contains("1: ") && !first.contains("--webhook-port"),
        "{first}"
    );
    assert!(
        second.contains("2: ") && second.contains("--webhook-port=0"),
        "{second}"
    );
}

#[tokio::test]
async fn without_an_operator_the_definitions_are_served() {
    for args in [
        &["-f", "crd.yaml"][..],
        &["--no-operator", "-f", "crd.yaml"],
    ] {
        let folder = directory();
        let deploy = folder.path().join("deploy");
        fs::create_dir(&deploy).unwrap();
        fs::write(deploy.join("web.yaml"), WORKLOAD).unwrap();
        if args.contains(&"--no-operator") {
            // Of an operator that does not compile.
            fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        }
        let mut dev = Dev::start(folder.path(), args);
        let client = dev.client().await;
        dev.line("applied Deployment");
        dev.line("no operator");
        dev.line("object   deployments default/web READY=1/1");
        let path = "/apis/iksoon.test.com/v1/namespaces/default/crdplural";
        let object = json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "metadata": {"name": "a"}, "spec": {"replicas": 11}});
        let post = |object: &Value| http::Request::post(path).body(object.to_string().into_bytes());
        let rejected = client.request::<Value>(post(&object).unwrap()).await;
        let message = rejected.unwrap_err().to_string();
        assert!(
            message.contains("should be less than or equal to 10"),
            "{message}"
        );
        let mut right = object;
        right["spec"]["replicas"] = 3.into();
        let stored: Value = client.request(post(&right).unwrap()).await.unwrap();
        assert_eq!(stored["metadata"]["generation"], 1);
        // As `kubectl apply --server-side`, without `--force-conflicts`.
        let deployed = http::Request::patch(
            "/apis/apps/v1/namespaces/default/deployments/web?fieldManager=kubectl",
        )
        .header("content-type", "application/apply-patch+yaml")
        .body(WORKLOAD.replace("nginx", "nginx:2").into_bytes());
        let deployed: Value = client.request(deployed.unwrap()).await.unwrap();
        let image = &deployed["spec"]["template"]["spec"]["containers"][0]["image"];
        assert_eq!(image, "nginx:2");
        dev.signal("-INT");
        dev.line("interrupted: the API server has ended");
        assert_eq!(dev.end().0, Some(0));
    }
}

/// An operator that only says what it sees has done its work when it has said so. A Warning is no work, and neither is an Event about another kind.
#[tokio::test]
async fn a_normal_event_about_an_object_counts_as_work() {
    let folder = directory();
    let args = ["-f", "crd.yaml", "--once", "--", "sleep", "1000"];
    let mut dev = Dev::start(folder.path(), &args);
    let client = dev.client().await;
    dev.line("run: sleep 1000");
    let report = async |name: &str, type_: &str, api_version: &str, kind: &str| {
        let event = json!({
            "metadata": {"name": name}, "type": type_, "reason": "Synced", "action": "Reconcile", "note": name,
            "regarding": {"apiVersion": api_version, "kind": kind, "namespace": "default", "name": "a"},
            "reportingController": "example.com/operator", "reportingInstance": "a", "eventTime": "2026-01-02T03:04:05.000000Z",
        });
        let path = "/apis/events.k8s.io/v1/namespaces/default/events";
        let request = http::Request::post(path).body(event.to_string().into_bytes());
        client.request::<Value>(request.unwrap()).await.unwrap();
    };
    report("warning", "Warning", "iksoon.test.com/v1", "CrdKind").await;
    report("elected", "Normal", "coordination.k8s.io/v1", "Lease").await;
    dev.line("elected");
    thread::sleep(Duration::from_secs(4));
    assert!(dev.child.try_wait().unwrap().is_none(), "{:?}", dev.seen);
    report("synced", "Normal", "iksoon.test.com/v1", "CrdKind").await;
    assert_eq!(dev.end().0, Some(0));
}

#[tokio::test]
async fn without_controllers_a_deployment_gets_no_status() {
    let folder = directory();
    fs::write(folder.path().join("web.yaml"), WORKLOAD).unwrap();
    let args = ["--no-controllers", "-f", "crd.yaml", "--apply", "web.yaml"];
    let mut dev = Dev::start(folder.path(), &args);
    let client = dev.client().await;
    dev.line("object   deployments default/web READY=0/1");
    let status = json!({"status": {"replicas": 7, "readyReplicas": 7}}).to_string();
    let request = http::Request::patch("/apis/apps/v1/namespaces/default/deployments/web/status")
        .header("content-type", "application/merge-patch+json")
        .body(status.into_bytes());
    let changed = client.request::<Value>(request.unwrap()).await;
    changed.unwrap();
    dev.line("object   deployments default/web READY=7/1");
    let sets = http::Request::get("/apis/apps/v1/replicasets").body(Vec::new());
    let sets: Value = client.request(sets.unwrap()).await.unwrap();
    assert_eq!(sets["items"], json!([]));
}

#[test]
fn a_directory_without_an_operator_is_rejected() {
    let folder = directory();
    for (args, message) in [
        (
            &[][..],
            "error: . has no Cargo.toml: pass the operator's directory, a command after `--`, or CRDs to serve with `-f`\n",
        ),
        (
            &["-f", "crd.yaml", "--once"],
            "error: . has no Cargo.toml: pass the operator's directory, a command after `--`, or CRDs to serve with `-f`\n",
        ),
        (&["absent"], "error: absent is not a directory\n"),
    ] {
        let output = command(folder.path()).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
    }
}

/// `KUBE_CODEGEN_ACCEPT=1` rewrites the page.
#[test]
fn the_book_has_the_help() {
    let output = command(Path::new(".")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let help: Vec<&str> = help.trim().lines().map(str::trim_end).collect();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dev.md");
    let text = fs::read_to_string(&page).unwrap();
    let (before, _) = text.split_once("## Options\n").unwrap();
    let expected = format!("{before}## Options\n\n```text\n{}\n```\n", help.join("\n"));
    if std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        fs::write(&page, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(&page).unwrap(), expected);
}
