//! Events of one YAML document come in, one JSON value goes out; without recursion, with a bound on depth and on what
//! aliases copy.
use super::{MAX_DEPTH, Spelling, scalar, too_deep, yaml};
use crate::diag::Code;
use saphyr_parser::{Event, ScalarStyle, Span, Tag};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// What anchors and aliases may copy in a document, in bytes, nodes counted by their size.
const MAX_COPIED: usize = 32 << 20;

/// Builds the value of a document.
#[derive(Default)]
pub(super) struct Composer {
    open: Vec<Open>,
    root: Option<Value>,
    anchors: HashMap<usize, Node>,
    copied: usize,
    problems: Vec<Problem>,
    spellings: Vec<Spelling>,
}

/// What became of a document.
pub(super) struct Composed {
    pub(super) value: Option<Value>,
    pub(super) problems: Vec<Problem>,
    pub(super) spellings: Vec<Spelling>,
}

/// Something that a document must not have.
pub(super) struct Problem {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) span: Span,
}

/// The document cannot be built further; the problem is noted.
pub(super) struct Stop;

/// A finished value and how many bytes a copy of it takes, about.
#[derive(Clone)]
struct Node {
    value: Value,
    size: usize,
}

/// A list or a map that is not yet closed.
struct Open {
    anchor: usize,
    size: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Map {
        map: Map<String, Value>,
        key: Key,
        /// What came by merges, and may be said anew.
        merged: BTreeSet<String>,
    },
}

/// What was read of an entry of a map.
enum Key {
    None,
    Name(String),
    Merge,
    /// Its value is read and dropped.
    Refused,
}

