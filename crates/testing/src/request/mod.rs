//! A request for a resource of the server: its verb, what it addresses, its options and its body.
//!
//! It may use `kinds`, `storage` and `values`.

mod query;
pub(crate) mod selector;
mod user;

use serde_json::{Value, error::Category};

use crate::{
    kinds::{builtin, kind::Types, target::Target},
    values::{
        json, numbers,
        status::{Answer, bad_request, unsupported_media_type},
    },
};
pub(crate) use query::Query;
pub(crate) use selector::Selector;
pub use user::User;
pub(crate) use user::{AUTHENTICATED, MASTERS};

/// The content type of server-side apply.
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

/// The content type of strategic merge patches.
pub(crate) const STRATEGIC: &str = "application/strategic-merge-patch+json";

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// A verb of the Kubernetes API, named as in RBAC rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

/// A request for a resource of the server.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) verb: Verb,
    pub(crate) target: Target,
    pub(crate) query: Query,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
    /// The client asked for a `Table`.
    pub(crate) table: bool,
    /// The client asked for `PartialObjectMetadata`.
    pub(crate) metadata_only: bool,
    pub(crate) user_agent: String,
    pub(crate) user: User,
}

/// The body of a request, parsed.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) value: Value,
    pub(crate) sent: Sent,
    /// Warnings for the client.
    pub(crate) warnings: Vec<String>,
}

/// Facts about the body that a client sent, which the new state does not show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    /// The fields that the body has twice.
    pub(crate) duplicates: Vec<String>,
    /// Whether there was a number such as `1.0`, outside metadata and status.
    pub(crate) has_whole_float: bool,
    /// The owners of fields stay as they are, because the body has fields of wrong types.
    pub(crate) is_untracked: bool,
    /// The status, though the request may not write it.
    pub(crate) status: Option<Value>,
}

/// Facts about a request besides its answer, even if it fails.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The texts of `Warning` headers.
    pub(crate) warnings: Vec<String>,
    /// The verb for which the user has no permission.
    pub(crate) denied: Option<&'static str>,
    /// Why the request failed.
    pub(crate) message: String,
}

impl Request {
    /// Returns a request of the administrator without options, with a body in JSON.
    pub(crate) fn new(verb: Verb, target: Target, body: Vec<u8>, agent: &str) -> Self {
        Self {
            verb,
            target,
            query: Query::default(),
            content_type: JSON.to_owned(),
            body,
            table: false,
            metadata_only: false,
            user_agent: agent.to_owned(),
            user: User::admin(),
        }
    }

    /// Replaces the body.
    pub(crate) fn set_body(&mut self, body: &Value) {
        self.body = body.to_string().into_bytes();
        if matches!(self.content_type.as_str(), PROTOBUF | YAML) {
            JSON.clone_into(&mut self.content_type);
        }
    }

    /// Parses the body as JSON; an empty body is null.
    pub(crate) fn json(&self) -> Answer<Value> {
        self.content().map(|content| content.value)
    }

    fn yaml(&self) -> Answer<Content> {
        let (mut value, twice) = json::read_yaml(&self.body)
            .map_err(|error| bad_request(&format!("error decoding YAML: {error}")))?;
        numbers::normalize(&mut value);
        Ok(Content {
            value,
            warnings: self.check_keys(&twice)?,
            ..Content::default()
        })
    }

    /// Parses the body as [`Self::json`] does, and returns what else is known of it.
    pub(crate) fn content(&self) -> Answer<Content> {
        if self.body.is_empty() {
            return Ok(Content::default());
        }
        let version = self.target.version()?;
        let is_known = ["", JSON, YAML, PROTOBUF].contains(&self.content_type.as_str());
        if !is_known && self.verb != Verb::Patch {
            return Err(unsupported_media_type(&[JSON, YAML, PROTOBUF].join(", ")));
        }
        if self.content_type == PROTOBUF {
            let types = [JSON, YAML].join(", ");
            let Types::Builtin(name) = &version.types else {
                return Err(unsupported_media_type(&types));
            };
            let value = builtin::from_protobuf(name, &self.body);
            let value = value.ok_or_else(|| unsupported_media_type(&types))?;
            return Ok(Content {
                value,
                ..Content::default()
            });
        }
        let is_yaml = self.content_type.ends_with("yaml");
        if is_yaml && !self.body.starts_with(b"{") {
            return self.yaml();
        }
        let read = json::read(&self.body, !self.target.kind.custom);
        // A map in one line begins as JSON does.
        if is_yaml && read.is_err() {
            return self.yaml();
        }
        let (mut value, duplicates) = read.map_err(|error| {
            let why = match error.classify() {
                Category::Eof => "unexpected end of JSON input".to_owned(),
                _ => error.to_string(),
            };
            let start = String::from_utf8_lossy(&self.body[..self.body.len().min(30)]);
            bad_request(&format!(
                "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error: {why} ({start} ...)",
                self.target.kind.kind
            ))
        })?;
        let keeps_floats = self.target.kind.custom
            && self.content_type != APPLY
            && self.target.subresource != "scale";
        numbers::convert(&mut value, keeps_floats);
        Ok(Content {
            value,
            sent: Sent {
                duplicates,
                ..Sent::default()
            },
            warnings: Vec::new(),
        })
    }

    /// Returns warnings of keys that a map in YAML has twice, or rejects them.
    fn check_keys(&self, twice: &[String]) -> Answer<Vec<String>> {
        let found = twice
            .iter()
            .map(|key| format!("key {key:?} already set in map"));
        match self.query.get("fieldValidation").unwrap_or("Warn") {
            "Strict" if !twice.is_empty() => {
                let found: Vec<String> = found.collect();
                let why = format!("yaml: unmarshal errors:\n  {}", found.join("\n  "));
                Err(bad_request(&if self.content_type == APPLY {
                    format!("error strict decoding patch: error converting YAML to JSON: {why}")
                } else {
                    let kind = &self.target.kind.kind;
                    let version = &self.target.version;
                    format!(
                        "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: {why}"
                    )
                }))
            }
            "Ignore" => Ok(Vec::new()),
            _ => {
                let mut warnings: Vec<String> = found.collect();
                warnings.dedup();
                Ok(warnings)
            }
        }
    }

    /// Returns the field manager: `fieldManager`, or else the first word of the user agent.
    pub(crate) fn manager(&self) -> String {
        let agent = || {
            self.user_agent
                .split('/')
                .next()
                .filter(|name| !name.is_empty())
                .unwrap_or("unknown")
                .to_owned()
        };
        self.query
            .get("fieldManager")
            .filter(|name| !name.is_empty())
            .map_or_else(agent, str::to_owned)
    }

    /// `dryRun=All`: everything happens but the storing.
    pub(crate) fn dry_run(&self) -> bool {
        self.query.get("dryRun") == Some("All")
    }
}
