//! Opens an `AdmissionReview` (`admission.k8s.io/v1`) and answers it.
use std::{error::Error, panic::AssertUnwindSafe, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures::FutureExt;
use kube::core::Status;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Rejection, Request, Webhooks, conversion, handler::Admitted};
use crate::panics;

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";

/// The part of an `AdmissionReview` that the API server sends.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Review {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    request: Option<Request>,
}

/// The answer to an admission request: `AdmissionResponse`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    uid: String,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Review {
    /// Returns the request, or why it cannot be answered.
    pub(super) fn open(self) -> Result<Request, String> {
        if (&*self.api_version, &*self.kind) != (API_VERSION, KIND) {
            return Err(unexpected(KIND, API_VERSION, &self.kind, &self.api_version));
        }
        let missing = || format!("the {KIND} has no request");
        self.request.ok_or_else(missing)
    }
}

/// Returns why a review is not the expected one.
pub(super) fn unexpected(
    kind: &str,
    version: &str,
    found_kind: &str,
    found_version: &str,
) -> String {
    let article = if kind.starts_with('A') { "an" } else { "a" };
    format!(
        "expected {article} {kind} of {version}, and not kind {found_kind:?} of {found_version:?}"
    )
}

/// Returns the review with the answer to a request.
pub(super) fn answer(uid: String, result: Result<Admitted, Rejection>) -> Value {
    let answer = match result {
        Ok(Admitted { patch, warnings }) => Answer {
            uid,
            allowed: true,
            status: None,
            patch_type: patch.as_ref().map(|_| "JSONPatch"),
            patch: patch.map(|patch| STANDARD.encode(json!(patch).to_string())),
            warnings,
        },
        Err(rejection) => Answer {
            uid,
            allowed: false,
            status: Some(rejection.into_status()),
            patch: None,
            patch_type: None,
            warnings: Vec::new(),
        },
    };
    json!({"apiVersion": API_VERSION, "kind": KIND, "response": answer})
}

impl Webhooks {
    /// Returns a function that answers an `AdmissionReview` or `ConversionReview` sent to a path, without a server. Use it in tests, for
    /// example with `ApiServer::call_webhooks` of `kube-codegen-testing`. It fails where the webhook would fail.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::{Api, api::PostParams};
    /// use kube_codegen_runtime::webhook::{ClientConfig, Rejection, Request, Webhooks};
    /// use kube_codegen_testing::ApiServer;
    /// use serde_json::json;
    ///
    /// fn mark(map: &mut ConfigMap, _: &Request) -> Result<(), Rejection> {
    ///     map.data.get_or_insert_default().insert("seen".into(), "yes".into());
    ///     Ok(())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let webhooks = Webhooks::new("my-operator").defaulting(mark);
    /// let configurations = webhooks.configurations(&ClientConfig::url("https://localhost"));
    /// let server = ApiServer::new();
    /// server.call_webhooks(&json!(configurations.mutating), webhooks.in_process())?;
    ///
    /// let mut map = ConfigMap::default();
    /// map.metadata.name = Some("a".into());
    /// let maps = Api::<ConfigMap>::namespaced(server.client(), "default");
    /// let created = maps.create(&PostParams::default(), &map).await?;
    /// assert_eq!(created.data.unwrap()["seen"], "yes");
    /// # Ok(()) }
    /// ```
    ///
    /// A handler that waits fails, because the in-memory API server does nothing else while it writes an object.
    pub fn in_process(
        &self,
    ) -> impl Fn(&str, Value) -> Result<Value, Box<dyn Error + Send + Sync>> + Clone + use<> {
        let handlers = self.admission.iter();
        let handlers: Vec<_> = handlers
            .map(|webhook| (webhook.path.clone(), Arc::clone(&webhook.handler)))
            .collect();
        let converters = self.converters.clone();
        move |path, review| {
            if path == conversion::PATH && review["kind"] == conversion::KIND {
                return converters.answer(review);
            }
            let found = handlers.iter().find(|(known, _)| known == path);
            let (_, handler) = found.ok_or_else(|| format!("there is no webhook at {path}"))?;
            let request = Review::deserialize(review)?.open()?;
            let uid = request.uid.clone();
            let running = AssertUnwindSafe(async { handler(request).await }).catch_unwind();
            match running.now_or_never() {
                Some(Ok(result)) => Ok(answer(uid, result)),
                Some(Err(panic)) => {
                    let message = panics::message(panic);
                    Err(format!("the webhook panicked: {message}").into())
                }
                None => Err("the webhook waits, which it cannot in process".into()),
            }
        }
    }
}
