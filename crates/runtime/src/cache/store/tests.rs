use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::ObjectMeta;

use super::*;
use crate::cache::{AnyObject, read, typed, typed_ref};

fn store() -> Store {
    Store::new(false, read::<ConfigMap>)
}

fn object(name: &str, uid: &str, version: &str) -> Arc<ConfigMap> {
    let text = |text: &str| Some(text.to_owned());
    let metadata = ObjectMeta {
        name: text(name),
        namespace: text("ns"),
        uid: text(uid),
        resource_version: text(version),
        ..ObjectMeta::default()
    };
    Arc::new(ConfigMap {
        metadata,
        ..ConfigMap::default()
    })
}

/// Short forms: `+` added, `~` updated, `=` unchanged, `-` deleted, `?` final state unknown.
fn short(deltas: &[Delta]) -> Vec<String> {
    let at = |object: &Shared| {
        let meta = object.metadata();
        let version = meta.resource_version.as_deref();
        format!("{}@{}", names(meta).1, version.unwrap_or_default())
    };
    let mut texts: Vec<_> = deltas
        .iter()
        .map(|delta| match delta {
            Delta::Added(object) => format!("+{}", at(object)),
            Delta::Listed(held) => format!("+{}", held.names().1),
            Delta::Updated(old, new) => format!("~{}>{}", at(old), at(new)),
            Delta::Unchanged(object) => format!("={}", at(object)),
            Delta::Deleted(object, final_state_unknown) => {
                let mark = if *final_state_unknown { "?" } else { "" };
                format!("-{}{mark}", at(object))
            }
        })
        .collect();
    texts.sort();
    texts
}

/// Applies a relist: `listed` is there, everything else is gone.
fn relist(store: &mut Store, listed: Vec<Arc<ConfigMap>>, unreadable: &[&str]) -> Vec<Delta> {
    let before = store.within(None);
    let known = |gone: &Slot| {
        let name = gone.names().1;
        unreadable.contains(&name)
            || listed
                .iter()
                .any(|object| names(&object.metadata).1 == name)
    };
    let gone: Vec<_> = before.into_iter().filter(|gone| !known(gone)).collect();
    let mut deltas: Vec<_> = listed
        .into_iter()
        .map(|object| store.relist(object))
        .collect();
    for gone in gone {
        deltas.extend(store.delete_by_key(&ObjectKey::namespaced("ns", gone.names().1), ""));
    }
    deltas
}

#[test]
fn a_relist_returns_one_delta_per_object() {
    let mut store = store();
    for name in ["same", "changed", "recreated", "gone", "unreadable"] {
        store.apply(object(name, "u", "1"));
    }
    let same = store.get("ns", "same").unwrap();
    let listed = vec![
        object("same", "u", "1"),
        object("changed", "u", "2"),
        object("recreated", "v", "1"),
        object("new", "u", "3"),
    ];
    let deltas = relist(&mut store, listed, &["unreadable"]);
    assert_eq!(
        short(&deltas),
        [
            "+new@3",
            "-gone@1?",
            "=same@1",
            "~changed@1>changed@2",
            "~recreated@1>recreated@1"
        ]
    );
    assert_eq!(store.len(), 5);
    assert_eq!(store.iter().count(), 5);
    assert!(
        Arc::ptr_eq(&store.get("ns", "same").unwrap(), &same),
        "an unchanged object keeps its allocation"
    );
    assert!(store.get("ns", "gone").is_none());
    assert!(store.get("ns", "unreadable").is_some());
}

#[test]
fn a_relist_takes_another_state_of_the_same_version() {
    let mut store = store();
    let state = |value: &str| {
        let mut object = object("a", "u", "1");
        Arc::make_mut(&mut object).data = Some([("value".to_owned(), value.to_owned())].into());
        object
    };
    store.apply(state("one"));
    let deltas = relist(&mut store, vec![state("one")], &[]);
    assert_eq!(short(&deltas), ["=a@1"]);
    let deltas = relist(&mut store, vec![state("two")], &[]);
    assert_eq!(short(&deltas), ["~a@1>a@1"]);
    let stored: Arc<ConfigMap> = typed(store.get("ns", "a").unwrap());
    assert_eq!(stored.data.as_ref().unwrap()["value"], "two");
}

#[test]
fn a_panic_of_an_index_function_leaves_the_store_consistent() {
    let mut store = store();
    let by_name = |object: &dyn AnyObject| {
        let object: &ConfigMap = typed_ref(object);
        let name = object.metadata.name.clone().unwrap();
        let version = object.metadata.resource_version.as_deref();
        assert_ne!(version, Some("2"), "scripted");
        vec![name]
    };
    store.add_index("name".into(), Box::new(by_name)).unwrap();
    store.apply(object("a", "u", "1"));
    store.apply(object("a", "u", "2"));
    store.apply(object("b", "u", "2"));
    assert_eq!((store.len(), store.iter().count()), (2, 2));
    assert!(
        store.by_index("name", "a").unwrap().is_empty(),
        "no stale entry"
    );
    let panics = store.take_panics();
    assert_eq!(panics.len(), 2);
    assert_eq!(panics[1].key, ObjectKey::namespaced("ns", "b"));
    assert!(panics[1].message.contains("scripted"));
    store.apply(object("b", "u", "3"));
    assert_eq!(store.by_index("name", "b").unwrap().len(), 1);
    store.delete(object("a", "u", "4"));
    assert_eq!((store.len(), store.iter().count()), (1, 1));
}

