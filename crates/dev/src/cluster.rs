//! The API server: in memory, or a real control plane.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use http::{Method, Request};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use kube_codegen_testing::{ApiServer, Controllers, Tls};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::folder::{Folder, write};

/// The user agent of this command, whose requests are not shown.
pub(super) const AGENT: &str = "kube-codegen-dev";

/// The field manager of `kubectl apply --server-side`.
const KUBECTL: &str = "kubectl";

enum Server {
    Memory(ApiServer),
    #[cfg(unix)]
    Real(Box<kube_codegen_testenv::ControlPlane>),
}

pub(super) struct Cluster {
    server: Server,
    client: Client,
    url: String,
    folder: Folder,
    kubeconfig: PathBuf,
    manager: &'static str,
}

impl Cluster {
    pub(super) async fn start(
        real: bool,
        has_controllers: bool,
        has_operator: bool,
    ) -> Result<Self, String> {
        let folder = Folder::create()
            .map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        let kubeconfig = folder.path().join("kubeconfig");
        let server = if real {
            Self::real(&kubeconfig).await?
        } else {
            let failed = |error| format!("cannot start the API server: {error}");
            let tls = Tls::new().map_err(failed)?;
            let mut builder = ApiServer::builder()
                .namespaces()
                .authority(tls.authority())
                .authorization();
            if has_controllers {
                builder = builder.controllers(Controllers::new().end_unrestarted());
            }
            let server = builder.build();
            server.set_request_limit(1_000);
            server.listen_tls(&tls).await.map_err(failed)?;
            write(&kubeconfig, &server.kubeconfig().unwrap_or_default())?;
            Server::Memory(server)
        };
        let failed =
            |error: &dyn std::fmt::Display| format!("cannot connect to the API server: {error}");
        let parsed = Kubeconfig::read_from(&kubeconfig).map_err(|error| failed(&error))?;
        let config = Config::from_custom_kubeconfig(parsed, &KubeConfigOptions::default())
            .await
            .map_err(|error| failed(&error))?;
        let url = config
            .cluster_url
            .to_string()
            .trim_end_matches('/')
            .to_owned();
        let client = Client::try_from(config).map_err(|error| failed(&error))?;
        Ok(Self {
            server,
            client,
            url,
            folder,
            kubeconfig,
            // Without an operator, you go on with kubectl: what it applies must not conflict with what this command has applied.
            manager: if has_operator { AGENT } else { KUBECTL },
        })
    }

    #[cfg(unix)]
    async fn real(kubeconfig: &Path) -> Result<Server, String> {
        let plane = kube_codegen_testenv::ControlPlane::start()
            .await
            .map_err(|error| format!("cannot start the control plane: {error}"))?;
        let text = fs::read_to_string(plane.kubeconfig())
            .map_err(|error| format!("cannot read the kubeconfig: {error}"))?;
        write(kubeconfig, text.trim_end())?;
        Ok(Server::Real(Box::new(plane)))
    }

    #[cfg(not(unix))]
    async fn real(_: &Path) -> Result<Server, String> {
        Err("--real needs Unix".to_owned())
    }

