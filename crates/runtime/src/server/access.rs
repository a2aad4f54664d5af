//! Decides who may read a path: the API server reviews the token and the permission, and both results are cached.
use std::{collections::HashMap, hash::Hash, time::Duration};

use backon::{BackoffBuilder, ExponentialBuilder};
use http::{Request, StatusCode, header};
use k8s_openapi::api::{
    authentication::v1::{TokenReview, TokenReviewSpec, UserInfo},
    authorization::v1::{NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec},
};
use kube::{Api, Client, api::PostParams};
use parking_lot::Mutex;
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::{Instant, timeout};
use tracing::warn;

use crate::client::ErrorExt;

/// How long one review may take, with its retries.
const LIMIT: Duration = Duration::from_secs(10);
/// How long results stay valid, as in controller-runtime.
const TOKEN: Duration = Duration::from_secs(60);
const ALLOWED: Duration = Duration::from_secs(300);
const DENIED: Duration = Duration::from_secs(30);
/// Most results of each sort, so that clients with random tokens cannot fill the memory.
const MAX_CACHED: usize = 1024;

/// An HTTP status and a text for the client.
pub(super) type Rejection = (StatusCode, String);

pub(super) struct Access {
    client: Client,
    /// The user of each token; `None` if the API server did not accept it.
    users: Cache<String, Option<UserInfo>>,
    /// Whether a user may do it, by user in JSON, verb and path.
    permissions: Cache<(String, String, String), bool>,
}

impl Access {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            users: Cache::new(),
            permissions: Cache::new(),
        }
    }

    /// Fails with the answer to send unless the request's token may do this.
    pub(super) async fn check<B>(&self, request: &Request<B>) -> Result<(), Rejection> {
        let unauthorized = || (StatusCode::UNAUTHORIZED, "Unauthorized\n".to_owned());
        let token = bearer(request).ok_or_else(unauthorized)?;
        let user = self.user(token).await?.ok_or_else(unauthorized)?;
        let verb = request.method().as_str().to_lowercase();
        if self.may(&user, &verb, request.uri().path()).await? {
            return Ok(());
        }
        let name = user.username.unwrap_or_default();
        let text = format!("Authorization denied for user {name}\n");
        Err((StatusCode::FORBIDDEN, text))
    }

    async fn user(&self, token: &str) -> Result<Option<UserInfo>, Rejection> {
        if let Some(user) = self.users.get(&token.to_owned()) {
            return Ok(user);
        }
        let review = TokenReview {
            spec: TokenReviewSpec {
                // Optional before Kubernetes 1.36, required since.
                token: token.to_owned().into(),
                ..TokenReviewSpec::default()
            },
            ..TokenReview::default()
        };
        let status = self.review(&review, "Authentication failed").await?.status;
        let status = status.unwrap_or_default();
        let user = status.user.filter(|_| status.authenticated == Some(true));
        self.users.insert(token.to_owned(), user.clone(), TOKEN);
        Ok(user)
    }

    async fn may(&self, user: &UserInfo, verb: &str, path: &str) -> Result<bool, Rejection> {
        let json = serde_json::to_string(user).unwrap_or_default();
        let key = (json, verb.to_owned(), path.to_owned());
        if let Some(allowed) = self.permissions.get(&key) {
            return Ok(allowed);
        }
        let attributes = NonResourceAttributes {
            path: Some(path.to_owned()),
            verb: Some(verb.to_owned()),
        };
        let review = SubjectAccessReview {
            spec: SubjectAccessReviewSpec {
                extra: user.extra.clone(),
                groups: user.groups.clone(),
                non_resource_attributes: Some(attributes),
                uid: user.uid.clone(),
                user: user.username.clone(),
                ..SubjectAccessReviewSpec::default()
            },
            ..SubjectAccessReview::default()
        };
        let status = self.review(&review, "Authorization failed").await?.status;
        let allowed = status.is_some_and(|status| status.allowed && status.denied != Some(true));
        let valid = if allowed { ALLOWED } else { DENIED };
        self.permissions.insert(key, allowed, valid);
        Ok(allowed)
    }

    /// Sends a review and returns it with its status. Retries what may pass: overload and broken connections.
    async fn review<R>(&self, review: &R, failed: &str) -> Result<R, Rejection>
    where
        R: kube::Resource<DynamicType = ()>
            + Clone
            + Serialize
            + DeserializeOwned
            + std::fmt::Debug,
    {
        let api = Api::<R>::all(self.client.clone());
        let delays = ExponentialBuilder::new()
            .with_min_delay(Duration::from_millis(500))
            .with_factor(1.5)
            .with_max_times(4);
        let attempts = async {
            let mut delays = delays.build();
            loop {
                match api.create(&PostParams::default(), review).await {
                    Ok(review) => return Ok(review),
                    Err(error) if is_transient(&error) => match delays.next() {
                        Some(delay) => tokio::time::sleep(delay).await,
                        None => return Err(error.to_string()),
                    },
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        let result = timeout(LIMIT, attempts).await;
        result
            .unwrap_or_else(|_| Err(format!("no answer within {LIMIT:?}")))
            .map_err(|reason| {
                warn!("cannot create a {}: {reason}", R::kind(&()));
                (StatusCode::INTERNAL_SERVER_ERROR, format!("{failed}\n"))
            })
    }
}

fn is_transient(error: &kube::Error) -> bool {
    error
        .status()
        .is_none_or(|status| status.code == 429 || status.code >= 500)
}

/// Returns the bearer token of a request.
fn bearer<B>(request: &Request<B>) -> Option<&str> {
    let value = request
        .headers()
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?;
    let (scheme, token) = value.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Results that stay valid for a while.
struct Cache<K, V> {
    entries: Mutex<HashMap<K, (V, Instant)>>,
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    fn new() -> Self {
        Self {
            entries: Mutex::default(),
        }
    }

    fn get(&self, key: &K) -> Option<V> {
        let entries = self.entries.lock();
        let (value, until) = entries.get(key)?;
        (Instant::now() < *until).then(|| value.clone())
    }

    fn insert(&self, key: K, value: V, valid: Duration) {
        let now = Instant::now();
        let mut entries = self.entries.lock();
        if entries.len() >= MAX_CACHED {
            entries.retain(|_, (_, until)| now < *until);
        }
        if entries.len() >= MAX_CACHED {
            entries.clear();
        }
        entries.insert(key, (value, now + valid));
    }
}
