//! The ring of hashes, cut into ranges of equal size.
use std::hash::Hasher;

use fnv::FnvHasher;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The field of an object that decides to which shard it belongs; the API server can select objects by the same two
/// ([KEP-5866](https://kep.k8s.io/5866)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum ShardKey {
    /// `metadata.uid`: objects are spread evenly. An object that is deleted and created again under its name may belong to another replica.
    #[default]
    Uid,
    /// `metadata.namespace`: one replica reconciles all objects of a namespace, so that it may treat them as a whole. All objects without a
    /// namespace are in one shard.
    Namespace,
}

impl ShardKey {
    /// Returns the hash of the object with this metadata.
    pub fn hash(self, meta: &ObjectMeta) -> u64 {
        let text = match self {
            Self::Uid => &meta.uid,
            Self::Namespace => &meta.namespace,
        };
        hash(text.as_deref().unwrap_or_default())
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
        for ranges in [1, 2, 3, 64, 1000, u16::MAX] {
            let ring = Ring { ranges };
            assert_eq!(ring.range_of(0), 0);
            assert_eq!(ring.range_of(u64::MAX), ranges - 1);
            // The first hash of a range is the first of which the product reaches 2^64 times its number.
            for range in 1..u128::from(ranges) {
                let start = (range << u64::BITS).div_ceil(u128::from(ranges));
                let start = u64::try_from(start).unwrap();
                let number = u16::try_from(range).unwrap();
                assert_eq!(ring.range_of(start), number);
                assert_eq!(ring.range_of(start - 1), number - 1);
            }
        }
    }
}
