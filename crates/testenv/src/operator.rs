//! What most tests of an operator begin with: its definitions and manifests, and the operator under its own account.

use std::{fs, path::Path, process::Command, time::Duration};

use crate::{ControlPlane, Error, Process, eventually};

/// How long definitions may take until they are served.
const ESTABLISHED: &str = "wait --for=condition=established crd --all --timeout=60s";

impl ControlPlane {
    /// Applies manifests and waits until their CRDs are served.
    ///
    /// ```no_run
    /// # use kube_codegen_testenv::{ControlPlane, TestResult};
    /// # async fn test(plane: &ControlPlane) -> TestResult {
    /// plane.install(&[include_str!("../../../fixtures/crdkind.yaml")]).await?;
    /// # Ok(()) }
    /// ```
    pub async fn install(&self, manifests: &[&str]) -> Result<(), Error> {
        let is_definition = |text: &&&str| text.contains("kind: CustomResourceDefinition");
        // Objects of custom kinds need their definition.
        for text in manifests.iter().filter(is_definition) {
            self.apply(text).await?;
        }
        if manifests.iter().any(|text| is_definition(&text)) {
            self.kubectl(ESTABLISHED.split(' ')).await?;
        }
        for text in manifests.iter().filter(|text| !is_definition(text)) {
            self.apply(text).await?;
        }
        Ok(())
    }

    /// [Installs](Self::install) the YAML files of a folder, such as `deploy/`, without its Deployments, because the operator
    /// under test runs outside the cluster, and without the objects of kustomize and of the Prometheus operator.
    pub async fn install_deploy(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        let folder = folder.as_ref();
        let failed = |error| Error::io(folder.display().to_string())(error);
        let mut paths: Vec<_> = fs::read_dir(folder)
            .map_err(failed)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.extension()
                    .is_some_and(|it| it == "yaml" || it == "yml")
            })
            .collect();
        paths.sort();
        let mut manifests = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path).map_err(failed)?;
            manifests.extend(
                text.split("\n---")
                    .filter(|document| !document.lines().any(is_left_out))
                    .map(str::to_owned),
            );
        }
        // The namespace comes before what is in it.
        manifests.sort_by_key(|text| !text.lines().any(|line| line == "kind: Namespace"));
        let texts: Vec<&str> = manifests
            .iter()
            .map(String::as_str)
            .filter(|text| text.contains("kind:"))
            .collect();
        self.install(&texts).await
    }

    /// Starts the program of an operator under a service account, with `KUBECONFIG` set.
    ///
    /// The process ends with the control plane at the latest; [`Operator::ready`] waits until it is ready.
    pub async fn operator(
        &self,
        program: impl AsRef<Path>,
        namespace: &str,
        account: &str,
        flags: &[&str],
    ) -> Result<Operator, Error> {
        let kubeconfig = self.kubeconfig_for(namespace, account).await?;
        let mut command = Command::new(program.as_ref());
        command.args(flags).env("KUBECONFIG", kubeconfig);
        let process = self.spawn(account, command)?;
        Ok(Operator(process))
    }

    /// Returns the objects and events of a namespace as text, for the message of a failed test.
    pub async fn dump(&self, namespace: &str) -> String {
        let kinds = self
            .kubectl([
                "api-resources",
                "--verbs=list",
                "--namespaced",
                "-o",
                "name",
            ])
            .await
            .unwrap_or_else(|error| error.to_string());
        let skipped = ["events", "events.events.k8s.io", "endpoints"];
        let kinds: Vec<&str> = kinds
            .lines()
            .filter(|kind| !skipped.contains(kind))
            .collect();
        let mut text = String::new();
        for args in [
            vec![
                "get",
                &kinds.join(","),
                "--ignore-not-found",
                "--show-kind",
                "-o",
                "wide",
            ],
            vec!["get", "events", "--sort-by=.lastTimestamp"],
        ] {
            let args = args.into_iter().chain(["-n", namespace]);
            text += &self
                .kubectl(args)
                .await
                .unwrap_or_else(|error| error.to_string());
            text.push('\n');
        }
        text
    }

    /// Runs a check in a namespace. If it fails, prints [`dump`](Self::dump) to standard error.
    ///
    /// ```no_run
    /// # use kube_codegen_testenv::{ControlPlane, TestResult};
    /// # async fn test(plane: &ControlPlane) -> TestResult {
    /// plane.explained("default", async {
    ///     plane.kubectl(["wait", "deployment/web", "--for=condition=available"]).await
    /// }).await?;
    /// # Ok(()) }
    /// ```
    pub async fn explained<T, E>(
        &self,
        namespace: &str,
        check: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let result = check.await;
        if result.is_err() {
            let dump = self.dump(namespace).await;
            eprintln!("objects and events in namespace {namespace}:\n{dump}");
        }
        result
    }
}

/// Returns whether a manifest with this line is not installed.
fn is_left_out(line: &str) -> bool {
    line == "kind: Deployment"
        || line.starts_with("apiVersion: kustomize.config.k8s.io/")
        || line.starts_with("apiVersion: monitoring.coreos.com/")
}

/// A running operator. Dropping it kills it.
#[derive(Debug)]
pub struct Operator(Process);

impl Operator {
    /// Waits until the log of the operator contains this text, such as that of its first reconcile.
    pub async fn logged(&self, text: &str, within: Duration) -> Result<(), Error> {
        eventually(&format!("{text:?} in the log"), within, async || {
            let log = self.0.log();
            if log.contains(text) { Ok(()) } else { Err(log) }
        })
        .await
    }

    /// Waits until the caches of the operator are complete and its workers run, as operators of kube-codegen log it.
    pub async fn ready(&self, within: Duration) -> Result<(), Error> {
        self.logged("starting workers", within).await
    }

    /// Returns the process, to stop, kill or pause it.
    pub fn process(&self) -> &Process {
        &self.0
    }
}
