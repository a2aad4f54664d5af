//! Makes the uids of new objects, and the names that a prefix asks for.

use std::{collections::HashMap, hash::Hasher as _};

use fnv::FnvHasher;

use crate::kinds::{kind::Kind, names};

/// How uids and names are made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uids {
    /// Decides the uids and names, with how many objects have had each name or prefix; without it, they follow from numbers of the server, and uids
    /// contain the id of the process.
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
        let Some((low, high)) = self.count([&kind.group, &kind.plural, namespace, name]) else {
            return names::uid(number);
        };
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        )
    }

    /// Returns a name with a prefix, which may exist; `number` was not used before.
    pub(crate) fn name(
        &mut self,
        number: u64,
        kind: &Kind,
        namespace: &str,
        prefix: &str,
    ) -> String {
        // No name ends with the separator.
        let key = format!("{prefix}*");
        let seeded = self.count([&kind.group, &kind.plural, namespace, &key]);
        names::generate(prefix, seeded.map_or(number, |(number, _)| number >> 32))
    }

    /// Counts an object, and returns two numbers that follow from the seed, from what it is called, and from how many objects were called so before.
    fn count(&mut self, parts: [&str; 4]) -> Option<(u64, u64)> {
        let (seed, created) = self.seed.as_mut()?;
        let key = parts.join("/");
        let place = hash(FnvHasher::default(), key.as_bytes());
        let count = created.entry(place).or_default();
        *count += 1;
        let low = hash(
            FnvHasher::with_key(place),
            &[seed.to_le_bytes(), count.to_le_bytes()].concat(),
        );
        Some((low, hash(FnvHasher::with_key(low), key.as_bytes())))
    }
}

fn hash(mut hash: FnvHasher, bytes: &[u8]) -> u64 {
    hash.write(bytes);
    hash.finish()
}