impl Composer {
    pub(super) fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Stop> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if self.awaits_key() {
                    self.key(text, style, tag.as_deref(), span);
                    return Ok(());
                }
                match scalar::read(text, style, tag.as_deref()) {
                    Ok(scalar) => {
                        if let Some(text) = scalar.surprising {
                            self.spellings.push(Spelling {
                                text,
                                value: scalar.value.clone(),
                                position: yaml::position(span),
                            });
                        }
                        let size = size_of_scalar(&scalar.value);
                        self.close(
                            Node {
                                value: scalar.value,
                                size,
                            },
                            anchor,
                            span,
                        )
                    }
                    Err(reason) => {
                        self.problem(Code::Unsupported, span, reason);
                        self.close(
                            Node {
                                value: Value::Null,
                                size: 0,
                            },
                            anchor,
                            span,
                        )
                    }
                }
            }
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::SequenceStart(anchor, _) => self.open(anchor, Content::List(Vec::new()), span),
            Event::MappingStart(anchor, _) => self.open(
                anchor,
                Content::Map {
                    map: Map::new(),
                    key: Key::None,
                    merged: BTreeSet::new(),
                },
                span,
            ),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => {
                    let anchor = open.anchor;
                    let node = open.finish();
                    self.close(node, anchor, span)
                }
                None => Ok(()),
            },
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    pub(super) fn finish(self) -> Composed {
        Composed {
            value: self.root,
            problems: self.problems,
            spellings: self.spellings,
        }
    }

    fn awaits_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open {
                content: Content::Map { key: Key::None, .. },
                ..
            })
        )
    }

    fn key(&mut self, text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>, span: Span) {
        let merge = text == "<<"
            && match tag {
                None => style == ScalarStyle::Plain,
                Some(tag) => scalar::core(tag) == Some("merge"),
            };
        let key = if merge {
            Key::Merge
        } else {
            self.name(text, style, tag, span)
        };
        let duplicate = match (&key, self.open.last()) {
            (
                Key::Name(name),
                Some(Open {
                    content: Content::Map { map, merged, .. },
                    ..
                }),
            ) if map.contains_key(name) && !merged.contains(name) => {
                Some(format!("key {name:?} is written twice"))
            }
            _ => None,
        };
        if let Some(message) = duplicate {
            self.problem(Code::DuplicateKey, span, message);
        }
        if let Some(Open {
            content: Content::Map { key: slot, .. },
            ..
        }) = self.open.last_mut()
        {
            *slot = key;
        }
    }

    /// The text that a scalar is as a key: JSON has no others.
    fn name(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: Span,
    ) -> Key {
        let name = scalar::read(text, style, tag).and_then(|scalar| {
            let name = scalar.key()?;
            if let Some(text) = scalar.surprising {
                self.spellings.push(Spelling {
                    text,
                    value: scalar.value,
                    position: yaml::position(span),
                });
            }
            Ok(name)
        });
        match name {
            Ok(name) => Key::Name(name),
            Err(reason) => {
                self.problem(Code::Unsupported, span, reason);
                Key::Refused
            }
        }
    }

    fn open(&mut self, anchor: usize, content: Content, span: Span) -> Result<(), Stop> {
        if self.awaits_key() {
            self.problem(Code::Unsupported, span, "a key must be text");
            return Err(Stop);
        }
        if self.open.len() == MAX_DEPTH {
            self.problem(Code::TooDeep, span, too_deep());
            return Err(Stop);
        }
        self.open.push(Open {
            anchor,
            size: size_of::<Value>(),
            content,
        });
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stop> {
        let Some(node) = self.anchors.get(&anchor) else {
            let is_within = self.open.iter().any(|open| open.anchor == anchor);
            self.problem(
                Code::Unsupported,
                span,
                if is_within {
                    "an alias stands within what it names"
                } else {
                    "an alias names nothing of its document"
                },
            );
            return Err(Stop);
        };
        let size = node.size;
        self.copies(size, span)?;
        // Bounded by what was counted just now.
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            return Err(Stop);
        };
        if self.awaits_key() {
            let Value::String(name) = node.value else {
                self.problem(Code::Unsupported, span, "a key must be text");
                return Err(Stop);
            };
            self.key(name.into(), ScalarStyle::DoubleQuoted, None, span);
            return Ok(());
        }
        if self.open.len() + depth(&node.value) > MAX_DEPTH {
            self.problem(Code::TooDeep, span, too_deep());
            return Err(Stop);
        }
        self.close(node, 0, span)
    }

    fn copies(&mut self, size: usize, span: Span) -> Result<(), Stop> {
        self.copied += size;
        if self.copied > MAX_COPIED {
            self.problem(
                Code::AliasLimit,
                span,
                format!("aliases copy more than {} MiB", MAX_COPIED >> 20),
            );
            return Err(Stop);
        }
        Ok(())
    }

    /// Puts a finished node where it belongs.
    fn close(&mut self, node: Node, anchor: usize, span: Span) -> Result<(), Stop> {
        if anchor != 0 {
            self.copies(node.size, span)?;
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node.value);
            return Ok(());
        };
        open.size += node.size;
        match &mut open.content {
            Content::List(items) => items.push(node.value),
            Content::Map { map, key, merged } => match std::mem::replace(key, Key::None) {
                Key::Name(name) => {
                    open.size += size_of::<String>() + name.len();
                    if map.is_empty() || merged.remove(&name) || !map.contains_key(&name) {
                        map.insert(name, node.value);
                    }
                }
                Key::Merge => match parts(node.value) {
                    Some(parts) => {
                        for (name, value) in parts {
                            merged.insert(name.clone());
                            map.insert(name, value);
                        }
                    }
                    None => {
                        self.problem(Code::Unsupported, span, "`<<` merges maps, nothing else");
                    }
                },
                Key::None | Key::Refused => {}
            },
        }
        Ok(())
    }

    fn problem(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.problems.push(Problem {
            code,
            message: message.into(),
            span,
        });
    }
}

impl Open {
    fn finish(self) -> Node {
        let value = match self.content {
            Content::List(items) => Value::Array(items),
            Content::Map { map, .. } => Value::Object(map),
        };
        Node {
            value,
            size: self.size,
        }
    }
}

/// The entries that a merge brings, in the order in which they take each other's place: the first of several maps counts.
fn parts(value: Value) -> Option<impl Iterator<Item = (String, Value)>> {
    let maps = match value {
        Value::Object(map) => vec![map],
        Value::Array(items) => items
            .into_iter()
            .rev()
            .map(|item| match item {
                Value::Object(map) => Some(map),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()?,
        _ => return None,
    };
    Some(maps.into_iter().flatten())
}

fn size_of_scalar(value: &Value) -> usize {
    size_of::<Value>() + value.as_str().map_or(0, str::len)
}

/// How deep a value is; itself at most [`MAX_DEPTH`].
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
