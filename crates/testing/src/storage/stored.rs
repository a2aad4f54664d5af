//! A stored object: parsed as long as watches may need its last change, then packed as JSON text.

use std::sync::Arc;

use serde::Deserialize as _;
use serde_json::Value;

/// A stored object. The text takes about a tenth of the memory of the parsed form.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    Parsed(Arc<Value>),
    Packed(Arc<str>),
}

impl Stored {
    /// Returns the object, parsed again if it is packed.
    #[expect(clippy::expect_used, reason = "the text was written from a value")]
    pub(crate) fn value(&self) -> Arc<Value> {
        match self {
            Self::Parsed(object) => object.clone(),
            Self::Packed(text) => {
                let mut reader = serde_json::Deserializer::from_str(text);
                reader.disable_recursion_limit();
                Arc::new(Value::deserialize(&mut reader).expect("valid JSON"))
            }
        }
    }

    /// Packs the object if it still is this one.
    pub(crate) fn pack(&mut self, object: &Arc<Value>) {
        if matches!(self, Self::Parsed(own) if Arc::ptr_eq(own, object)) {
            *self = Self::Packed(object.to_string().into());
        }
    }
}
