//! What an informer receives: the forms of the responses, their bytes, and an error.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Request, header};
use http_body::Frame;
use http_body_util::BodyExt;
use kube::{Client, Resource, client::Body, core::Status};
use kube_codegen_runtime::{
    Object,
    informer::{InformerConfig, InformerError, InitialList, SharedInformer, WatchFailure},
};
use kube_codegen_testenv::TestResult;
use tokio::time::timeout;
use tower::{BoxError, service_fn};

use crate::cluster::support::WITHIN;

/// What a client has received.
#[derive(Clone, Default)]
pub(super) struct Received {
    bytes: Arc<AtomicUsize>,
    forms: Arc<Mutex<Vec<String>>>,
}

impl Received {
    /// Returns a client whose responses are counted, and whose requests have the headers that `change` leaves.
    pub(super) fn client(&self, client: Client, change: fn(&mut HeaderMap)) -> Client {
        let received = self.clone();
        let namespace = client.default_namespace().to_owned();
        let service = service_fn(move |mut request: Request<Body>| {
            let (client, received) = (client.clone(), received.clone());
            async move {
                change(request.headers_mut());
                let response = client.send(request).await?;
                let value = |name: HeaderName| {
                    let value = response.headers().get(name);
                    let value = value.and_then(|value| value.to_str().ok());
                    let value = value.and_then(|value| value.split(';').next());
                    value.unwrap_or("plain").to_owned()
                };
                let (kind, form) = (value(header::CONTENT_TYPE), value(header::CONTENT_ENCODING));
                received
                    .forms
                    .lock()
                    .unwrap()
                    .push(format!("{kind} {form}"));
                Ok::<_, BoxError>(response.map(|body| {
                    body.map_frame(move |frame: Frame<Bytes>| {
                        let bytes = frame.data_ref().map_or(0, Bytes::len);
                        received.bytes.fetch_add(bytes, Ordering::Relaxed);
                        frame
                    })
                }))
            }
        });
        Client::new(service, namespace)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns type and compression of each response, such as `application/json plain`.
    pub(super) fn forms(&self) -> Vec<String> {
        self.forms.lock().unwrap().clone()
    }
}

/// Returns the status with which the server refuses a list.
pub(super) async fn refused<K>(client: Client, config: InformerConfig) -> TestResult<Status>
where
    K: Object + Resource<DynamicType = ()>,
{
    let config = InformerConfig {
        label_selector: Some("not a selector!".to_owned()),
        initial_list: InitialList::WatchCache,
        ..config
    };
    let informer = SharedInformer::<K>::new(client, config);
    let (sender, mut errors) = tokio::sync::mpsc::unbounded_channel();
    informer.set_error_handler(move |error| {
        if let InformerError::List {
            source: WatchFailure::Request(kube::Error::Api(status)),
            ..
        } = error
        {
            let _ = sender.send(status.clone());
        }
    });
    informer.start();
    let status = timeout(WITHIN, errors.recv()).await?.ok_or("no error")?;
    assert_eq!((status.code, status.reason.as_str()), (400, "BadRequest"));
    assert!(
        status.message.contains("unable to parse"),
        "{}",
        status.message
    );
    Ok(*status)
}
