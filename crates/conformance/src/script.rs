//! Scripts of requests.

use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protobuf;

/// One request.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Method and path with query, as `PATCH /apis/…`. `NS` as a path segment is the namespace of the run.
    pub request: String,
    /// Content type of a patch: `apply`, `merge`, `json` or `strategic`; or `protobuf`, where the body can be encoded so.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The user that the administrator acts as.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Asks for the answer as a table, as `kubectl get` does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub table: bool,
    /// How many milliseconds a real server needs before the request, to notice what the last one has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Opens a watch over WebSocket.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub websocket: bool,
    /// Only the status of the answer is compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub brief: bool,
    /// The body as JSON. `$rv` is replaced by the resource version of the object at the path, and `$uid` by its uid.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// The body as text, in place of `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Step {
    /// Returns the content type and the body, as it is sent.
    pub fn encoded(&self) -> (&str, Vec<u8>) {
        let content = match self.patch.as_deref() {
            Some("protobuf") => {
                if let Some(body) = protobuf::encode(&self.body) {
                    return (protobuf::CONTENT, body);
                }
                "application/json"
            }
            None => "application/json",
            Some("apply") => "application/apply-patch+yaml",
            Some("merge") => "application/merge-patch+json",
            Some("json") => "application/json-patch+json",
            Some("strategic") => "application/strategic-merge-patch+json",
            Some(other) => other,
        };
        let body = match &self.text {
            Some(text) => text.clone(),
            None if self.body.is_null() => String::new(),
            None => self.body.to_string(),
        };
        (content, body.into_bytes())
    }
}

/// Requests in order.
#[derive(Clone, Debug)]
pub struct Script {
    /// The file name without extension.
    pub name: String,
    /// The requests.
    pub steps: Vec<Step>,
}

impl Script {
    /// Reads the scripts of a directory, sorted by name.
    pub fn read_all(directory: &Path) -> io::Result<Vec<Self>> {
        let mut scripts = Vec::new();
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "yaml") {
                let steps = serde_yaml::from_str(&fs::read_to_string(&path)?)
                    .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
                let name = path.file_stem().unwrap_or_default();
                scripts.push(Self {
                    name: name.to_string_lossy().into_owned(),
                    steps,
                });
            }
        }
        scripts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(scripts)
    }
}
