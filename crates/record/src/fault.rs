//! The error of leaf types.
use std::fmt;

use serde::{de, ser};

use crate::report::{key_segment, prepend};

/// An error of reading or writing a leaf.
#[derive(Debug)]
pub struct Fault {
    /// The path within the leaf.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            message: message.into(),
        }
    }

    /// A placeholder for the serializer's own error, which the sink in front of it keeps.
    #[cold]
    pub(crate) fn outside() -> Self {
        Self::new("the document cannot be written")
    }

    /// A serde impl broke serde's protocol.
    #[cold]
    pub(crate) fn protocol() -> Self {
        Self::new("a serde implementation read or wrote a value twice, or never")
    }

    #[cold]
    pub(crate) fn in_field(mut self, name: &str) -> Self {
        prepend(&mut self.path, &key_segment(name));
        self
    }

    #[cold]
    pub(crate) fn in_item(mut self, index: usize) -> Self {
        prepend(&mut self.path, &format!("[{index}]"));
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl ser::Error for Fault {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}
