//! Names of objects that differ from run to run: those with a uid, and those with a random end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Objects by their keys.
type Objects = BTreeMap<String, Value>;

/// The beginnings of random names, such as `default/a-`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a place, namespace and name, with `*` for what differs from run to run; `None` if nothing does.
    pub(crate) fn general(&self, place: &str) -> Option<String> {
        if let Some(without) = without_uid(place) {
            return Some(without);
        }
        if self.is_empty() {
            return None;
        }
        let (start, _) = place.rsplit_once('-')?;
        let start = format!("{start}-");
        self.0.contains(&start).then(|| start + "*")
    }

    /// Adds the names that differ between two runs without faults, after a phase: each has a counterpart with the same beginning.
    pub(crate) fn learn(&mut self, one: &Objects, other: &Objects) {
        let beginnings = |state: &Objects, without: &Objects| {
            let mut counts: BTreeMap<String, u32> = BTreeMap::new();
            for key in state.keys().filter(|key| !without.contains_key(*key)) {
                if let Some((start, _)) = key.rsplit_once('-') {
                    *counts.entry(format!("{start}-")).or_default() += 1;
                }
            }
            counts
        };
        let (left, right) = (beginnings(one, other), beginnings(other, one));
        for (start, count) in left {
            if right.get(&start) == Some(&count)
                && let Some((_, place)) = start.split_once(' ')
            {
                self.0.insert(place.to_owned());
            }
        }
    }
}

/// Returns a name with `*` in place of a uid.
fn without_uid(name: &str) -> Option<String> {
    const LENGTH: usize = 36;
    let last = name.len().checked_sub(LENGTH)?;
    let at = (0..=last).find(|at| name.get(*at..at + LENGTH).is_some_and(is_uid))?;
    Some(format!("{}*{}", &name[..at], &name[at + LENGTH..]))
}

pub(crate) fn is_uid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Adds objects whose keys end with `*` to a state: numbered in an order that does not depend on their names.
pub(crate) fn add_numbered(state: &mut Objects, objects: Vec<(String, Value)>) {
    let mut groups: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    for (key, object) in objects {
        let content = object.to_string();
        groups.entry(key).or_default().push((content, object));
    }
    for (key, mut group) in groups {
        group.sort_by(|one, other| one.0.cmp(&other.0));
        for (index, (_, object)) in group.into_iter().enumerate() {
            state.insert(format!("{key}{}", index + 1), object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_and_random_ends_are_left_out() {
        let uid = "0123abcd-0000-4000-8000-000000000001";
        let names = Names(BTreeSet::from(["default/a-".to_owned()]));
        let general = |place: &str| names.general(place);
        assert_eq!(
            general(&format!("default/b-{uid}-x")).as_deref(),
            Some("default/b-*-x")
        );
        assert_eq!(general("default/a-x8f2k").as_deref(), Some("default/a-*"));
        assert_eq!(general("default/b-red"), None);
        assert_eq!(general("default/a"), None);
    }

    #[test]
    fn names_that_differ_between_two_runs_are_random() {
        let state = |names: &[&str]| -> Objects {
            let key = |name: &&str| (format!("ConfigMap default/{name}"), Value::Null);
            names.iter().map(key).collect()
        };
        let mut names = Names::default();
        names.learn(&state(&["a-red", "a-red"]), &state(&["a-red", "b-blue"]));
        assert!(names.is_empty());
        names.learn(&state(&["a-8f", "b-red"]), &state(&["a-2k", "b-red"]));
        assert_eq!(
            names.general("default/a-77").as_deref(),
            Some("default/a-*")
        );
    }
}
