use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use serde::{Deserialize, Serialize};

use super::*;
use crate::cache::{AnyObject, Delta, ObjectKey, Store, read};

fn compact() -> Form {
    Form::new(true, read::<ConfigMap>)
}

fn json(object: &dyn AnyObject) -> String {
    String::from_utf8(object.to_json().unwrap()).unwrap()
}

fn object(number: usize, version: usize) -> Shared {
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

fn text(delta: Option<Delta>) -> String {
    match delta {
        None => "nothing".to_owned(),
        Some(Delta::Added(object)) => format!("added {}", json(&*object)),
        Some(Delta::Listed(_)) => panic!("not listed"),
        Some(Delta::Updated(old, new)) => format!("updated {} {}", json(&*old), json(&*new)),
        Some(Delta::Unchanged(object)) => format!("unchanged {}", json(&*object)),
        Some(Delta::Deleted(object, unknown)) => format!("deleted {} {unknown}", json(&*object)),
    }
}

fn sorted(objects: impl IntoIterator<Item = Shared>) -> Vec<String> {
    let objects = objects.into_iter();
    let mut texts: Vec<_> = objects.map(|object| json(&*object)).collect();
    texts.sort();
    texts
}

/// Applies the same random changes to a compact store and to one that is not.
#[test]
fn a_compact_store_has_the_same_objects_indexes_and_changes() {
    let mut stores = [false, true].map(|compact| Store::new(compact, read::<ConfigMap>));
    for store in &mut stores {
        let app = |map: &dyn AnyObject| {
            map.metadata()
                .labels
                .iter()
                .flat_map(|all| all.values())
                .cloned()
                .collect()
        };
        store.add_index("app".into(), Box::new(app)).unwrap();
    }
    let mut random = fastrand::Rng::with_seed(11);
    for step in 0..12_000 {
        // More objects than the last dictionary waits for.
        let number = random.usize(..5000);
        let (kind, version) = (random.u32(..10), step / 3);
        let key = ObjectKey::of_meta(object(number, 0).metadata());
        let [plain, compact] = stores.each_mut().map(|store| {
            text(match kind {
                0 => store.delete(object(number, version)),
                1 => store.delete_by_key(&key, ""),
                2..4 => Some(store.relist(object(number, version))),
                _ => store.apply(object(number, version)),
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
        Slot::Packed(_, packed) => packed.bytes.len(),
        Slot::Whole(..) => panic!("an object was not packed"),
    });
    let longest = packed.max().unwrap();
    assert!(longest < 200, "{longest} bytes");
}

#[test]
fn sets_share_one_compact_form_of_an_object() {
    let form = compact();
    let map = object(1, 1);
    let [a, b] = [form.hold(1, &map), form.hold(1, &map)];
    let (Slot::Packed(_, a), Slot::Packed(_, b)) = (a, b) else {
        panic!("not packed");
    };
    assert!(Arc::ptr_eq(&a.bytes, &b.bytes));
    assert!(
        Arc::ptr_eq(&form.read(&Slot::Packed(1, a)), &map),
        "it was stored last"
    );
}

/// So that a queue of handlers takes no more memory than the cache.
#[test]
fn an_object_that_was_just_stored_is_queued_compressed() {
    let form = compact();
    let mut set = crate::cache::KeyedSet::new(form.clone());
    let map = object(1, 1);
    assert!(matches!(form.held(&map), Slot::Whole(..)), "not stored");
    set.insert(&map);
    let held = form.held(&map);
    assert!(matches!(held, Slot::Packed(..)));
    drop(set);
    for number in 2..2000 {
        form.hold(number, &object(0, 0));
    }
    assert_eq!(json(&*form.read(&held)), json(&*map), "decoded again");
}

/// A kind that cannot read what it writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Odd {
    metadata: ObjectMeta,
    #[serde(serialize_with = "as_text")]
    size: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
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
    let form = Form::new(true, read::<Odd>);
    let odd: Shared = Arc::new(Odd {
        metadata: ObjectMeta::default(),
        size: 3,
    });
    let held = form.hold(1, &odd);
    assert!(matches!(held, Slot::Whole(..)));
    assert!(Arc::ptr_eq(&form.read(&held), &odd));
    let mut long = object(1, 1);
    let meta = Arc::get_mut(&mut long).unwrap().metadata_mut();
    meta.name = Some("n".repeat(300));
    let form = compact();
    let held = form.hold(1, &long);
    assert_eq!(held.names(), ("ns-1", &*"n".repeat(300)));
    assert!(Arc::ptr_eq(&form.read(&held), &long));
}

#[test]
fn large_objects_are_packed_too() {
    let form = compact();
    for number in 0..70_u32 {
        let mut large = object(1, 1);
        let mut random = fastrand::Rng::with_seed(number.into());
        let text: String = (0..300_000).map(|_| random.alphanumeric()).collect();
        let meta = Arc::get_mut(&mut large).unwrap().metadata_mut();
        meta.annotations = Some([("text".to_owned(), text)].into());
        let held = form.hold(number, &large);
        assert!(matches!(held, Slot::Packed(..)));
        let again = form.hold(number, &large);
        assert!(
            matches!((&held, &again), (Slot::Packed(_, a), Slot::Packed(_, b)) if Arc::ptr_eq(&a.bytes, &b.bytes))
        );
        // Another object takes its place among the decoded ones.
        form.hold(number, &object(0, 0));
        assert_eq!(json(&*form.read(&held)), json(&*large));
    }
}

/// Returns an object as a watch delivers it, packed from its text.
fn received(form: &Form, text: &str, managed_fields: bool) -> (Shared, Slot) {
    let (object, skipped) = read::<ConfigMap>(text, managed_fields).unwrap();
    form.receive(text, managed_fields, skipped, &object);
    let (namespace, name) = names(object.metadata());
    let held = form.hold(form.hash(namespace, name), &object);
    (object, held)
}

#[test]
fn a_received_text_reads_as_it_did_at_first() {
    let managed = r#"[{"manager":"kubectl","fieldsV1":{"f:data":{".":{}}}}]"#;
    for fields in [
        format!(r#""managedFields":{managed},"name":"a""#),
        format!(r#""name":"a","managedFields":{managed}"#),
        // Odd, but valid for a reader that skips them.
        format!(r#""name":"a","managedFields":{managed},"managed\u0046ields":{managed}"#),
        r#""name":"a","managedFields":"none""#.to_owned(),
        r#""name":"a""#.to_owned(),
    ] {
        let text = format!(
            r#"{{"unknown":[1.50,{{"managedFields":7}}], "metadata":{{{fields}}},"data":{{"managedFields":"kept","é":"\u00e9"}}}}"#
        );
        for keep in [false, true] {
            if keep && read::<ConfigMap>(&text, true).is_err() {
                continue;
            }
            let form = compact();
            // The dictionary of the others.
            received(&form, r#"{"metadata":{"name":"first"}}"#, keep);
            let (object, held) = received(&form, &text, keep);
            let Slot::Packed(_, packed) = &held else {
                panic!("not packed: {text}");
            };
            let again = form.codec.as_ref().unwrap().unpack(packed);
            assert_eq!(json(&*again), json(&*object), "{text}");
            let kept = object.metadata().managed_fields.is_some();
            assert_eq!(
                packed.length() < text.len(),
                !keep && fields.contains("managedFields")
            );
            assert_eq!(kept, keep && text.contains("kubectl"), "{text}");
        }
    }
}

/// A transform, or the store, may hold another object than the one that was received last.
#[test]
fn another_object_is_not_packed_from_the_received_text() {
    let form = compact();
    let (object, skipped) = read::<ConfigMap>(r#"{"metadata":{"name":"a"}}"#, false).unwrap();
    form.receive(r#"{"metadata":{"name":"a"}}"#, false, skipped, &object);
    let other = self::object(3, 3);
    let Slot::Packed(_, packed) = form.hold(1, &other) else {
        panic!("not packed");
    };
    let again = form.codec.as_ref().unwrap().unpack(&packed);
    assert_eq!(json(&*again), json(&*other));
}

#[test]
fn what_readers_use_stays_decoded_while_a_list_passes() {
    let form = compact();
    let mut set = crate::cache::KeyedSet::new(form.clone());
    for number in 0..20_000 {
        set.insert(&object(number, 1));
    }
    let key = |number: usize| (format!("ns-{}", number % 7), format!("map-{number}"));
    let get = |number| {
        let (namespace, name) = key(number);
        set.get(&namespace, &name).unwrap()
    };
    let used: Vec<_> = (0..1000).map(|number| get(number * 20)).collect();
    // Updates and handlers.
    for held in set.held() {
        form.see(held);
    }
    for (number, one) in used.iter().enumerate() {
        assert!(Arc::ptr_eq(one, &get(number * 20)), "{number}");
    }
    let codec = form.codec.as_ref().unwrap();
    let decoded = |codec: &Codec| codec.hot.lock().len();
    assert!(decoded(codec) < 2000, "{}", decoded(codec));
    // However many are read, what is kept has a limit.
    for number in 0..20_000 {
        get(number);
    }
    let kept = decoded(codec);
    assert!((5000..15_000).contains(&kept), "{kept}");
}
