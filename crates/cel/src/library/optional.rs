//! Optional values. The interpreter evaluates `or` and `orValue`, since they do not need all of their operands.

use super::function::{Function, function};

pub(super) const FUNCTIONS: &[Function] = &[
    function("optional.of", "A optional(A)"),
    function("optional.ofNonZeroValue", "A optional(A)"),
    function("optional.none", " optional(A)"),
    function("value", ".optional(A) A"),
    function("hasValue", ".optional(A) bool"),
    function("or", ".optional(A),optional(A) optional(A)"),
    function("orValue", ".optional(A),A A"),
];
