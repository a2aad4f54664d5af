//! Answers reviews of access and tokens. The server has no authorisation: everything is allowed.

use http::Method;
use serde_json::{Value, json};

use crate::object::{at, put, text};

const AUTHENTICATION: &str = "/apis/authentication.k8s.io/v1/";
const AUTHORIZATION: &str = "/apis/authorization.k8s.io/v1/";

/// Returns the answer to a review, if the request is one.
pub(crate) fn answer(method: &Method, path: &str, body: &[u8]) -> Option<Value> {
    if method != Method::POST {
        return None;
    }
    let user =
        json!({"username": "system:admin", "groups": ["system:masters", "system:authenticated"]});
    let (version, plural) = match (
        path.strip_prefix(AUTHENTICATION),
        path.strip_prefix(AUTHORIZATION),
    ) {
        (Some(rest), _) => ("authentication.k8s.io/v1", rest),
        (_, Some(rest)) => ("authorization.k8s.io/v1", rest),
        _ => return None,
    };
    let plural = plural.rsplit('/').next().unwrap_or_default();
    let mut review: Value = serde_json::from_slice(body).unwrap_or_else(|_| json!({"spec": {}}));
    let (kind, status) = match plural {
        "selfsubjectaccessreviews" => ("SelfSubjectAccessReview", json!({"allowed": true})),
        "subjectaccessreviews" => ("SubjectAccessReview", json!({"allowed": true})),
        "localsubjectaccessreviews" => ("LocalSubjectAccessReview", json!({"allowed": true})),
        "selfsubjectrulesreviews" => {
            let rules = json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]);
            let urls = json!([{"verbs": ["*"], "nonResourceURLs": ["*"]}]);
            (
                "SelfSubjectRulesReview",
                json!({"resourceRules": rules, "nonResourceRules": urls, "incomplete": false}),
            )
        }
        "selfsubjectreviews" => ("SelfSubjectReview", json!({"userInfo": user})),
        "tokenreviews" if text(&review, "/spec/token").is_empty() => (
            "TokenReview",
            json!({"user": {}, "error": "invalid bearer token"}),
        ),
        "tokenreviews" => ("TokenReview", json!({"authenticated": true, "user": user})),
        _ => return None,
    };
    put(&mut review, "/apiVersion", version.into());
    put(&mut review, "/kind", kind.into());
    if at(&review, "/metadata").is_null() {
        put(&mut review, "/metadata", json!({}));
    }
    put(&mut review, "/status", status);
    Some(review)
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
