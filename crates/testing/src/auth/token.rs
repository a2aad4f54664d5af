//! Bearer tokens: of the administrator, and of service accounts by a `TokenRequest`.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
};

use k8s_openapi::{
    ByteString,
    apimachinery::pkg::apis::meta::v1::Time,
    jiff::{SignedDuration, Timestamp},
};
use kube_codegen_record::clock;
use serde_json::{Value, json};

use super::User;
use crate::{
    object::{self, at, put},
    read,
    request::Request,
    shared::{Shared, lock},
    status::Answer,
    store::Store,
};

/// The default of `expirationSeconds`, and its least value.
const HOUR: i64 = 3600;
const LEAST: i64 = 600;

/// The valid tokens.
#[derive(Debug, Default)]
pub(crate) struct Tokens(HashMap<String, (User, Option<Timestamp>)>);

impl Tokens {
    pub(crate) fn add(&mut self, token: String, user: User, end: Option<Timestamp>) {
        self.0.insert(token, (user, end));
    }

    /// Returns the user of a token that has not expired.
    pub(crate) fn user(&self, token: &str) -> Option<User> {
        let (user, end) = self.0.get(token)?;
        end.is_none_or(|end| clock::now() < end)
            .then(|| user.clone())
    }
}

/// Returns 128 bits that another process cannot guess, in hexadecimal. (The keys of the standard hasher come from the system.)
pub(crate) fn random() -> String {
    let part = || RandomState::new().hash_one(0_u8);
    format!("{:016x}{:016x}", part(), part())
}

/// Answers a `TokenRequest` for a service account.
pub(crate) fn create(shared: &Shared, store: &Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let account = read::current(store, target)?;
    let mut review = request.json()?;
    let seconds = at(&review, "/spec/expirationSeconds").as_i64();
    let seconds = seconds.unwrap_or(HOUR).max(LEAST);
    let now = clock::now();
    let end = now + SignedDuration::from_secs(seconds);
    let mut user = User::account(&target.namespace, &target.name);
    object::uid(&account).clone_into(&mut user.uid);
    let claims = json!({
        "aud": ["https://kubernetes.default.svc"],
        "exp": end.as_second(),
        "iat": now.as_second(),
        "iss": "https://kubernetes.default.svc",
        "jti": random(),
        "kubernetes.io": {
            "namespace": target.namespace,
            "serviceaccount": {"name": target.name, "uid": user.uid},
        },
        "nbf": now.as_second(),
        "sub": user.name,
    });
    let header = json!({"alg": "none"});
    let token = format!("{}.{}.{}", base64url(&header), base64url(&claims), random());
    lock(&shared.auth)
        .tokens
        .add(token.clone(), user, Some(end));
    if !review.is_object() {
        review = json!({});
    }
    put(
        &mut review,
        "/apiVersion",
        "authentication.k8s.io/v1".into(),
    );
    put(&mut review, "/kind", "TokenRequest".into());
    put(&mut review, "/metadata/name", target.name.clone().into());
    put(
        &mut review,
        "/metadata/namespace",
        target.namespace.clone().into(),
    );
    put(&mut review, "/metadata/creationTimestamp", json!(Time(now)));
    put(&mut review, "/spec/expirationSeconds", seconds.into());
    if at(&review, "/spec/audiences").is_null() {
        put(
            &mut review,
            "/spec/audiences",
            json!(["https://kubernetes.default.svc"]),
        );
    }
    put(
        &mut review,
        "/status",
        json!({"token": token, "expirationTimestamp": Time(end)}),
    );
    Ok(review)
}

fn base64url(value: &Value) -> String {
    let bytes = json!(ByteString(value.to_string().into_bytes()));
    let text = bytes.as_str().unwrap_or_default();
    text.trim_end_matches('=')
        .replace('+', "-")
        .replace('/', "_")
}
