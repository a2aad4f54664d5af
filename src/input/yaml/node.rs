//! Values with positions in their text.
use std::cell::Cell;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::base::diag::{Position, lines, pointer};

/// A range of a text, in bytes; sources are small enough for 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self {
            start: short(start),
            end: short(end),
        }
    }

    /// The part of it before an offset, or the empty range there.
    pub(super) fn up_to(self, end: usize) -> Self {
        let end = Self::new(end, end).end;
        Self {
            start: self.start.min(end),
            end: self.end.min(end),
        }
    }

    /// The empty range at its start.
    pub(super) fn start(self) -> Self {
        Self {
            end: self.start,
            ..self
        }
    }
}

/// A value and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(super) span: Span,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Scalar(Value),
    List(Vec<Node>),
    Map(Map),
}

/// A map; keys are sorted.
pub(super) type Map = BTreeMap<String, Entry>;

/// An entry of a map.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Where its key is.
    pub(super) key: Span,
    pub(super) value: Node,
    /// Whether a merge key (`<<`) brought it.
    pub(super) is_merged: bool,
}

/// What a JSON pointer leads to.
pub(crate) struct Found {
    /// Where the key is, if the value is an entry of a map.
    pub(crate) key: Option<Span>,
    pub(crate) value: Span,
    /// Whether it is what the pointer names, not a parent.
    pub(crate) is_exact: bool,
}

impl Node {
    pub(super) fn scalar(value: impl Into<Value>, span: Span) -> Self {
        Self {
            span,
            content: Content::Scalar(value.into()),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.content, Content::Scalar(Value::Null))
    }

    /// The value alone.
    pub(crate) fn into_value(self) -> Value {
        match self.content {
            Content::Scalar(value) => value,
            Content::List(items) => items.into_iter().map(Self::into_value).collect(),
            Content::Map(map) => map
                .into_iter()
                .map(|(key, entry)| (key, entry.value.into_value()))
                .collect(),
        }
    }

    /// Finds what a JSON pointer names, or the nearest parent that exists.
    pub(crate) fn find(&self, pointer: &str) -> Found {
        let (mut node, mut key) = (self, None);
        for step in pointer::steps(pointer) {
            let next = match &node.content {
                Content::Scalar(_) => None,
                Content::List(items) => {
                    let item = step.parse().ok().and_then(|index: usize| items.get(index));
                    item.map(|item| (item, None))
                }
                Content::Map(map) => map.get(&step).map(|entry| (&entry.value, Some(entry.key))),
            };
            match next {
                Some(next) => (node, key) = next,
                None => {
                    return Found {
                        key,
                        value: node.span,
                        is_exact: false,
                    };
                }
            }
        }
        Found {
            key,
            value: node.span,
            is_exact: true,
        }
    }

    /// How deep lists and maps nest.
    pub(super) fn depth(&self) -> usize {
        self.children()
            .map(Self::depth)
            .max()
            .map_or(usize::from(self.is_collection()), |depth| depth + 1)
    }

    /// About how many bytes a copy takes.
    pub(super) fn size(&self) -> usize {
        let own = match &self.content {
            Content::Scalar(value) => value.as_str().map_or(0, str::len),
            Content::List(_) => 0,
            Content::Map(map) => map
                .keys()
                .map(|key| size_of::<(String, Span)>() + key.len())
                .sum(),
        };
        size_of::<Self>() + own + self.children().map(Self::size).sum::<usize>()
    }

    /// A copy whose positions are all that of an alias.
    pub(super) fn copied_to(&self, span: Span) -> Self {
        let mut copy = self.clone();
        copy.move_to(span);
        copy
    }

    fn move_to(&mut self, span: Span) {
        self.span = span;
        match &mut self.content {
            Content::Scalar(_) => {}
            Content::List(items) => items.iter_mut().for_each(|item| item.move_to(span)),
            Content::Map(map) => {
                for entry in map.values_mut() {
                    entry.key = span;
                    entry.value.move_to(span);
                }
            }
        }
    }

    fn is_collection(&self) -> bool {
        !matches!(self.content, Content::Scalar(_))
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        let (items, entries) = match &self.content {
            Content::Scalar(_) => (None, None),
            Content::List(items) => (Some(items), None),
            Content::Map(map) => (None, Some(map)),
        };
        let entries = entries.into_iter().flatten().map(|(_, entry)| &entry.value);
        items.into_iter().flatten().chain(entries)
    }
}

/// The lines of a text, to turn spans into lines and columns.
pub(crate) struct Lines<'t> {
    text: &'t str,
    all: Vec<(usize, &'t str)>,
    /// The byte whose column was found last, and the characters before it in its line: a long line has many spans, which mostly follow each other.
    last: Cell<(usize, usize)>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            all: lines(text).collect(),
            last: Cell::default(),
        }
    }

    pub(crate) fn position(&self, span: Span) -> Position {
        let (start, end) = (span.start as usize, span.end as usize);
        let line = self
            .all
            .partition_point(|(offset, _)| *offset <= start)
            .max(1);
        let (offset, content) = self.all.get(line - 1).copied().unwrap_or_default();
        let characters = |from, to| {
            self.text
                .get(from..to)
                .map_or(0, |part| part.chars().count())
        };
        // What goes on in the next line has no length to show.
        let length = if end <= offset + content.len() {
            characters(start, end)
        } else {
            0
        };
        let (last, before) = self.last.get();
        let before = if (offset..=start).contains(&last) {
            before + characters(last, start)
        } else {
            characters(offset, start)
        };
        self.last.set((start, before));
        Position {
            line,
            column: before + 1,
            length,
        }
    }

    /// The position of a syntax error, and whether a tab in the indentation is its cause: the scanner may stop in the line
    /// before or after it.
    pub(super) fn syntax(&self, span: Span) -> (Position, bool) {
        let position = Position {
            length: 1,
            ..self.position(span.start())
        };
        let first = position.line.saturating_sub(2);
        let around = self.all.iter().enumerate().skip(first).take(3);
        let tab = around.into_iter().find_map(|(index, (_, line))| {
            let indentation = line.len() - line.trim_start().len();
            let column = line[..indentation].find('\t')? + 1;
            Some(Position {
                line: index + 1,
                column,
                length: 1,
            })
        });
        (tab.unwrap_or(position), tab.is_some())
    }
}