#[test]
fn deleting_an_unknown_object_returns_no_delta() {
    let mut store = store();
    assert!(store.delete(object("a", "u", "1")).is_none());
    assert!(
        store
            .delete_by_key(&ObjectKey::namespaced("ns", "a"), "")
            .is_none()
    );
    store.apply(object("a", "u", "1"));
    let deltas: Vec<_> = store.delete(object("a", "u", "2")).into_iter().collect();
    assert_eq!(
        short(&deltas),
        ["-a@2"],
        "the delta has the final state, not the cached one"
    );
    assert_eq!(store.len(), 0);
    assert!(store.index_values(NAMESPACE_INDEX).unwrap().is_empty());
}

/// Adds and removes in an order other than that of the table.
#[test]
fn the_store_grows_and_shrinks_without_loss() {
    let mut store = store();
    let by_parity = |object: &dyn AnyObject| {
        let number: usize = names(object.metadata()).1.parse().unwrap();
        vec![
            if number.is_multiple_of(2) {
                "even"
            } else {
                "odd"
            }
            .to_owned(),
        ]
    };
    store
        .add_index("parity".into(), Box::new(by_parity))
        .unwrap();
    for number in 0..2000 {
        store.apply(object(&(number * 7919 % 2000).to_string(), "u", "1"));
    }
    assert_eq!(store.len(), 2000);
    for number in 0..1990 {
        let gone = store.delete(object(&(number * 3 % 2000).to_string(), "u", "2"));
        assert!(gone.is_some(), "{number}");
    }
    let left: Vec<_> = (1990..2000)
        .map(|number| (number * 3 % 2000).to_string())
        .collect();
    assert!(left.iter().all(|name| store.get("ns", name).is_some()));
    assert_eq!(store.iter().count(), 10);
    let with = |parity| store.by_index("parity", parity).unwrap().len();
    assert_eq!(with("even") + with("odd"), 10);
}

#[test]
fn a_large_set_has_each_object_once() {
    const COUNT: usize = 3000;
    let mut store = store();
    let name = |number: usize| format!("object-{number}");
    for number in 0..COUNT {
        let delta = store.apply(object(&name(number), "1", "1"));
        assert!(matches!(delta, Some(Delta::Added(_))));
    }
    for number in (0..COUNT).step_by(3) {
        let delta = store.apply(object(&name(number), "1", "2"));
        assert!(matches!(delta, Some(Delta::Updated(..))));
    }
    assert_eq!((store.len(), store.iter().count()), (COUNT, COUNT));
    for number in 0..COUNT {
        let found = store.get("ns", &name(number)).unwrap();
        let version = if number % 3 == 0 { "2" } else { "1" };
        assert_eq!(found.metadata().resource_version.as_deref(), Some(version));
        if number % 100 != 0 {
            store.delete_by_key(&ObjectKey::namespaced("ns", name(number)), "");
        }
    }
    assert_eq!(
        (store.len(), store.iter().count()),
        (COUNT / 100, COUNT / 100)
    );
    assert!(store.get("ns", &name(1)).is_none() && store.get("ns", &name(100)).is_some());
    // The first table has free slots again, and some objects of the others are still there.
    for number in 0..COUNT {
        let delta = store.apply(object(&name(number), "1", "3"));
        let is_new = number % 100 != 0;
        assert_eq!(matches!(delta, Some(Delta::Added(_))), is_new, "{number}");
    }
    assert_eq!((store.len(), store.iter().count()), (COUNT, COUNT));
    for number in 0..COUNT {
        let found = store.get("ns", &name(number)).unwrap();
        assert_eq!(found.metadata().resource_version.as_deref(), Some("3"));
    }
}

/// Whatever the watch delivers of an object that had the name before.
#[test]
fn an_object_that_was_created_again_and_is_missing_stays_hidden() {
    let mut store = store();
    let key = ObjectKey::namespaced("ns", "a");
    store.write(None, "1", object("a", "u1", "2"), true);
    store.write_deleted(None, key.clone(), "u1");
    store.write(None, "1", object("a", "u2", "4"), true);
    assert!(store.get("ns", "a").is_some());
    // Deleted by this process, or missing when the server was asked: both hide the object of this uid.
    store.write_deleted(None, key.clone(), "u2");
    let mut deltas = Vec::new();
    let hidden = |store: &Store| assert!(store.get("ns", "a").is_none());
    // A list from before, and the events of both objects.
    hidden(&store);
    assert!(store.delete_by_key(&key, "1").is_none());
    hidden(&store);
    deltas.extend(store.apply(object("a", "u1", "2")));
    hidden(&store);
    deltas.extend(store.delete(object("a", "u1", "3")));
    hidden(&store);
    deltas.extend(store.apply(object("a", "u2", "4")));
    hidden(&store);
    deltas.extend(store.delete(object("a", "u2", "5")));
    hidden(&store);
    assert_eq!(short(&deltas), ["+a@2", "+a@4", "-a@3", "-a@5"]);
    assert_eq!(store.pending_writes(), 0);
    // The next one is not hidden.
    assert!(store.apply(object("a", "u3", "6")).is_some());
    assert!(store.get("ns", "a").is_some());
}
