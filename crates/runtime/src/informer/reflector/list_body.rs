//! Reads the body of a LIST item by item as it arrives, so that a large list is never in memory as text.
use std::{borrow::Cow, ops::Range, time::Duration};

use serde::{Deserialize, de::Error as _};
use serde_json::{Deserializer, Error, value::RawValue};

use super::lines::Lines;
use crate::informer::error::WatchFailure;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ListMeta {
    pub(super) resource_version: Option<String>,
    #[serde(rename = "continue")]
    pub(super) continue_: Option<String>,
}

/// The position in the body of a LIST.
pub(super) struct ListBody {
    lines: Lines,
    buffer: Vec<u8>,
    /// Where the unread part of the buffer starts.
    start: usize,
    place: Place,
    /// The list's own metadata; complete after the last item.
    pub(super) metadata: ListMeta,
}

#[derive(Clone, Copy)]
enum Place {
    /// Before the first byte.
    Start,
    /// Before a key of the list, or its end.
    Keys {
        is_first: bool,
    },
    /// Before an item, or the end of the items.
    Items {
        is_first: bool,
    },
    End,
}

/// What a part of the body has.
enum Part {
    /// An item, at this place in the buffer.
    Item(Range<usize>),
    /// Something else.
    Other,
    /// It is not complete yet.
    Incomplete,
}

impl ListBody {
    pub(super) fn new(lines: Lines) -> Self {
        Self {
            lines,
            buffer: Vec::new(),
            start: 0,
            place: Place::Start,
            metadata: ListMeta::default(),
        }
    }

    /// Returns the next item, which is not decoded yet; `None` at the end of the list. Fails if the server sends nothing for `silence`.
    pub(super) async fn next_item(
        &mut self,
        silence: Duration,
    ) -> Result<Option<&str>, WatchFailure> {
        let item = loop {
            if matches!(self.place, Place::End) {
                return Ok(None);
            }
            match self.part()? {
                Part::Item(range) => break range,
                Part::Other => {}
                Part::Incomplete => self.read(silence).await?,
            }
        };
        let item = str::from_utf8(&self.buffer[item]).map_err(Error::custom)?;
        Ok(Some(item))
    }

    /// Reads more of the body: at least a quarter of what is there, so that a large item is not parsed again for each of its chunks.
    async fn read(&mut self, silence: Duration) -> Result<(), WatchFailure> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let before = self.buffer.len();
        while self.buffer.len() <= before + before / 4 {
            if !self.lines.read_into(&mut self.buffer, silence).await? {
                break;
            }
        }
        if self.buffer.len() == before {
            return Err(Error::custom("a list ends early").into());
        }
        Ok(())
    }

    /// Parses the next part. Does not move if it is incomplete.
    fn part(&mut self) -> Result<Part, Error> {
        let mut cursor = Cursor(&self.buffer[self.start..]);
        let part = match self.place {
            Place::Start => cursor.expect(b'{')?.map(|()| {
                self.place = Place::Keys { is_first: true };
                Part::Other
            }),
            Place::Keys { is_first } => {
                let part = cursor.key(is_first, &mut self.metadata)?;
                part.map(|place| {
                    self.place = place;
                    Part::Other
                })
            }
            Place::Items { is_first } => {
                let length = cursor.item(is_first)?;
                length.map(|length| {
                    if length == 0 {
                        self.place = Place::Keys { is_first: false };
                        return Part::Other;
                    }
                    self.place = Place::Items { is_first: false };
                    let end = self.buffer.len() - cursor.0.len();
                    Part::Item(end - length..end)
                })
            }
            Place::End => Some(Part::Other),
        };
        let Some(part) = part else {
            return Ok(Part::Incomplete);
        };
        self.start = self.buffer.len() - cursor.0.len();
        Ok(part)
    }
}

/// The rest of the buffer. Its methods return `None` if it ends too early.
struct Cursor<'b>(&'b [u8]);

