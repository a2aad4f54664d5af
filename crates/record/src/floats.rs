//! Integers that floats spell, and floats of single precision.

/// Returns the integer that the digits of a float spell, as in `3.0` or `1e3`; `None` for fractions and beyond 65 bits.
///
/// The API server reads integers from the digits it wrote: `1234567890123456800`, not `1234567890123456768`, the value of the float.
pub(super) fn integral(value: f64) -> Option<i128> {
    const LIMIT: f64 = 36_893_488_147_419_103_232.0; // 2^65
    if value.fract() != 0.0 || value.abs() >= LIMIT {
        return None;
    }
    match exact(value) {
        Some(value) => Some(value.into()),
        None => value.to_string().parse().ok(),
    }
}

/// Returns the integer that a float is, up to 2^53, below which floats hold each integer; `None` for fractions.
pub(super) fn exact(value: f64) -> Option<i64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0; // 2^53
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the integers that a float holds exactly"
    )]
    (value.fract() == 0.0 && value.abs() <= LIMIT).then_some(value as i64)
}

/// Returns the double with the same shortest digits: a cast of `0.1_f32` would be 0.10000000149011612.
pub(super) fn widen(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}
