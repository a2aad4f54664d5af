//! The metadata of an object in protobuf, as an API server sends it: messages of `k8s.io/apimachinery`, made from the JSON.
use serde_json::Value;

/// Returns a frame of a watch: its length, and a `WatchEvent` with a `PartialObjectMetadata`.
pub fn frame(type_: &str, object: &Value) -> Vec<u8> {
    let mut unknown = Vec::from(*b"k8s\0");
    bytes(
        &mut unknown,
        2,
        &message(&[(1, metadata(&object["metadata"]))]),
    );
    let event = message(&[
        (1, type_.as_bytes().to_vec()),
        (2, message(&[(1, unknown)])),
    ]);
    let length = u32::try_from(event.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &event].concat()
}

fn metadata(meta: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, name) in [
        (1, "name"),
        (3, "namespace"),
        (5, "uid"),
        (6, "resourceVersion"),
    ] {
        bytes(&mut out, number, text(&meta[name]));
    }
    if let Some(generation) = meta["generation"].as_u64() {
        varint(&mut out, 7 << 3);
        varint(&mut out, generation);
    }
    // The time at which the object was made; any of five bytes.
    let mut seconds = vec![1 << 3];
    varint(&mut seconds, 1_772_000_000);
    bytes(&mut out, 8, &seconds);
    for (number, name) in [(11, "labels"), (12, "annotations")] {
        for (key, value) in meta[name].as_object().into_iter().flatten() {
            let entry = message(&[(1, key.as_bytes().to_vec()), (2, text(value).to_vec())]);
            bytes(&mut out, number, &entry);
        }
    }
    for finalizer in meta["finalizers"].as_array().into_iter().flatten() {
        bytes(&mut out, 14, text(finalizer));
    }
    for entry in meta["managedFields"].as_array().into_iter().flatten() {
        let fields = message(&[(1, entry["fieldsV1"].to_string().into_bytes())]);
        let entry = message(&[
            (1, text(&entry["manager"]).to_vec()),
            (2, text(&entry["operation"]).to_vec()),
            (3, text(&entry["apiVersion"]).to_vec()),
            (4, seconds.clone()),
            (6, text(&entry["fieldsType"]).to_vec()),
            (7, fields),
            (8, text(&entry["subresource"]).to_vec()),
        ]);
        bytes(&mut out, 17, &entry);
    }
    out
}

fn text(value: &Value) -> &[u8] {
    value.as_str().unwrap_or_default().as_bytes()
}

/// Returns a message of fields with a length.
fn message(fields: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, value) in fields {
        bytes(&mut out, *number, value);
    }
    out
}

fn bytes(out: &mut Vec<u8>, number: u64, value: &[u8]) {
    varint(out, number << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}
