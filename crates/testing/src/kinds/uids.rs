//! Makes the uids of new objects.

use std::collections::HashMap;

use crate::kinds::{kind::Kind, names};

/// How uids are made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uids {
    /// Decides the uids, with how many objects have had each name; without it, they contain the id of the process.
    seed: Option<(u64, HashMap<u64, u64>)>,
}

impl Uids {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self {
            seed: Some((seed, HashMap::new())),
        }
    }

    /// Returns the uid of a new object; `number` was not used before.
    pub(crate) fn next(&mut self, number: u64, kind: &Kind, namespace: &str, name: &str) -> String {
        let Some((seed, created)) = &mut self.seed else {
            return names::uid(number);
        };
        let key = [kind.group.as_str(), &kind.plural, namespace, name].join("/");
        let place = hash(0xcbf2_9ce4_8422_2325, key.as_bytes());
        let count = created.entry(place).or_default();
        *count += 1;
        let low = hash(place, &[seed.to_le_bytes(), count.to_le_bytes()].concat());
        let high = hash(low, key.as_bytes());
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        )
    }
}

/// FNV-1a, which is the same in each build.
fn hash(before: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(before, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
