//! Reads JSON and YAML, and finds the keys that an object has twice: the last one counts, and the server warns of them.

use std::{fmt, mem};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// Reads a value, and returns the paths of the fields that occur twice, such as `spec.ports[0].name`. With `merges`, objects of one
/// name are merged, as Go does when it reads into a type.
pub(crate) fn read(text: &[u8], merges: bool) -> Result<(Value, Vec<String>), serde_json::Error> {
    let mut found = Found {
        merges,
        ..Found::default()
    };
    let value = parse(text, &mut found)?;
    if found.is_any {
        // The paths are of interest in few requests: they are made by a second pass.
        found.path = Some(String::new());
        parse(text, &mut found)?;
    }
    Ok((value, found.duplicates))
}

/// Reads YAML, and returns the keys that a map has twice.
pub(crate) fn read_yaml(text: &[u8]) -> Result<(Value, Vec<String>), serde_yaml::Error> {
    if is_too_deep(text) {
        return Err(serde_yaml::Error::custom("exceeded max depth"));
    }
    let mut found = Found::default();
    let value = found.deserialize(serde_yaml::Deserializer::from_slice(text))?;
    Ok((value, found.keys))
}

/// How deep lists and maps in brackets may be nested in YAML: the parser's time grows with the square of the depth.
const DEEPEST: usize = 1_000;

/// Returns whether lists and maps in brackets are nested too deep. A bracket inside plain text opens nothing.
fn is_too_deep(text: &[u8]) -> bool {
    let (mut depth, mut last) = (0_usize, b'\n');
    for byte in text {
        let mut seen = *byte;
        match byte {
            b'[' | b'{' if matches!(last, b'\n' | b'[' | b'{' | b',' | b':' | b'-' | b'?') => {
                depth += 1;
            }
            b'[' | b'{' => seen = b'a',
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !matches!(byte, b' ' | b'\t' | b'\r') {
            last = seen;
        }
        if depth > DEEPEST {
            return true;
        }
    }
    false
}

fn parse(text: &[u8], found: &mut Found) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = found.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

#[derive(Default)]
struct Found {
    merges: bool,
    is_any: bool,
    /// The path of the current value, in the second pass.
    path: Option<String>,
    duplicates: Vec<String>,
    /// The last parts of these paths.
    keys: Vec<String>,
}

impl Found {
    /// Extends the path, and returns the path before.
    fn enter(&mut self, step: impl FnOnce(&str) -> String) -> Option<String> {
        let inner = self.path.as_deref().map(step);
        mem::replace(&mut self.path, inner)
    }
}

impl<'de> DeserializeSeed<'de> for &mut Found {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Found {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("not a finite number"))?;
        Ok(number.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let outer = self.enter(|path| format!("{path}[{}]", list.len()));
            let item = items.next_element_seed(&mut *self)?;
            self.path = outer;
            match item {
                Some(item) => list.push(item),
                None => return Ok(list.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let outer = self.enter(|path| match path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            });
            let value = fields.next_value_seed(&mut *self)?;
            let inner = mem::replace(&mut self.path, outer);
            let value = match map.remove(&name) {
                Some(old) => {
                    self.is_any = true;
                    self.keys.push(name.clone());
                    self.duplicates.extend(inner);
                    if self.merges {
                        merged(old, value)
                    } else {
                        value
                    }
                }
                None => value,
            };
            map.insert(name, value);
        }
        Ok(map.into())
    }
}

fn merged(old: Value, new: Value) -> Value {
    match (old, new) {
        (Value::Object(mut fields), Value::Object(new)) => {
            for (name, value) in new {
                let old = fields.remove(&name).unwrap_or_default();
                fields.insert(name, merged(old, value));
            }
            fields.into()
        }
        (_, new) => new,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn duplicate_fields_are_found_and_the_last_one_counts() {
        let text = br#"{"a": 1, "a": {"b": [1, {"c": null, "c": 1.5}]}, "d": "e"}"#;
        let (value, duplicates) = read(text, false).unwrap();
        assert_eq!(value, json!({"a": {"b": [1, {"c": 1.5}]}, "d": "e"}));
        assert_eq!(duplicates, ["a.b[1].c", "a"]);
        assert_eq!(
            read(b"{\"a\": 1} x", false).unwrap_err().to_string(),
            "trailing characters at line 1 column 10"
        );
    }
}
