//! A request for a resource of the server: its verb, what it addresses, its options and its body.
//!
//! It may use `kinds`, `storage` and `values`.

mod query;
pub(crate) mod selector;
mod user;

use std::cell::{Cell, RefCell};

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

/// How a request is executed without storing anything, to learn what it would store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// The object may still be invalid.
    Unvalidated,
    Validated,
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
    /// The texts of `Warning` headers.
    pub(crate) warnings: RefCell<Vec<String>>,
    /// The fields that the body has twice, once it is read.
    pub(crate) duplicates: RefCell<Vec<String>>,
    /// Whether the new state was sent with a number such as `1.0`, outside metadata and status.
    pub(crate) has_whole_float: Cell<bool>,
    /// The owners of fields stay as they are, because the body has fields of wrong types.
    pub(crate) is_untracked: Cell<bool>,
    /// The status that the new state was sent with, though the request may not write it.
    pub(crate) sent_status: RefCell<Option<Value>>,
    pub(crate) user_agent: String,
    pub(crate) user: User,
    /// The changes (RFC 6902) of admission webhooks.
    pub(crate) patches: Vec<Value>,
    /// Set while a request is executed for the sake of webhooks.
    pub(crate) probe: Option<Probe>,
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
            warnings: RefCell::default(),
            duplicates: RefCell::default(),
            has_whole_float: Cell::default(),
            is_untracked: Cell::default(),
            sent_status: RefCell::default(),
            user_agent: agent.to_owned(),
            user: User::admin(),
            patches: Vec::new(),
            probe: None,
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
        if self.body.is_empty() {
            return Ok(Value::Null);
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
            return builtin::from_protobuf(name, &self.body)
                .ok_or_else(|| unsupported_media_type(&types));
        }
        if self.content_type.ends_with("yaml") && !self.body.starts_with(b"{") {
            let (mut body, twice) = json::read_yaml(&self.body)
                .map_err(|error| bad_request(&format!("error decoding YAML: {error}")))?;
            numbers::normalize(&mut body);
            self.check_keys(&twice)?;
            return Ok(body);
        }
        let (mut body, duplicates) = json::read(&self.body, !self.target.kind.custom).map_err(|error| {
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
        *self.duplicates.borrow_mut() = duplicates;
        let keeps_floats = self.target.kind.custom
            && self.content_type != APPLY
            && self.target.subresource != "scale";
        numbers::convert(&mut body, keeps_floats);
        Ok(body)
    }

    /// Warns of keys that a map in YAML has twice, or refuses them.
    fn check_keys(&self, twice: &[String]) -> Answer<()> {
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
            "Ignore" => Ok(()),
            _ => {
                // A body is read more than once.
                let mut warnings = self.warnings.borrow_mut();
                for warning in found {
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
                Ok(())
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
        self.probe.is_some() || self.query.get("dryRun") == Some("All")
    }
}
