//! Validates objects against the schema and the rules of their CRD, and fills in defaults, without a cluster.
//!
//! [`Validate`] is implemented for all generated kinds. You get the same messages as from the API server, including those of CEL rules.
//!
//! ```no_run
//! # fn example<Widget>(mut widget: Widget, old: Widget) -> Result<(), Box<dyn std::error::Error>>
//! # where Widget: kube_codegen_runtime::validation::Validate {
//! use kube_codegen_runtime::validation::Validate;
//!
//! widget.apply_defaults()?;
//! widget.validate()?;
//! // Transition rules; what the update does not change is not reported.
//! widget.validate_update(&old)?;
//! # Ok(()) }
//! ```
//!
//! The schema comes from the manifest embedded in the generated code. It is read once per kind, when the first object is validated.

use std::{
    any::TypeId,
    collections::HashMap,
    fmt,
    sync::{Arc, LazyLock},
};

use kube::{CustomResourceExt, Resource};
use kube_codegen_schema::{Schema, validate_metadata};
use parking_lot::Mutex;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub use kube_codegen_schema::{Cause, Reason};

/// The reason why an object is invalid, or cannot be validated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The API server would reject the object.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The CRD has no schema for the type's version.
    #[error("the CRD {0} has no schema for this version; generate the code again")]
    NoSchema(String),
    /// The object cannot be serialized to JSON, or deserialized from it.
    #[error("the object cannot be converted")]
    Json(#[from] serde_json::Error),
}

/// An object that the API server would reject. [`Display`](fmt::Display) shows the API server's message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Invalid {
    /// Kind and group, such as `Widget.example.com`.
    pub kind: String,
    /// The name of the object.
    pub name: String,
    /// The violations; never empty.
    pub causes: Vec<Cause>,
}

impl std::error::Error for Invalid {}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} is invalid: ", self.kind, self.name)?;
        match self.causes.as_slice() {
            [cause] => write!(f, "{cause}"),
            causes => {
                let causes: Vec<_> = causes.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", causes.join(", "))
            }
        }
    }
}

/// A kind whose objects can be validated without a cluster.
pub trait Validate: Sized {
    /// Validates the object as the API server does on creation.
    fn validate(&self) -> Result<(), Error>;

    /// Validates the object as the API server does when it replaces `old`: violations in parts that the update does not change are not
    /// reported, and rules may compare with `oldSelf`.
    fn validate_update(&self, old: &Self) -> Result<(), Error>;

    /// Fills in the defaults from the schema, as the API server does.
    fn apply_defaults(&mut self) -> Result<(), Error>;
}

impl<K> Validate for K
where
    K: CustomResourceExt + Resource<DynamicType = ()> + Serialize + DeserializeOwned + 'static,
{
    fn validate(&self) -> Result<(), Error> {
        let known = known::<K>()?;
        let object = known.completed(self)?;
        let mut causes = validate_metadata(&object);
        causes.extend(known.schema.validate(&object));
        result(self, causes)
    }

    fn validate_update(&self, old: &Self) -> Result<(), Error> {
        let known = known::<K>()?;
        let (object, old) = (known.completed(self)?, known.completed(old)?);
        let mut causes = validate_metadata(&object);
        causes.extend(known.schema.validate_update(&object, &old));
        result(self, causes)
    }

    fn apply_defaults(&mut self) -> Result<(), Error> {
        let mut object = serde_json::to_value(&*self)?;
        known::<K>()?.schema.apply_defaults(&mut object);
        *self = serde_json::from_value(object)?;
        Ok(())
    }
}

/// What is known of a kind.
struct Known {
    schema: Schema,
    is_cluster: bool,
}

impl Known {
    /// Returns an object as the API server validates it.
    fn completed<K: Serialize>(&self, object: &K) -> Result<Value, Error> {
        let mut object = serde_json::to_value(object)?;
        self.schema.prune(&mut object);
        self.schema.apply_defaults(&mut object);
        if self.is_cluster
            && let Some(Value::Object(metadata)) = object.get_mut("metadata")
        {
            metadata.remove("namespace");
        }
        Ok(object)
    }
}

fn result<K: Resource<DynamicType = ()>>(object: &K, causes: Vec<Cause>) -> Result<(), Error> {
    if causes.is_empty() {
        return Ok(());
    }
    Err(Error::Invalid(Invalid {
        kind: format!("{}.{}", K::kind(&()), K::group(&())),
        name: object.meta().name.clone().unwrap_or_default(),
        causes,
    }))
}

/// Returns the schema and the scope of a kind, read once.
fn known<K>() -> Result<Arc<Known>, Error>
where
    K: CustomResourceExt + Resource<DynamicType = ()> + 'static,
{
    static KINDS: LazyLock<Mutex<HashMap<TypeId, Arc<Known>>>> = LazyLock::new(Mutex::default);
    if let Some(known) = KINDS.lock().get(&TypeId::of::<K>()) {
        return Ok(known.clone());
    }
    let crd = K::crd().spec;
    let none = || Error::NoSchema(K::crd_name().to_owned());
    let version = crd
        .versions
        .into_iter()
        .find(|version| version.name == K::version(&()));
    let version = serde_json::to_value(version.ok_or_else(none)?)?;
    let schema = version
        .pointer("/schema/openAPIV3Schema")
        .ok_or_else(none)?;
    let schema = Schema::new(schema)
        .and_then(|schema| schema.with_scale(&version["subresources"]["scale"]))
        .map_err(|_| none())?;
    let is_cluster = crd.scope == "Cluster";
    let known = Arc::new(Known { schema, is_cluster });
    KINDS.lock().insert(TypeId::of::<K>(), known.clone());
    Ok(known)
}
