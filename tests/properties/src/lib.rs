//! A batch of random kinds, their types as generated, and random objects of them.
pub mod schema;
pub mod value;

/// The types of the batch.
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/mod.rs"));
}

include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The kinds of the batch and their schemas, as JSON.
pub const SCHEMAS: &str = include_str!(concat!(env!("OUT_DIR"), "/schemas.json"));

fn through<K: serde::de::DeserializeOwned + serde::Serialize>(
    text: &str,
) -> Result<String, String> {
    let object: K = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let again: K = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let (text, again) = (
        serde_json::to_string(&object),
        serde_json::to_string(&again),
    );
    let (text, again) = text
        .and_then(|text| Ok((text, again?)))
        .map_err(|error| error.to_string())?;
    if text == again {
        Ok(text)
    } else {
        Err(format!(
            "read from text: {text}, read from a value: {again}"
        ))
    }
}
