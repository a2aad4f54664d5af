//! Rules of the proxy: which requests get a fault, and how often.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use http::{HeaderValue, Method, Uri};
use tokio::sync::watch;

use super::Fault;

/// Selects the requests that get a fault: all, unless restricted.
///
/// ```
/// # use std::time::Duration;
/// use kube_codegen_testenv::{Fault, Rule};
///
/// let rule = Rule::new(Fault::TooManyRequests { retry_after: Duration::from_secs(1) })
///     .method("PATCH")
///     .path("/crdplural/a/status")
///     .times(3);
/// ```
#[derive(Clone, Debug)]
pub struct Rule {
    fault: Fault,
    method: Option<String>,
    path: Option<String>,
    watch: Option<bool>,
    skip: usize,
    times: usize,
}

impl Rule {
    /// Creates a rule for all requests.
    pub fn new(fault: Fault) -> Self {
        Self {
            fault,
            method: None,
            path: None,
            watch: None,
            skip: 0,
            times: usize::MAX,
        }
    }

    /// Restricts to this method.
    #[must_use]
    pub fn method(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// Restricts to requests whose path, without the query, contains this.
    #[must_use]
    pub fn path(mut self, part: &str) -> Self {
        self.path = Some(part.to_owned());
        self
    }

    /// Restricts to watches or, with `false`, to other requests.
    #[must_use]
    pub fn watch(mut self, watch: bool) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Leaves the first matching requests unchanged.
    #[must_use]
    pub fn skip(mut self, requests: usize) -> Self {
        self.skip = requests;
        self
    }

    /// Limits the number of requests that get the fault.
    #[must_use]
    pub fn times(mut self, requests: usize) -> Self {
        self.times = requests;
        self
    }

    fn matches(&self, request: &RecordedRequest) -> bool {
        self.method
            .as_ref()
            .is_none_or(|method| request.method == method.as_str())
            && self
                .path
                .as_ref()
                .is_none_or(|part| request.uri.path().contains(part.as_str()))
            && self.watch.is_none_or(|watch| request.is_watch() == watch)
    }
}

/// A request that reached the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The method.
    pub method: Method,
    /// Path and query.
    pub uri: Uri,
}

impl RecordedRequest {
    pub(super) fn new(method: Method, uri: Uri) -> Self {
        Self { method, uri }
    }

    /// Returns whether it is a watch.
    pub fn is_watch(&self) -> bool {
        self.uri
            .query()
            .unwrap_or_default()
            .split('&')
            .any(|pair| matches!(pair, "watch" | "watch=1" | "watch=true"))
    }
}

/// An active rule. Dropping the handle leaves the rule active.
#[derive(Debug)]
pub struct RuleHandle(Arc<Active>);

impl RuleHandle {
    /// Returns how many requests got the fault.
    pub fn hits(&self) -> usize {
        self.0
            .matched
            .load(Ordering::SeqCst)
            .saturating_sub(self.0.rule.skip)
            .min(self.0.rule.times)
    }

    /// Removes the rule. Open responses are not affected.
    pub fn remove(&self) {
        self.0.removed.store(true, Ordering::SeqCst);
    }
}

#[derive(Debug)]
struct Active {
    rule: Rule,
    matched: AtomicUsize,
    removed: AtomicBool,
}

/// What happens to an open response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    Cut,
    BlackHole,
}

/// The rules and requests of one proxy.
#[derive(Default)]
pub(super) struct Rules(Mutex<State>);

#[derive(Default)]
struct State {
    active: Vec<Arc<Active>>,
    requests: Vec<RecordedRequest>,
    open: Vec<(RecordedRequest, watch::Sender<Option<Signal>>)>,
    /// The `Authorization` headers that clients have sent, and whether they have expired.
    tokens: BTreeMap<Vec<u8>, bool>,
}

impl Rules {
    pub(super) fn add(&self, rule: Rule) -> RuleHandle {
        let active = Arc::new(Active {
            rule,
            matched: AtomicUsize::new(0),
            removed: AtomicBool::new(false),
        });
        self.lock().active.push(Arc::clone(&active));
        RuleHandle(active)
    }

    /// Records a request, and returns its fault and the signal that ends its response.
    pub(super) fn on(
        &self,
        request: &RecordedRequest,
    ) -> (Option<Fault>, watch::Receiver<Option<Signal>>) {
        let mut state = self.lock();
        state.requests.push(request.clone());
        state.open.retain(|(_, cut)| !cut.is_closed());
        let (cut, receiver) = watch::channel(None);
        state.open.push((request.clone(), cut));
        let applies = |active: &&Arc<Active>| {
            !active.removed.load(Ordering::SeqCst) && active.rule.matches(request) && {
                let before = active.matched.fetch_add(1, Ordering::SeqCst);
                before >= active.rule.skip && before - active.rule.skip < active.rule.times
            }
        };
        (
            state
                .active
                .iter()
                .find(applies)
                .map(|active| active.rule.fault.clone()),
            receiver,
        )
    }

    /// Remembers the token of a request, and returns whether it has expired.
    pub(super) fn has_expired(&self, authorization: &HeaderValue) -> bool {
        let mut state = self.lock();
        let token = authorization.as_bytes().to_vec();
        *state.tokens.entry(token).or_default()
    }

    /// Expires all tokens that clients have sent, and returns their number.
    pub(super) fn expire_tokens(&self) -> usize {
        let mut state = self.lock();
        state.tokens.values_mut().for_each(|it| *it = true);
        state.tokens.len()
    }

    /// Signals to the open responses that `rule` matches, and returns their number.
    pub(super) fn signal(&self, rule: &Rule, signal: Signal) -> usize {
        let state = self.lock();
        let matching = state
            .open
            .iter()
            .filter(|(request, _)| rule.matches(request));
        matching
            .filter(|(_, open)| open.send(Some(signal)).is_ok())
            .count()
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        self.lock().requests.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, uri: &str) -> RecordedRequest {
        RecordedRequest::new(method.parse().unwrap(), uri.parse().unwrap())
    }

    #[test]
    fn a_rule_matches_method_path_and_watch() {
        let rule = Rule::new(Fault::Gone)
            .method("GET")
            .path("/pods")
            .watch(true);
        assert!(rule.matches(&request("GET", "/api/v1/pods?limit=5&watch=1")));
        assert!(rule.matches(&request("GET", "/api/v1/pods?watch=true")));
        assert!(!rule.matches(&request("GET", "/api/v1/pods?watch=false")));
        assert!(!rule.matches(&request("POST", "/api/v1/pods?watch=1")));
        assert!(!rule.matches(&request("GET", "/api/v1/nodes?watch=1&x=/pods")));
    }

    #[test]
    fn the_first_matching_rule_applies_and_hits_are_counted() {
        let rules = Rules::default();
        let first = rules.add(Rule::new(Fault::Gone).skip(1).times(2));
        let second = rules.add(Rule::new(Fault::InternalError));
        let request = request("GET", "/");
        let faults: Vec<_> = (0..5).map(|_| rules.on(&request).0.unwrap()).collect();
        assert_eq!(
            faults,
            [
                Fault::InternalError,
                Fault::Gone,
                Fault::Gone,
                Fault::InternalError,
                Fault::InternalError
            ]
        );
        assert_eq!((first.hits(), second.hits()), (2, 3));
        second.remove();
        assert_eq!(rules.on(&request).0, None);
        assert_eq!(rules.requests().len(), 6);
    }
}
