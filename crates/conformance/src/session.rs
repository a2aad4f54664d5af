//! Runs steps against one server.

use std::{fs, path::Path, time::Duration};

use futures::StreamExt as _;
use http::{Request, header};
use http_body_util::BodyExt as _;
use hyper_util::rt::TokioIo;
use kube::{Client, client::Body};
use kube_codegen_testenv::ControlPlane;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testresult::TestResult;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        handshake::client::generate_key,
        protocol::{Message, Role},
    },
};

use crate::{Normal, Step, normal::LIST};

/// The normalised answer to a step.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Answer {
    /// HTTP status; 0 if the server has closed the connection instead.
    pub status: u16,
    /// The `Warning` headers, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The body as JSON; a watch has its events as an array.
    pub body: Value,
}

impl Answer {
    /// Returns the answer of a server that has closed the connection: a status of 0.
    pub fn none() -> Self {
        Self {
            status: 0,
            warnings: Vec::new(),
            body: Value::Null,
        }
    }
}

/// A run of steps against one server, in a namespace of its own.
pub struct Session {
    client: Client,
    namespace: String,
    normal: Normal,
    /// What `$start` in a path stands for.
    start: String,
    /// Whether the server notices changes late.
    is_real: bool,
}

impl Session {
    /// Creates a session in a namespace that exists.
    pub fn new(client: Client, namespace: &str) -> Self {
        Self {
            client,
            namespace: namespace.to_owned(),
            normal: Normal::new(namespace),
            start: String::new(),
            is_real: false,
        }
    }

    /// Creates a session with a control plane, without retries: each answer counts.
    pub fn with(plane: &ControlPlane, namespace: &str) -> TestResult<Self> {
        let mut config = plane.config().clone();
        config.default_retry = false;
        let session = Self::new(Client::try_from(config)?, namespace);
        Ok(Self {
            is_real: true,
            ..session
        })
    }

    /// Remembers the resource version of a collection for `$start` in later paths.
    pub async fn remember_start(&mut self, collection: &str) -> TestResult {
        let path = collection.replace("/NS/", &format!("/{}/", self.namespace));
        let list = self.get(&format!("{path}?limit=1")).await?;
        let version = list["metadata"]["resourceVersion"].as_str();
        version.unwrap_or_default().clone_into(&mut self.start);
        Ok(())
    }

