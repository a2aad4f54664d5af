//! Typed handlers of admission requests.
use std::sync::Arc;

use futures::future::BoxFuture;
use json_patch::Patch;
use serde::Serialize;
use serde_json::Value;

use super::{Operation, Rejection, Request, rejection::undecodable};
use crate::{Object, client::transfer::transfer, record};

/// Messages that `kubectl` prints as `Warning: …`. The API server truncates messages longer than 256 characters, and all of them beyond
/// 4,096 in total.
pub type Warnings = Vec<String>;

/// Fills in or changes fields of new and updated objects.
///
/// Functions `Fn(&mut K, &Request) -> Result<(), Rejection>` implement this trait. Implement it for a type of your own if you need other
/// objects:
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::{lister::Lister, webhook::{Defaulter, Rejection, Request}};
///
/// struct Zone(Lister<ConfigMap>);
///
/// impl Defaulter<ConfigMap> for Zone {
///     async fn set_defaults(&self, map: &mut ConfigMap, request: &Request) -> Result<(), Rejection> {
///         let namespace = request.namespace.as_deref().unwrap_or_default();
///         let zone = self.0.namespaced(namespace).get("zone").ok();
///         let zone = zone.and_then(|zone| zone.data.clone()?.remove("zone"));
///         let data = map.data.get_or_insert_default();
///         data.entry("zone".into()).or_insert_with(|| zone.unwrap_or_else(|| "a".into()));
///         Ok(())
///     }
/// }
/// ```
///
/// The API server may call it twice for one request, so the second call must not change anything more.
pub trait Defaulter<K>: Send + Sync + 'static {
    /// Changes the object. Only the difference is sent, so fields that `K` does not know are preserved.
    fn set_defaults(
        &self,
        object: &mut K,
        request: &Request,
    ) -> impl Future<Output = Result<(), Rejection>> + Send;

    /// Returns the operations for which the API server calls it. The default is create and update.
    fn operations(&self) -> Vec<Operation> {
        vec![Operation::Create, Operation::Update]
    }
}

impl<K, F> Defaulter<K> for F
where
    K: Send,
    F: Fn(&mut K, &Request) -> Result<(), Rejection> + Send + Sync + 'static,
{
    async fn set_defaults(&self, object: &mut K, request: &Request) -> Result<(), Rejection> {
        self(object, request)
    }
}

/// Accepts or rejects objects. Each method returns [`Warnings`], which may be empty.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::webhook::{FieldErrors, Rejection, Request, Validator, Warnings};
///
/// struct Rules;
///
/// impl Validator<ConfigMap> for Rules {
///     async fn validate_create(&self, map: &ConfigMap, _: &Request) -> Result<Warnings, Rejection> {
///         let mut errors = FieldErrors::new();
///         if map.data.is_none() {
///             errors.required("data", "");
///         }
///         errors.finish(map)?;
///         Ok(Warnings::new())
///     }
///
///     async fn validate_update(&self, old: &ConfigMap, map: &ConfigMap, request: &Request) -> Result<Warnings, Rejection> {
///         if old.immutable == Some(true) && request.user() != "admin" {
///             return Err("only admin may change it".into());
///         }
///         self.validate_create(map, request).await
///     }
/// }
/// ```
pub trait Validator<K: Sync>: Send + Sync + 'static {
    /// Decides whether to accept a new object.
    fn validate_create(
        &self,
        object: &K,
        request: &Request,
    ) -> impl Future<Output = Result<Warnings, Rejection>> + Send;

    /// Decides whether to accept an update. Removing the finalizer of an object that is being deleted is also an update, so reject only
    /// problems that the update introduces.
    fn validate_update(
        &self,
        old: &K,
        object: &K,
        request: &Request,
    ) -> impl Future<Output = Result<Warnings, Rejection>> + Send;

    /// Decides whether to accept a deletion. Called only if [`operations`](Self::operations) includes it.
    fn validate_delete(
        &self,
        object: &K,
        request: &Request,
    ) -> impl Future<Output = Result<Warnings, Rejection>> + Send {
        let _ = (object, request);
        async { Ok(Warnings::new()) }
    }

    /// Returns the operations for which the API server calls it. The default is create and update. If you add [`Operation::Delete`], no
    /// object, and no namespace that contains such objects, can be deleted while the webhook is down.
    fn operations(&self) -> Vec<Operation> {
        vec![Operation::Create, Operation::Update]
    }
}