impl<'b> Cursor<'b> {
    /// Reads one key and its value, or the end of the list. Returns what follows.
    fn key(&mut self, is_first: bool, metadata: &mut ListMeta) -> Result<Option<Place>, Error> {
        match self.peek() {
            None => return Ok(None),
            Some(b'}') => return Ok(self.expect(b'}')?.map(|()| Place::End)),
            Some(_) if is_first => {}
            Some(_) => drop(self.expect(b',')?),
        }
        let Some(key) = self.value::<Cow<'_, str>>()? else {
            return Ok(None);
        };
        if self.expect(b':')?.is_none() {
            return Ok(None);
        }
        let next = Place::Keys { is_first: false };
        Ok(match &*key {
            "items" if self.peek() == Some(b'[') => {
                self.expect(b'[')?.map(|()| Place::Items { is_first: true })
            }
            "items" => self.value::<()>()?.map(|()| next),
            "metadata" => self.value::<Option<ListMeta>>()?.map(|meta| {
                *metadata = meta.unwrap_or_default();
                next
            }),
            _ => self.value::<&RawValue>()?.map(|_| next),
        })
    }

    /// Reads one item and returns its length, or reads the end of the items and returns zero. The cursor is at the end of the item then.
    fn item(&mut self, is_first: bool) -> Result<Option<usize>, Error> {
        match self.peek() {
            None => return Ok(None),
            Some(b']') => return Ok(self.expect(b']')?.map(|()| 0)),
            Some(_) if is_first => {}
            Some(_) => drop(self.expect(b',')?),
        }
        Ok(self.value::<&RawValue>()?.map(|raw| raw.get().len()))
    }

    fn peek(&mut self) -> Option<u8> {
        self.0 = self.0.trim_ascii_start();
        self.0.first().copied()
    }

    fn expect(&mut self, byte: u8) -> Result<Option<()>, Error> {
        match self.peek() {
            None => Ok(None),
            Some(found) if found == byte => {
                self.0 = &self.0[1..];
                Ok(Some(()))
            }
            Some(_) => {
                let expected = char::from(byte);
                let found = String::from_utf8_lossy(&self.0[..self.0.len().min(20)]);
                Err(Error::custom(format!(
                    "expected `{expected}` at \"{found}\" in a list"
                )))
            }
        }
    }

    /// Reads a value, which something must follow: the last digit of a number may be in the next chunk.
    fn value<T: Deserialize<'b>>(&mut self) -> Result<Option<T>, Error> {
        let mut values = Deserializer::from_slice(self.0).into_iter();
        let value = match values.next() {
            None => return Ok(None),
            Some(Err(error)) if error.is_eof() => return Ok(None),
            Some(value) => value?,
        };
        let rest = &self.0[values.byte_offset()..];
        if rest.is_empty() {
            return Ok(None);
        }
        self.0 = rest;
        Ok(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use futures::{StreamExt as _, TryStreamExt as _, stream};

    use super::{super::response::Encoding, *};

    /// Reads a list that arrives in chunks of this size.
    async fn read_in(text: &str, size: usize) -> Result<(Vec<String>, ListMeta), String> {
        let chunks: Vec<_> = text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let body = stream::iter(chunks)
            .map(std::io::Result::Ok)
            .into_async_read();
        let mut list = ListBody::new(Lines::new(body, Encoding::Json));
        let mut items = Vec::new();
        loop {
            match list.next_item(Duration::from_secs(1)).await {
                Ok(Some(item)) => items.push(item.to_owned()),
                Ok(None) => return Ok((items, list.metadata)),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    async fn read(text: &str) -> Result<(Vec<String>, ListMeta), String> {
        let whole = read_in(text, text.len().max(1)).await;
        for size in [1, 2, 3, 7] {
            let parts = read_in(text, size).await;
            match (&whole, parts) {
                (Ok((items, metadata)), Ok((others, other))) => {
                    assert_eq!(*items, others, "{text} in chunks of {size}");
                    assert_eq!(metadata.resource_version, other.resource_version);
                }
                (Err(_), Err(_)) => {}
                (_, parts) => panic!("{text} in chunks of {size}: {:?}", parts.map(|(i, _)| i)),
            }
        }
        whole
    }

    #[tokio::test]
    async fn items_are_read_wherever_they_are() {
        for text in [
            r#"{"kind":"L","items":[{"a":[1]} , {"b":"]é"}],"metadata":{"resourceVersion":"7","x":1}}"#,
            r#" { "metadata" : {"resourceVersion":"7"} , "items" : [ {"a":[1]},{"b":"]é"} ] , "n" : 1234 } "#,
        ] {
            let (items, metadata) = read(text).await.unwrap();
            assert_eq!(items, [r#"{"a":[1]}"#, r#"{"b":"]é"}"#]);
            assert_eq!(metadata.resource_version.as_deref(), Some("7"));
        }
        assert_eq!(
            read(r#"{"items":[12,345]}"#).await.unwrap().0,
            ["12", "345"]
        );
    }

    #[tokio::test]
    async fn a_list_may_have_no_items() {
        for text in [
            "{}",
            r#"{"items":null}"#,
            r#"{"items":[],"metadata":null}"#,
            r#"{"count":3}"#,
        ] {
            assert_eq!(read(text).await.unwrap().0, Vec::<String>::new(), "{text}");
        }
    }

    #[tokio::test]
    async fn a_malformed_list_is_an_error() {
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
            r#"{"items":[{}],"#,
            r#"{"items":[{}"metadata":{}}"#,
        ] {
            assert!(read(text).await.is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn the_buffer_holds_one_item_and_not_the_list() {
        let item = format!(r#"{{"a":"{}"}}"#, "x".repeat(10_000));
        let text = format!(r#"{{"items":[{}]}}"#, vec![&*item; 200].join(","));
        let chunks: Vec<_> = text.as_bytes().chunks(4096).map(<[u8]>::to_vec).collect();
        let body = stream::iter(chunks)
            .map(std::io::Result::Ok)
            .into_async_read();
        let mut list = ListBody::new(Lines::new(body, Encoding::Json));
        let mut items = 0;
        while let Some(next) = list.next_item(Duration::from_secs(1)).await.unwrap() {
            assert_eq!(next, item);
            items += 1;
        }
        assert_eq!(items, 200);
        assert!(
            list.buffer.capacity() < 40_000,
            "{}",
            list.buffer.capacity()
        );
    }
}
