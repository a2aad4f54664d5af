//! Says what a new release does with the objects that a cluster has stored.
use std::collections::BTreeSet;

use kube_codegen_schema::Cause;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    rules::Level,
    side::Side,
    versions,
    witness::{place, without_indexes},
};

/// What happens to a stored object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// Each update is rejected, whatever it changes.
    UpdateRejected,
    /// Fields are dropped.
    Dropped,
    /// It is rejected as a new object, and where an update changes the place.
    CreateRejected,
    /// A field gets a value that it does not have.
    Defaulted,
}

impl Effect {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::UpdateRejected => "update-rejected",
            Self::Dropped => "dropped",
            Self::CreateRejected => "create-rejected",
            Self::Defaulted => "defaulted",
        }
    }

    pub(crate) fn level(self) -> Level {
        match self {
            Self::UpdateRejected | Self::Dropped => Level::Breaking,
            Self::CreateRejected | Self::Defaulted => Level::Risk,
        }
    }

    pub(crate) fn means(self) -> &'static str {
        match self {
            Self::UpdateRejected => "every update is rejected, until the place is repaired",
            Self::Dropped => "the next write drops the field",
            Self::CreateRejected => {
                "rejected when created again, as from a backup, and when an update changes the place"
            }
            Self::Defaulted => "the field gets a value",
        }
    }
}

/// What happens to some objects of a kind at one place.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Group {
    pub(crate) version: String,
    pub(crate) effect: Effect,
    /// The place, without the indexes of lists.
    pub(crate) path: String,
    /// The server's message for the first object, or the value.
    pub(crate) message: String,
    /// `namespace/name`
    pub(crate) objects: Vec<String>,
}

/// A version before and after.
pub(crate) struct Judge<'a> {
    version: String,
    before: Side<'a>,
    after: Side<'a>,
    /// Whether it says only what the objects lose when they are stored in the version.
    is_storage: bool,
}

/// A list of the cluster whose objects the new release treats in another way.
pub(crate) struct Reading<'a> {
    /// The version by which the objects are read.
    pub(crate) version: String,
    /// The path of the list.
    pub(crate) path: String,
    judges: Vec<Judge<'a>>,
}

/// Returns what has to be read of a kind: nothing if its schemas do not differ.
pub(crate) fn readings<'a>(old: &'a Value, new: &'a Value) -> Vec<Reading<'a>> {
    let served = |crd| {
        let versions = versions::versions_of(crd);
        versions.filter(|(_, version)| version["served"] == true)
    };
    let judge = |read: &'a Value, (name, after): (&str, &'a Value)| {
        // A version that only the new release has is compared with the one that is read.
        let before = versions::version(old, name).unwrap_or(read);
        let schema = |version: &Value| version.pointer("/schema/openAPIV3Schema").cloned();
        let same = schema(before) == schema(after)
            && before["subresources"]["scale"] == after["subresources"]["scale"]
            && old["spec"]["preserveUnknownFields"] == new["spec"]["preserveUnknownFields"];
        let judge = (!same).then(|| {
            Some(Judge {
                version: name.to_owned(),
                before: Side::new(old, before)?,
                after: Side::new(new, after)?,
                is_storage: false,
            })
        });
        judge.flatten()
    };
    let reading = |version: &str, judges: Vec<Judge<'a>>| {
        let text = |pointer: &str| old.pointer(pointer).and_then(Value::as_str);
        let (group, plural) = (text("/spec/group")?, text("/spec/names/plural")?);
        (!judges.is_empty()).then(|| Reading {
            version: version.to_owned(),
            path: format!("/apis/{group}/{version}/{plural}"),
            judges,
        })
    };
    if versions::converts_by_webhook(new) {
        // Only the webhook knows the other versions of an object.
        let versions = served(old).filter_map(|(name, read)| {
            let after = versions::version(new, name)?;
            let is_served = after["served"] == true;
            is_served.then(|| reading(name, judge(read, (name, after)).into_iter().collect()))?
        });
        return versions.collect();
    }
    let stored = served(old).find(|(_, version)| version["storage"] == true);
    let Some((name, read)) = stored.or_else(|| served(old).next()) else {
        return Vec::new();
    };
    let mut judges: Vec<Judge<'a>> = served(new)
        .filter_map(|version| judge(read, version))
        .collect();
    if let (Some((was, before)), Some((is, after))) = (versions::stored(old), versions::stored(new))
        && was != is
        && let (Some(before), Some(after)) = (Side::new(old, before), Side::new(new, after))
    {
        judges.push(Judge {
            version: is.to_owned(),
            before,
            after,
            is_storage: true,
        });
    }
    reading(name, judges).into_iter().collect()
}

