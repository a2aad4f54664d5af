//! Takes the path of an HTTP request apart: its verb, and the resource that it addresses.

use http::{Method, header, request::Parts};
use kube::core::response::Status;

use super::discovery;
use crate::{
    kinds::{builtin, kind::Kinds, status::not_found, target::Target},
    request::{Query, Request, Verb},
    values::status::{bad_request, no_containers, no_resource, not_allowed, too_many_bytes},
};

/// Why a request addresses nothing.
pub(crate) enum Unrouted {
    /// No handler knows the path.
    NoPath,
    /// A handler rejects the request.
    Failed(Box<Status>),
}

impl From<Box<Status>> for Unrouted {
    fn from(failure: Box<Status>) -> Self {
        Self::Failed(failure)
    }
}

impl Unrouted {
    /// Returns why nothing is at a path of a group: the handlers of built-in groups say so with a `Status`, and those of CRDs pass the request
    /// on until none is left.
    fn nothing_in(group: &str) -> Self {
        if discovery::is_builtin(group) {
            Self::Failed(no_resource())
        } else {
            Self::NoPath
        }
    }
}

/// The bytes of a body.
pub(crate) const LARGEST: usize = 3 * 1024 * 1024;

/// Reads a request for a resource.
pub(crate) fn request(parts: &Parts, body: Vec<u8>, kinds: &Kinds) -> Result<Request, Unrouted> {
    let query = Query::read(parts.uri.query().unwrap_or_default());
    let path = parts.uri.path();
    let target = target(bound(parts, &body).as_deref().unwrap_or(path), kinds)?;
    let watch = query.flag("watch");
    let verb = match (&parts.method, target.name.is_empty()) {
        (&Method::POST, false) if is_created(&target.subresource) => Verb::Create,
        (_, false) if is_created(&target.subresource) => return Err(not_allowed().into()),
        (method, false) if target.subresource == "finalize" && method != Method::PUT => {
            return Err(not_allowed().into());
        }
        // Only lists and watches reach all namespaces.
        (method, true) if target.is_across_namespaces() && method != Method::GET => {
            return Err(if target.kind.custom {
                Unrouted::NoPath
            } else {
                not_allowed().into()
            });
        }
        (&Method::DELETE, true) if target.kind.is_namespace() => {
            return Err(not_allowed().into());
        }
        (&Method::GET, true) if watch => Verb::Watch,
        (&Method::GET, true) => Verb::List,
        (&Method::GET, false) => Verb::Get,
        (&Method::POST, true) => Verb::Create,
        (&Method::PUT, false) => Verb::Update,
        (&Method::PATCH, false) => Verb::Patch,
        (&Method::DELETE, false) => Verb::Delete,
        (&Method::DELETE, true) => Verb::DeleteCollection,
        (&Method::PUT | &Method::PATCH, true) if target.kind.custom => {
            return Err(bad_request("name must be provided").into());
        }
        _ => return Err(not_allowed().into()),
    };
    if body.len() > LARGEST {
        let message = format!("Request entity too large: limit is {LARGEST}");
        return Err(too_many_bytes(&message).into());
    }
    let header = |name| {
        let value = parts.headers.get(name);
        let value = value.and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let content_type = header(header::CONTENT_TYPE);
    let content_type = content_type.split(';').next().unwrap_or_default().trim();
    let accept = header(header::ACCEPT);
    Ok(Request {
        query,
        content_type: content_type.to_owned(),
        table: accept
            .split(',')
            .next()
            .is_some_and(|it| it.contains("as=Table")),
        metadata_only: accept.contains("as=PartialObjectMetadata"),
        ..Request::new(verb, target, body, &header(header::USER_AGENT))
    })
}

/// Returns the path of the Pod that a `Binding` names, if one is created in its own collection.
fn bound(parts: &Parts, body: &[u8]) -> Option<String> {
    let path = parts.uri.path();
    let namespace = path
        .strip_prefix("/api/v1/namespaces/")?
        .strip_suffix("/bindings")?;
    if parts.method != Method::POST || namespace.contains('/') {
        return None;
    }
    let binding =
        builtin::review_from_protobuf(body).or_else(|| serde_json::from_slice(body).ok())?;
    let name = binding.pointer("/metadata/name")?.as_str()?;
    let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
    Some(format!(
        "/api/v1/namespaces/{namespace}/pods/{name}/binding"
    ))
}

/// Returns whether a subresource is written by a POST alone.
fn is_created(subresource: &str) -> bool {
    matches!(subresource, "binding" | "eviction" | "token")
}

/// Takes `/api/v1/…` and `/apis/group/version/…` apart.
fn target(path: &str, kinds: &Kinds) -> Result<Target, Unrouted> {
    let decoded: Vec<String> = path
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte);
            if part.bytes().all(is_plain) {
                return part.to_owned();
            }
            form_urlencoded::parse(format!("p={}", part.replace('+', "%2B")).as_bytes())
                .map(|(_, value)| value.into_owned())
                .collect()
        })
        .collect();
    let parts: Vec<&str> = decoded.iter().map(String::as_str).collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return Err(Unrouted::NoPath),
    };
    let nothing = || Unrouted::nothing_in(group);
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
        _ => return Err(nothing()),
    };
    let kind = kinds.get(group, plural).ok_or_else(nothing)?;
    let served = kind.version(version).ok_or_else(nothing)?;
    let strategy = builtin::strategy(kind);
    let has_subresource = match subresource {
        "" => true,
        "status" => served.status,
        "scale" => served.scale.is_some(),
        other if strategy.connections.contains(&other) => {
            return Err(no_containers(subresource).into());
        }
        other => strategy.subresources.contains(&other),
    };
    let scoped = if kind.namespaced {
        !namespace.is_empty() || name.is_empty()
    } else {
        namespace.is_empty()
    };
    if !scoped {
        return Err(nothing());
    }
    if !has_subresource {
        return Err(if kind.custom {
            not_found(kind, name).into()
        } else {
            nothing()
        });
    }
    Ok(Target {
        kind: kind.clone(),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        subresource: subresource.to_owned(),
    })
}
