//! JSON texts: values one after another, keys looked at for duplicates.
use super::{Document, MAX_DEPTH, Sink, too_deep};
use crate::diag::{Code, Place, Position, pointer};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// What could be read.
#[derive(Default)]
pub(super) struct Read {
    documents: Vec<Document>,
    /// Document and pointer of keys that were met before.
    duplicates: Vec<(usize, String)>,
}

/// What was read before the error, and the error.
pub(super) struct Failure {
    read: Read,
    code: Code,
    message: String,
    position: Position,
}

pub(super) fn read(text: &str) -> Result<Read, Box<Failure>> {
    let mut read = Read::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // Depth is counted here: [`MAX_DEPTH`] is more than the deserializer takes by itself.
    deserializer.disable_recursion_limit();
    for index in 0.. {
        let mut keys = Keys::default();
        let value = match Node(&mut keys).deserialize(&mut deserializer) {
            Ok(value) => value,
            Err(error) => return Err(Box::new(Failure::new(read, &error, text))),
        };
        read.duplicates
            .extend(keys.duplicates.into_iter().map(|pointer| (index, pointer)));
        if !value.is_null() {
            read.documents.push(Document {
                value,
                index,
                spellings: Vec::new(),
            });
        }
        if deserializer.end().is_ok() {
            break;
        }
    }
    Ok(read)
}

impl Read {
    pub(super) fn report(self, sink: &mut Sink<'_>) -> Vec<Document> {
        for (document, pointer) in self.duplicates {
            let message = format!("key {:?} is written twice", pointer::last(&pointer));
            let place = Place {
                document,
                pointer,
                key: true,
                ..Place::default()
            };
            sink.report(Code::DuplicateKey, place, message);
        }
        self.documents
    }
}

impl Failure {
    fn new(read: Read, error: &serde_json::Error, text: &str) -> Self {
        let full = error.to_string();
        let message = full.split(" at line ").next().unwrap_or_default();
        let (code, message) = if message == too_deep() {
            (Code::TooDeep, too_deep())
        } else {
            (Code::Syntax, message.to_owned())
        };
        let line = text.lines().nth(error.line().saturating_sub(1));
        let before = line.and_then(|line| line.get(..error.column().saturating_sub(1)));
        Self {
            read,
            code,
            message,
            position: Position {
                line: error.line().max(1),
                column: before.map_or(error.column().max(1), |before| before.chars().count() + 1),
                length: 1,
            },
        }
    }

    pub(super) fn report(self, sink: &mut Sink<'_>) -> Vec<Document> {
        let documents = self.read.report(sink);
        let place = Place {
            document: documents.len(),
            position: Some(self.position),
            ..Place::default()
        };
        sink.report(self.code, place, self.message);
        documents
    }
}

/// The way to the value at hand, how deep it is, and the keys met twice.
#[derive(Default)]
struct Keys {
    path: String,
    depth: usize,
    duplicates: Vec<String>,
}

impl Keys {
    /// Goes into a list or a map.
    fn enter<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(E::custom(too_deep()));
        }
        Ok(())
    }
}

/// Reads one value.
struct Node<'a>(&'a mut Keys);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
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

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.0.enter()?;
        let mut items = Vec::new();
        let here = self.0.path.len();
        loop {
            pointer::push_index(&mut self.0.path, items.len());
            let item = access.next_element_seed(Node(self.0))?;
            self.0.path.truncate(here);
            match item {
                Some(item) => items.push(item),
                None => break,
            }
        }
        self.0.depth -= 1;
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.0.enter()?;
        let mut map = Map::new();
        let here = self.0.path.len();
        while let Some(key) = access.next_key::<String>()? {
            pointer::push(&mut self.0.path, &key);
            if map.contains_key(&key) {
                self.0.duplicates.push(self.0.path.clone());
            }
            let value = access.next_value_seed(Node(self.0))?;
            self.0.path.truncate(here);
            map.entry(key).or_insert(value);
        }
        self.0.depth -= 1;
        Ok(Value::Object(map))
    }
}
