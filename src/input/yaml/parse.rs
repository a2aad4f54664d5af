//! Makes nodes of the events of `granit-parser`: anchors and merge keys are resolved, keys are checked for duplicates, and what YAML
//! 1.1 rejects is rejected.
use std::{borrow::Cow, collections::HashMap, ops::Range};

use granit_parser::{
    ErrorKind, Event, Parser as Events, ScalarStyle, StrInput, StructureStyle, Tag, YamlVersion,
};

use super::{
    MAX_DEPTH, Problem, Span, Spelling,
    gaps::{self, Gaps},
    node::{Content, Entry, Map, Node},
    rewrite::Rewritten,
    scalar::{self, Scalar},
};
use crate::base::diag::Code;

/// How much anchors and aliases may copy in a text, in bytes.
const MAX_COPIED: usize = 32 << 20;

/// Reads the documents of a text.
pub(super) struct DocumentParser<'t> {
    source: &'t Rewritten<'t>,
    /// Where the text begins in that of the whole source.
    start: usize,
    events: Events<'t, StrInput<'t>>,
    gaps: Gaps<'t>,
    /// What anchors name, by their number; none while that is being read.
    anchored: HashMap<usize, Option<Node>>,
    /// How many bytes aliases have copied.
    pub(super) copied: usize,
    depth: usize,
    /// What follows a document that was read.
    left: Option<Problem>,
    /// Whether no document began; later ones begin with `---`.
    is_first: bool,
    /// The error of `granit-parser` that ended the text, and where.
    pub(super) failed: Option<(ErrorKind, usize)>,
    pub(super) found: Found,
}

/// What was found in a document besides its root.
#[derive(Default)]
pub(super) struct Found {
    /// What does not end the document.
    pub(super) problems: Vec<Problem>,
    pub(super) spellings: Vec<Spelling>,
}

/// An event and its place in the text.
struct Start<'t> {
    event: Event<'t>,
    at: Range<usize>,
    /// The `-` before it.
    dash: Option<usize>,
}

impl<'t> Start<'t> {
    /// An event without a token.
    fn of(event: Event<'t>, at: Range<usize>) -> Self {
        Self {
            event,
            at,
            dash: None,
        }
    }
}

/// Where a node is expected.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Any,
    /// The value of a map, whose lists need no indentation.
    MapValue,
}

/// What a key of a map is.
enum Key {
    Name(String),
    Merge,
    /// Not a key that JSON has; its value is read and dropped.
    Rejected,
}

impl<'t> DocumentParser<'t> {
    /// `copied`: how many bytes aliases have copied before this part of the text.
    pub(super) fn new(source: &'t Rewritten<'t>, start: usize, copied: usize) -> Self {
        let options = granit_parser::options! {
            bom_inside_document_as_content: true,
            emit_comments: false,
            emit_anchor_events: true,
            emit_unresolved_aliases: true,
            // The depth is bounded here; the scanner is ahead by no more than a key is long.
            flow_nesting_limit: 4 * MAX_DEPTH + MAX_KEY,
            block_nesting_limit: 4 * MAX_DEPTH + MAX_KEY,
            simple_key_max_lookahead: MAX_KEY,
        };
        Self {
            source,
            start,
            events: Events::new_from_str_with_options(&source.text, options),
            gaps: Gaps::new(&source.text),
            anchored: HashMap::new(),
            copied,
            depth: 0,
            left: None,
            is_first: true,
            failed: None,
            found: Found::default(),
        }
    }

    /// Reads the next document; none at the end of the text. After an error, nothing more can be read.
    pub(super) fn document(&mut self) -> Result<Option<Node>, Problem> {
        self.anchored.clear();
        if let Some(problem) = self.left.take() {
            return Err(problem);
        }
        loop {
            let start = self.next()?;
            match start.event {
                Event::StreamEnd => return Ok(None),
                Event::DocumentStart(_, version) => {
                    if version.is_some_and(|version| version != YamlVersion::new(1, 1)) {
                        return Err(self.syntax("found incompatible YAML document", start.at));
                    }
                    let mut first = self.next()?;
                    self.check_root(&mut first);
                    let root = self.node(first, Context::Any)?;
                    // An error right behind the document belongs to it.
                    self.next()?;
                    return Ok(Some(root));
                }
                _ => {}
            }
        }
    }

