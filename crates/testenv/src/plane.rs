//! [`ControlPlane`]: its clients, kubeconfigs, `kubectl`, processes and components.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use k8s_openapi::api::core::v1::Namespace as CoreNamespace;
use kube::{
    Api, Client,
    api::PostParams,
    config::{KubeConfigOptions, Kubeconfig},
};
use tokio::{io::AsyncWriteExt as _, task::spawn_blocking};

use crate::{
    access::Access,
    assets::{Program, Programs, external, kubectl},
    component::Component,
    error::Error,
    process::Process,
    proxy::Proxy,
    reaper::Reaper,
    start::{Own, account_exists, compact, start},
};

/// How long [`ControlPlane::stop`] waits for each component.
const GRACE: Duration = Duration::from_secs(10);

/// The settings of a new control plane.
#[derive(Clone, Debug)]
pub struct Builder {
    nodes: usize,
    api_server_args: Vec<String>,
}

impl Builder {
    /// Sets the number of Ready nodes (default 1).
    #[must_use]
    pub fn nodes(self, nodes: usize) -> Self {
        Self { nodes, ..self }
    }

    /// Adds a flag for kube-apiserver, such as `--min-request-timeout=5`, which ends watches after 5 to 10 seconds.
    #[must_use]
    pub fn api_server_arg(mut self, arg: impl Into<String>) -> Self {
        self.api_server_args.push(arg.into());
        self
    }

    /// Starts the control plane. If `KUBE_CODEGEN_E2E_KUBECONFIG` is set, uses that cluster and ignores these settings.
    pub async fn start(self) -> Result<ControlPlane, Error> {
        if let Some(path) = external() {
            let reaper = Reaper::for_external(&kubectl(), &path)?;
            let kubeconfig = Kubeconfig::read_from(path)?;
            let config = kube::Config::from_custom_kubeconfig(
                kubeconfig.clone(),
                &KubeConfigOptions::default(),
            )
            .await?;
            let access = Access::from_kubeconfig(config, &kubeconfig, &reaper)?;
            return Ok(ControlPlane {
                own: None,
                kubectl: kubectl(),
                access,
                reaper,
            });
        }
        let programs = spawn_blocking(Programs::find)
            .await
            .map_err(|e| Error::io("search for programs")(e.into()))??;
        let reaper = Reaper::start()?;
        let (own, config) = start(&programs, self.nodes, &self.api_server_args, &reaper).await?;
        let access = Access::from_config(config, &reaper)?;
        Ok(ControlPlane {
            own: Some(own),
            kubectl: programs.kubectl,
            access,
            reaper,
        })
    }
}

/// A Kubernetes control plane. Its processes and files are removed when it is dropped, and also if the test process is killed.
///
/// ```no_run
/// # use kube_codegen_testenv::{ControlPlane, TestResult};
/// #[tokio::test]
/// async fn the_api_server_answers() -> TestResult {
///     let Some(plane) = ControlPlane::shared().await? else { return Ok(()) };
///     let namespace = plane.namespace("my-test").await?;
///     plane.kubectl(["get", "pods", "-n", namespace.name()]).await?;
///     Ok(())
/// }
/// ```
pub struct ControlPlane {
    own: Option<Own>,
    kubectl: Program,
    access: Access,
    reaper: Arc<Reaper>,
}

impl ControlPlane {
    /// Returns the default settings.
    pub fn builder() -> Builder {
        Builder {
            nodes: 1,
            api_server_args: Vec::new(),
        }
    }

    /// Starts a control plane with one node. Use [`ControlPlane::for_test`] to skip a test where none is available.
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// Stops all processes gracefully and removes all files.
    pub async fn stop(self) -> Result<(), Error> {
        if let Some(own) = &self.own {
            for component in own.controllers.iter().chain([&own.api_server, &own.etcd]) {
                component.resume()?;
                component.process().terminate(GRACE).await?;
            }
        }
        Ok(())
    }

    /// Returns a client with all rights, bound to the current async runtime.
    pub fn client(&self) -> Result<Client, Error> {
        Ok(Client::try_from(self.access.config.clone())?)
    }

    /// Returns the configuration of [`ControlPlane::client`].
    pub fn config(&self) -> &kube::Config {
        &self.access.config
    }

    /// Returns a kubeconfig with all rights.
    pub fn kubeconfig(&self) -> &Path {
        &self.access.kubeconfig
    }

    /// Returns a kubeconfig with the rights of a service account, valid for 24 hours; `namespace` is its default.
    pub async fn kubeconfig_for(
        &self,
        namespace: &str,
        service_account: &str,
    ) -> Result<PathBuf, Error> {
        self.access
            .kubeconfig_for(&self.client()?, namespace, service_account)
            .await
    }

    /// Returns a client with the rights of a service account.
    pub async fn client_for(
        &self,
        namespace: &str,
        service_account: &str,
    ) -> Result<Client, Error> {
        self.access
            .client_for(&self.client()?, namespace, service_account)
            .await
    }

