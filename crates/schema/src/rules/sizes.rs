//! How large the values of a schema can be, as far as the size of a request permits.

use kube_codegen_cel::{Sizes, escape};
use serde_json::Value;

use crate::node::Node;

/// The most bytes that the API server accepts in a request.
const REQUEST: u64 = 3 << 20;

/// The longest name of an object, and the longest beginning of a generated one.
const NAME: u64 = 253;
const GENERATE_NAME: u64 = NAME - 1;

/// A part of a schema that rules can read.
#[derive(Debug, Default)]
pub(super) struct Declared {
    sizes: Sizes,
    /// The fewest bytes of a value in JSON.
    bytes: u64,
}

impl Declared {
    /// Returns what rules can read of a schema's values; a resource has a name.
    pub(super) fn of(schema: &Node, is_resource: bool) -> Option<Self> {
        if schema.int_or_string {
            return Some(Self::sized(texts(schema), 1));
        }
        let type_ = if is_resource {
            "object"
        } else {
            schema.type_.as_deref()?
        };
        Some(match (type_, schema.format.as_deref()) {
            ("boolean", _) => Self::sized(0, 4),
            ("integer" | "number", _) => Self::sized(0, 1),
            ("string", Some("byte")) => {
                let most = schema.max_length.map_or(REQUEST - 2, count);
                Self::sized(most, 2)
            }
            ("string", Some("duration")) => Self::sized(32, 3),
            ("string", Some("date")) => Self::sized(12, 12),
            ("string", Some("date-time" | "datetime")) => Self::sized(32, 21),
            ("string", _) => Self::sized(texts(schema), 2),
            ("array", _) => {
                let items = Self::inside(schema.items.as_deref()?)?;
                let most = schema
                    .max_items
                    .map_or((REQUEST - 2) / (items.bytes + 1), count);
                Self {
                    sizes: Sizes::of(most).with_items(items.sizes),
                    bytes: 2,
                }
            }
            ("object", _) => match schema.additional() {
                Some(values) => {
                    let values = Self::inside(values)?;
                    // Quotes, colon, comma and two bytes for the key.
                    let entry = values.bytes + 6;
                    let most = schema.max_properties.map_or((REQUEST - 2) / entry, count);
                    let sizes = Sizes::of(most).with_keys(Sizes::default());
                    Self {
                        sizes: sizes.with_items(values.sizes),
                        bytes: 2,
                    }
                }
                None => Self::object(schema, is_resource),
            },
            _ => return None,
        })
    }

    fn inside(schema: &Node) -> Option<Self> {
        Self::of(schema, schema.embedded_resource)
    }

    fn sized(most: u64, bytes: u64) -> Self {
        Self {
            sizes: Sizes::of(most),
            bytes,
        }
    }

    fn object(schema: &Node, is_resource: bool) -> Self {
        let mut object = Self::sized(0, 2);
        for (name, property) in &schema.properties {
            let Some(field) = Self::inside(property) else {
                continue;
            };
            if schema.required.contains(name) && property.default.is_none() {
                object.bytes += size(name) + field.bytes + 4;
            }
            if let Some(name) = escape(name) {
                object.sizes.insert(name, field.sizes);
            }
        }
        if is_resource {
            let known = object.sizes.field("metadata");
            // Characters have up to four bytes.
            let name = |name: &str, most: u64| {
                let declared = known.and_then(|known| known.field(name));
                Sizes::of(declared.map_or(most * 4, |it| it.most().min(most * 4)))
            };
            let metadata = Sizes::of(0)
                .with_field("name", name("name", NAME))
                .with_field("generateName", name("generateName", GENERATE_NAME));
            object.sizes.insert("metadata", metadata);
            for name in ["apiVersion", "kind"] {
                if object.sizes.field(name).is_none() {
                    object.sizes.insert(name, Sizes::of(REQUEST - 2));
                }
            }
        }
        object
    }

    pub(super) fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Returns how often a value can be in one request.
    pub(super) fn occurrences(&self) -> u64 {
        REQUEST / (self.bytes + 1)
    }
}

/// Returns the most bytes of a text.
fn texts(schema: &Node) -> u64 {
    let longest = schema.values.iter().filter_map(Value::as_str).map(size);
    match (schema.max_length, longest.max()) {
        (Some(most), _) => count(most).saturating_mul(4),
        (None, Some(longest)) if !schema.int_or_string => longest,
        _ => REQUEST - 2,
    }
}

fn size(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

pub(super) fn count(limit: i64) -> u64 {
    u64::try_from(limit).unwrap_or_default()
}
