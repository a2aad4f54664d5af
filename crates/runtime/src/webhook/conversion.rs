//! Converts the objects of a `ConversionReview` (`apiextensions.k8s.io/v1`).
use std::{collections::BTreeMap, fmt, sync::Arc};

use kube::core::{
    Status, TypeMeta,
    conversion::{ConversionResponse, ConversionReview},
    response::StatusSummary,
};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::Object;
use crate::{chain::BoxError, panics::catch};

pub(super) const API_VERSION: &str = "apiextensions.k8s.io/v1";
pub(super) const KIND: &str = "ConversionReview";
/// The path of conversions, as in controller-runtime.
pub(super) const PATH: &str = "/convert";

/// Converts an object to an `apiVersion`. Implemented for every `Fn(Value, &str) -> Result<Value, E>`.
pub trait Convert<E>: Fn(Value, &str) -> Result<Value, E> + Send + Sync + 'static {}

impl<E, F: Fn(Value, &str) -> Result<Value, E> + Send + Sync + 'static> Convert<E> for F {}

type Converter = dyn Fn(Value, &str) -> Result<Value, String> + Send + Sync;

/// The converters by `KIND.GROUP`.
#[derive(Clone, Default)]
pub(super) struct Converters(BTreeMap<String, Entry>);

#[derive(Clone)]
struct Entry {
    /// The name of the CRD.
    crd: String,
    convert: Arc<Converter>,
}

/// Why objects were not converted.
pub(super) enum Failure {
    /// The converter rejects an object.
    Rejected(String),
    /// The converter panicked.
    Panic(String),
}

impl Converters {
    pub(super) fn add<K: Object<DynamicType = ()>, E: fmt::Display>(
        &mut self,
        convert: impl Convert<E>,
    ) {
        let (kind, group) = (K::kind(&()), K::group(&()));
        let entry = Entry {
            crd: format!("{}.{group}", K::plural(&())),
            convert: Arc::new(move |object, version| {
                convert(object, version).map_err(|error| error.to_string())
            }),
        };
        self.0.insert(format!("{kind}.{group}"), entry);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the CRDs.
    pub(super) fn crds(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|entry| &*entry.crd)
    }

    /// Converts all objects, or none.
    pub(super) fn convert(
        &self,
        objects: Vec<Value>,
        api_version: &str,
    ) -> Result<Vec<Value>, Failure> {
        let objects = objects.into_iter();
        objects
            .map(|object| self.one(object, api_version))
            .collect()
    }

    /// Answers a review without a server; the error is why the webhook would fail.
    pub(super) fn answer(&self, review: Value) -> Result<Value, BoxError> {
        let review = ConversionReview::deserialize(review)?;
        let request = review
            .request
            .ok_or("the ConversionReview has no request")?;
        let result = self.convert(request.objects, &request.desired_api_version);
        let result = result.map_err(|failure| match failure {
            Failure::Rejected(message) | Failure::Panic(message) => message,
        });
        Ok(json!(answer(request.uid, result)))
    }

    fn one(&self, object: Value, api_version: &str) -> Result<Value, Failure> {
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str);
        let from = text("/apiVersion").unwrap_or_default();
        if from == api_version {
            return Ok(object);
        }
        let kind = text("/kind").unwrap_or_default();
        let (group, _) = from.split_once('/').unwrap_or(("", from));
        let id = format!("{kind}.{group}");
        let of = [text("/metadata/namespace"), text("/metadata/name")];
        let of: Vec<_> = of.into_iter().flatten().collect();
        let what = format!("{id} {} from {from} to {api_version}", of.join("/"));
        let Some(entry) = self.0.get(&id) else {
            let known: Vec<_> = self.0.keys().map(String::as_str).collect();
            return Err(Failure::Rejected(format!(
                "cannot convert {what}: this webhook converts {}",
                known.join(", ")
            )));
        };
        let failed = |reason: &dyn fmt::Display| format!("cannot convert {what}: {reason}");
        match catch(|| (entry.convert)(object, api_version)) {
            Ok(Ok(converted)) if converted["apiVersion"] == api_version => Ok(converted),
            Ok(Ok(converted)) => Err(Failure::Rejected(failed(&format_args!(
                "the converter returned apiVersion {}",
                converted["apiVersion"]
            )))),
            Ok(Err(reason)) => Err(Failure::Rejected(failed(&reason))),
            Err(panic) => Err(Failure::Panic(failed(&format_args!("panic: {panic}")))),
        }
    }
}

/// Returns the answer to a request.
pub(super) fn answer(uid: String, result: Result<Vec<Value>, String>) -> ConversionReview {
    let (result, converted_objects) = match result {
        Ok(objects) => (Status::success(), objects),
        Err(message) => {
            let failure = Status {
                status: Some(StatusSummary::Failure),
                message,
                ..Status::default()
            };
            (failure, Vec::new())
        }
    };
    ConversionReview {
        types: TypeMeta {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
        },
        request: None,
        response: Some(ConversionResponse {
            types: None,
            uid,
            result,
            converted_objects,
        }),
    }
}

impl fmt::Debug for Converters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
