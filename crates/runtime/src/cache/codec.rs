//! The compact form of cached objects: JSON, compressed with earlier objects of the kind as dictionary, and decoded when it is read.
use std::{
    hash::{BuildHasher, RandomState},
    marker::PhantomData,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use lz4_flex::block::{compress_with_dict, decompress_with_dict};
use parking_lot::Mutex;

use super::{Object, names};

/// Each dictionary has one more object than the one before: the first, and these. The first objects of a list are often of one namespace.
const SAMPLES: [usize; 4] = [0, 64, 512, 4096];
/// Number of bytes that a dictionary takes from an object: packing takes time in proportion to the dictionary.
const SAMPLE: usize = 4096;
/// Number of decoded objects that are kept: those that were read or stored last.
const RECENT: usize = 256;

/// How the sets of one store hold their objects.
pub(crate) struct Form<K> {
    hasher: RandomState,
    codec: Option<Arc<Codec<K>>>,
}

/// An object in a set.
pub(crate) enum Held<K> {
    Whole(Arc<K>),
    Packed(Packed<K>),
}

/// The compressed JSON of an object, after a head: number of the dictionary, lengths of namespace and name, length of the JSON, namespace, name.
pub(crate) struct Packed<K> {
    bytes: Arc<[u8]>,
    of: PhantomData<fn() -> K>,
}

const HEAD: usize = 7;

struct Codec<K> {
    dictionaries: [OnceLock<Vec<u8>>; SAMPLES.len()],
    packed: AtomicUsize,
    recent: Mutex<Vec<Option<(Packed<K>, Arc<K>)>>>,
}

impl<K: Object> Form<K> {
    pub(crate) fn new(compact: bool) -> Self {
        Self {
            hasher: RandomState::new(),
            codec: compact.then(|| Arc::new(Codec::new())),
        }
    }

    pub(super) fn hash(&self, namespace: &str, name: &str) -> u64 {
        self.hasher.hash_one((namespace, name))
    }

    /// Returns what a set holds of `object`, whose names have this hash. The same object is packed once.
    pub(super) fn hold(&self, hash: u64, object: &Arc<K>) -> Held<K> {
        let Some(codec) = &self.codec else {
            return Held::Whole(Arc::clone(object));
        };
        if let Some(packed) = codec.recently(hash, |_, recent| Arc::ptr_eq(recent, object)) {
            return Held::Packed(packed.0);
        }
        let Some(packed) = codec.pack(object) else {
            return Held::Whole(Arc::clone(object));
        };
        codec.remember(hash, &packed, object);
        Held::Packed(packed)
    }

    pub(super) fn open(&self, hash: u64, held: &Held<K>) -> Arc<K> {
        match (held, &self.codec) {
            (Held::Whole(object), _) => Arc::clone(object),
            (Held::Packed(packed), Some(codec)) => {
                let is_same = |one: &Packed<K>, _: &_| Arc::ptr_eq(&one.bytes, &packed.bytes);
                if let Some((_, object)) = codec.recently(hash, is_same) {
                    return object;
                }
                let object = Arc::new(codec.unpack(packed));
                codec.remember(hash, packed, &object);
                object
            }
            (Held::Packed(_), None) => unreachable!("only a codec packs objects"),
        }
    }
}

impl<K: Object> Held<K> {
    /// Returns namespace and name as the store compares them: empty rather than absent.
    pub(crate) fn names(&self) -> (&str, &str) {
        match self {
            Self::Whole(object) => names(&**object),
            Self::Packed(packed) => packed.names(),
        }
    }
}

impl<K> Packed<K> {
    fn names(&self) -> (&str, &str) {
        let (namespace, name) = (usize::from(self.bytes[1]), usize::from(self.bytes[2]));
        let text = |from, length| {
            let text = self.bytes.get(from..from + length).unwrap_or_default();
            std::str::from_utf8(text).unwrap_or_default()
        };
        (text(HEAD, namespace), text(HEAD + namespace, name))
    }
}

impl<K: Object> Codec<K> {
    fn new() -> Self {
        Self {
            dictionaries: Default::default(),
            packed: AtomicUsize::new(0),
            recent: Mutex::new((0..RECENT).map(|_| None).collect()),
        }
    }

    /// Returns the compact form; `None` if the object cannot be read back from it.
    fn pack(&self, object: &K) -> Option<Packed<K>> {
        let json = serde_json::to_vec(object).ok()?;
        serde_json::from_slice::<K>(&json).ok()?;
        let (namespace, name) = names(object);
        let dictionary = self.dictionary(&json);
        let mut bytes = vec![
            u8::try_from(dictionary).ok()?,
            u8::try_from(namespace.len()).ok()?,
            u8::try_from(name.len()).ok()?,
        ];
        bytes.extend(u32::try_from(json.len()).ok()?.to_le_bytes());
        bytes.extend_from_slice(namespace.as_bytes());
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend(compress_with_dict(
            &json,
            self.dictionaries[dictionary].get()?,
        ));
        Some(Packed {
            bytes: bytes.into(),
            of: PhantomData,
        })
    }

    #[expect(clippy::expect_used, reason = "`pack` has decoded the same JSON")]
    fn unpack(&self, packed: &Packed<K>) -> K {
        let unpack = || {
            let (namespace, name) = packed.names();
            let length = u32::from_le_bytes(packed.bytes[3..HEAD].try_into().ok()?);
            let body = packed.bytes.get(HEAD + namespace.len() + name.len()..)?;
            let dictionary = self.dictionaries.get(usize::from(packed.bytes[0]))?;
            let json = decompress_with_dict(body, usize::try_from(length).ok()?, dictionary.get()?);
            serde_json::from_slice(&json.ok()?).ok()
        };
        unpack().expect("a packed object can be unpacked")
    }

    /// Returns the number of the dictionary for the next object. Some objects become part of a new one.
    fn dictionary(&self, json: &[u8]) -> usize {
        let number = self.packed.fetch_add(1, Ordering::Relaxed);
        let sample = SAMPLES.iter().position(|sample| *sample == number);
        if let Some(new) = sample {
            let before = new
                .checked_sub(1)
                .and_then(|old| self.dictionaries[old].get());
            let mut dictionary = before.cloned().unwrap_or_default();
            dictionary.extend_from_slice(&json[..json.len().min(SAMPLE)]);
            let _ = self.dictionaries[new].set(dictionary);
        }
        let newest = self
            .dictionaries
            .iter()
            .rposition(|one| one.get().is_some());
        newest.unwrap_or_default()
    }

    /// Returns the recent object with this hash of its names, if it is the wanted one.
    fn recently(
        &self,
        hash: u64,
        is_wanted: impl Fn(&Packed<K>, &Arc<K>) -> bool,
    ) -> Option<(Packed<K>, Arc<K>)> {
        let recent = self.recent.lock();
        let (packed, object) = recent[slot(hash)].as_ref()?;
        is_wanted(packed, object).then(|| (packed.clone(), Arc::clone(object)))
    }

    fn remember(&self, hash: u64, packed: &Packed<K>, object: &Arc<K>) {
        let entry = (packed.clone(), Arc::clone(object));
        let replaced = self.recent.lock()[slot(hash)].replace(entry);
        // Not under the lock: the last reference may drop a large object.
        drop(replaced);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest bits suffice")]
fn slot(hash: u64) -> usize {
    hash as usize % RECENT
}

impl<K> Clone for Form<K> {
    fn clone(&self) -> Self {
        Self {
            hasher: self.hasher.clone(),
            codec: self.codec.clone(),
        }
    }
}

impl<K> Clone for Held<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Whole(object) => Self::Whole(Arc::clone(object)),
            Self::Packed(packed) => Self::Packed(packed.clone()),
        }
    }
}