    /// Sends a request and returns the normalised answer.
    pub async fn run(&mut self, step: &Step) -> TestResult<Answer> {
        let (method, path) = step.request.split_once(' ').ok_or("METHOD PATH")?;
        let path = path
            .replace("/NS/", &format!("/{}/", self.namespace))
            .replace("$NS", &self.namespace)
            .replace("$start", &self.start);
        let mut step = step.clone();
        self.fill(&path, &mut step.body).await?;
        if let Some(text) = &mut step.text {
            *text = text.replace("$NS", &self.namespace);
        }
        if let Some(time) = step.after.filter(|_| self.is_real) {
            tokio::time::sleep(Duration::from_millis(time)).await;
        }
        if step.websocket {
            return self.watch_by_socket(&path).await;
        }
        let (content, body) = step.encoded();
        let accept = if step.table {
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
        } else {
            "application/json"
        };
        let mut attempts = 0..10;
        let (status, warnings, bytes) = loop {
            let mut request = Request::builder()
                .method(method)
                .uri(&path)
                .header(header::CONTENT_TYPE, content)
                .header(header::ACCEPT, accept)
                .header(header::USER_AGENT, "conformance/1");
            if let Some(user) = &step.user {
                request = request.header("impersonate-user", user);
            }
            let request = request.body(Body::from(body.clone()))?;
            let response = match self.client.send(request).await {
                // A real server that panics closes the connection.
                Err(kube::Error::Service(_)) => return Ok(Answer::none()),
                response => response?,
            };
            let status = response.status().as_u16();
            let warnings = response.headers().get_all(header::WARNING).iter();
            let mut warnings: Vec<String> = warnings
                .filter_map(|it| it.to_str().ok())
                .map(str::to_owned)
                .collect();
            warnings.sort_unstable();
            let bytes = response.into_body().collect().await?.to_bytes();
            // The storage of a new kind is not ready on a slow machine. No answer of a script has this status.
            if !self.is_real || status != 429 || attempts.next().is_none() {
                break (status, warnings, bytes);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        };
        let mut body = if bytes.is_empty() || step.brief {
            Value::Null
        } else if path.contains("watch=") && status == 200 {
            let lines = bytes
                .split(|byte| *byte == b'\n')
                .filter(|it| !it.is_empty());
            let events: Result<Vec<Value>, _> = lines.map(serde_json::from_slice).collect();
            events?.into()
        } else {
            serde_json::from_slice(&bytes)
                .unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes)))
        };
        if body["kind"] == "Table" && is_collection(&path) {
            body["metadata"]["resourceVersion"] = LIST.into();
        }
        self.normal.value(&mut body);
        Ok(Answer {
            status,
            warnings,
            body,
        })
    }

    /// Opens a watch over WebSocket and returns its messages.
    async fn watch_by_socket(&mut self, path: &str) -> TestResult<Answer> {
        let request = Request::get(path)
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, generate_key())
            .header(header::ORIGIN, "http://localhost")
            .body(Body::empty())?;
        let mut response = self.client.send(request).await?;
        let status = response.status().as_u16();
        let mut messages = Vec::new();
        if status == 101 {
            let stream = TokioIo::new(hyper::upgrade::on(&mut response).await?);
            let mut socket = WebSocketStream::from_raw_socket(stream, Role::Client, None).await;
            while let Some(message) = socket.next().await {
                if let Message::Text(text) = message? {
                    messages.push(serde_json::from_str::<Value>(&text)?);
                }
            }
        }
        let mut body = Value::from(messages);
        self.normal.value(&mut body);
        Ok(Answer {
            status,
            warnings: Vec::new(),
            body,
        })
    }

    /// Replaces `$rv`, `$uid` and `$NS` in a body.
    async fn fill(&self, path: &str, body: &mut Value) -> TestResult {
        let text = body.to_string();
        if text.contains("$NS") {
            *body = serde_json::from_str(&text.replace("$NS", &self.namespace))?;
        }
        if text.contains("\"$rv\"") || text.contains("\"$uid\"") {
            let object = path.split('?').next().unwrap_or_default();
            let object = object
                .trim_end_matches("/status")
                .trim_end_matches("/scale");
            let found = self.get(object).await?;
            let text = |pointer| {
                let found = found.pointer(pointer);
                found.cloned().unwrap_or_else(|| json!("1"))
            };
            let (version, uid) = (text("/metadata/resourceVersion"), text("/metadata/uid"));
            replace(body, &version, &uid);
        }
        Ok(())
    }

    /// Reads an object or a list as it is.
    pub async fn get(&self, path: &str) -> TestResult<Value> {
        let request = Request::get(path).body(Body::empty())?;
        let bytes = self
            .client
            .send(request)
            .await?
            .into_body()
            .collect()
            .await?;
        Ok(serde_json::from_slice(&bytes.to_bytes()).unwrap_or_default())
    }

    /// Creates the namespace of the session.
    pub async fn create_namespace(&self) -> TestResult {
        let namespace = json!({"metadata": {"name": self.namespace}});
        let request = Request::post("/api/v1/namespaces")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(serde_json::to_vec(&namespace)?))?;
        let status = self.client.send(request).await?.status();
        if !status.is_success() {
            return Err(format!("namespace {}: {status}", self.namespace).into());
        }
        Ok(())
    }

    /// Creates a definition and waits until its resource is served.
    pub async fn define(&self, definition: &Value) -> TestResult {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(serde_json::to_vec(definition)?))?;
        let response = self.client.send(request).await?;
        let status = response.status().as_u16();
        if status != 201 && status != 409 {
            let body = response.into_body().collect().await?.to_bytes();
            return Err(String::from_utf8_lossy(&body).into_owned().into());
        }
        let spec = &definition["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for version in spec["versions"].as_array().into_iter().flatten() {
            let path = format!(
                "/apis/{}/{}/{}",
                text(&spec["group"]),
                text(&version["name"]),
                text(&spec["names"]["plural"])
            );
            let mut attempts = futures::stream::iter(0..600);
            while attempts.next().await.is_some() {
                if self.get(&path).await?["kind"] != "Status" && self.is_described(&path).await? {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }

    /// Returns whether the server's OpenAPI has the resource, which server-side apply needs; the API server in memory has none.
    async fn is_described(&self, path: &str) -> TestResult<bool> {
        let (group_version, plural) = path.rsplit_once('/').unwrap_or((path, ""));
        let openapi = self.get(&format!("/openapi/v3{group_version}")).await?;
        if openapi["kind"] == "Status" && self.get("/openapi/v3").await?["kind"] == "Status" {
            return Ok(true);
        }
        Ok(openapi["paths"]
            .as_object()
            .is_some_and(|paths| paths.keys().any(|it| it.ends_with(&format!("/{plural}")))))
    }
}

/// Returns whether a path names a collection of objects instead of one.
fn is_collection(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    // After the version: a plural with or without a name, or both in a namespace.
    let version = if parts[0] == "api" { 2 } else { 3 };
    parts.len() > version && (parts.len() - version) % 2 == 1
}

fn replace(value: &mut Value, version: &Value, uid: &Value) {
    match value {
        Value::String(text) if text == "$rv" => *value = version.clone(),
        Value::String(text) if text == "$uid" => *value = uid.clone(),
        Value::Object(fields) => fields.values_mut().for_each(|it| replace(it, version, uid)),
        Value::Array(items) => items.iter_mut().for_each(|it| replace(it, version, uid)),
        _ => {}
    }
}

/// Reads the definitions of the kinds that scripts and random requests use.
pub fn definitions() -> TestResult<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions");
    let mut definitions = Vec::new();
    for entry in fs::read_dir(folder)? {
        let mut definition: serde_yaml::Value =
            serde_yaml::from_str(&fs::read_to_string(entry?.path())?)?;
        definition.apply_merge()?;
        definitions.push(serde_json::to_value(definition)?);
    }
    Ok(definitions)
}
