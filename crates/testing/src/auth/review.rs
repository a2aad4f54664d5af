//! Answers requests for kinds that are not stored: reviews of access and tokens, and the state of components. Without
//! authorization, everything is allowed.

use std::sync::Mutex;

use http::Method;
use kube::core::response::{StatusDetails, reason};
use serde_json::{Value, json};

use crate::{
    auth::{Auth, token},
    kinds::{
        builtin,
        store::{Backend, Store},
        transient::{self, Transient},
    },
    rbac::{self, Attributes},
    request::User,
    storage::lock,
    values::{
        object::{at, put, strings, text},
        status::{Answer, bad_request, cause, error, no_details, not_allowed},
    },
};

/// A request for a kind that is not stored.
pub(crate) struct Review {
    pub(crate) kind: &'static Transient,
    verb: &'static str,
    namespace: String,
    name: String,
}

impl Review {
    /// Reads what a request addresses; `None` if that is stored. A binding is a request for its Pod.
    pub(crate) fn read(method: &Method, path: &str) -> Option<Answer<Self>> {
        let (kind, namespace, name) = transient::target(path)?;
        let verb = match *method {
            Method::POST if name.is_empty() => "create",
            Method::GET if name.is_empty() => "list",
            Method::GET => "get",
            _ => "",
        };
        if !kind.verbs.contains(&verb) {
            return Some(Err(not_allowed()));
        }
        let review = Self {
            kind,
            verb,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        (kind.kind != "Binding").then_some(Ok(review))
    }

    pub(crate) fn attributes(&self) -> Attributes<'_> {
        Attributes {
            verb: self.verb,
            group: self.kind.group,
            resource: self.kind.plural,
            subresource: "",
            namespace: &self.namespace,
            name: &self.name,
            path: "",
        }
    }

    /// Returns the answer: an HTTP code and an object.
    pub(crate) fn answer(
        &self,
        auth: &Mutex<Auth>,
        backend: &Backend,
        user: &User,
        body: &[u8],
    ) -> Answer<(u16, Value)> {
        if self.kind.kind != "ComponentStatus" {
            let store = lock(&backend.store);
            return review(auth, &store, user, self, body).map(|it| (201, it));
        }
        let name = &self.name;
        let missing = || {
            let message = format!("componentstatus {name:?} not found");
            let mut status = error(404, reason::NOT_FOUND, &message);
            status.details = Some(StatusDetails {
                name: name.clone(),
                kind: "componentstatus".to_owned(),
                ..no_details()
            });
            status
        };
        let found = transient::component(name).ok_or_else(missing);
        found.map(|it| (200, it))
    }
}

/// Returns a review with its status.
fn review(
    auth: &Mutex<Auth>,
    store: &Store,
    user: &User,
    asked: &Review,
    body: &[u8],
) -> Answer<Value> {
    let kind = asked.kind;
    let enabled = lock(auth).enabled;
    let mut review: Value = builtin::review_from_protobuf(body)
        .or_else(|| serde_json::from_slice(body).ok())
        .unwrap_or_else(|| json!({"spec": {}}));
    check(asked, &review)?;
    let access = |user: &User| {
        if !enabled {
            return json!({"allowed": true});
        }
        match rbac::allowed(store, user, &attributes(&review)) {
            Ok(reason) if reason.is_empty() => json!({"allowed": true}),
            Ok(reason) => json!({"allowed": true, "reason": reason}),
            Err(problems) if problems.is_empty() => json!({"allowed": false}),
            Err(problems) => {
                json!({"allowed": false, "reason": format!("RBAC: {}", problems.join(", "))})
            }
        }
    };
    let status = match kind.kind {
        "SelfSubjectAccessReview" => access(user),
        "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            let mut asked = User::new(text(&review, "/spec/user"));
            asked.groups = strings(&review, "/spec/groups");
            access(&asked)
        }
        "SelfSubjectRulesReview" if enabled => {
            rbac::rules(store, user, text(&review, "/spec/namespace"))
        }
        "SelfSubjectRulesReview" => rbac::rules(store, &User::admin(), ""),
        "SelfSubjectReview" => json!({"userInfo": user.info()}),
        _ => token(auth, store, enabled, at(&review, "/spec")),
    };
    put(
        &mut review,
        "/apiVersion",
        format!("{}/v1", kind.group).into(),
    );
    put(&mut review, "/kind", kind.kind.into());
    if at(&review, "/metadata").is_null() {
        put(&mut review, "/metadata", json!({}));
    }
    put(&mut review, "/status", status);
    Ok(review)
}

