//! Keys of maps, merge keys, anchors and aliases.
use super::{Context, Parser, Start, StartKind};
use crate::{
    base::diag::Code,
    input::yaml::{
        MAX_DEPTH, Problem, Span,
        node::{Content, Entry, Map, Node},
        scalar::{self, Scalar},
    },
};

/// How much anchors and aliases may copy in a document, in bytes.
const MAX_COPIED: usize = 32 << 20;

/// What a key of a map is.
pub(super) enum Key {
    Name(String),
    Merge,
    /// Not a key that JSON has; its value is read and dropped.
    Refused,
}

impl<'t> Parser<'t> {
    pub(super) fn key(&mut self, context: Context) -> Result<(Key, Span), Problem> {
        if context.is_empty_before(self.peek()?) {
            let span = self.scanner.peek()?.span.start();
            return Ok((self.name(Some(Scalar::plain(())), span), span));
        }
        let Start {
            anchor,
            tag,
            kind,
            span,
        } = self.start(context)?;
        let anchor = anchor.map(|name| self.open_anchor(name));
        let scalar = match kind {
            StartKind::Scalar { text, plain } => {
                let is_merge = match tag.as_deref() {
                    None => plain,
                    Some("!") => true,
                    Some(tag) => tag.strip_prefix(scalar::CORE) == Some("merge"),
                };
                if text == "<<" && is_merge {
                    return Ok((Key::Merge, span));
                }
                self.scalar(text, plain, tag.as_deref(), span)
            }
            StartKind::Alias(name) => match self.alias(name, span)?.content {
                Content::Scalar(value) => Some(Scalar::plain(value)),
                _ => return Err(Problem::unsupported(span, "a key must be a scalar")),
            },
            _ => return Err(Problem::unsupported(span, "a key must be a scalar")),
        };
        if let (Some(index), Some(scalar)) = (anchor, &scalar) {
            self.close_anchor(index, &Node::scalar(scalar.value.clone(), span))?;
        }
        Ok((self.name(scalar, span), span))
    }

    /// The key that a scalar makes: JSON has text alone.
    fn name(&mut self, scalar: Option<Scalar>, span: Span) -> Key {
        match scalar.map(Scalar::into_key) {
            None => Key::Refused,
            Some(Ok(name)) => Key::Name(name),
            Some(Err(reason)) => {
                self.problems.push(Problem::unsupported(span, reason));
                Key::Refused
            }
        }
    }

    /// Adds an entry; of several with the same key, the last one counts.
    pub(super) fn insert(&mut self, map: &mut Map, key: Key, span: Span, value: Node) {
        match key {
            Key::Refused => {}
            Key::Name(name) => {
                let entry = Entry {
                    key: span,
                    value,
                    is_merged: false,
                };
                if let Some(before) = map.get_mut(&name) {
                    if !before.is_merged {
                        self.problems.push(Problem::duplicate(span, &name));
                    }
                    *before = entry;
                } else {
                    map.insert(name, entry);
                }
            }
            Key::Merge => {
                let span = value.span;
                let Some(maps) = merged(value.content) else {
                    let message = "`<<` merges maps, nothing else";
                    self.problems.push(Problem::unsupported(span, message));
                    return;
                };
                for (name, mut entry) in maps.into_iter().flatten() {
                    entry.is_merged = true;
                    map.insert(name, entry);
                }
            }
        }
    }

    pub(super) fn open_anchor(&mut self, name: &'t str) -> usize {
        self.anchors.insert(name, self.anchored.len());
        self.anchored.push(None);
        self.anchored.len() - 1
    }

    pub(super) fn close_anchor(&mut self, index: usize, node: &Node) -> Result<(), Problem> {
        self.count_copy(node.size(), node.span)?;
        self.anchored[index] = Some(node.clone());
        Ok(())
    }

    pub(super) fn alias(&mut self, name: &str, span: Span) -> Result<Node, Problem> {
        let Some(index) = self.anchors.get(name).copied() else {
            return Err(Problem::unsupported(
                span,
                format!("anchor `{name}` is not defined in this document"),
            ));
        };
        let Some(node) = &self.anchored[index] else {
            return Err(Problem::unsupported(
                span,
                format!("the value of anchor `{name}` contains itself"),
            ));
        };
        if self.depth + node.depth() > MAX_DEPTH {
            return Err(Problem::too_deep(span));
        }
        let size = node.size();
        self.count_copy(size, span)?;
        let node = self.anchored[index].as_ref();
        Ok(node.map_or_else(|| Node::scalar((), span), |node| node.copied_to(span)))
    }

    fn count_copy(&mut self, size: usize, span: Span) -> Result<(), Problem> {
        self.copied += size;
        if self.copied > MAX_COPIED {
            let message = format!("aliases copy more than {} MiB", MAX_COPIED >> 20);
            return Err(Problem::new(Code::AliasLimit, span, message));
        }
        Ok(())
    }
}

/// The maps that a merge key brings, in the order in which they replace one another: the first of a list counts.
fn merged(content: Content) -> Option<Vec<Map>> {
    let map = |node: Node| match node.content {
        Content::Map(map) => Some(map),
        _ => None,
    };
    match content {
        Content::Map(map) => Some(vec![map]),
        Content::List(items) => items.into_iter().rev().map(map).collect(),
        Content::Scalar(_) => None,
    }
}
