//! In: requests. Out: which rule applies to each, how often it did, and a record of all. Never a rule applied more often than it says.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use http::{Method, Uri};
use tokio::sync::watch;

use super::Fault;

/// Which requests a fault befalls: all, unless it is narrowed.
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
    /// A rule for all requests.
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

    /// Only requests of this method.
    #[must_use]
    pub fn method(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// Only requests whose path (without the query) contains this.
    #[must_use]
    pub fn path(mut self, part: &str) -> Self {
        self.path = Some(part.to_owned());
        self
    }

    /// Only watches, or (`false`) anything but watches.
    #[must_use]
    pub fn watch(mut self, watch: bool) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Lets the first so many requests that match pass.
    #[must_use]
    pub fn skip(mut self, requests: usize) -> Self {
        self.skip = requests;
        self
    }

    /// Only so many requests; all later ones pass.
    #[must_use]
    pub fn times(mut self, requests: usize) -> Self {
        self.times = requests;
        self
    }

    fn matches(&self, request: &Seen) -> bool {
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

/// A request that came to the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// Its method.
    pub method: Method,
    /// Its path and query.
    pub uri: Uri,
}

impl Seen {
    pub(super) fn new(method: Method, uri: Uri) -> Self {
        Self { method, uri }
    }

    /// Whether it is a watch.
    pub fn is_watch(&self) -> bool {
        self.uri
            .query()
            .unwrap_or_default()
            .split('&')
            .any(|pair| matches!(pair, "watch" | "watch=1" | "watch=true"))
    }
}

/// A rule in force. Dropping the handle leaves it in force.
#[derive(Debug)]
pub struct RuleHandle(Arc<Active>);

impl RuleHandle {
    /// How many requests it was applied to.
    pub fn hits(&self) -> usize {
        self.0
            .matched
            .load(Ordering::SeqCst)
            .saturating_sub(self.0.rule.skip)
            .min(self.0.rule.times)
    }

    /// Takes the rule away. Answers under way that it befell stay as they are.
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

/// What the connections of one proxy share.
#[derive(Default)]
pub(super) struct Rules(Mutex<State>);

#[derive(Default)]
struct State {
    active: Vec<Arc<Active>>,
    seen: Vec<Seen>,
    answering: Vec<(Seen, watch::Sender<bool>)>,
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

    /// Records a request, and gives the fault for it and the signal on which its answer is to break off.
    pub(super) fn on(&self, request: &Seen) -> (Option<Fault>, watch::Receiver<bool>) {
        let mut state = self.lock();
        state.seen.push(request.clone());
        state.answering.retain(|(_, cut)| !cut.is_closed());
        let (cut, receiver) = watch::channel(false);
        state.answering.push((request.clone(), cut));
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

    pub(super) fn cut(&self, rule: &Rule) -> usize {
        let state = self.lock();
        let matching = state
            .answering
            .iter()
            .filter(|(request, _)| rule.matches(request));
        matching.filter(|(_, cut)| cut.send(true).is_ok()).count()
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.lock().seen.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(method: &str, uri: &str) -> Seen {
        Seen::new(method.parse().unwrap(), uri.parse().unwrap())
    }

    #[test]
    fn a_rule_is_as_narrow_as_it_says() {
        let rule = Rule::new(Fault::Gone)
            .method("GET")
            .path("/pods")
            .watch(true);
        assert!(rule.matches(&seen("GET", "/api/v1/pods?limit=5&watch=1")));
        assert!(rule.matches(&seen("GET", "/api/v1/pods?watch=true")));
        assert!(!rule.matches(&seen("GET", "/api/v1/pods?watch=false")));
        assert!(!rule.matches(&seen("POST", "/api/v1/pods?watch=1")));
        assert!(!rule.matches(&seen("GET", "/api/v1/nodes?watch=1&x=/pods")));
    }

    #[test]
    fn rules_are_counted_and_the_first_wins() {
        let rules = Rules::default();
        let first = rules.add(Rule::new(Fault::Gone).skip(1).times(2));
        let second = rules.add(Rule::new(Fault::InternalError));
        let request = seen("GET", "/");
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
        assert_eq!(rules.seen().len(), 6);
    }
}