/// Checks that a review asks one thing, about somebody.
fn check(asked: &Review, review: &Value) -> Answer<()> {
    let kind = asked.kind.kind;
    let mut causes = Vec::new();
    let mut invalid = |field: &str, value: &Value, why: &str| {
        let message = format!("Invalid value: {value}: {why}");
        causes.push(cause(field, "FieldValueInvalid", message));
    };
    let resource = at(review, "/spec/resourceAttributes");
    let other = at(review, "/spec/nonResourceAttributes");
    if kind.ends_with("AccessReview") {
        if resource.is_null() == other.is_null() {
            let shown = match other {
                Value::Null => Value::Null,
                other => json!({"Path": text(other, "/path"), "Verb": text(other, "/verb")}),
            };
            invalid(
                "spec",
                &shown,
                "exactly one of nonResourceAttributes or resourceAttributes must be specified",
            );
        }
        let is_about_user = kind != "SelfSubjectAccessReview";
        if is_about_user
            && text(review, "/spec/user").is_empty()
            && strings(review, "/spec/groups").is_empty()
        {
            invalid(
                "spec.user",
                &"".into(),
                "at least one of user or group must be specified",
            );
        }
        let namespace = at(resource, "/namespace");
        if kind == "LocalSubjectAccessReview"
            && namespace.as_str().unwrap_or_default() != asked.namespace
        {
            invalid(
                "spec.resourceAttributes.namespace",
                namespace,
                "must match metadata.namespace",
            );
        }
    }
    match kind {
        "SelfSubjectRulesReview" if text(review, "/spec/namespace").is_empty() => {
            Err(bad_request("no namespace on request"))
        }
        "TokenReview" if text(review, "/spec/token").is_empty() => Err(bad_request(
            "token is required for TokenReview in authentication",
        )),
        _ if causes.is_empty() => Ok(()),
        _ => {
            let problems = causes.iter();
            let problems = problems.map(|it| format!("{}: {}", it.field, it.message));
            let problems = match problems.collect::<Vec<_>>().as_slice() {
                [problem] => problem.clone(),
                problems => format!("[{}]", problems.join(", ")),
            };
            // A review has no kind there.
            let message = format!(".{} \"\" is invalid: {problems}", asked.kind.group);
            let mut status = error(422, reason::INVALID, &message);
            status.details = Some(StatusDetails {
                group: asked.kind.group.to_owned(),
                causes,
                ..no_details()
            });
            Err(status)
        }
    }
}

/// Returns the status of a `TokenReview`.
fn token(auth: &Mutex<Auth>, store: &Store, enabled: bool, spec: &Value) -> Value {
    let (token, audiences) = (text(spec, "/token"), strings(spec, "/audiences"));
    let reviewed = lock(auth).tokens.review(token, &audiences);
    let reviewed = reviewed.and_then(|(user, audiences)| {
        token::check(store, &user).map_err(|why| format!("[invalid bearer token, {why}]"))?;
        Ok((user, audiences))
    });
    match reviewed {
        Ok((user, audiences)) => {
            json!({"authenticated": true, "user": user.info(), "audiences": audiences})
        }
        Err(_) if !enabled && !token.is_empty() => {
            let audiences = token::audiences(audiences);
            json!({"authenticated": true, "user": User::admin().info(), "audiences": audiences})
        }
        Err(why) => json!({"user": {}, "error": why}),
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
