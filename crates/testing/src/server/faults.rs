//! Faults of requests and watches, and the closures that see each.

use std::sync::Arc;

use bytes::Bytes;
use kube::core::response::Status;
use serde_json::Value;

use super::ApiServer;
use crate::{
    record::{
        Action, Command, EventAction, EventInFlight, Failure, Interceptors, On, RecordedRequest,
    },
    storage::lock,
    values::status,
};

impl ApiServer {
    /// Makes the next matching request fail. Faults apply in the order in which you add them.
    pub fn fail_next(&self, on: On, failure: Failure) {
        self.fail_times(on, 1, failure);
    }

    /// Makes the next `times` matching requests fail.
    pub fn fail_times(&self, on: On, times: usize, failure: Failure) {
        lock(&self.0.record.faults).add(on, failure, Some(times));
    }

    /// Makes all matching requests fail until [`Self::clear_faults`].
    pub fn fail_always(&self, on: On, failure: Failure) {
        lock(&self.0.record.faults).add(on, failure, None);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        lock(&self.0.record.faults).clear();
    }

    /// Ends all matching open watches, as a server shutdown does. Returns their number.
    pub fn cut_watches(&self, on: &On) -> usize {
        self.send(on, &Command::Cut)
    }

    /// Stalls all matching open watches: they stay open, but send nothing more. Returns their number.
    pub fn stall_watches(&self, on: &On) -> usize {
        self.send(on, &Command::Stall)
    }

    /// Sends a line of invalid JSON to all matching open watches. Returns their number.
    pub fn garble_watches(&self, on: &On) -> usize {
        self.send(
            on,
            &Command::Line(Bytes::from_static(
                b"{\"type\": \"MODIFIED\", \"object\": oops}\n",
            )),
        )
    }

    /// Ends all matching open watches with an `ERROR` event (410 Expired). Returns their number.
    pub fn expire_watches(&self, on: &On) -> usize {
        self.send(
            on,
            &Command::Fail(status::expired(
                "The resourceVersion for the provided watch is too old.",
            )),
        )
    }

    /// Expires the paged list of this `continue` token: the request for its next page is rejected with 410. Returns whether the list was
    /// open.
    pub fn expire_list(&self, token: &str) -> bool {
        let id = token.split('.').next().and_then(|id| id.parse().ok());
        id.is_some_and(|id| lock(&self.0.backend.store).expire_list(id))
    }

    /// Ends all matching open watches with this `ERROR` event. Returns their number.
    pub fn fail_watches(&self, on: &On, status: Status) -> usize {
        self.send(on, &Command::Fail(status.boxed()))
    }

    /// Sends a bookmark to all matching open watches that asked for bookmarks. Returns the number of matching watches.
    pub fn bookmark_watches(&self, on: &On) -> usize {
        self.send(on, &Command::Bookmark)
    }

    fn send(&self, on: &On, command: &Command) -> usize {
        lock(&self.0.record.watches).send(on, command)
    }

    /// Calls a closure before each request is executed. The closure may use the server, for example to change an object just before the
    /// client's update. With several closures, the first one that does not return [`Action::Pass`] decides.
    ///
    /// ```
    /// # use kube_codegen_testing::{Action, ApiServer, Failure};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let server = ApiServer::new();
    /// server.intercept(|request| match request.name.as_str() {
    ///     "cursed" => Action::Fail(Failure::status(503)),
    ///     _ => Action::Pass,
    /// });
    /// let maps: kube::Api<ConfigMap> = kube::Api::namespaced(server.client(), "default");
    /// let Err(kube::Error::Api(status)) = maps.get("cursed").await else { panic!() };
    /// assert_eq!(status.code, 503);
    /// # }
    /// ```
    pub fn intercept(&self, on: impl Fn(&RecordedRequest) -> Action + Send + Sync + 'static) {
        lock(&self.0.record.interceptors)
            .requests
            .push(Arc::new(on));
    }

    /// Calls a closure after each request is executed, with the response. [`RecordedRequest::status`] is the status of the response. The
    /// closure is not called for watches.
    pub fn intercept_answers(
        &self,
        on: impl Fn(&RecordedRequest, &Value) -> Action + Send + Sync + 'static,
    ) {
        lock(&self.0.record.interceptors).answers.push(Arc::new(on));
    }

    /// Calls a closure before a watch sends an event. The closure must not use the server.
    pub fn intercept_events(
        &self,
        on: impl Fn(EventInFlight<'_>) -> EventAction + Send + Sync + 'static,
    ) {
        lock(&self.0.record.interceptors).events.push(Arc::new(on));
    }

    /// Removes all closures.
    pub fn clear_interceptors(&self) {
        *lock(&self.0.record.interceptors) = Interceptors::default();
    }
}
