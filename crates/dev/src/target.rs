//! What a request addresses, by its method and path.

use http::{Method, Uri};
use serde_json::Value;

/// A request for a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// As in RBAC rules.
    pub(super) verb: &'static str,
    pub(super) group: String,
    pub(super) plural: String,
    pub(super) namespace: String,
    /// Empty for a collection.
    pub(super) name: String,
    pub(super) subresource: String,
}

impl Target {
    /// Returns `None` for discovery and other paths.
    pub(super) fn read(method: &Method, uri: &Uri) -> Option<Self> {
        let mut parts = uri.path().split('/').skip(1);
        let mut target = Self::default();
        match parts.next()? {
            "api" => {}
            "apis" => parts.next()?.clone_into(&mut target.group),
            _ => return None,
        }
        // The version.
        parts.next()?;
        let rest: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
        let rest = match *rest.as_slice() {
            ["namespaces", namespace, ref rest @ ..]
                if !rest.is_empty() && !matches!(rest, ["status" | "finalize"]) =>
            {
                namespace.clone_into(&mut target.namespace);
                rest
            }
            ref rest => rest,
        };
        let mut rest = rest.iter().copied();
        rest.next()?.clone_into(&mut target.plural);
        rest.next().unwrap_or_default().clone_into(&mut target.name);
        rest.next()
            .unwrap_or_default()
            .clone_into(&mut target.subresource);
        let query = uri.query().unwrap_or_default();
        let is_watch = query
            .split('&')
            .any(|pair| matches!(pair, "watch" | "watch=1" | "watch=true"));
        let is_collection = target.name.is_empty();
        target.verb = match *method {
            Method::GET if is_watch => "watch",
            Method::GET if is_collection => "list",
            Method::GET => "get",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE if is_collection => "deletecollection",
            Method::DELETE => "delete",
            _ => return None,
        };
        Some(target)
    }

    /// Returns the name of the Lease that a request writes, and whether it has a holder then.
    pub(super) fn lease(&self, body: &[u8]) -> Option<(String, bool)> {
        if self.plural != "leases" || !matches!(self.verb, "create" | "update" | "patch") {
            return None;
        }
        let lease: Value = serde_json::from_slice(body).ok()?;
        let holder = lease["spec"]["holderIdentity"].as_str()?;
        let name = match self.name.as_str() {
            "" => lease["metadata"]["name"].as_str()?,
            name => name,
        };
        Some((name.to_owned(), !holder.is_empty()))
    }

    /// Returns `PLURAL.GROUP`, of which the core group has no part after the plural.
    pub(super) fn resource(&self) -> String {
        match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Returns the resource with its subresource, and the name of the object.
    pub(super) fn what(&self) -> String {
        let resource = match self.subresource.as_str() {
            "" => self.plural.clone(),
            sub => format!("{}/{sub}", self.plural),
        };
        let place = [self.namespace.as_str(), &self.name];
        let place = place.into_iter().filter(|it| !it.is_empty());
        let place = place.collect::<Vec<_>>().join("/");
        format!("{resource} {place}").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read() {
        let read = |method: Method, path: &str| {
            let target = Target::read(&method, &path.parse().unwrap())?;
            Some(format!(
                "{} {} {}",
                target.verb,
                target.resource(),
                target.what()
            ))
        };
        let cases = [
            (Method::GET, "/api/v1/pods?watch=1", "watch pods pods"),
            (
                Method::GET,
                "/apis/apps/v1/namespaces/a/deployments",
                "list deployments.apps deployments a",
            ),
            (
                Method::PATCH,
                "/apis/apps/v1/namespaces/a/deployments/b/status",
                "patch deployments.apps deployments/status a/b",
            ),
            (
                Method::GET,
                "/api/v1/namespaces/a",
                "get namespaces namespaces a",
            ),
            (
                Method::PUT,
                "/api/v1/namespaces/a/finalize",
                "update namespaces namespaces/finalize a",
            ),
            (
                Method::DELETE,
                "/api/v1/namespaces/a/pods",
                "deletecollection pods pods a",
            ),
        ];
        for (method, path, expected) in cases {
            assert_eq!(read(method, path).as_deref(), Some(expected), "{path}");
        }
        for path in [
            "/",
            "/version",
            "/apis",
            "/apis/apps",
            "/api/v1",
            "/openapi/v2",
        ] {
            assert_eq!(read(Method::GET, path), None, "{path}");
        }
    }
}
