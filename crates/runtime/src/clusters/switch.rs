//! A client whose requests go to another client, which can be replaced.
use std::sync::Arc;

use http::Request;
use kube::{Client, client::Body};
use parking_lot::Mutex;
use tower::{BoxError, service_fn};

/// The client of a member. A clone is a handle on the same one.
#[derive(Clone)]
pub(super) struct Switch(Arc<Mutex<Client>>);

impl Switch {
    pub(super) fn new(client: Client) -> Self {
        Self(Arc::new(Mutex::new(client)))
    }

    /// Replaces the client. Requests on their way, and open watches, stay with the old one.
    pub(super) fn replace(&self, client: Client) {
        *self.0.lock() = client;
    }

    /// Returns a client that sends each request by the current one.
    pub(super) fn client(&self) -> Client {
        let (current, namespace) = (
            Arc::clone(&self.0),
            self.0.lock().default_namespace().to_owned(),
        );
        let service = service_fn(move |request: Request<Body>| {
            let client = current.lock().clone();
            async move { client.send(request).await.map_err(BoxError::from) }
        });
        Client::new(service, namespace)
    }
}
