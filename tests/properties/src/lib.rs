//! A batch of random kinds with their generated types and random objects.
pub mod schema;
pub mod value;
pub mod versions;

/// The generated types of the batch.
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/mod.rs"));
}

include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The converters of the kinds with two versions.
pub mod conversions {
    include!(concat!(env!("OUT_DIR"), "/conversions.rs"));
}

/// The kinds with two versions and their schemas, `v1` first, as JSON.
pub const PAIRS: &str = include_str!(concat!(env!("OUT_DIR"), "/pairs.json"));

/// The kinds of the batch and their schemas, as JSON.
pub const SCHEMAS: &str = include_str!(concat!(env!("OUT_DIR"), "/schemas.json"));

fn round_trip<K: serde::de::DeserializeOwned + serde::Serialize>(
    text: &str,
) -> Result<String, String> {
    let object: K = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let again: K = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let [text, again] = [&object, &again].map(serde_json::to_string);
    let text = text.map_err(|error| error.to_string())?;
    let again = again.map_err(|error| error.to_string())?;
    if text == again {
        Ok(text)
    } else {
        Err(format!(
            "read from text: {text}, read from a value: {again}"
        ))
    }
}
