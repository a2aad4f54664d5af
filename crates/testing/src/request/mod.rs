//! Parses an HTTP request into verb, resource and options.

pub(crate) mod query;
pub(crate) mod selector;

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use http::{Method, header, request::Parts};
use serde_json::{Value, error::Category, json};

use crate::{
    auth::User,
    kinds::{
        builtin, events,
        kind::{Kind, Kinds, Types, Version},
    },
    request::query::Query,
    values::{
        json, numbers,
        object::map,
        status::{
            Answer, bad_request, no_containers, no_resource, no_verb, not_allowed,
            unsupported_media_type,
        },
    },
};

/// The content type of server-side apply.
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

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

/// The resource that a request addresses.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) kind: Arc<Kind>,
    pub(crate) version: String,
    /// Empty for all namespaces and for cluster-scoped kinds.
    pub(crate) namespace: String,
    /// Empty for the collection.
    pub(crate) name: String,
    /// Empty for the object itself.
    pub(crate) subresource: String,
}

impl Target {
    pub(crate) fn version(&self) -> Answer<&Version> {
        self.kind.version(&self.version).ok_or_else(no_resource)
    }

    pub(crate) fn api_version(&self) -> String {
        self.kind.api_version(&self.version)
    }
}

/// Returns an object as a client of this version gets it.
pub(crate) fn present(object: &Value, target: &Target, metadata_only: bool) -> Value {
    if metadata_only {
        let metadata = object.get("metadata").cloned().unwrap_or_default();
        return json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": metadata});
    }
    let mut shown = object.clone();
    events::load(&target.kind, &mut shown);
    let fields = map(&mut shown);
    fields.insert("apiVersion".to_owned(), target.api_version().into());
    fields.insert("kind".to_owned(), target.kind.kind.clone().into());
    shown
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
    pub(crate) user_agent: String,
    pub(crate) user: User,
    /// The changes (RFC 6902) of admission webhooks.
    pub(crate) patches: Vec<Value>,
    /// Set while a request is executed for the sake of webhooks.
    pub(crate) probe: Option<Probe>,
}

impl Request {
    pub(crate) fn read(parts: &Parts, body: Vec<u8>, kinds: &Kinds) -> Answer<Self> {
        let query = Query::read(parts.uri.query().unwrap_or_default());
        let target = target(parts.uri.path(), kinds)?;
        let watch = query.flag("watch");
        let verb = match (&parts.method, target.name.is_empty()) {
            (method, false) if is_created(&target.subresource) => match *method {
                Method::POST => Verb::Create,
                _ => return Err(no_verb()),
            },
            (method, false) if target.subresource == "finalize" && method != Method::PUT => {
                return Err(no_verb());
            }
            (&Method::GET, true) if watch => Verb::Watch,
            (&Method::GET, true) => Verb::List,
            (&Method::GET, false) => Verb::Get,
            (&Method::POST, true) => Verb::Create,
            (&Method::PUT, false) => Verb::Update,
            (&Method::PATCH, false) => Verb::Patch,
            (&Method::DELETE, false) => Verb::Delete,
            (&Method::DELETE, true) => Verb::DeleteCollection,
            _ => return Err(not_allowed()),
        };
        let header = |name| {
            let value = parts.headers.get(name);
            let value = value.and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let content_type = header(header::CONTENT_TYPE);
        Ok(Self {
            verb,
            target,
            query,
            content_type: content_type
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            body,
            table: header(header::ACCEPT)
                .split(',')
                .next()
                .is_some_and(|it| it.contains("as=Table")),
            metadata_only: header(header::ACCEPT).contains("as=PartialObjectMetadata"),
            warnings: RefCell::default(),
            duplicates: RefCell::default(),
            has_whole_float: Cell::default(),
            is_untracked: Cell::default(),
            user_agent: header(header::USER_AGENT),
            user: User::admin(),
            patches: Vec::new(),
            probe: None,
        })
    }

    /// Returns a request of the server itself.
    pub(crate) fn internal(verb: Verb, target: Target, body: Vec<u8>, agent: &str) -> Self {
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

/// Returns whether a subresource is written by a POST alone.
fn is_created(subresource: &str) -> bool {
    matches!(subresource, "binding" | "eviction" | "token")
}

/// Takes `/api/v1/…` and `/apis/group/version/…` apart.
fn target(path: &str, kinds: &Kinds) -> Answer<Target> {
    let decoded: Vec<String> = path
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| {
            form_urlencoded::parse(format!("p={}", part.replace('+', "%2B")).as_bytes())
                .map(|(_, value)| value.into_owned())
                .collect()
        })
        .collect();
    let parts: Vec<&str> = decoded.iter().map(String::as_str).collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return Err(no_resource()),
    };
    let (namespace, rest) = match rest {
        // The subresources of a Namespace look like collections inside it.
        ["namespaces", _, "status" | "finalize"] if group.is_empty() => ("", rest),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
        rest => ("", rest),
    };
    let (plural, name, subresource) = match rest {
        [plural] => (*plural, "", ""),
        [plural, name] => (*plural, *name, ""),
        [plural, name, subresource] => (*plural, *name, *subresource),
        _ => return Err(no_resource()),
    };
    let kind = kinds.get(group, plural).ok_or_else(no_resource)?;
    let served = kind.version(version).ok_or_else(no_resource)?;
    let has_subresource = match subresource {
        "" => true,
        "status" => served.status,
        "scale" => served.scale.is_some(),
        "attach" | "exec" | "log" | "portforward" | "proxy"
            if kind.group.is_empty() && kind.kind == "Pod" =>
        {
            return Err(no_containers(subresource));
        }
        other => builtin::subresources(kind).contains(&other),
    };
    let scoped = if kind.namespaced {
        !namespace.is_empty() || name.is_empty()
    } else {
        namespace.is_empty()
    };
    if !has_subresource || !scoped {
        return Err(no_resource());
    }
    Ok(Target {
        kind: kind.clone(),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        subresource: subresource.to_owned(),
    })
}
