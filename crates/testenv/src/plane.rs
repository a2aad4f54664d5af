//! In: the wish for a control plane. Out: its clients, kubeconfigs, `kubectl`, processes and fault switches. Never a choice of the cluster by the user's own kubeconfig.

use std::{
    ffi::OsStr,
    path::Path,
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
    assets::{Programs, external, kubectl},
    component::{Component, Program},
    error::Error,
    namespace::Namespace,
    process::Process,
    proxy::Proxy,
    reaper::Reaper,
    start::{Own, account_exists, compact, start},
};

/// How long [`ControlPlane::stop`] waits for each component to end by itself.
const GRACE: Duration = Duration::from_secs(10);

/// Settings of a control plane to be started.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) nodes: usize,
    pub(crate) api_server_args: Vec<String>,
}

impl Builder {
    /// How many Ready nodes there are (1).
    #[must_use]
    pub fn nodes(self, nodes: usize) -> Self {
        Self { nodes, ..self }
    }

    /// One more flag for kube-apiserver, such as `--min-request-timeout=5`, which ends watches after 5 to 10 seconds.
    #[must_use]
    pub fn api_server_arg(mut self, arg: impl Into<String>) -> Self {
        self.api_server_args.push(arg.into());
        self
    }

    /// Starts it. Where `KUBE_CODEGEN_E2E_KUBECONFIG` names a cluster, that one is used and these settings are not.
    pub async fn start(self) -> Result<ControlPlane, Error> {
        if let Some(path) = external() {
            let reaper = Reaper::of_foreign(&kubectl(), &path)?;
            let kubeconfig = Kubeconfig::read_from(path)?;
            let config = kube::Config::from_custom_kubeconfig(
                kubeconfig.clone(),
                &KubeConfigOptions::default(),
            )
            .await?;
            let access = Access::of_kubeconfig(config, &kubeconfig, &reaper)?;
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
        let (own, config) = start(&programs, &self, &reaper).await?;
        let access = Access::of_config(config, &reaper)?;
        Ok(ControlPlane {
            own: Some(own),
            kubectl: programs.kubectl,
            access,
            reaper,
        })
    }
}

/// A Kubernetes control plane; when it is dropped, and however the test process ends, nothing of it is left.
pub struct ControlPlane {
    own: Option<Own>,
    kubectl: Program,
    access: Access,
    reaper: Arc<Reaper>,
}

impl ControlPlane {
    /// Settings other than [`ControlPlane::start`]'s.
    pub fn builder() -> Builder {
        Builder {
            nodes: 1,
            api_server_args: Vec::new(),
        }
    }

    /// Starts one with one node. Whoever wants a test to be skipped where none can be had takes [`ControlPlane::for_test`].
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// Ends all its processes in good order, and removes its files.
    pub async fn stop(self) -> Result<(), Error> {
        if let Some(own) = &self.own {
            for component in own.controllers.iter().chain([&own.api_server, &own.etcd]) {
                component.resume()?;
                component.process().terminate(GRACE).await?;
            }
        }
        Ok(())
    }

    /// A client with all rights, which belongs to the async runtime it is made on.
    pub fn client(&self) -> Result<Client, Error> {
        Ok(Client::try_from(self.access.config.clone())?)
    }

    /// The configuration of [`ControlPlane::client`].
    pub fn config(&self) -> &kube::Config {
        &self.access.config
    }

    /// A kubeconfig with all rights.
    pub fn kubeconfig(&self) -> &Path {
        &self.access.kubeconfig
    }

    /// A kubeconfig with the rights of a service account, whose namespace is the kubeconfig's, for 24 hours.
    pub async fn kubeconfig_for(
        &self,
        namespace: &str,
        service_account: &str,
    ) -> Result<std::path::PathBuf, Error> {
        self.access
            .kubeconfig_for(&self.client()?, namespace, service_account)
            .await
    }