    /// Ends the API server at once: it stores nothing that lasts, and kube-apiserver would wait for its clients first.
    pub(super) fn stop(self) {
        #[cfg(unix)]
        if let Server::Real(plane) = self.server {
            drop(plane);
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the field manager of applied manifests.
    pub(super) fn manager(&self) -> &'static str {
        self.manager
    }

    /// Returns the kubeconfig of the administrator.
    pub(super) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Returns the path of a file that is removed at the end.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the server in memory, whose requests can be followed.
    pub(super) fn memory(&self) -> Option<&ApiServer> {
        match &self.server {
            Server::Memory(server) => Some(server),
            #[cfg(unix)]
            Server::Real(_) => None,
        }
    }

    /// Writes a kubeconfig of the administrator, for a replica of the operator alone.
    pub(super) fn kubeconfig_of_administrator(&self, replica: usize) -> Result<PathBuf, String> {
        let text = fs::read_to_string(&self.kubeconfig)
            .map_err(|error| format!("cannot read the kubeconfig: {error}"))?;
        let file = self.file(&format!("kubeconfig-operator-{replica}"));
        write(&file, &text)?;
        Ok(file)
    }

    /// Writes a kubeconfig with the token of a service account, for a replica of the operator.
    pub(super) async fn kubeconfig_of(
        &self,
        replica: usize,
        namespace: &str,
        name: &str,
    ) -> Result<PathBuf, String> {
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token");
        let body = json!({
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": 7 * 24 * 3600},
        });
        let answer = self
            .send(Method::POST, &path, "application/json", &body)
            .await?;
        let text = fs::read_to_string(&self.kubeconfig)
            .map_err(|error| format!("cannot read the kubeconfig: {error}"))?;
        let mut config: Value = serde_json::from_str(&text)
            .map_err(|error| format!("cannot read the kubeconfig: {error}"))?;
        config["users"][0]["user"] = json!({"token": answer["status"]["token"]});
        config["contexts"][0]["context"]["namespace"] = namespace.into();
        let file = self.file(&format!("kubeconfig-operator-{replica}"));
        write(&file, &config.to_string())?;
        Ok(file)
    }

    pub(super) async fn get(&self, path: &str, accept: &str) -> Result<Value, String> {
        let request = Request::get(path)
            .header(http::header::ACCEPT, accept)
            .header(http::header::USER_AGENT, AGENT)
            .body(Vec::new());
        self.answer(request).await
    }

    /// Returns the path of the collection of an object.
    pub(super) async fn collection(&self, object: &Value) -> Result<String, String> {
        let text = |pointer: &str| {
            object
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (api_version, kind) = (text("/apiVersion"), text("/kind"));
        let root = root(api_version);
        let document = self.get(&root, "application/json").await;
        let document =
            document.map_err(|_| format!("{api_version} is not served: is its CRD installed?"))?;
        let mut resources = document["resources"].as_array().into_iter().flatten();
        let name = |it: &Value| it["name"].as_str().unwrap_or_default().to_owned();
        let resource = resources
            .find(|it| it["kind"] == kind && !name(it).contains('/'))
            .ok_or_else(|| format!("{api_version} has no kind {kind}"))?;
        let namespace = match text("/metadata/namespace") {
            _ if resource["namespaced"] != true => String::new(),
            "" => "/namespaces/default".to_owned(),
            namespace => format!("/namespaces/{namespace}"),
        };
        Ok(format!("{root}{namespace}/{}", name(resource)))
    }

    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: &Value,
    ) -> Result<Value, String> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(http::header::CONTENT_TYPE, content_type)
            .header(http::header::USER_AGENT, AGENT)
            .body(body.to_string().into_bytes());
        self.answer(request).await
    }

    async fn answer(&self, request: http::Result<Request<Vec<u8>>>) -> Result<Value, String> {
        let request = request.map_err(|error| error.to_string())?;
        self.client
            .request(request)
            .await
            .map_err(|error| match error {
                kube::Error::Api(status) => status.message,
                error => error.to_string(),
            })
    }

    /// Waits until a path exists, as that of a new custom kind does after a moment.
    pub(super) async fn wait_for(&self, path: &str) -> Result<Value, String> {
        const TRIES: u32 = 50;
        for _ in 0..TRIES {
            if let Ok(found) = self.get(path, "application/json").await {
                return Ok(found);
            }
            sleep(Duration::from_millis(100)).await;
        }
        self.get(path, "application/json").await
    }
}

/// Returns the path of a group and version.
pub(super) fn root(api_version: &str) -> String {
    if api_version.contains('/') {
        format!("/apis/{api_version}")
    } else {
        format!("/api/{api_version}")
    }
}
