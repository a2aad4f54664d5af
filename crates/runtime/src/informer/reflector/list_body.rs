//! Reads the body of a LIST item by item, so that a large one can be decoded in slices.
use std::borrow::Cow;

use serde::{Deserialize, de::Error as _};
use serde_json::{Deserializer, Error, value::RawValue};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ListMeta {
    pub(super) resource_version: Option<String>,
    #[serde(rename = "continue")]
    pub(super) continue_: Option<String>,
}

/// The position in the body of a LIST.
pub(super) struct ListBody<'b> {
    body: &'b [u8],
    place: Place,
    /// The list's own metadata; complete after the last item.
    pub(super) metadata: ListMeta,
}

enum Place {
    /// Before the first byte.
    Start,
    /// Between two keys of the list.
    Keys,
    /// Between two items.
    Items,
    End,
}

impl<'b> ListBody<'b> {
    pub(super) fn new(body: &'b [u8]) -> Self {
        Self {
            body,
            place: Place::Start,
            metadata: ListMeta::default(),
        }
    }

    /// Returns the next item, which is not decoded yet; `None` at the end of the list.
    pub(super) fn next_item(&mut self) -> Result<Option<&'b RawValue>, Error> {
        loop {
            let (opening, closing) = match self.place {
                Place::Start => {
                    self.expect(b'{')?;
                    (true, b'}')
                }
                Place::Keys => (false, b'}'),
                Place::Items => (false, b']'),
                Place::End => return Ok(None),
            };
            if self.peek() == Some(closing) {
                self.expect(closing)?;
                self.place = if closing == b'}' {
                    Place::End
                } else {
                    Place::Keys
                };
                continue;
            }
            if !opening {
                self.expect(b',')?;
            }
            if closing == b']' {
                return self.value().map(Some);
            }
            if let Some(first) = self.key()? {
                return Ok(Some(first));
            }
        }
    }

    /// Reads one key and its value. If the value is a list of items, returns the first one.
    fn key(&mut self) -> Result<Option<&'b RawValue>, Error> {
        self.place = Place::Keys;
        let key: Cow<'_, str> = self.value()?;
        self.expect(b':')?;
        match &*key {
            "items" if self.peek() == Some(b'[') => {
                self.expect(b'[')?;
                self.place = Place::Items;
                return match self.peek() {
                    Some(b']') => Ok(None),
                    _ => self.value().map(Some),
                };
            }
            "items" => self.value::<()>()?,
            "metadata" => self.metadata = self.value::<Option<ListMeta>>()?.unwrap_or_default(),
            _ => drop(self.value::<&RawValue>()?),
        }
        Ok(None)
    }

    fn peek(&mut self) -> Option<u8> {
        self.body = self.body.trim_ascii_start();
        self.body.first().copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), Error> {
        if self.peek() != Some(byte) {
            let expected = char::from(byte);
            let found = String::from_utf8_lossy(&self.body[..self.body.len().min(20)]);
            return Err(Error::custom(format!(
                "expected `{expected}` at \"{found}\" in a list"
            )));
        }
        self.body = &self.body[1..];
        Ok(())
    }

    fn value<T: Deserialize<'b>>(&mut self) -> Result<T, Error> {
        let mut values = Deserializer::from_slice(self.body).into_iter();
        let value = values
            .next()
            .unwrap_or_else(|| Err(Error::custom("a list ends early")))?;
        self.body = &self.body[values.byte_offset()..];
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Vec<&str>, ListMeta), String> {
        let mut list = ListBody::new(text.as_bytes());
        let mut items = Vec::new();
        while let Some(item) = list.next_item().map_err(|error| error.to_string())? {
            items.push(item.get());
        }
        Ok((items, list.metadata))
    }

    #[test]
    fn items_are_read_wherever_they_are() {
        for text in [
            r#"{"kind":"L","items":[{"a":[1]} , {"b":"]"}],"metadata":{"resourceVersion":"7","x":1}}"#,
            r#" { "metadata" : {"resourceVersion":"7"} , "items" : [ {"a":[1]},{"b":"]"} ] } "#,
        ] {
            let (items, metadata) = read(text).unwrap();
            assert_eq!(items, [r#"{"a":[1]}"#, r#"{"b":"]"}"#]);
            assert_eq!(metadata.resource_version.as_deref(), Some("7"));
        }
    }

    #[test]
    fn a_list_may_have_no_items() {
        for text in [
            "{}",
            r#"{"items":null}"#,
            r#"{"items":[],"metadata":null}"#,
            r#"{"count":3}"#,
        ] {
            assert_eq!(read(text).unwrap().0, Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn a_malformed_list_is_an_error() {
        for text in [
            "",
            "<html>",
            "{",
            r#"{"items"}"#,
            r#"{"items":[{}"#,
            r#"{"items":[{} {}]}"#,
            r#"{"items":{}}"#,
            r#"{"items":[{"a":]}"#,
            r#"{"items":[]"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
