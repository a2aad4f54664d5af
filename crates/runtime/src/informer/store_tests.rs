use super::*;
use crate::informer::index::Index;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::ObjectMeta;

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

fn brief(deltas: &[Delta<ConfigMap>]) -> Vec<String> {
    let at = |object: &Arc<ConfigMap>| {
        format!(
            "{}@{}",
            object.metadata.name.as_deref().unwrap_or_default(),
            object
                .metadata
                .resource_version
                .as_deref()
                .unwrap_or_default()
        )
    };
    let mut texts: Vec<_> = deltas
        .iter()
        .map(|delta| match delta {
            Delta::Added(object) => format!("+{}", at(object)),
            Delta::Updated(old, new) => format!("~{}>{}", at(old), at(new)),
            Delta::Unchanged(object) => format!("={}", at(object)),
            Delta::Deleted(object, unseen) => {
                format!("-{}{}", at(object), if *unseen { "?" } else { "" })
            }
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn a_replacement_tells_what_became_of_each_object() {
    let mut store = Store::new();
    for name in ["same", "changed", "reborn", "gone", "unreadable"] {
        store.apply(object(name, "u", "1"));
    }
    let same = Arc::clone(store.get("ns", "same").unwrap());
    let listed = vec![
        object("same", "u", "1"),
        object("changed", "u", "2"),
        object("reborn", "v", "1"),
        object("new", "u", "3"),
    ];
    let deltas = store.replace(
        listed,
        &HashSet::from([ObjectKey::namespaced("ns", "unreadable")]),
    );
    assert_eq!(
        brief(&deltas),
        [
            "+new@3",
            "-gone@1?",
            "=same@1",
            "~changed@1>changed@2",
            "~reborn@1>reborn@1"
        ]
    );
    assert_eq!(store.len(), 5);
    assert_eq!(store.iter().count(), 5);
    assert!(
        Arc::ptr_eq(store.get("ns", "same").unwrap(), &same),
        "an unchanged object is not held twice"
    );
    assert!(store.get("ns", "gone").is_none());
    assert!(store.get("ns", "unreadable").is_some());
}

#[test]
fn a_list_that_names_an_object_twice_keeps_the_later_state() {
    let mut store = Store::new();
    let deltas = store.replace(
        vec![object("a", "u", "1"), object("a", "u", "2")],
        &HashSet::new(),
    );
    assert_eq!(brief(&deltas), ["+a@1", "~a@1>a@2"]);
    assert_eq!(store.len(), 1);
}

#[test]
fn deletions_of_what_is_not_there_are_none() {
    let mut store = Store::new();
    assert!(store.delete(object("a", "u", "1")).is_none());
    assert!(
        store
            .delete_unseen(&ObjectKey::namespaced("ns", "a"))
            .is_none()
    );
    store.apply(object("a", "u", "1"));
    let deltas: Vec<_> = store.delete(object("a", "u", "2")).into_iter().collect();
    assert_eq!(
        brief(&deltas),
        ["-a@2"],
        "the final state is told, not the last one held"
    );
    assert_eq!((store.len(), store.namespaces().count()), (0, 0));
}

/// Many additions and removals in an order that is not that of the table.
#[test]
fn growing_and_shrinking_lose_nothing() {
    let mut store = Store::new();
    let by_parity = |object: &ConfigMap| {
        let number: usize = object
            .metadata
            .name
            .as_deref()
            .unwrap_or_default()
            .parse()
            .unwrap();
        vec![
            if number.is_multiple_of(2) {
                "even"
            } else {
                "odd"
            }
            .to_owned(),
        ]
    };
    store.add_index("parity".into(), Index::new(Box::new(by_parity)));
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
    let index = store.index("parity").unwrap();
    assert_eq!(index.get("even").count() + index.get("odd").count(), 10);
}
