//! Reads the body of a LIST item by item as it arrives, so that a large list is never in memory as text.
use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, de::Error as _, de::IgnoredAny};
use serde_json::{Error, value::RawValue};

use super::reader::BodyReader;
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
    reader: BodyReader,
    /// Fails if the server sends nothing for this time.
    silence: Duration,
    stage: Stage,
    /// Whether it has the field `items`, as each list has.
    pub(super) has_items: bool,
    /// The list's own metadata; complete after the last item.
    pub(super) metadata: ListMeta,
}

#[derive(Clone, Copy)]
enum Stage {
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

impl ListBody {
    pub(super) fn new(reader: BodyReader, silence: Duration) -> Self {
        Self {
            reader,
            silence,
            stage: Stage::Start,
            has_items: false,
            metadata: ListMeta::default(),
        }
    }

    /// Returns the next item, which is not decoded yet; `None` at the end of the list.
    pub(super) async fn next_item(&mut self) -> Result<Option<&str>, WatchFailure> {
        loop {
            self.stage = match self.stage {
                Stage::Start => {
                    self.expect(b'{').await?;
                    Stage::Keys { is_first: true }
                }
                Stage::Keys { is_first } => {
                    if self.ends(b'}', is_first).await? {
                        Stage::End
                    } else {
                        self.entry().await?
                    }
                }
                Stage::Items { is_first } => {
                    if !self.ends(b']', is_first).await? {
                        break;
                    }
                    Stage::Keys { is_first: false }
                }
                Stage::End => return Ok(None),
            };
        }
        self.stage = Stage::Items { is_first: false };
        let item = self.value::<&RawValue>().await?;
        Ok(Some(item.get()))
    }

    /// Reads a key and its value, unless they are the items. Returns what follows.
    async fn entry(&mut self) -> Result<Stage, WatchFailure> {
        let key = self.value::<Cow<'_, str>>().await?.into_owned();
        self.expect(b':').await?;
        self.has_items |= key == "items";
        match key.as_str() {
            "items" if self.reader.peek(self.silence).await? == b'[' => {
                self.reader.pass();
                return Ok(Stage::Items { is_first: true });
            }
            "items" => self.value::<()>().await?,
            "metadata" => {
                let metadata = self.value::<Option<ListMeta>>().await?;
                self.metadata = metadata.unwrap_or_default();
            }
            _ => drop(self.value::<IgnoredAny>().await?),
        }
        Ok(Stage::Keys { is_first: false })
    }

    /// Reads the end of the entries or items, or the comma before the next one. Returns whether it is the end.
    async fn ends(&mut self, end: u8, is_first: bool) -> Result<bool, WatchFailure> {
        if self.reader.peek(self.silence).await? == end {
            self.reader.pass();
            return Ok(true);
        }
        if !is_first {
            self.expect(b',').await?;
        }
        Ok(false)
    }

    async fn expect(&mut self, byte: u8) -> Result<(), WatchFailure> {
        let found = self.reader.peek(self.silence).await?;
        if found == byte {
            self.reader.pass();
            return Ok(());
        }
        let (expected, found) = (char::from(byte), char::from(found));
        let message = format!("expected {expected:?} and not {found:?} in a list");
        Err(Error::custom(message).into())
    }

    async fn value<'s, T: Deserialize<'s>>(&'s mut self) -> Result<T, WatchFailure> {
        let text = self.reader.value(self.silence).await?;
        Ok(serde_json::from_slice(text)?)
    }
}

#[cfg(test)]
#[path = "list_body_tests.rs"]
mod tests;
