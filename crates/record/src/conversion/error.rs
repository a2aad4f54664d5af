//! Why an object cannot be converted.
use thiserror::Error;

/// The longest keys and values of all annotations together, in bytes (`TotalAnnotationSizeLimitB` of apimachinery).
pub(super) const MAX_ANNOTATIONS: usize = 256 * 1024;

/// The reason why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConversionError {
    /// The object has another kind than the converter.
    #[error("expected an object of kind {expected}, found {found}")]
    Kind {
        /// The kind and group of the converter.
        expected: String,
        /// The `kind` and `apiVersion` of the object.
        found: String,
    },
    /// The converter does not have this version.
    #[error("unknown apiVersion {version:?}; the versions are {known}")]
    Version {
        /// The requested `apiVersion`, or the object's.
        version: String,
        /// The versions of the converter.
        known: String,
    },
    /// A value cannot be converted.
    #[error("{path}: {message}")]
    Value {
        /// The path of the value in the schema of the source version.
        path: String,
        /// The problem with the value.
        message: String,
    },
    /// The values without a place in the other version do not fit into the object's annotations.
    #[error(
        "the annotations have {size} bytes, with what has no place in version {version}; the limit is {MAX_ANNOTATIONS}"
    )]
    TooLarge {
        /// The version that has no place for them.
        version: String,
        /// The size of all annotations in bytes.
        size: usize,
    },
}
