//! Answers reviews of access and tokens. Without authorization, everything is allowed.

use http::Method;
use serde_json::{Value, json};

use crate::{
    auth::{
        User,
        rbac::{self, Attributes},
    },
    builtin,
    object::{at, put, strings, text},
    shared::{Shared, lock},
    status::Answer,
};

const AUTHENTICATION: &str = "/apis/authentication.k8s.io/v1/";
const AUTHORIZATION: &str = "/apis/authorization.k8s.io/v1/";

/// Returns the answer to a review, if the request is one.
pub(crate) fn answer(
    shared: &Shared,
    user: &User,
    method: &Method,
    path: &str,
    body: &[u8],
) -> Option<Answer<Value>> {
    if method != Method::POST {
        return None;
    }
    let (version, rest) = match (
        path.strip_prefix(AUTHENTICATION),
        path.strip_prefix(AUTHORIZATION),
    ) {
        (Some(rest), _) => ("authentication.k8s.io/v1", rest),
        (_, Some(rest)) => ("authorization.k8s.io/v1", rest),
        _ => return None,
    };
    let plural = rest.rsplit('/').next().unwrap_or_default();
    let kind = match plural {
        "selfsubjectaccessreviews" => "SelfSubjectAccessReview",
        "subjectaccessreviews" => "SubjectAccessReview",
        "localsubjectaccessreviews" => "LocalSubjectAccessReview",
        "selfsubjectrulesreviews" => "SelfSubjectRulesReview",
        "selfsubjectreviews" => "SelfSubjectReview",
        "tokenreviews" => "TokenReview",
        _ => return None,
    };
    let enabled = lock(&shared.auth).enabled;
    let store = lock(&shared.store);
    if enabled {
        let namespace = rest
            .strip_prefix("namespaces/")
            .and_then(|rest| rest.split('/').next());
        let attributes = Attributes {
            verb: "create",
            group: version.split('/').next().unwrap_or_default(),
            resource: plural,
            subresource: "",
            namespace: namespace.unwrap_or_default(),
            name: "",
            path: "",
        };
        if let Err(refused) = rbac::authorize(&store, user, &attributes) {
            return Some(Err(refused));
        }
    }
    let mut review: Value = builtin::review_from_protobuf(body)
        .or_else(|| serde_json::from_slice(body).ok())
        .unwrap_or_else(|| json!({"spec": {}}));
    let access = |user: &User| {
        if !enabled {
            return json!({"allowed": true});
        }
        match rbac::allowed(&store, user, &attributes(&review)) {
            Ok(reason) if reason.is_empty() => json!({"allowed": true}),
            Ok(reason) => json!({"allowed": true, "reason": reason}),
            Err(problems) if problems.is_empty() => json!({"allowed": false}),
            Err(problems) => {
                json!({"allowed": false, "reason": format!("RBAC: {}", problems.join(", "))})
            }
        }
    };
    let status = match kind {
        "SelfSubjectAccessReview" => access(user),
        "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            let mut asked = User::new(text(&review, "/spec/user"));
            asked.groups = strings(&review, "/spec/groups");
            access(&asked)
        }
        "SelfSubjectRulesReview" if enabled => {
            rbac::rules(&store, user, text(&review, "/spec/namespace"))
        }
        "SelfSubjectRulesReview" => rbac::rules(&store, &User::admin(), ""),
        "SelfSubjectReview" => json!({"userInfo": user.info()}),
        _ => {
            drop(store);
            token(shared, enabled, text(&review, "/spec/token"))
        }
    };
    put(&mut review, "/apiVersion", version.into());
    put(&mut review, "/kind", kind.into());
    if at(&review, "/metadata").is_null() {
        put(&mut review, "/metadata", json!({}));
    }
    put(&mut review, "/status", status);
    Some(Ok(review))
}

/// Returns the status of a `TokenReview`.
fn token(shared: &Shared, enabled: bool, token: &str) -> Value {
    let user = if enabled {
        lock(&shared.auth).tokens.user(token)
    } else {
        Some(User::admin()).filter(|_| !token.is_empty())
    };
    match user {
        Some(user) => json!({"authenticated": true, "user": user.info()}),
        None => json!({"user": {}, "error": "invalid bearer token"}),
    }
}

/// Returns what a review of access asks for.
fn attributes(review: &Value) -> Attributes<'_> {
    let resource = |name: &str| text(at(review, "/spec/resourceAttributes"), name);
    let other = at(review, "/spec/nonResourceAttributes");
    let is_resource = other.is_null();
    Attributes {
        verb: if is_resource {
            resource("/verb")
        } else {
            text(other, "/verb")
        },
        group: resource("/group"),
        resource: resource("/resource"),
        subresource: resource("/subresource"),
        namespace: resource("/namespace"),
        name: resource("/name"),
        path: text(other, "/path"),
    }
}

/// Returns the line of an answered review in the request log.
pub(crate) fn line(review: &Value, path: &str) -> Value {
    let (group, version) = text(review, "/apiVersion")
        .split_once('/')
        .unwrap_or_default();
    json!({
        "verb": "create",
        "group": group,
        "version": version,
        "resource": path.rsplit('/').next(),
        "subresource": "",
        "namespaced": path.contains("/namespaces/"),
        "namespace": "",
        "name": "",
        "status": 201,
        "userAgent": "",
    })
}
