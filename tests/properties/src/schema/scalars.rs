//! Strategies for schemas of scalars, with formats and enums.
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

/// Values of enums, including symbols and values that differ in case only.
const TEXTS: &[&str] = &[
    "Always",
    "always",
    "ALWAYS",
    "Never",
    "Other",
    "Unknown",
    "Self",
    "None",
    "Some",
    "Ok",
    "Err",
    "",
    "-",
    "1",
    "1.2",
    "-1",
    "3d",
    "a/b",
    "a b",
    "=",
    "!=",
    ">=",
    "启用",
    "say \"hi\"",
    "back\\slash",
    "two\nlines",
    "true",
    "null",
    "ALL",
];

pub(super) fn text() -> BoxedStrategy<Value> {
    let formats = &["", "", "", "byte", "date-time", "uuid", "int64", "^[a-z]*$"][..];
    (select(formats), proptest::bool::weighted(0.2))
        .prop_map(|(format, described)| {
            let mut schema = json!({"type": "string"});
            if !format.is_empty() {
                schema["format"] = json!(format);
            }
            if described {
                schema["description"] =
                    json!("```\nlet x: [u8; 3]; // */ \"#\n``` <b> [a](b) \\ 😀\r\n    indented");
            }
            schema
        })
        .boxed()
}

pub(super) fn texts() -> BoxedStrategy<Value> {
    subsequence(TEXTS, 1..6)
        .prop_map(|values| json!({"type": "string", "enum": values}))
        .boxed()
}

pub(super) fn integer() -> BoxedStrategy<Value> {
    let formats = &[
        json!({}),
        json!({"format": "int32"}),
        json!({"format": "int64"}),
        json!({"format": "double"}),
        json!({"format": "int8"}),
        json!({"format": "int8", "minimum": -128, "maximum": 127}),
        json!({"format": "uint8"}),
        json!({"format": "uint16", "minimum": 0}),
        json!({"format": "uint16", "minimum": 1, "maximum": 65535}),
        json!({"format": "uint32", "minimum": 0, "maximum": u32::MAX}),
        json!({"format": "uint64"}),
        json!({"format": "uint64", "minimum": 0}),
    ];
    select(formats.to_vec())
        .prop_map(|mut schema| {
            schema["type"] = json!("integer");
            schema
        })
        .boxed()
}

pub(super) fn integers() -> BoxedStrategy<Value> {
    let values = &[-1, 0, 1, 4, 6, 80, 443, 2048][..];
    (subsequence(values, 1..5), any::<bool>())
        .prop_map(|(values, narrow)| {
            let mut schema = json!({"type": "integer", "enum": values});
            if narrow {
                schema["format"] = json!("int32");
            }
            schema
        })
        .boxed()
}

pub(super) fn number() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!({"type": "number"})),
        Just(json!({"type": "number", "format": "double"})),
        Just(json!({"type": "number", "format": "float"})),
        Just(json!({"type": "number", "enum": [0.5, 1, 2]})),
    ]
    .boxed()
}

pub(super) fn boolean() -> BoxedStrategy<Value> {
    prop_oneof![
        3 => Just(json!({"type": "boolean"})),
        1 => Just(json!({"type": "boolean", "enum": [true]})),
    ]
    .boxed()
}

/// What controller-gen writes for a quantity.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

pub(super) fn either() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!({"x-kubernetes-int-or-string": true})),
        Just(json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]})),
        Just(json!({"x-kubernetes-int-or-string": true, "pattern": QUANTITY})),
    ]
    .boxed()
}

pub(super) fn mixed() -> BoxedStrategy<Value> {
    let values = vec![json!(80), json!("http"), json!("80"), json!(""), json!(-1)];
    subsequence(values, 1..5)
        .prop_map(|values| json!({"x-kubernetes-int-or-string": true, "enum": values}))
        .boxed()
}
