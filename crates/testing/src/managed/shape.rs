//! Decides how lists and maps merge: by their schema or, in built-in kinds and `metadata`, by field name.

use serde_json::{Map, Value};

use crate::{
    kind::Version,
    object::{at, list, text},
};

/// Lists of built-in kinds that merge by keys: field name and keys, the first of which is the strategic merge key.
pub(crate) const LIST_KEYS: &[(&str, &[&str])] = &[
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
/// Maps of built-in kinds that one manager owns as a whole.
const ATOMIC: &[&str] = &[
    "selector",
    "nodeSelector",
    "labelSelector",
    "podSelector",
    "namespaceSelector",
];

/// What is known about a value in an object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<'a> {
    Root(&'a Value),
    Schema(&'a Value),
    /// The name of the field in a built-in kind.
    Named(&'a str),
}

static NOTHING: Value = Value::Null;

impl<'a> Shape<'a> {
    pub(crate) fn root(version: &'a Version) -> Self {
        version.schema.as_ref().map_or(Self::Named(""), Self::Root)
    }

    pub(crate) fn field<'b>(&self, name: &'b str) -> Shape<'b>
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

    pub(crate) fn items(&self) -> Self {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => Self::Schema(at(schema, "/items")),
            Self::Named(_) => Self::Named(""),
        }
    }

    /// Returns whether one manager owns the map as a whole.
    pub(crate) fn atomic(&self) -> bool {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => {
                text(schema, "/x-kubernetes-map-type") == "atomic"
            }
            Self::Named(name) => ATOMIC.contains(&name),
        }
    }

    /// Returns what identifies an item in its list, in the form of `FieldsV1`; `None` if one manager owns the list as a whole.
    pub(crate) fn identity(&self, item: &Value) -> Option<String> {
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
                let mut keys = LIST_KEYS.iter().filter(|(field, _)| *field == name);
                keys.find_map(|(_, keys)| {
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
