//! Makes the uids of new objects.

use std::{collections::HashMap, hash::Hasher as _};

use fnv::FnvHasher;

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
        let place = hash(FnvHasher::default(), key.as_bytes());
        let count = created.entry(place).or_default();
        *count += 1;
        let low = hash(
            FnvHasher::with_key(place),
            &[seed.to_le_bytes(), count.to_le_bytes()].concat(),
        );
        let high = hash(FnvHasher::with_key(low), key.as_bytes());
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

fn hash(mut hash: FnvHasher, bytes: &[u8]) -> u64 {
    hash.write(bytes);
    hash.finish()
}
