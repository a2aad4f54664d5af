//! `kube-codegen diff --cluster` and `-f cluster`, with the API server in memory.
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use kube_codegen_testing::{Action, ApiServer, Failure, On, Tls};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

const OLD: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, maximum: 1000}
              color: {type: string}
              parts:
                type: array
                items: {type: object, properties: {name: {type: string}}}
";

/// A bound, a removed field, a default, a rule that names an object, and a bound in a list.
fn new_release() -> String {
    OLD.replace("maximum: 1000", "maximum: 100")
        .replace("              color: {type: string}\n", "              mode: {type: string, default: Slow}\n")
        .replace("name: {type: string}}}", "name: {type: string, maxLength: 3}}}")
        .replace(
            "        type: object\n        properties:\n          spec",
            "        type: object\n        x-kubernetes-validations:\n        - rule: self.metadata.name != 'w-00007'\n        properties:\n          spec",
        )
}

struct Cluster {
    server: ApiServer,
    folder: TempDir,
}

impl Cluster {
    /// Starts a server with a kind and its objects, and writes the new release.
    async fn start(objects: usize) -> Self {
        let tls = Tls::new().unwrap();
        let server = ApiServer::builder().authority(tls.authority()).build();
        server.listen_tls(&tls).await.unwrap();
        let folder = TempDir::new().unwrap();
        let this = Self { server, folder };
        fs::write(this.file("kubeconfig"), this.server.kubeconfig().unwrap()).unwrap();
        fs::write(this.file("old.yaml"), OLD).unwrap();
        fs::write(this.file("new.yaml"), new_release()).unwrap();
        let crd: Value = parsed(OLD);
        this.server.register_crd(&crd).unwrap();
        for index in 0..objects {
            let mut spec = json!({"size": if index % 10 == 0 { 500 } else { 5 }});
            if index % 100 == 1 {
                spec["color"] = "red".into();
            }
            if index % 1000 == 2 {
                spec["parts"] = json!([{"name": "long name"}, {"name": "another"}]);
            }
            let object = json!({
                "apiVersion": "example.com/v1",
                "kind": "Widget",
                "metadata": {"name": format!("w-{index:05}"), "namespace": "default"},
                "spec": spec,
            });
            this.server.seed(&object).unwrap();
        }
        this.server.clear_requests();
        this
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kube-codegen-dev"));
        command
            .current_dir(self.folder.path())
            .env("KUBECONFIG", self.file("kubeconfig"))
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1")
            .args(["generator", "--color=never"])
            .args(args);
        command
    }

    async fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(args).output().await.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code(), text(stdout), text(stderr))
    }

    /// Returns the paths of the lists of widgets.
    fn lists(&self) -> Vec<String> {
        let requests = self.server.requests().into_iter();
        let lists = requests.filter(|it| it.resource == "widgets" && it.verb == "list");
        lists.map(|it| it.path).collect()
    }
}

fn parsed(text: &str) -> Value {
    let source = kube_codegen::source::Source::new("crd.yaml", text);
    let mut diagnostics = kube_codegen::diag::Diagnostics::new();
    let mut documents = kube_codegen::private::yaml::documents(&source, &mut diagnostics);
    documents.remove(0)
}

