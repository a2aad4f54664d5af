//! Sizes that are known within bounds.

use std::ops::{Add, Mul};

/// The fewest and the most characters, bytes, items or entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl Size {
    pub(crate) const UNKNOWN: Self = Self::new(0, u64::MAX);
    /// The size that encloses none.
    pub(crate) const NONE: Self = Self::new(u64::MAX, 0);

    pub(crate) const fn new(min: u64, max: u64) -> Self {
        Self { min, max }
    }

    pub(crate) const fn exactly(size: u64) -> Self {
        Self::new(size, size)
    }

    /// Returns the bounds that enclose both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self::new(self.min.min(other.min), self.max.max(other.max))
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(
            self.min.saturating_add(other.min),
            self.max.saturating_add(other.max),
        )
    }
}

impl Mul for Size {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(
            self.min.saturating_mul(other.min),
            self.max.saturating_mul(other.max),
        )
    }
}