/// What an admitted object gets.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    pub(super) patch: Option<Patch>,
    pub(super) warnings: Warnings,
}

/// A handler without its type.
pub(super) type Handler =
    Arc<dyn Fn(Request) -> BoxFuture<'static, Result<Admitted, Rejection>> + Send + Sync>;

pub(super) fn defaulting<K: Object<DynamicType = ()>>(handler: impl Defaulter<K>) -> Handler {
    let handler = Arc::new(handler);
    Arc::new(move |request| {
        let handler = Arc::clone(&handler);
        Box::pin(async move {
            let Some(sent) = &request.object else {
                return Ok(Admitted::default());
            };
            let mut object = decode::<K>(&request, Some(sent), "object")?;
            let before = encode(&object)?;
            handler.set_defaults(&mut object, &request).await?;
            let mut changed = sent.clone();
            transfer(&mut changed, &before, &encode(&object)?);
            let patch = json_patch::diff(sent, &changed);
            Ok(Admitted {
                patch: (!patch.0.is_empty()).then_some(patch),
                warnings: Warnings::new(),
            })
        })
    })
}

pub(super) fn validating<K: Object<DynamicType = ()>>(handler: impl Validator<K>) -> Handler {
    let handler = Arc::new(handler);
    Arc::new(move |request| {
        let handler = Arc::clone(&handler);
        Box::pin(async move {
            let new = || decode::<K>(&request, request.object.as_ref(), "object");
            let old = || decode::<K>(&request, request.old_object.as_ref(), "oldObject");
            let warnings = match request.operation {
                Operation::Create => handler.validate_create(&new()?, &request).await?,
                Operation::Update => {
                    let (old, new) = (old()?, new()?);
                    handler.validate_update(&old, &new, &request).await?
                }
                Operation::Delete => handler.validate_delete(&old()?, &request).await?,
                Operation::Connect => {
                    return Err(Rejection::bad_request(
                        "this webhook does not handle CONNECT requests",
                    ));
                }
            };
            Ok(Admitted {
                patch: None,
                warnings,
            })
        })
    })
}

fn decode<K: Object<DynamicType = ()>>(
    request: &Request,
    json: Option<&Value>,
    field: &str,
) -> Result<K, Rejection> {
    let (kind, wanted) = (
        &request.kind,
        (K::group(&()), K::version(&()), K::kind(&())),
    );
    if (&*wanted.0, &*wanted.1, &*wanted.2) != (&kind.group, &kind.version, &kind.kind) {
        return Err(Rejection::bad_request(format!(
            "this webhook handles {}, but the request is about {}",
            full_name(&wanted.0, &wanted.1, &wanted.2),
            full_name(&kind.group, &kind.version, &kind.kind),
        )));
    }
    let operation = request.operation;
    let missing = || Rejection::bad_request(format!("the {operation} request has no {field}"));
    let json = json.filter(|json| !json.is_null()).ok_or_else(missing)?;
    record::decode_all(json).map_err(|problems| undecodable::<K>(&request.name, problems))
}

fn full_name(group: &str, version: &str, kind: &str) -> String {
    if group.is_empty() {
        format!("{kind} {version}")
    } else {
        format!("{kind} {group}/{version}")
    }
}

fn encode<K: Serialize>(object: &K) -> Result<Value, Rejection> {
    serde_json::to_value(object)
        .map_err(|error| Rejection::internal(format!("the object cannot be written: {error}")))
}
