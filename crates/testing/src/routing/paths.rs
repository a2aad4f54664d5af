//! Takes the path of an HTTP request apart: its verb, and the resource that it addresses.

use http::{Method, header, request::Parts};

use crate::{
    kinds::{builtin, kind::Kinds, target::Target},
    request::{Query, Request, Verb},
    values::status::{Answer, no_containers, no_resource, no_verb, not_allowed, too_many_bytes},
};

/// The bytes of a body.
pub(crate) const LARGEST: usize = 3 * 1024 * 1024;

/// Reads a request for a resource.
pub(crate) fn request(parts: &Parts, body: Vec<u8>, kinds: &Kinds) -> Answer<Request> {
    let query = Query::read(parts.uri.query().unwrap_or_default());
    let path = parts.uri.path();
    let target = target(bound(parts, &body).as_deref().unwrap_or(path), kinds)?;
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
    if body.len() > LARGEST {
        return Err(too_many_bytes(&format!(
            "Request entity too large: limit is {LARGEST}"
        )));
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
fn target(path: &str, kinds: &Kinds) -> Answer<Target> {
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
    let strategy = builtin::strategy(kind);
    let has_subresource = match subresource {
        "" => true,
        "status" => served.status,
        "scale" => served.scale.is_some(),
        other if strategy.connections.contains(&other) => {
            return Err(no_containers(subresource));
        }
        other => strategy.subresources.contains(&other),
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