/// Answers the third list of widgets as the API server does when its token is too old.
fn expire_the_third_list(server: &ApiServer, has_token: bool) {
    let lists = Arc::new(AtomicUsize::new(0));
    server.intercept(move |request| {
        if request.resource != "widgets" || lists.fetch_add(1, Ordering::SeqCst) != 2 {
            return Action::Pass;
        }
        let query = request.path.split_once('?').map_or("", |it| it.1);
        let mut query = form_urlencoded::parse(query.as_bytes());
        let token = query.find(|(key, _)| key == "continue");
        let metadata = match token {
            Some((_, token)) if has_token => json!({"continue": token}),
            _ => json!({}),
        };
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 410, "reason": "Expired",
            "message": "The provided continue parameter is too old", "metadata": metadata,
        });
        Action::Answer(410, status)
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_objects_are_read_page_by_page() {
    let cluster = Cluster::start(3000).await;
    let (code, out, error) = cluster.run(&["diff", "--cluster", "new.yaml"]).await;
    assert_eq!(code, Some(1), "{out}{error}");
    for part in [
        "v1 spec.size: narrowed",
        "Widget (widgets.example.com): 3000 objects read as v1\n",
        "breaking: v1 <nil>: update rejected: 1 object\n",
        "breaking: v1 spec.color: dropped: 30 objects\n  the next write drops the field\n  default/w-00001, default/w-00101, \
         default/w-00201, default/w-00301, default/w-00401, 25 more\n",
        "risk: v1 spec.size: create rejected: 300 objects\n",
        "    spec.size: Invalid value: 500: spec.size in body should be less than or equal to 100\n",
        "risk: v1 spec.parts.name: create rejected: 3 objects\n",
        "risk: v1 spec.mode: defaulted (\"Slow\"): 3000 objects\n",
    ] {
        assert!(out.contains(part), "no {part:?} in\n{out}{error}");
    }
    let lists = cluster.lists();
    assert_eq!(lists.len(), 6);
    assert!(lists.iter().all(|it| it.contains("limit=500")), "{lists:?}");
    assert!(cluster.server.writes().is_empty());

    let (code, out, _) = cluster
        .run(&["diff", "--cluster", "new.yaml", "--message-format=json"])
        .await;
    assert_eq!(code, Some(1));
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let dropped = lines.iter().find(|it| it["effect"] == "dropped").unwrap();
    assert_eq!(dropped["objects"].as_array().unwrap().len(), 30);
    assert!(
        lines
            .iter()
            .any(|it| it["type"] == "read" && it["objects"] == 3000 && it["complete"] == true)
    );

    let (_, out, _) = cluster
        .run(&["diff", "--cluster", "new.yaml", "--markdown"])
        .await;
    assert!(
        out.contains("### Stored objects of Widget: 3000 read"),
        "{out}"
    );
    // Nothing differs: no object is read.
    cluster.server.clear_requests();
    let (code, out, error) = cluster.run(&["diff", "--cluster", "old.yaml"]).await;
    assert_eq!((code, out.trim()), (Some(0), "no change"), "{error}");
    assert!(cluster.lists().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_whose_token_expires_is_read_to_its_end() {
    let wanted = "Widget (widgets.example.com): 1600 objects read as v1\n";
    for (has_token, lists) in [(true, 5), (false, 7)] {
        let cluster = Cluster::start(1600).await;
        expire_the_third_list(&cluster.server, has_token);
        let (code, out, error) = cluster.run(&["diff", "--cluster", "new.yaml"]).await;
        assert_eq!(code, Some(1), "{error}");
        assert!(
            out.contains(wanted) && out.contains("create rejected: 160 objects\n"),
            "{out}{error}"
        );
        assert_eq!(cluster.lists().len(), lists);
    }
    // The server has forgotten the list.
    let cluster = Cluster::start(1600).await;
    let server = cluster.server.clone();
    let asked = AtomicUsize::new(0);
    cluster.server.intercept(move |request| {
        if request.resource == "widgets" && asked.fetch_add(1, Ordering::SeqCst) == 2 {
            server.compact();
        }
        Action::Pass
    });
    let (_, out, error) = cluster.run(&["diff", "--cluster", "new.yaml"]).await;
    assert!(
        out.contains(wanted) && out.contains("create rejected: 160 objects\n"),
        "{out}{error}"
    );
    // Errors that pass.
    let cluster = Cluster::start(1600).await;
    let widgets = || On::verb("list").resource("widgets");
    cluster
        .server
        .fail_times(widgets(), 2, Failure::status(503));
    let (_, out, error) = cluster.run(&["diff", "--cluster", "new.yaml"]).await;
    assert!(out.contains(wanted), "{out}{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_read_is_reported() {
    let cluster = Cluster::start(10).await;
    let rejected = |resource: &str| {
        let failure = Failure::status(403)
            .message("widgets.example.com is forbidden: User \"me\" cannot list resource");
        cluster
            .server
            .fail_always(On::verb("list").resource(resource), failure);
    };
    rejected("widgets");
    let (code, out, error) = cluster.run(&["diff", "--cluster", "new.yaml"]).await;
    assert_eq!(code, Some(2));
    assert!(out.contains("v1 spec.size: narrowed"), "{out}");
    assert!(!out.contains("each can be updated"), "{out}");
    assert!(
        error.contains(
            "error: not all objects of widgets.example.com were read, 0 of them: https://127.0.0.1:"
        ),
        "{error}"
    );
    assert!(
        error.contains("User \"me\" cannot list resource"),
        "{error}"
    );
    rejected("customresourcedefinitions");
    let (code, _, error) = cluster.run(&["diff", "cluster", "new.yaml"]).await;
    assert_eq!(code, Some(2));
    assert!(
        error.starts_with("error: cannot read the cluster: https://127.0.0.1:"),
        "{error}"
    );
    fs::write(cluster.file("kubeconfig"), "{}").unwrap();
    let (code, _, error) = cluster.run(&["generate", "-f", "cluster:"]).await;
    assert_eq!(code, Some(2));
    assert!(
        error.contains("cannot read the cluster: no kubeconfig"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_goes_on_where_it_ended() {
    let cluster = Cluster::start(3000).await;
    let args = ["diff", "--cluster", "new.yaml", "--resume", "state.json"];
    let (_, whole, _) = cluster.run(&args[..3]).await;
    cluster.server.clear_requests();
    // The fourth page takes long.
    let asked = AtomicUsize::new(0);
    cluster.server.intercept(move |request| {
        if request.resource == "widgets" && asked.fetch_add(1, Ordering::SeqCst) >= 3 {
            return Action::Delay(Duration::from_secs(600));
        }
        Action::Pass
    });
    let mut child = cluster
        .command(&args)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let state = cluster.file("state.json");
    let has_read = |text: &str| text.contains("\"read\":1500");
    let end = tokio::time::Instant::now() + Duration::from_secs(60);
    while !fs::read_to_string(&state).is_ok_and(|text| has_read(&text)) {
        assert!(tokio::time::Instant::now() < end, "no page was read");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let id = child.id().unwrap().to_string();
    // As Ctrl-C, which a process ignores whose parent was started in the background of a script.
    Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .await
        .unwrap();
    assert_eq!(child.wait().await.unwrap().code(), None);
    cluster.server.clear_interceptors();
    cluster.server.clear_requests();

    // Another comparison does not go on with it.
    let (code, _, error) = cluster
        .run(&["diff", "--cluster", "old.yaml", "--resume", "state.json"])
        .await;
    assert_eq!(code, Some(2));
    assert!(
        error.contains("state.json belongs to other CRDs"),
        "{error}"
    );

    let (code, out, error) = cluster.run(&args).await;
    assert_eq!((code, out), (Some(1), whole), "{error}");
    let lists = cluster.lists();
    assert_eq!(lists.len(), 3, "{lists:?}");
    assert!(lists.iter().all(|it| it.contains("continue=")), "{lists:?}");
    assert!(!state.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_of_a_cluster_are_an_input() {
    let cluster = Cluster::start(0).await;
    let other = OLD.replace("widget", "gadget").replace("Widget", "Gadget");
    cluster.server.register_crd(&parsed(&other)).unwrap();
    for (pattern, files) in [
        ("cluster:widgets.*", &["widget"][..]),
        ("cluster:Gadget", &["gadget"]),
        ("cluster:example.com", &["widget", "gadget"]),
    ] {
        let (code, out, error) = cluster.run(&["versions", "-f", pattern]).await;
        assert_eq!(code, Some(0), "{error}");
        for name in ["Widget", "Gadget"] {
            let is_wanted = files.contains(&&*name.to_lowercase());
            assert_eq!(
                out.contains(&format!("{name} has one version")),
                is_wanted,
                "{pattern}: {out}"
            );
        }
    }
    let (code, _, error) = cluster
        .run(&["sample", "-f", "cluster:*.example.org"])
        .await;
    assert_eq!(code, Some(2));
    assert_eq!(
        error,
        "error: cannot read the cluster: it has no CRD whose name, group or kind is `*.example.org`\n"
    );
    // What is not in the other release stays as it is; with a pattern, it would be removed.
    let (code, out, _) = cluster.run(&["diff", "cluster", "old.yaml"]).await;
    assert_eq!((code, out.trim()), (Some(0), "no change"));
    let (_, out, _) = cluster
        .run(&["diff", "cluster:example.com", "old.yaml"])
        .await;
    assert!(
        out.contains("Gadget (gadgets.example.com)\nbreaking: crd removed"),
        "{out}"
    );
    let (code, out, _) = cluster.run(&["diff", "old.yaml", "cluster"]).await;
    assert_eq!((code, out.trim()), (Some(0), "no change"));
    // A directory of that name is one, as before.
    fs::create_dir(cluster.file("cluster")).unwrap();
    fs::copy(
        cluster.file("new.yaml"),
        Path::new(&cluster.file("cluster")).join("crd.yaml"),
    )
    .unwrap();
    let (_, out, _) = cluster.run(&["diff", "old.yaml", "cluster"]).await;
    assert!(out.contains("narrowed"), "{out}");
}
