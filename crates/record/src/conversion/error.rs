//! Why an object cannot be converted.
use thiserror::Error;

/// The longest keys and values of all annotations together, in bytes (`TotalAnnotationSizeLimitB` of apimachinery).
pub(super) const MAX_ANNOTATIONS: usize = 256 * 1024;

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConversionError {
    /// The object is not one of the converter's kind.
    #[error("expected an object of kind {expected}, found {found}")]
    Kind {
        /// Kind and group.
        expected: String,
        /// `kind` and `apiVersion` of the object.
        found: String,
    },
    /// The converter has no such version.
    #[error("unknown apiVersion {version:?}; the versions are {known}")]
    Version {
        /// The `apiVersion` that was asked for, or that the object has.
        version: String,
        /// The versions of the converter.
        known: String,
    },
    /// A value cannot be converted.
    #[error("{path}: {message}")]
    Value {
        /// The path of the value in the schema of the version that the object is converted from.
        path: String,
        /// What is wrong with it.
        message: String,
    },
    /// What has no place in the other version does not fit into the annotations of an object.
    #[error(
        "the annotations have {size} bytes, with what has no place in version {version}; the limit is {MAX_ANNOTATIONS}"
    )]
    TooLarge {
        /// The version that has no place for it.
        version: String,
        /// The size of all annotations in bytes.
        size: usize,
    },
}
