//! `kube-codegen new --from-kube-derive`: what is read, and what is reported.
use std::{fs, path::Path};

use tempfile::TempDir;

use super::{formatted, is_up_to_date};
use crate::cli::{files, run, stderr, stdout};

const API: &str = r#"
use kube::CustomResource;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Document", namespaced, shortname = "doc")]
#[kube(status = "DocumentStatus", printcolumn(json_path = ".spec.title", name = "Title", type_ = "string"))]
pub struct DocumentSpec {
    pub title: String,
}
"#;

const CONTROLLER: &str = r#"
use crate::api::Document;

pub static FINALIZER: &str = "documents.example.com";

async fn reconcile(document: Arc<Document>, context: Arc<Context>) -> Result<Action> {
    let patch = PatchParams::apply("document-controller").force();
    finalizer(&documents, FINALIZER, document, |event| async { todo(event, patch) }).await
}

pub async fn run(client: Client) {
    Recorder::new(client.clone(), "doc-events".into());
    Controller::new(Api::<Document>::all(client), Config::default()).run(reconcile, policy, context);
}

#[cfg(test)]
mod test {
    #[tokio::test]
    async fn patches() {
        let patch = PatchParams::apply("only-in-tests");
        finalizer(&documents, "only.in/tests", document, patch).await
    }
}
"#;

const PAPER: &str = r#"
use crate::paper::Paper;

const FINALIZER: &str = "papers.example.com";
const MANAGER: &str = "document-controller";

async fn reconcile(paper: Arc<Paper>, context: Arc<Context>) -> Result<Action> {
    finalizer::finalizer(&papers, FINALIZER, paper, |event| async { todo(event) }).await?;
    papers.patch(name, &PatchParams { field_manager: Some(MANAGER.into()), ..PatchParams::default() }, &patch).await?;
    papers.patch(name, &PatchParams::apply("document-controller/scale"), &patch).await
}

pub async fn run(client: Client) {
    Controller::new(Api::<Paper>::all(client), Config::default()).run(reconcile, policy, context);
}
"#;

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: documents.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Document, plural: documents, singular: document, shortNames: [doc]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec: {type: object, required: [title], properties: {title: {type: string, minLength: 3}}}
          status: {type: object, properties: {phase: {type: string}}}
";