    /// The next event; the text before it is checked.
    fn next(&mut self) -> Result<Start<'t>, Problem> {
        loop {
            let (event, span) = match self.events.next_event() {
                None => return Ok(Start::of(Event::StreamEnd, 0..0)),
                Some(Ok(next)) => next,
                Some(Err(error)) => {
                    return Err(self.failure(error.kind(), error.marker().byte_offset()));
                }
            };
            let at = span.byte_range().unwrap_or_default();
            match &event {
                // Its place is that of the first token.
                Event::DocumentStart(false, _) => {
                    if std::mem::replace(&mut self.is_first, false) {
                        return Ok(Start::of(event, at));
                    }
                    return Err(self.syntax("did not find expected <document start>", at));
                }
                Event::Anchor(_, name) => {
                    if !name.chars().all(gaps::is_name) {
                        let message = "the name of an anchor has only letters, digits, `-` and `_`";
                        return Err(self.syntax(message, at));
                    }
                }
                _ => return self.token(event, at),
            }
        }
    }

    /// Steps over the text before an event, and over its token.
    fn token(&mut self, event: Event<'t>, mut at: Range<usize>) -> Result<Start<'t>, Problem> {
        let gap = self.gaps.walk(at.start);
        let gap = gap.map_err(|gaps::Error { message, at }| self.syntax(message, at..at))?;
        let end = at.end;
        match &event {
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                self.gaps.token(end);
                at.start = gap.block.unwrap_or(at.start);
            }
            Event::Scalar(_, style, ..) if !at.is_empty() => {
                if *style == ScalarStyle::DoubleQuoted {
                    self.check_escapes(at.clone())?;
                }
                if *style == ScalarStyle::Plain {
                    self.gaps.plain(end);
                } else {
                    self.gaps.token(end);
                }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.gaps.token(end),
            Event::SequenceStart(StructureStyle::Flow, ..)
            | Event::MappingStart(StructureStyle::Flow, ..)
                if self.source.text[at.clone()].starts_with(['[', '{']) =>
            {
                self.gaps.open(end);
            }
            // The place of a list at the column of its key is that of its first item.
            Event::SequenceStart(..) if !self.source.text[end..].starts_with('-') => {
                self.gaps.open_block(None);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                self.gaps.open_block(Some(at.start));
            }
            Event::SequenceEnd | Event::MappingEnd if at.is_empty() => self.gaps.close_block(),
            Event::SequenceEnd | Event::MappingEnd => self.gaps.close(end),
            Event::DocumentStart(..) => {
                self.is_first = false;
                self.gaps.document(end, true);
            }
            Event::DocumentEnd if !at.is_empty() => self.gaps.document(end, false),
            _ => {}
        }
        Ok(Start {
            event,
            at,
            dash: gap.dash,
        })
    }

    /// A block scalar needs indentation even as the root. Without it, the scalar ends before its first line.
    fn check_root(&mut self, first: &mut Start<'t>) {
        let Event::Scalar(text, ScalarStyle::Literal | ScalarStyle::Folded, ..) = &mut first.event
        else {
            return;
        };
        let head = self.source.text[first.at.clone()].split_inclusive(['\n', '\r']);
        let mut end = first.at.start;
        for (index, line) in head.enumerate() {
            if index > 0 && !line.starts_with([' ', '\n', '\r']) {
                self.left = Some(self.syntax("did not find expected <document start>", end..end));
                *text = Cow::Borrowed("");
                return;
            }
            end += line.len();
        }
    }

    /// Rejects escapes that only YAML 1.2 has: `\/`, and halves of characters.
    fn check_escapes(&self, at: Range<usize>) -> Result<(), Problem> {
        let text = &self.source.text[at.clone()];
        let mut rest = text;
        while let Some(index) = rest.find('\\') {
            rest = &rest[index + 1..];
            let code = rest.get(1..5);
            let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
            let is_half =
                rest.starts_with('u') && code.is_some_and(|code| char::from_u32(code).is_none());
            if rest.starts_with('/') || is_half {
                let at = at.end - rest.len() - 1;
                return Err(self.syntax("found unknown escape character", at..at));
            }
            let mut escaped = rest.chars();
            escaped.next();
            rest = escaped.as_str();
        }
        Ok(())
    }

    /// Rejects in text between brackets what YAML 1.1 does not take for text there: `?` anywhere, and `:` at its start.
    fn check_flow(&self, style: ScalarStyle, at: Range<usize>) -> Result<(), Problem> {
        if style != ScalarStyle::Plain || self.gaps.flow == 0 {
            return Ok(());
        }
        let text = &self.source.text[at.clone()];
        let (index, message) = if text.starts_with(':') {
            (0, "text between brackets does not begin with `:`")
        } else if let Some(index) = text.find('?') {
            (index, "`?` is not allowed in text between brackets")
        } else {
            return Ok(());
        };
        let at = at.start + index;
        let mut problem = self.syntax(message, at..at);
        problem.hint = Some("put the text in quotes");
        Err(problem)
    }

    /// The error that ended the text.
    fn failure(&mut self, kind: &ErrorKind, at: Option<usize>) -> Problem {
        let text = &self.source.text;
        let at = at.unwrap_or(text.len());
        self.failed = Some((kind.clone(), at));
        let at = match kind {
            // The bracket is missing at the end.
            ErrorKind::UnclosedFlowCollection { .. } => text.len(),
            _ => at,
        };
        let span = self.span(at..at);
        if *kind == ErrorKind::RecursionLimitExceeded {
            return Problem::too_deep(span);
        }
        let message = match kind {
            ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInPlainScalar
            | ErrorKind::TabInIndentation => gaps::TAB.to_owned(),
            kind => kind.to_string(),
        };
        let mut problem = Problem::syntax(span, message);
        if *kind == ErrorKind::MappingValueNotAllowed {
            problem.hint = Some("put text that contains `: ` in quotes");
        }
        problem
    }

    fn syntax(&self, message: &'static str, at: Range<usize>) -> Problem {
        Problem::syntax(self.span(at), message)
    }

    fn span(&self, at: Range<usize>) -> Span {
        let place = |at| self.start + self.source.original(at);
        Span::new(place(at.start), place(at.end))
    }

    fn node(&mut self, start: Start<'t>, within: Context) -> Result<Node, Problem> {
        let Start { event, at, dash } = start;
        let span = self.span(at.clone());
        let (anchor, node) = match event {
            Event::Alias(_) | Event::UnresolvedAlias(_) => return self.alias(&event, at),
            Event::Scalar(text, style, anchor, tag) => {
                self.check_flow(style, at.clone())?;
                let text = self.source.folded(text, style, at);
                let scalar = self.scalar(text, style, tag.as_deref(), span);
                let value = scalar.map_or_else(Default::default, |scalar| scalar.value);
                (anchor, Node::scalar(value, span))
            }
            Event::SequenceStart(style, anchor, _) => {
                let span = match (style, dash) {
                    // A list at the column of its key.
                    (StructureStyle::Block, Some(dash)) if within == Context::MapValue => {
                        self.span(dash..dash + 1)
                    }
                    (StructureStyle::Block, _) => span.start(),
                    _ => span,
                };
                self.open_anchor(anchor);
                let content = self.nested(span, Self::list)?;
                (anchor, Node { span, content })
            }
            Event::MappingStart(_, anchor, _) => {
                self.open_anchor(anchor);
                let content = self.nested(span, |it| it.map(at.is_empty()))?;
                (anchor, Node { span, content })
            }
            _ => return Err(self.syntax("did not find expected node content", at)),
        };
        self.close_anchor(anchor, &node)?;
        Ok(node)
    }

    /// Reads a scalar; none if JSON has no such value, which is reported.
    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: Span,
    ) -> Option<Scalar> {
        let tag = tag.map(tag_name);
        match scalar::read(text, style == ScalarStyle::Plain, tag.as_deref()) {
            Ok(mut scalar) => {
                if let Some(text) = scalar.surprising.take() {
                    let value = scalar.value.clone();
                    self.found.spellings.push(Spelling { text, value, span });
                }
                Some(scalar)
            }
            Err(reason) => {
                self.found.problems.push(Problem::unsupported(span, reason));
                None
            }
        }
    }

    /// Reads the content of a list or map, one level down.
    fn nested(
        &mut self,
        span: Span,
        read: impl FnOnce(&mut Self) -> Result<Content, Problem>,
    ) -> Result<Content, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Problem::too_deep(span));
        }
        let content = read(self)?;
        self.depth -= 1;
        Ok(content)
    }

    fn list(&mut self) -> Result<Content, Problem> {
        let mut items = Vec::new();
        loop {
            let start = self.next()?;
            if start.event == Event::SequenceEnd {
                return Ok(Content::List(items));
            }
            items.push(self.node(start, Context::Any)?);
        }
    }

    /// Reads a map; `is_bare` is that of a block, or an entry of a flow list without braces.
    fn map(&mut self, is_bare: bool) -> Result<Content, Problem> {
        let mut map = Map::new();
        loop {
            let mut start = self.next()?;
            if start.event == Event::MappingEnd {
                return Ok(Content::Map(map));
            }
            if self.takes_colon(&mut start) && is_bare {
                // No entry at all, but text.
                let text = self.node(start, Context::Any)?;
                // The value that is not written, and the end.
                self.next()?;
                self.next()?;
                return Ok(text.content);
            }
            let (key, span) = self.key(start)?;
            let start = self.next()?;
            let value = self.node(start, Context::MapValue)?;
            self.insert(&mut map, key, span, value);
        }
    }

    /// Adds the colon to a text between brackets that ends with one, as `{a:}`: a colon ends a key only before a blank.
    fn takes_colon(&self, start: &mut Start<'t>) -> bool {
        let Event::Scalar(text, ScalarStyle::Plain, ..) = &mut start.event else {
            return false;
        };
        let after = &self.source.text[start.at.end..];
        let takes = self.gaps.flow > 0
            && !start.at.is_empty()
            && [":,", ":]", ":}"].iter().any(|end| after.starts_with(end));
        if takes {
            text.to_mut().push(':');
        }
        takes
    }

    fn key(&mut self, start: Start<'t>) -> Result<(Key, Span), Problem> {
        let Start { event, at, .. } = start;
        let span = self.span(at.clone());
        let scalar = match event {
            Event::Scalar(mut text, style, anchor, tag) => {
                let mut rest = at.clone();
                if self.gaps.flow > 0 && style == ScalarStyle::Plain && text.starts_with('?') {
                    text = Cow::Owned(text[1..].to_owned());
                    rest.start += 1;
                }
                self.check_flow(style, rest)?;
                let is_merge = match tag.as_deref().map(tag_name).as_deref() {
                    None => style == ScalarStyle::Plain,
                    Some("!") => true,
                    Some(tag) => tag.strip_prefix(scalar::CORE) == Some("merge"),
                };
                if text == "<<" && is_merge {
                    return Ok((Key::Merge, span));
                }
                let text = self.source.folded(text, style, at);
                let scalar = self.scalar(text, style, tag.as_deref(), span);
                if let Some(scalar) = &scalar {
                    self.close_anchor(anchor, &Node::scalar(scalar.value.clone(), span))?;
                }
                scalar
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => match self.alias(&event, at)?.content {
                Content::Scalar(value) => Some(Scalar::plain(value)),
                _ => return Err(Problem::unsupported(span, "a key must be a scalar")),
            },
            _ => return Err(Problem::unsupported(span, "a key must be a scalar")),
        };
        Ok((self.name(scalar, span), span))
    }

    /// The key that a scalar makes: JSON has text alone.
    fn name(&mut self, scalar: Option<Scalar>, span: Span) -> Key {
        match scalar.map(Scalar::into_key) {
            None => Key::Rejected,
            Some(Ok(name)) => Key::Name(name),
            Some(Err(reason)) => {
                self.found.problems.push(Problem::unsupported(span, reason));
                Key::Rejected
            }
        }
    }

    /// Adds an entry; of several with the same key, the last one counts.
    fn insert(&mut self, map: &mut Map, key: Key, span: Span, value: Node) {
        match key {
            Key::Rejected => {}
            Key::Name(name) => {
                let entry = Entry {
                    key: span,
                    value,
                    is_merged: false,
                };
                if let Some(before) = map.get_mut(&name) {
                    if !before.is_merged {
                        self.found.problems.push(Problem::duplicate(span, &name));
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
                    self.found
                        .problems
                        .push(Problem::unsupported(span, message));
                    return;
                };
                for (name, mut entry) in maps.into_iter().flatten() {
                    entry.is_merged = true;
                    map.insert(name, entry);
                }
            }
        }
    }

    /// Notes that the value of an anchor is being read; 0 is none.
    fn open_anchor(&mut self, anchor: usize) {
        if anchor != 0 {
            self.anchored.insert(anchor, None);
        }
    }

    fn close_anchor(&mut self, anchor: usize, node: &Node) -> Result<(), Problem> {
        if anchor != 0 {
            self.count_copy(node.size(), node.span)?;
            self.anchored.insert(anchor, Some(node.clone()));
        }
        Ok(())
    }

    fn alias(&mut self, event: &Event<'_>, at: Range<usize>) -> Result<Node, Problem> {
        let span = self.span(at.clone());
        let name = self.source.text[at].trim_start_matches('*');
        let Event::Alias(anchor) = event else {
            let message = format!("anchor `{name}` is not defined in this document");
            return Err(Problem::unsupported(span, message));
        };
        let Some(Some(node)) = self.anchored.get(anchor) else {
            let message = format!("the value of anchor `{name}` contains itself");
            return Err(Problem::unsupported(span, message));
        };
        if self.depth + node.depth() > MAX_DEPTH {
            return Err(Problem::too_deep(span));
        }
        let size = node.size();
        let node = node.copied_to(span);
        self.count_copy(size, span)?;
        Ok(node)
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

/// How many characters a key without `?` may have, up to its colon.
const MAX_KEY: usize = 1024;

fn tag_name(tag: &Tag) -> String {
    format!("{}{}", tag.handle(), tag.suffix())
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
