//! Bearer tokens: of the administrator, and of service accounts by a `TokenRequest`.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::Mutex,
};

use k8s_openapi::{
    ByteString,
    apimachinery::pkg::apis::meta::v1::Time,
    jiff::{SignedDuration, Timestamp},
};
use kube::core::response::{StatusDetails, reason};
use kube_codegen_record::clock;
use serde_json::{Value, json};

use super::Auth;
use crate::{
    kinds::{convert::current, store::Store},
    request::{Request, User},
    storage::lock,
    values::{
        object::{self, at, put},
        status::{Answer, cause, error, no_details},
    },
};

/// The default of `expirationSeconds`, and its least value.
const HOUR: i64 = 3600;
const LEAST: i64 = 600;
/// The longest time, in seconds.
const MOST: i64 = 1 << 32;

/// The audience of the server, and the issuer of its tokens.
pub(crate) const SERVER: &str = "https://kubernetes.default.svc";

/// The valid tokens.
#[derive(Debug, Default)]
pub(crate) struct Tokens(HashMap<String, Grant>);

/// What a token gives its bearer.
#[derive(Debug)]
struct Grant {
    user: User,
    audiences: Vec<String>,
    end: Option<Timestamp>,
}

impl Tokens {
    /// Adds a token for the server that does not expire.
    pub(crate) fn add(&mut self, token: String, user: User) {
        let audiences = vec![SERVER.to_owned()];
        let end = None;
        self.0.insert(
            token,
            Grant {
                user,
                audiences,
                end,
            },
        );
    }

    /// Returns the user of a token for the server.
    pub(crate) fn user(&self, token: &str) -> Option<User> {
        let found = self.review(token, &[]);
        found.ok().map(|(user, _)| user)
    }

    /// Returns the user of a token that has not expired, and for which of the audiences it is valid; without audiences, those of
    /// the server. The error says why it is not valid.
    pub(crate) fn review(
        &self,
        token: &str,
        audiences: &[String],
    ) -> Result<(User, Vec<String>), String> {
        let found = self.0.get(token);
        let found = found.filter(|it| it.end.is_none_or(|end| clock::now() < end));
        let found = found.ok_or("invalid bearer token")?;
        let wanted = self::audiences(audiences.to_vec());
        let is_issued = |it: &&String| found.audiences.contains(it);
        let valid: Vec<String> = wanted.iter().filter(is_issued).cloned().collect();
        if valid.is_empty() {
            let shown = |list: &[String]| {
                let list: Vec<_> = list.iter().map(|it| format!("{it:?}")).collect();
                list.join(" ")
            };
            return Err(format!(
                "[invalid bearer token, token audiences [{}] is invalid for the target audiences [{}]]",
                shown(&found.audiences),
                shown(&wanted)
            ));
        }
        Ok((found.user.clone(), valid))
    }
}

/// Checks that the account of a token exists, and is the one that the token was made for.
pub(super) fn check(store: &Store, user: &User) -> Result<(), String> {
    let account = user.name.strip_prefix("system:serviceaccount:");
    let account = account.and_then(|account| account.split_once(':'));
    // Only a token has the uid of an account.
    let (Some((namespace, name)), false) = (account, user.uid.is_empty()) else {
        return Ok(());
    };
    let found = store.find("v1", "ServiceAccount", namespace, name);
    let found = found.ok_or_else(|| format!("serviceaccounts {name:?} not found"))?;
    if object::uid(&found) == user.uid {
        return Ok(());
    }
    let (new, old) = (object::uid(&found), &user.uid);
    Err(format!(
        "service account UID ({new}) does not match claim ({old})"
    ))
}

/// Returns audiences, or else those of the server.
pub(crate) fn audiences(asked: Vec<String>) -> Vec<String> {
    if asked.is_empty() {
        vec![SERVER.to_owned()]
    } else {
        asked
    }
}

/// Returns 128 bits that another process cannot guess, in hexadecimal. (The keys of the standard hasher come from the system.)
pub(crate) fn random() -> String {
    let part = || RandomState::new().hash_one(0_u8);
    format!("{:016x}{:016x}", part(), part())
}

/// Answers a `TokenRequest` for a service account.
pub(crate) fn create(auth: &Mutex<Auth>, store: &Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let account = current(store, target)?;
    let mut review = request.json()?;
    let seconds = at(&review, "/spec/expirationSeconds").as_i64();
    let seconds = seconds.unwrap_or(HOUR);
    check_time(seconds)?;
    let now = clock::now();
    let end = now + SignedDuration::from_secs(seconds);
    let mut user = User::account(&target.namespace, &target.name);
    object::uid(&account).clone_into(&mut user.uid);
    let audiences = audiences(object::strings(&review, "/spec/audiences"));
    let claims = json!({
        "aud": audiences,
        "exp": end.as_second(),
        "iat": now.as_second(),
        "iss": SERVER,
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
    let issued = Grant {
        user,
        audiences: audiences.clone(),
        end: Some(end),
    };
    lock(auth).tokens.0.insert(token.clone(), issued);
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
    put(&mut review, "/spec/audiences", json!(audiences));
    put(
        &mut review,
        "/status",
        json!({"token": token, "expirationTimestamp": Time(end)}),
    );
    Ok(review)
}

fn check_time(seconds: i64) -> Answer<()> {
    let why = match seconds {
        ..LEAST => "may not specify a duration less than 10 minutes",
        LEAST..=MOST => return Ok(()),
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    let message = format!("Invalid value: {seconds}: {why}");
    let cause = cause("spec.expirationSeconds", "FieldValueInvalid", &message);
    let message = format!(
        "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: {message}"
    );
    let mut status = error(422, reason::INVALID, &message);
    status.details = Some(StatusDetails {
        group: "authentication.k8s.io".to_owned(),
        kind: "TokenRequest".to_owned(),
        causes: vec![cause],
        ..no_details()
    });
    Err(status)
}

fn base64url(value: &Value) -> String {
    let bytes = json!(ByteString(value.to_string().into_bytes()));
    let text = bytes.as_str().unwrap_or_default();
    text.trim_end_matches('=')
        .replace('+', "-")
        .replace('/', "_")
}
