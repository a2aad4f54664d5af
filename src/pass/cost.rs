//! Estimated sizes and nesting depths of Rust types, for the passes that bound them.
use crate::ir::{IntWidth, Scalar};

/// Size of a `String`, a `Vec` or a `BTreeMap`, in bytes on a 64-bit machine. The output is the same on every machine.
pub(super) const OWNED_BYTES: usize = 24;
/// Size of a `Box`.
pub(super) const BOX_BYTES: usize = 8;

/// Steps that the compiler takes through an `Option`, a struct or a `Nullable` when it checks an auto trait.
pub(super) const STEP: usize = 1;
/// Steps through a `Box`.
pub(super) const BOX_STEPS: usize = 2;
/// Steps through a `Vec` or a `BTreeMap`.
pub(super) const CONTAINER_STEPS: usize = 3;
/// Steps through a type without parts of the model, such as text or raw JSON.
pub(super) const LEAF_STEPS: usize = 8;

/// Returns the size of a scalar.
pub(super) fn bytes(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Bool | Scalar::Int(IntWidth::I8 | IntWidth::U8) => 1,
        Scalar::Int(IntWidth::I16 | IntWidth::U16) => 2,
        Scalar::Int(IntWidth::I32 | IntWidth::U32) => 4,
        Scalar::Int(IntWidth::I64 | IntWidth::U64) => 8,
        Scalar::Number => 16,
        Scalar::Json => 32,
        Scalar::ObjectMeta => 376,
        Scalar::Str | Scalar::Bytes | Scalar::Time | Scalar::IntOrString | Scalar::Quantity => {
            OWNED_BYTES
        }
    }
}