    /// A client with the rights of a service account.
    pub async fn client_for(
        &self,
        namespace: &str,
        service_account: &str,
    ) -> Result<Client, Error> {
        self.access
            .client_for(&self.client()?, namespace, service_account)
            .await
    }

    /// Makes a namespace whose name begins with `prefix`, ready for Pods.
    pub async fn namespace(&self, prefix: &str) -> Result<Namespace, Error> {
        let mut wanted = CoreNamespace::default();
        wanted.metadata.generate_name = Some(format!("{prefix}-"));
        let client = self.client()?;
        let made = Api::all(client.clone())
            .create(&PostParams::default(), &wanted)
            .await?;
        let name = made.metadata.name.unwrap_or_default();
        if self.own.is_none() {
            self.reaper.delete_namespace(&name);
        }
        let namespace = Namespace::new(name);
        if self.has_controllers() {
            account_exists(&client, namespace.name()).await?;
        }
        Ok(namespace)
    }

    /// Runs `kubectl` with all rights and gives what it prints; `--kubeconfig` among the arguments takes others.
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

    /// `kubectl apply` of manifests in YAML or JSON.
    pub async fn apply(&self, manifests: &str) -> Result<String, Error> {
        self.run_kubectl(["apply", "-f", "-"].map(Into::into).into(), manifests)
            .await
    }

    async fn run_kubectl(
        &self,
        args: Vec<std::ffi::OsString>,
        input: &str,
    ) -> Result<String, Error> {
        let mut command = tokio::process::Command::from(self.kubectl.command());
        command
            .args(&args)
            .env("KUBECONFIG", self.kubeconfig())
            .env("KUBECACHEDIR", self.reaper.folder().join("kubectl"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(self.reaper.group())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(Error::io("kubectl"))?;
        if let Some(mut stdin) = child.stdin.take() {
            // An end of kubectl before it has read all is told by its exit status.
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
    /// What it prints is appended to the log called `name`.
    pub fn spawn(&self, name: &str, mut command: Command) -> Result<Process, Error> {
        // A proxy that the environment names does not lead to this machine.
        command
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1");
        Process::start(name, command, &self.reaper)
    }

    /// Puts an HTTPS proxy before the API server that answers wrongly as its rules say.
    pub async fn proxy(&self) -> Result<Proxy, Error> {
        Proxy::start(&self.access.config, &self.reaper).await
    }

    /// Whether its processes are its own, and so can be killed.
    pub fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Whether Deployments get Pods and owned objects are collected: not with envtest's two programs alone.
    pub fn has_controllers(&self) -> bool {
        self.own
            .as_ref()
            .is_none_or(|own| own.controllers.is_some())
    }

    /// The API server's switches.
    pub fn api_server(&self) -> Result<&Component, Error> {
        self.own
            .as_ref()
            .map(|own| &own.api_server)
            .ok_or(Error::Absent("kube-apiserver"))
    }

    /// etcd's switches.
    pub fn etcd(&self) -> Result<&Component, Error> {
        self.own
            .as_ref()
            .map(|own| &own.etcd)
            .ok_or(Error::Absent("etcd"))
    }

    /// The switches of the process that runs Kubernetes' own controllers and stands in for scheduler and kubelets.
    pub fn controllers(&self) -> Result<&Component, Error> {
        self.own
            .as_ref()
            .and_then(|own| own.controllers.as_ref())
            .ok_or(Error::Absent("controllers"))
    }

    /// Compacts etcd: continue tokens and list revisions from before are then expired. The API server's watch cache still
    /// serves watches from before; with [`Component::restart`] of the API server it forgets. Gives the revision.
    pub async fn compact(&self) -> Result<u64, Error> {
        let own = self.own.as_ref().ok_or(Error::Absent("etcd"))?;
        compact(&own.etcd_config).await
    }

    /// Lets the logs survive the control plane, as a panic does; says where they will be.
    pub fn keep_logs(&self) -> &Path {
        self.reaper.keep_logs()
    }
}