impl<K> Clone for Packed<K> {
    fn clone(&self) -> Self {
        Self {
            bytes: Arc::clone(&self.bytes),
            of: PhantomData,
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::cache::{Delta, ObjectKey, Store};

    fn object(number: usize, version: usize) -> Arc<ConfigMap> {
        let map = |pairs: &[(&str, String)]| {
            let pairs = pairs.iter();
            Some(pairs.map(|(k, v)| ((*k).to_owned(), v.clone())).collect())
        };
        Arc::new(ConfigMap {
            metadata: ObjectMeta {
                name: Some(format!("map-{number}")),
                namespace: Some(format!("ns-{}", number % 7)),
                resource_version: Some(version.to_string()),
                uid: Some(format!(
                    "{:032x}",
                    fastrand::Rng::with_seed(number as u64).u128(..)
                )),
                labels: map(&[("app.kubernetes.io/name", format!("app-{}", number % 3))]),
                annotations: map(&[(
                    "example.com/description",
                    "the same text in each of them ".repeat(10),
                )]),
                ..ObjectMeta::default()
            },
            data: map(&[("version", version.to_string())]),
            ..ConfigMap::default()
        })
    }

    fn text(delta: Option<Delta<ConfigMap>>) -> String {
        let json = |object: &ConfigMap| serde_json::to_string(object).unwrap();
        match delta {
            None => "nothing".to_owned(),
            Some(Delta::Added(object)) => format!("added {}", json(&object)),
            Some(Delta::Updated(old, new)) => format!("updated {} {}", json(&old), json(&new)),
            Some(Delta::Unchanged(object)) => format!("unchanged {}", json(&object)),
            Some(Delta::Deleted(object, unknown)) => format!("deleted {} {unknown}", json(&object)),
        }
    }

    fn sorted(objects: impl IntoIterator<Item = Arc<ConfigMap>>) -> Vec<String> {
        let objects = objects.into_iter();
        let mut texts: Vec<_> = objects
            .map(|object| serde_json::to_string(&*object).unwrap())
            .collect();
        texts.sort();
        texts
    }

    /// Applies the same random changes to a compact store and to one that is not.
    #[test]
    fn a_compact_store_has_the_same_objects_indexes_and_changes() {
        let mut stores = [Store::new(false), Store::new(true)];
        for store in &mut stores {
            let app = |map: &ConfigMap| {
                map.metadata
                    .labels
                    .iter()
                    .flat_map(|all| all.values())
                    .cloned()
                    .collect()
            };
            store.add_index("app".into(), app).unwrap();
        }
        let mut random = fastrand::Rng::with_seed(11);
        for step in 0..12_000 {
            // More objects than the last dictionary waits for.
            let number = random.usize(..5000);
            let (kind, version) = (random.u32(..10), step / 3);
            let key = ObjectKey::of(&*object(number, 0));
            let [plain, compact] = stores.each_mut().map(|store| {
                text(match kind {
                    0 => store.delete(object(number, version)),
                    1 => store.delete_by_key(&key, ""),
                    2..4 => Some(store.relist(object(number, version))),
                    _ => Some(store.apply(object(number, version))),
                })
            });
            assert_eq!(plain, compact, "step {step}");
        }
        let [plain, compact] = &stores;
        assert!(plain.len() > 2000);
        assert_eq!(
            (plain.len(), plain.namespaces()),
            (compact.len(), compact.namespaces())
        );
        assert_eq!(sorted(plain.iter()), sorted(compact.iter()));
        for value in ["app-0", "app-1", "app-2", "app-3"] {
            let all = [plain, compact].map(|store| sorted(store.by_index("app", value).unwrap()));
            assert_eq!(all[0], all[1], "{value}");
        }
        let held = compact.within(Some("ns-3"));
        assert_eq!(held.len(), plain.in_namespace("ns-3").count());
        let packed = held.iter().map(|held| match held {
            Held::Packed(packed) => packed.bytes.len(),
            Held::Whole(_) => panic!("an object was not packed"),
        });
        let longest = packed.max().unwrap();
        assert!(longest < 200, "{longest} bytes");
    }

    #[test]
    fn sets_share_one_compact_form_of_an_object() {
        let form = Form::new(true);
        let map = object(1, 1);
        let [a, b] = [form.hold(1, &map), form.hold(1, &map)];
        let (Held::Packed(a), Held::Packed(b)) = (a, b) else {
            panic!("not packed");
        };
        assert!(Arc::ptr_eq(&a.bytes, &b.bytes));
        assert!(
            Arc::ptr_eq(&form.open(1, &Held::Packed(a)), &map),
            "it was stored last"
        );
    }

    /// A kind that cannot read what it writes.
    #[derive(Debug, Serialize, Deserialize)]
    struct Odd {
        metadata: ObjectMeta,
        #[serde(serialize_with = "as_text")]
        size: u64,
    }

    fn as_text<S: serde::Serializer>(size: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&size.to_string())
    }

    impl k8s_openapi::Resource for Odd {
        const API_VERSION: &'static str = "example.com/v1";
        const GROUP: &'static str = "example.com";
        const KIND: &'static str = "Odd";
        const VERSION: &'static str = "v1";
        const URL_PATH_SEGMENT: &'static str = "odds";
        type Scope = k8s_openapi::NamespaceResourceScope;
    }

    impl k8s_openapi::Metadata for Odd {
        type Ty = ObjectMeta;
        fn metadata(&self) -> &ObjectMeta {
            &self.metadata
        }
        fn metadata_mut(&mut self) -> &mut ObjectMeta {
            &mut self.metadata
        }
    }

    #[test]
    fn an_object_that_cannot_be_packed_is_kept_as_it_is() {
        let form = Form::new(true);
        let odd = Arc::new(Odd {
            metadata: ObjectMeta::default(),
            size: 3,
        });
        let held = form.hold(1, &odd);
        assert!(matches!(held, Held::Whole(_)));
        assert!(Arc::ptr_eq(&form.open(1, &held), &odd));
        let mut long = object(1, 1);
        Arc::make_mut(&mut long).metadata.name = Some("n".repeat(300));
        let form = Form::new(true);
        let held = form.hold(1, &long);
        assert_eq!(held.names(), ("ns-1", &*"n".repeat(300)));
        assert_eq!(form.open(1, &held), long);
    }

    #[test]
    fn large_objects_are_packed_too() {
        let form = Form::new(true);
        for number in 0..70_u64 {
            let mut large = object(1, 1);
            let mut random = fastrand::Rng::with_seed(number);
            let text: String = (0..100_000).map(|_| random.alphanumeric()).collect();
            Arc::make_mut(&mut large).data = Some([("text".to_owned(), text)].into());
            let held = form.hold(number, &large);
            assert!(matches!(held, Held::Packed(_)));
            // Another object takes its place among the decoded ones.
            form.hold(number, &object(0, 0));
            assert_eq!(form.open(number, &held), large);
        }
    }
}
