//! How the lists and maps of an object merge: from its schema, or for built-in kinds and `metadata` by field name.
use serde_json::{Map, Value};

use crate::kind::Version;
use crate::object::{at, list, text};

/// Lists of built-in kinds that are maps: field name and keys. An item has the first keys that fit.
const MAPS: &[(&str, &[&str])] = &[
    ("containers", &["name"]),
    ("initContainers", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("env", &["name"]),
    ("volumes", &["name"]),
    ("imagePullSecrets", &["name"]),
    ("secrets", &["name"]),
    ("volumeMounts", &["mountPath"]),
    ("ports", &["containerPort", "protocol"]),
    ("ports", &["port", "protocol"]),
    ("conditions", &["type"]),
    ("ownerReferences", &["uid"]),
    ("hostAliases", &["ip"]),
    (
        "topologySpreadConstraints",
        &["topologyKey", "whenUnsatisfiable"],
    ),
];
const SETS: &[&str] = &["finalizers"];
/// Maps of built-in kinds that have one owner as a whole.
const ATOMIC: &[&str] = &[
    "selector",
    "nodeSelector",
    "labelSelector",
    "podSelector",
    "namespaceSelector",
];

/// What is known of a place in an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    Root(&'a Value),
    Schema(&'a Value),
    /// The name of the field in a built-in kind.
    Named(&'a str),
}

static NOTHING: Value = Value::Null;

impl<'a> Shape<'a> {
    pub(super) fn root(version: &'a Version) -> Self {
        version.schema.as_ref().map_or(Self::Named(""), Self::Root)
    }

    pub(super) fn field<'b>(&self, name: &'b str) -> Shape<'b>
    where
        'a: 'b,
    {
        match *self {
            Self::Root(_) if name == "metadata" => Shape::Named(name),
            Self::Root(schema) | Self::Schema(schema) => {
                let inner = schema
                    .get("properties")
                    .and_then(|properties| properties.get(name));
                Shape::Schema(
                    inner
                        .or_else(|| schema.get("additionalProperties"))
                        .unwrap_or(&NOTHING),
                )
            }
            Self::Named(_) => Shape::Named(name),
        }
    }

    pub(super) fn items(&self) -> Self {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => Self::Schema(at(schema, "/items")),
            Self::Named(_) => Self::Named(""),
        }
    }

    /// A map that has one owner as a whole.
    pub(super) fn atomic(&self) -> bool {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => {
                text(schema, "/x-kubernetes-map-type") == "atomic"
            }
            Self::Named(name) => ATOMIC.contains(&name),
        }
    }

    /// What tells an item from the others of its list, in the form of `FieldsV1`; none: the list has one owner as a whole.
    pub(super) fn identity(&self, item: &Value) -> Option<String> {
        let set = || Some(format!("v:{item}"));
        match *self {
            Self::Root(schema) | Self::Schema(schema) => {
                match text(schema, "/x-kubernetes-list-type") {
                    "set" => set(),
                    "map" => {
                        let keys = list(schema, "/x-kubernetes-list-map-keys")
                            .iter()
                            .filter_map(Value::as_str);
                        let default =
                            |key: &str| schema.pointer(&format!("/items/properties/{key}/default"));
                        identity(keys, item, default)
                    }
                    _ => None,
                }
            }
            Self::Named(name) if SETS.contains(&name) => set(),
            Self::Named(name) => {
                let default = Value::from("TCP");
                let mut known = MAPS.iter().filter(|(field, _)| *field == name);
                known.find_map(|(_, keys)| {
                    identity(keys.iter().copied(), item, |key| {
                        (key == "protocol").then_some(&default)
                    })
                })
            }
        }
    }
}

fn identity<'k, 'v>(
    keys: impl Iterator<Item = &'k str>,
    item: &'v Value,
    default: impl Fn(&str) -> Option<&'v Value>,
) -> Option<String> {
    let pair = |key: &str| {
        Some((
            key.to_owned(),
            item.get(key).or_else(|| default(key))?.clone(),
        ))
    };
    let named: Map<String, Value> = keys.map(pair).collect::<Option<_>>()?;
    Some(format!("k:{}", Value::Object(named)))
}
