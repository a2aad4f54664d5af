//! The one error type of the erased side.
use super::super::report::{key_segment, prepend};
use serde::{de, ser};
use std::fmt;

/// What went wrong while a leaf was read or written.
#[derive(Debug)]
pub struct Fault {
    /// Where in the leaf.
    pub(super) path: String,
    /// What.
    pub(super) message: String,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            message: message.into(),
        }
    }

    /// Stands for an error of the real (de)serializer, which waits where it came up.
    #[cold]
    pub(super) fn outside() -> Self {
        Self::new("the document cannot be read or written")
    }

    /// A serde impl broke serde's protocol: something was taken twice, or not at all.
    #[cold]
    pub(super) fn protocol() -> Self {
        Self::new("a serde implementation took a value twice, or never")
    }

    #[cold]
    pub(super) fn in_field(mut self, name: &str) -> Self {
        prepend(&mut self.path, &key_segment(name));
        self
    }

    #[cold]
    pub(super) fn in_item(mut self, index: usize) -> Self {
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
