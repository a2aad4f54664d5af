//! The requests that a server has recorded, for tests.

use std::collections::BTreeSet;

use futures::Stream;
use http::request::Parts;

use super::ApiServer;
use crate::{record::RecordedRequest, request::User, routing::paths, storage::lock};

impl ApiServer {
    /// Returns the recorded requests in order of arrival, except discovery and unknown paths. The server keeps the last 100,000; change
    /// this with [`Self::set_request_limit`].
    ///
    /// If the environment variable `KUBE_CODEGEN_REQUESTS` names a file, the server also appends each answered request to it, as one line
    /// of JSON with `verb`, `group`, `version`, `resource`, `subresource`, `namespaced`, `namespace`, `name`, `status`, `userAgent` and
    /// `user`. Several servers and processes can share the file.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.0.record.requests).iter().cloned().collect()
    }

    /// Returns the requests that change objects, in order of arrival.
    pub fn writes(&self) -> Vec<RecordedRequest> {
        lock(&self.0.record.requests)
            .iter()
            .filter(|request| request.is_write())
            .cloned()
            .collect()
    }

    /// Returns what a request addresses, in the same form as [`Self::requests`] but without the body. Returns `None` for discovery and
    /// unknown paths.
    ///
    /// ```
    /// # use kube_codegen_testing::ApiServer;
    /// let server = ApiServer::new();
    /// let request = http::Request::get("/api/v1/namespaces/default/configmaps?watch=true").body(())?;
    /// let described = server.describe(&request.into_parts().0).unwrap();
    /// assert_eq!((described.verb, &*described.resource), ("watch", "configmaps"));
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn describe(&self, parts: &Parts) -> Option<RecordedRequest> {
        let request = paths::request(parts, Vec::new(), &lock(&self.0.backend.store).kinds).ok()?;
        let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
        let user = User::admin();
        Some(RecordedRequest::new(&request, path, &user))
    }

    /// Returns the requests that were rejected for lack of permission, without duplicates, such as `patch
    /// websites.apps.example.com/status`.
    ///
    /// ```
    /// # use kube_codegen_testing::{ApiServer, User};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let server = ApiServer::builder().authorization().build();
    /// let client = server.client_as(User::account("my-operator", "my-operator"));
    /// let maps: kube::Api<ConfigMap> = kube::Api::namespaced(client, "default");
    /// assert!(maps.get("a").await.is_err());
    /// assert_eq!(server.forbidden(), ["get configmaps"]);
    /// # }
    /// ```
    pub fn forbidden(&self) -> Vec<String> {
        let requests = self.requests();
        let rejected = requests.iter().filter(|request| request.status == 403);
        let right = |request: &RecordedRequest| {
            let part = |separator: char, text: &str| match text {
                "" => String::new(),
                text => format!("{separator}{text}"),
            };
            let (group, subresource) = (part('.', &request.group), part('/', &request.subresource));
            format!("{} {}{group}{subresource}", request.verb, request.resource)
        };
        let rights: BTreeSet<String> = rejected.map(right).collect();
        rights.into_iter().collect()
    }

    /// Clears the recorded requests.
    pub fn clear_requests(&self) {
        lock(&self.0.record.requests).clear();
    }

    /// Returns a stream of all requests that are answered from now on.
    pub fn follow_requests(&self) -> impl Stream<Item = RecordedRequest> + Send + Unpin + use<> {
        let mut requests = lock(&self.0.record.requests).follow();
        futures::stream::poll_fn(move |context| requests.poll_recv(context))
    }

    /// Sets how many requests are kept. With 0, requests are only written to the file of `KUBE_CODEGEN_REQUESTS`, if set.
    pub fn set_request_limit(&self, requests: usize) {
        lock(&self.0.record.requests).set_limit(requests);
    }
}
