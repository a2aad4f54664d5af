//! The ring of hashes, cut into ranges of equal size.
use std::{collections::BTreeSet, hash::Hasher};

use fnv::FnvHasher;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The field of an object that decides which shard it belongs to. The API server can select objects by the same two fields
/// ([KEP-5866](https://kep.k8s.io/5866)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum ShardKey {
    /// `metadata.uid` spreads objects evenly. An object that is deleted and recreated under the same name may move to another replica.
    #[default]
    Uid,
    /// `metadata.namespace`: one replica reconciles all objects of a namespace, so it can treat them as a whole. All objects without a
    /// namespace are in one shard.
    Namespace,
}

impl ShardKey {
    /// Returns the hash of the object with this metadata.
    pub fn hash(self, meta: &ObjectMeta) -> u64 {
        let text = |text: &'_ Option<String>| hash(text.as_deref().unwrap_or_default());
        match self {
            Self::Uid => text(&meta.uid),
            Self::Namespace => text(&meta.namespace),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uid => "uid",
            Self::Namespace => "namespace",
        }
    }
}

/// Returns the 64-bit FNV-1a hash of a text, as the API server computes it for its `shardSelector`.
pub(crate) fn hash(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The largest number of ranges: the number of the one after the last must be a number, too.
pub(super) const MAX_RANGES: u16 = u16::MAX - 1;

/// All hashes, cut into ranges. A range begins at the end of the one before it, so that each hash is in exactly one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) ranges: u16,
}

impl Ring {
    /// Returns the number of the range that contains `hash`.
    pub(crate) fn range_of(self, hash: u64) -> u16 {
        // The product has at most 80 bits, and the quotient is below the number of ranges.
        let range = (u128::from(hash) * u128::from(self.ranges)) >> u64::BITS;
        u16::try_from(range).unwrap_or(u16::MAX)
    }

    /// Returns the first hash of a range. That of the range after the last one is 2^64.
    fn start(self, range: u16) -> u128 {
        (u128::from(range) << u64::BITS).div_ceil(u128::from(self.ranges))
    }

    /// Returns the `shardSelector` that selects the objects of these ranges. Ranges that follow each other are one.
    pub(super) fn selector(self, ranges: &BTreeSet<u16>, key: ShardKey) -> String {
        let mut runs: Vec<(u16, u16)> = Vec::new();
        for range in ranges {
            match runs.last_mut() {
                Some((_, end)) if *end == *range => *end += 1,
                _ => runs.push((*range, *range + 1)),
            }
        }
        let field = key.name();
        let run = |(start, end): (u16, u16)| {
            let (start, end) = (self.start(start), self.start(end));
            format!("shardRange(object.metadata.{field}, '0x{start:016x}', '0x{end:016x}')")
        };
        runs.into_iter().map(run).collect::<Vec<_>>().join(" || ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_api_server() {
        // The test vectors of the algorithm's authors.
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn each_hash_is_in_one_range_of_equal_size() {
        for ranges in [1, 2, 3, 64, 1000, MAX_RANGES] {
            let ring = Ring { ranges };
            assert_eq!(ring.range_of(0), 0);
            assert_eq!(ring.range_of(u64::MAX), ranges - 1);
            // The first hash of a range is the first of which the product reaches 2^64 times its number.
            for range in 1..u128::from(ranges) {
                let number = u16::try_from(range).unwrap();
                let start = u64::try_from(ring.start(number)).unwrap();
                assert_eq!(ring.range_of(start), number);
                assert_eq!(ring.range_of(start - 1), number - 1);
            }
        }
    }

    #[test]
    fn ranges_that_follow_each_other_are_selected_as_one() {
        let ring = Ring { ranges: 4 };
        let selector =
            |ranges: &[u16]| ring.selector(&ranges.iter().copied().collect(), ShardKey::Namespace);
        assert_eq!(
            selector(&[0, 1, 3]),
            "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000') || \
             shardRange(object.metadata.namespace, '0xc000000000000000', '0x10000000000000000')"
        );
        let all =
            "shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')";
        assert_eq!(selector(&[0, 1, 2, 3]), all);
    }
}