    /// Creates a namespace with a unique name that starts with `prefix`, ready for Pods.
    pub async fn namespace(&self, prefix: &str) -> Result<Namespace, Error> {
        let mut namespace = CoreNamespace::default();
        namespace.metadata.generate_name = Some(format!("{prefix}-"));
        let client = self.client()?;
        let created = Api::all(client.clone())
            .create(&PostParams::default(), &namespace)
            .await?;
        let name = created.metadata.name.unwrap_or_default();
        if self.own.is_none() {
            self.reaper.delete_namespace(&name);
        }
        let namespace = Namespace { name };
        if self.has_controllers() {
            account_exists(&client, namespace.name()).await?;
        }
        Ok(namespace)
    }

    /// Runs `kubectl` with all rights and returns its output; a `--kubeconfig` argument overrides the rights.
    pub async fn kubectl<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Result<String, Error> {
        self.run_kubectl(
            args.into_iter()
                .map(|arg| arg.as_ref().to_owned())
                .collect(),
            "",
        )
        .await
    }

    /// Returns the command `kubectl` with all rights, for what [`Self::kubectl`] does not do, such as other environment variables.
    pub fn kubectl_command(&self) -> Command {
        let mut command = self.kubectl.command();
        command
            .env("KUBECONFIG", self.kubeconfig())
            .env("KUBECACHEDIR", self.reaper.folder().join("kubectl"));
        command
    }

    /// `kubectl apply` of manifests in YAML or JSON.
    pub async fn apply(&self, manifests: &str) -> Result<String, Error> {
        self.run_kubectl(["apply", "-f", "-"].map(Into::into).into(), manifests)
            .await
    }

    async fn run_kubectl(&self, args: Vec<OsString>, input: &str) -> Result<String, Error> {
        let mut command = tokio::process::Command::from(self.kubectl_command());
        command
            .args(&args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(self.reaper.group())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(Error::io("kubectl"))?;
        if let Some(mut stdin) = child.stdin.take() {
            // If kubectl exits early, its status says why.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        let output = child
            .wait_with_output()
            .await
            .map_err(Error::io("kubectl"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        Err(Error::Kubectl {
            args: args.join(" "),
            status: output.status,
            stderr: text(&output.stderr),
        })
    }

    /// Starts a program, such as the operator under test, that ends with the control plane at the latest.
    /// Its output is appended to the log `name`.
    pub fn spawn(&self, name: &str, mut command: Command) -> Result<Process, Error> {
        // Proxies in the environment cannot reach this machine.
        command
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1");
        Process::start(name, command, &self.reaper)
    }

    /// Starts an HTTPS proxy in front of the API server that injects faults.
    pub async fn proxy(&self) -> Result<Proxy, Error> {
        Proxy::start(&self.access.config, &self.reaper).await
    }

    /// Returns whether the processes belong to this control plane, so that a test may kill them.
    pub fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Returns whether controllers run; without them Deployments get no Pods and dependents are not collected.
    pub fn has_controllers(&self) -> bool {
        self.own
            .as_ref()
            .is_none_or(|own| own.controllers.is_some())
    }

    /// Returns the API server.
    pub fn api_server(&self) -> Result<&Component, Error> {
        self.own
            .as_ref()
            .map(|own| &own.api_server)
            .ok_or(Error::Absent("kube-apiserver"))
    }

    pub(crate) fn own(&self) -> Result<(&Own, &Arc<Reaper>), Error> {
        let own = self.own.as_ref().ok_or(Error::Absent("kube-apiserver"))?;
        Ok((own, &self.reaper))
    }

    /// Returns etcd.
    pub fn etcd(&self) -> Result<&Component, Error> {
        self.own
            .as_ref()
            .map(|own| &own.etcd)
            .ok_or(Error::Absent("etcd"))
    }

    /// Returns the process that runs Kubernetes' controllers and replaces scheduler and kubelets.
    pub fn controllers(&self) -> Result<&Component, Error> {
        self.own
            .as_ref()
            .and_then(|own| own.controllers.as_ref())
            .ok_or(Error::Absent("controllers"))
    }

    /// Compacts etcd, so that older continue tokens and list revisions expire, and returns the revision. The API server
    /// serves older watches from its cache until a [`Component::restart`].
    pub async fn compact(&self) -> Result<u64, Error> {
        let own = self.own.as_ref().ok_or(Error::Absent("etcd"))?;
        compact(&own.etcd_config).await
    }

    /// Keeps the logs, as a panic does, and returns their future folder.
    pub fn keep_logs(&self) -> &Path {
        self.reaper.keep_logs()
    }
}

/// A namespace for one test. It ends with the control plane; in an external cluster it is deleted when the test process ends.
#[derive(Debug)]
pub struct Namespace {
    name: String,
}

impl Namespace {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