fn package(api: &str) -> TempDir {
    let directory = TempDir::new().unwrap();
    let write = |path: &str, text: &str| {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("old/Cargo.toml", "[package]\nname = \"doc-controller\"\n");
    write("old/src/lib.rs", "pub mod api;\npub mod controller;\n");
    write("old/src/api/mod.rs", api);
    write("old/src/controller.rs", CONTROLLER);
    write("crds.yaml", CRD);
    directory
}

fn new(directory: &Path, args: &[&str]) -> std::process::Output {
    run(
        directory,
        &[&["new", "documents", "--from-kube-derive", "old"], args].concat(),
    )
}

#[test]
fn without_crds_a_program_is_printed_that_prints_them() {
    let directory = package(API);
    let output = new(directory.path(), &[]);
    let program = stdout(&output);
    syn::parse_file(&program).unwrap();
    assert!(
        program.contains("        doc_controller::api::Document::crd(),\n"),
        "{program}"
    );
    assert!(stderr(&output).contains("cargo run --example crds > crds.yaml"));
    fs::rename(
        directory.path().join("old/src/lib.rs"),
        directory.path().join("old/src/main.rs"),
    )
    .unwrap();
    let program = stdout(&new(directory.path(), &[]));
    assert!(
        program.contains("#[path = \"../src/api/mod.rs\"]\nmod api;\n"),
        "{program}"
    );
    assert!(!directory.path().join("documents").exists());
}

#[test]
fn finalizer_and_field_manager_are_kept() {
    let directory = package(API);
    let args = [
        "--file=crds.yaml",
        "--owns=v1/ConfigMap",
        "--lease=doc-lock",
    ];
    let output = new(directory.path(), &args);
    assert!(output.status.success(), "{}", stderr(&output));
    let package = directory.path().join("documents");
    let files = files(&package);
    for (file, expected) in [
        (
            "src/controller.rs",
            "FINALIZER: &str = \"documents.example.com\"",
        ),
        (
            "src/lib.rs",
            "FIELD_MANAGER: &str = \"document-controller\"",
        ),
        (
            "deploy/deployment.yaml",
            "--leader-elect-resource-name=doc-lock",
        ),
        (
            "TAKEOVER.md",
            "| src/api/mod.rs | `Document` | `crate::generated::example_com::v1::Document` |",
        ),
        // `finalize` reads the object.
        (
            "deploy/rbac.yaml",
            r#"verbs: ["get", "list", "watch", "patch"]"#,
        ),
        ("TAKEOVER.md", "- src/controller.rs: `src/controller.rs`"),
        (
            "TAKEOVER.md",
            "| finalizer | `documents.example.com` | `FINALIZER` in `src/controller.rs` |",
        ),
        ("TAKEOVER.md", "| reporter of Events | `doc-events` |"),
        (
            "TAKEOVER.md",
            "kubectl -n documents rollout status deployment documents",
        ),
    ] {
        assert!(files[file].contains(expected), "{file}: {}", files[file]);
    }
    assert!(
        !files["TAKEOVER.md"].contains("tests"),
        "what only tests use"
    );
    // The server validates the object when it gets the finalizer.
    let object: serde_json::Value = serde_yaml::from_str(&files["deploy/sample.yaml"]).unwrap();
    assert_eq!(object["spec"]["title"], "example");
    for path in ["src/controller.rs", "src/lib.rs", "tests/controller.rs"] {
        assert_eq!(formatted(&files[path]), *files[path], "{path}");
    }
    is_up_to_date(&package);
}

#[test]
fn each_kind_keeps_its_names_and_types_of_other_projects_stay() {
    let directory = package(API);
    let write = |path: &str, text: &str| fs::write(directory.path().join(path), text).unwrap();
    let paper = API.replace("Document", "Paper");
    write("old/src/paper.rs", &paper);
    write("old/src/paper_controller.rs", PAPER);
    write("old/src/issuer.rs", &API.replace("Document", "Issuer"));
    write(
        "old/src/fixtures.rs",
        "fn test() { PatchParams::apply(\"only-in-tests\"); }",
    );
    write(
        "old/src/lib.rs",
        "pub mod api;\npub mod controller;\n#[cfg(test)] pub mod fixtures;\n",
    );
    let papers = CRD
        .replace("Document", "Paper")
        .replace("document", "paper");
    write("papers.yaml", &papers);
    let output = new(
        directory.path(),
        &["--file=crds.yaml", "--file=papers.yaml"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let missing = "warning: `src/issuer.rs`: no CRD of --file has example.com/v1, kind Issuer";
    assert!(stderr(&output).contains(missing), "{}", stderr(&output));
    let files = files(&directory.path().join("documents"));
    for (file, expected) in [
        (
            "src/documents_controller.rs",
            "FINALIZER: &str = \"documents.example.com\"",
        ),
        (
            "src/papers_controller.rs",
            "FINALIZER: &str = \"papers.example.com\"",
        ),
        (
            "src/lib.rs",
            "FIELD_MANAGER: &str = \"document-controller\"",
        ),
        (
            "TAKEOVER.md",
            "- src/paper_controller.rs: `src/papers_controller.rs`\n",
        ),
        (
            "TAKEOVER.md",
            "| src/issuer.rs | `Issuer` | none: no CRD of `--file` has it.",
        ),
        (
            "TAKEOVER.md",
            "| field manager | `document-controller/scale` | by hand:",
        ),
    ] {
        assert!(files[file].contains(expected), "{file}: {}", files[file]);
    }
    assert!(!files["TAKEOVER.md"].contains("only-in-tests"));
}

#[test]
fn names_that_are_not_found_are_reported() {
    let directory = package(API);
    fs::write(
        directory.path().join("old/src/controller.rs"),
        "pub async fn run() { Controller::new(documents, Config::default()); }",
    )
    .unwrap();
    let output = new(directory.path(), &["--file=crds.yaml"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let files = files(&directory.path().join("documents"));
    for expected in [
        "| finalizer | | none was found.",
        "| field manager | | none was found;",
    ] {
        assert!(files["TAKEOVER.md"].contains(expected), "{expected}");
    }
}

#[test]
fn all_problems_are_reported_and_nothing_is_written() {
    let fails = |directory: &TempDir, expected: &[&str]| {
        let output = new(directory.path(), &["--file=crds.yaml"]);
        assert_eq!(output.status.code(), Some(2));
        for text in expected {
            assert!(
                stderr(&output).contains(text),
                "{text}\n{}",
                stderr(&output)
            );
        }
        assert!(!directory.path().join("documents").exists());
    };
    let broken = package(&API.replace("version = \"v1\", ", ""));
    fs::write(broken.path().join("old/src/broken.rs"), "fn main( {}").unwrap();
    fails(
        &broken,
        &[
            "`src/api/mod.rs`: the derive of `DocumentSpec`: `#[kube(…)]` has no `version`",
            "old/src/broken.rs` is not valid Rust",
        ],
    );
    fails(
        &package(&API.replace("Document\"", "Paper\"")),
        &["`src/api/mod.rs`: no CRD of --file has example.com/v1, kind Paper"],
    );
    fails(
        &package("pub struct Plain;"),
        &["has `#[derive(CustomResource)]`"],
    );
}
