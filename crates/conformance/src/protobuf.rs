//! Encodes objects of built-in kinds in protobuf, as client-go does.

use std::{fs, io::Read as _, path::Path, sync::LazyLock};

use flate2::read::GzDecoder;
use k8s_openapi::{ByteString, jiff::Timestamp};
use serde_json::{Map, Value};

/// The content type of such bodies.
pub(crate) const CONTENT: &str = "application/vnd.kubernetes.protobuf";

const MAGIC: &[u8] = b"k8s\0";

/// The recorded resources and types of the API server in memory.
static RECORDED: LazyLock<(Value, Map<String, Value>)> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testing/src/kinds/builtin");
    let resources = fs::read(folder.join("resources.json")).unwrap_or_default();
    let mut types = Vec::new();
    let packed = fs::read(folder.join("types.json.gz")).unwrap_or_default();
    // An unreadable file encodes nothing, and every body stays JSON.
    _ = GzDecoder::new(&packed[..]).read_to_end(&mut types);
    (
        serde_json::from_slice(&resources).unwrap_or_default(),
        serde_json::from_slice(&types).unwrap_or_default(),
    )
});

/// A field: its number, preceded by those of the messages around it, and its value with the type of its encoding.
type Field = (Vec<u64>, u64, Vec<u8>);

/// Returns an object in protobuf; `None` if it has values that have no place there.
pub(crate) fn encode(object: &Value) -> Option<Vec<u8>> {
    let (version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
    let (group, number) = version.rsplit_once('/').unwrap_or(("", version));
    let mut resources = RECORDED.0.as_array()?.iter();
    let resource = resources
        .find(|it| it["group"] == group && it["version"] == number && it["kind"] == kind)?;
    let schema = RECORDED.1.get(resource["type"].as_str()?)?;
    let meta = assemble(vec![
        (vec![1], 2, version.as_bytes().to_vec()),
        (vec![2], 2, kind.as_bytes().to_vec()),
    ]);
    let raw = message("", schema, object)?;
    let body = assemble(vec![(vec![1], 2, meta), (vec![2], 2, raw)]);
    Some([MAGIC, &body].concat())
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
    out
}

/// Writes fields in the order of their numbers; those of a message of their own become one field.
fn assemble(mut fields: Vec<Field>) -> Vec<u8> {
    fields.sort_by(|a, b| a.0[0].cmp(&b.0[0]));
    let mut out = Vec::new();
    let mut rest = fields.into_iter().peekable();
    while let Some((path, wire, value)) = rest.next() {
        let number = path[0];
        let (wire, value) = if path.len() == 1 {
            (wire, value)
        } else {
            let mut inside = vec![(path[1..].to_vec(), wire, value)];
            while let Some((path, wire, value)) = rest.next_if(|it| it.0[0] == number) {
                inside.push((path[1..].to_vec(), wire, value));
            }
            (2, assemble(inside))
        };
        out.extend(varint(number << 3 | wire));
        if wire == 2 {
            out.extend(varint(value.len() as u64));
        }
        out.extend(value);
    }
    out
}

/// Encodes a message of a type, whose name is empty if it has none.
fn message(name: &str, schema: &Value, value: &Value) -> Option<Vec<u8>> {
    let texts = |text: String| vec![(vec![1], 2, text.into_bytes())];
    let short = name.rsplit('.').next().unwrap_or_default();
    Some(assemble(match (short, value) {
        ("Time" | "MicroTime", Value::String(text)) => {
            let time: Timestamp = text.parse().ok()?;
            let seconds = time.as_second().cast_unsigned();
            let nanos = u64::try_from(time.subsec_nanosecond()).ok()?;
            vec![(vec![1], 0, varint(seconds)), (vec![2], 0, varint(nanos))]
        }
        ("Quantity", Value::String(text)) => texts(text.clone()),
        ("Quantity", Value::Number(number)) => texts(number.to_string()),
        ("RawExtension" | "FieldsV1", value) => texts(value.to_string()),
        ("IntOrString", Value::String(text)) => vec![
            (vec![1], 0, varint(1)),
            (vec![3], 2, text.clone().into_bytes()),
        ],
        ("IntOrString", Value::Number(number)) => {
            vec![(vec![2], 0, varint(number.as_i64()?.cast_unsigned()))]
        }
        (_, Value::Object(fields)) => {
            let mut found = Vec::new();
            // The envelope has the type of an object.
            let is_object = schema["properties"].get("metadata").is_some();
            let encoded = fields.iter().filter(|(name, value)| {
                let is_in_envelope = is_object && matches!(name.as_str(), "apiVersion" | "kind");
                !value.is_null() && !is_in_envelope
            });
            for (name, value) in encoded {
                let property = schema["properties"].get(name)?;
                let path = property["x-proto"].as_str()?;
                let path: Option<Vec<u64>> = path.split('.').map(|it| it.parse().ok()).collect();
                let path = path?;
                for (wire, bytes) in field(property, value)? {
                    found.push((path.clone(), wire, bytes));
                }
            }
            found
        }
        _ => return None,
    }))
}

/// Encodes a field: once, or once for each item of a list or map.
fn field(schema: &Value, value: &Value) -> Option<Vec<(u64, Vec<u8>)>> {
    let items: Option<Vec<_>> = match (
        value,
        schema.get("items"),
        schema.get("additionalProperties"),
    ) {
        (Value::Array(items), Some(schema), _) => {
            items.iter().map(|it| single(schema, it)).collect()
        }
        (Value::Object(entries), _, Some(schema)) => {
            let entry = |(name, value): (&String, &Value)| {
                let (wire, value) = single(schema, value)?;
                let key = (vec![1], 2, name.clone().into_bytes());
                Some((2, assemble(vec![key, (vec![2], wire, value)])))
            };
            entries.iter().map(entry).collect()
        }
        _ => single(schema, value).map(|it| vec![it]),
    };
    items
}

fn single(schema: &Value, value: &Value) -> Option<(u64, Vec<u8>)> {
    if let Some(name) = schema["$ref"].as_str() {
        return Some((2, message(name, RECORDED.1.get(name)?, value)?));
    }
    Some(match (schema["type"].as_str()?, value) {
        ("string", Value::String(text)) if schema["format"] == "byte" => {
            let ByteString(bytes) = serde_json::from_value(Value::from(text.as_str())).ok()?;
            (2, bytes)
        }
        ("string", Value::String(text)) => (2, text.clone().into_bytes()),
        ("boolean", Value::Bool(flag)) => (0, varint(u64::from(*flag))),
        ("integer", Value::Number(number)) => (0, varint(number.as_i64()?.cast_unsigned())),
        ("object", value) => (2, message("", schema, value)?),
        _ => return None,
    })
}
