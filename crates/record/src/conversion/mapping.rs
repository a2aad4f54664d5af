//! What a user decides for one path: how a value becomes that of the other version.
use std::{fmt::Display, marker::PhantomData, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Converts the value at a path; its second argument is the whole object, before its conversion.
pub(super) type Convert =
    Arc<dyn Fn(Option<Value>, &Value) -> Result<Option<Value>, String> + Send + Sync>;

/// Converts the value at one path between a spoke, where its type is `S`, and the hub, where its type is `H`.
///
/// An absent value stays absent, and null counts as absent, unless you use [`Mapping::of_objects`].
pub struct Mapping<S, H> {
    pub(super) to_hub: Convert,
    pub(super) to_spoke: Convert,
    types: PhantomData<fn() -> (S, H)>,
}

impl<S, H> Mapping<S, H> {
    /// Copies the JSON unchanged, for a field that was moved or renamed. If the field has another type in the other version, use
    /// [`Mapping::new`]: a copy would be of the wrong type there.
    pub fn copy() -> Self {
        Self::of(
            Arc::new(|value, _| Ok(value)),
            Arc::new(|value, _| Ok(value)),
        )
    }

    fn of(to_hub: Convert, to_spoke: Convert) -> Self {
        Self {
            to_hub,
            to_spoke,
            types: PhantomData,
        }
    }

    /// Converts in both directions with functions over JSON, which receive the value, if any, and the whole object.
    ///
    /// Generated code uses this for conversions declared in the config.
    pub fn of_values<E: Display, F: Display>(
        to_hub: impl Fn(Option<Value>, &Value) -> Result<Option<Value>, E> + Send + Sync + 'static,
        to_spoke: impl Fn(Option<Value>, &Value) -> Result<Option<Value>, F> + Send + Sync + 'static,
    ) -> Self {
        Self::of(
            Arc::new(move |value, object| to_hub(value, object).map_err(|it| it.to_string())),
            Arc::new(move |value, object| to_spoke(value, object).map_err(|it| it.to_string())),
        )
    }
}

impl<S, H> Mapping<S, H>
where
    S: Serialize + DeserializeOwned + 'static,
    H: Serialize + DeserializeOwned + 'static,
{
    /// Converts every value in both directions.
    pub fn new(
        to_hub: impl Fn(S) -> H + Send + Sync + 'static,
        to_spoke: impl Fn(H) -> S + Send + Sync + 'static,
    ) -> Self {
        Self::of(
            present(move |value| Ok::<_, String>(to_hub(value))),
            present(move |value| Ok::<_, String>(to_spoke(value))),
        )
    }

    /// Converts in both directions. If a value cannot be converted, the conversion of the object fails.
    pub fn fallible<E: Display, F: Display>(
        to_hub: impl Fn(S) -> Result<H, E> + Send + Sync + 'static,
        to_spoke: impl Fn(H) -> Result<S, F> + Send + Sync + 'static,
    ) -> Self {
        Self::of(present(to_hub), present(to_spoke))
    }

    /// Converts in both directions. The functions also receive the whole object, and the value may be absent.
    pub fn of_objects<E: Display, F: Display>(
        to_hub: impl Fn(Option<S>, &Value) -> Result<Option<H>, E> + Send + Sync + 'static,
        to_spoke: impl Fn(Option<H>, &Value) -> Result<Option<S>, F> + Send + Sync + 'static,
    ) -> Self {
        Self::of(optional(to_hub), optional(to_spoke))
    }
}

/// Converts the value at one path to a version that accepts fewer values: `W` is the wider type, `N` the narrower one. In the other
/// direction, the value is copied.
pub struct Narrowing<W, N> {
    narrow: Convert,
    types: PhantomData<fn() -> (W, N)>,
}

impl<W, N> Narrowing<W, N> {
    /// Copies the JSON unchanged. The narrower version may then contain values that its schema does not accept; the API server tolerates
    /// them until the field is changed.
    pub fn copy() -> Self {
        Self {
            narrow: Arc::new(|value, _| Ok(value)),
            types: PhantomData,
        }
    }

    /// Returns the mapping if the hub has the wider type.
    pub fn to_spoke(self) -> Mapping<N, W> {
        Mapping::of(Arc::new(|value, _| Ok(value)), self.narrow)
    }

    /// Returns the mapping if the spoke has the wider type.
    pub fn to_hub(self) -> Mapping<W, N> {
        Mapping::of(self.narrow, Arc::new(|value, _| Ok(value)))
    }
}

impl<W: DeserializeOwned + 'static, N: Serialize + 'static> Narrowing<W, N> {
    /// Converts every value to one that the narrower version accepts.
    pub fn new(narrow: impl Fn(W) -> N + Send + Sync + 'static) -> Self {
        Self::fallible(move |value| Ok::<_, String>(narrow(value)))
    }

    /// Converts values to the narrower version. If a value cannot be converted, the conversion of the object fails.
    pub fn fallible<E: Display>(
        narrow: impl Fn(W) -> Result<N, E> + Send + Sync + 'static,
    ) -> Self {
        Self {
            narrow: present(narrow),
            types: PhantomData,
        }
    }
}

/// The value of a field that the other version's object does not provide, because the field exists in one version only, or is required in
/// one only.
pub struct IfAbsent<T> {
    pub(super) value: Fill,
    types: PhantomData<fn() -> T>,
}

/// Makes a value for an object that has none.
pub(super) type Fill = Arc<dyn Fn(&Value) -> Result<Option<Value>, String> + Send + Sync>;

impl<T> IfAbsent<T> {
    /// Leaves the field absent. The API server then fills in the default from the schema, if there is one.
    pub fn absent() -> Self {
        Self {
            value: Arc::new(|_| Ok(None)),
            types: PhantomData,
        }
    }
}

impl<T: Serialize + 'static> IfAbsent<T> {
    /// Sets the field to a value.
    pub fn value(value: T) -> Self {
        let value = serde_json::to_value(&value).map_err(|error| error.to_string());
        Self {
            value: Arc::new(move |_| value.clone().map(Some)),
            types: PhantomData,
        }
    }

    /// Computes the value from the whole object in the other version.
    pub fn of_object<E: Display>(
        value: impl Fn(&Value) -> Result<Option<T>, E> + Send + Sync + 'static,
    ) -> Self {
        let value = move |object: &Value| encode(value(object));
        Self {
            value: Arc::new(value),
            types: PhantomData,
        }
    }
}

fn present<A: DeserializeOwned + 'static, B: Serialize + 'static, E: Display>(
    convert: impl Fn(A) -> Result<B, E> + Send + Sync + 'static,
) -> Convert {
    optional(move |value: Option<A>, _| value.map(&convert).transpose())
}

fn optional<A: DeserializeOwned + 'static, B: Serialize + 'static, E: Display>(
    convert: impl Fn(Option<A>, &Value) -> Result<Option<B>, E> + Send + Sync + 'static,
) -> Convert {
    Arc::new(move |value, object| {
        let value = value.filter(|value| !value.is_null());
        let value = value.map(serde_json::from_value).transpose();
        let value = value.map_err(|error| error.to_string())?;
        encode(convert(value, object))
    })
}

fn encode<T: Serialize, E: Display>(value: Result<Option<T>, E>) -> Result<Option<Value>, String> {
    let value = value.map_err(|error| error.to_string())?;
    let value = value.map(serde_json::to_value).transpose();
    value.map_err(|error| error.to_string())
}