impl Reading<'_> {
    /// Adds what happens to an object to the groups.
    pub(crate) fn judge(&self, object: &Value, groups: &mut Vec<Group>) {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let name = text("/metadata/name").unwrap_or_default();
        let name = match text("/metadata/namespace") {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        };
        let mut seen = BTreeSet::new();
        for judge in &self.judges {
            for (effect, path, message) in judge.effects(object) {
                // Once, if several items of a list have it.
                if !seen.insert((&judge.version, effect, path.clone())) {
                    continue;
                }
                let known = groups.iter_mut().find(|it| {
                    (&it.version, it.effect, &it.path) == (&judge.version, effect, &path)
                });
                match known {
                    Some(group) => group.objects.push(name.clone()),
                    None => groups.push(Group {
                        version: judge.version.clone(),
                        effect,
                        path,
                        message,
                        objects: vec![name.clone()],
                    }),
                }
            }
        }
    }
}

impl Judge<'_> {
    /// Returns what only the new release does: the effect, its place and a message.
    fn effects(&self, object: &Value) -> Vec<(Effect, String, String)> {
        let of = |side: &Side<'_>| {
            let mut object = object.clone();
            object["apiVersion"] = side.head["apiVersion"].clone();
            object
        };
        let (old, new) = (of(&self.before), of(&self.after));
        let mut found = Vec::new();
        let known = self.before.dropped(&old);
        for path in self.after.dropped(&new) {
            if !known.contains(&path) {
                found.push((Effect::Dropped, without_indexes(&path), String::new()));
            }
        }
        if self.is_storage {
            return found;
        }
        let updates = only(
            self.after.update_rejections(&new),
            &self.before.update_rejections(&old),
        );
        let mut add = |effect, path: &str, message: String| {
            found.push((effect, without_indexes(path), message));
        };
        for cause in &updates {
            add(Effect::UpdateRejected, &cause.field, cause.to_string());
        }
        let creates = only(self.after.rejections(&new), &self.before.rejections(&old));
        for cause in only(creates, &updates) {
            add(Effect::CreateRejected, &cause.field, cause.to_string());
        }
        let kept = self.after.pruned(&new);
        let mut values = Vec::new();
        differences(&kept, &self.after.stored(&new), "", &mut values);
        for (path, value) in values {
            add(Effect::Defaulted, &path, value);
        }
        found
    }
}

/// Returns the causes whose place and reason the others do not have.
fn only(causes: Vec<Cause>, others: &[Cause]) -> Vec<Cause> {
    let is_known = |cause: &Cause| {
        let mut others = others.iter();
        others.any(|it| it.reason == cause.reason && place(it) == place(cause))
    };
    causes.into_iter().filter(|it| !is_known(it)).collect()
}

/// Lists the places where two objects differ, and the second value.
fn differences(a: &Value, b: &Value, path: &str, found: &mut Vec<(String, String)>) {
    let below = |name: &str| match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    match (a, b) {
        _ if a == b => {}
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in new {
                match old.get(name) {
                    Some(old) => differences(old, value, &below(name), found),
                    None => found.push((below(name), value.to_string())),
                }
            }
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            found.extend(gone.map(|name| (below(name), "absent".to_owned())));
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differences(old, new, &format!("{path}[{index}]"), found);
            }
        }
        _ => found.push((path.to_owned(), b.to_string())),
    }
}
