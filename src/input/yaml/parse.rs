//! Parses tokens into nodes: anchors and merge keys are resolved, keys are checked for duplicates.
mod entries;
mod start;

use std::{borrow::Cow, collections::HashMap};

use super::{
    Error, MAX_DEPTH, Problem, Span, Spelling,
    node::{Content, Map, Node},
    scalar::{self, Scalar},
    scan::{Kind, Scanner, Token},
};
use crate::base::diag::Code;
use start::{Start, StartKind, Style};

/// Where a node is expected.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Block,
    /// In a block map, whose lists need no indentation.
    BlockMap,
    Flow,
}

impl Context {
    /// Whether a token shows that the node is empty.
    fn is_empty_before(self, kind: &Kind<'_>) -> bool {
        match self {
            Self::Block => matches!(kind, Kind::BlockEntry | Kind::BlockEnd),
            Self::BlockMap => matches!(kind, Kind::Key | Kind::Value | Kind::BlockEnd),
            Self::Flow => {
                matches!(
                    kind,
                    Kind::Value | Kind::FlowEntry | Kind::FlowListEnd | Kind::FlowMapEnd
                )
            }
        }
    }
}

/// Reads the documents of a text.
pub(super) struct Parser<'t> {
    scanner: Scanner<'t>,
    is_first: bool,
    /// Handles of tags and what they stand for, in the document at hand.
    handles: Vec<(&'t str, String)>,
    /// Indices in `anchored`.
    anchors: HashMap<&'t str, usize>,
    /// What anchors name; none while that is being read.
    anchored: Vec<Option<Node>>,
    copied: usize,
    depth: usize,
    /// What was found in the document that does not end it.
    pub(super) problems: Vec<Problem>,
    pub(super) spellings: Vec<Spelling>,
}

impl<'t> Parser<'t> {
    /// Parses from an offset on; fails if YAML does not allow one of the characters.
    pub(super) fn new(text: &'t str, start: usize) -> Result<Self, Problem> {
        if let Some(at) = super::scan::refused_character(&text[start..]) {
            let at = start + at;
            return Err(Error {
                message: "control characters are not allowed",
                at,
            }
            .into());
        }
        Ok(Self {
            scanner: Scanner::new(text, start),
            is_first: true,
            handles: Vec::new(),
            anchors: HashMap::new(),
            anchored: Vec::new(),
            copied: 0,
            depth: 0,
            problems: Vec::new(),
            spellings: Vec::new(),
        })
    }

    /// Reads the next document; none at the end of the text. After an error, nothing more can be read.
    pub(super) fn document(&mut self) -> Result<Option<Node>, Problem> {
        self.anchors.clear();
        self.anchored.clear();
        self.copied = 0;
        self.handles = vec![("!", "!".to_owned()), ("!!", scalar::CORE.to_owned())];
        let is_first = std::mem::replace(&mut self.is_first, false);
        while !is_first && *self.peek()? == Kind::DocumentEnd {
            self.scanner.next()?;
        }
        let is_explicit = match self.peek()? {
            Kind::StreamEnd => return Ok(None),
            Kind::VersionDirective { .. } | Kind::TagDirective { .. } | Kind::DocumentStart => true,
            _ => !is_first,
        };
        if is_explicit {
            self.directives()?;
        }
        let ends = matches!(
            self.peek()?,
            Kind::VersionDirective { .. }
                | Kind::TagDirective { .. }
                | Kind::DocumentStart
                | Kind::DocumentEnd
                | Kind::StreamEnd
        );
        let root = if ends && is_explicit {
            self.null()?
        } else {
            self.node(Context::Block)?
        };
        if *self.peek()? == Kind::DocumentEnd {
            self.scanner.next()?;
        }
        Ok(Some(root))
    }

    /// Reads directives, and the `---` after them.
    fn directives(&mut self) -> Result<(), Problem> {
        let mut has_version = false;
        loop {
            let Token { kind, span } = self.scanner.next()?;
            match kind {
                Kind::VersionDirective { .. } if has_version => {
                    return Err(syntax("found duplicate %YAML directive", span));
                }
                Kind::VersionDirective { is_known: false } => {
                    return Err(syntax("found incompatible YAML document", span));
                }
                Kind::VersionDirective { .. } => has_version = true,
                Kind::TagDirective { handle, prefix } => {
                    let known = self.handles.iter().position(|(known, _)| *known == handle);
                    match known {
                        // The first two are defaults.
                        Some(index @ 0..2) => self.handles[index].1 = prefix,
                        Some(_) => return Err(syntax("found duplicate %TAG directive", span)),
                        None => self.handles.push((handle, prefix)),
                    }
                }
                Kind::DocumentStart => return Ok(()),
                _ => return Err(syntax("did not find expected <document start>", span)),
            }
        }
    }

    fn peek(&mut self) -> Result<&Kind<'t>, Problem> {
        Ok(&self.scanner.peek()?.kind)
    }

    /// Takes the next token if it is of a kind.
    fn take(&mut self, kind: &Kind<'_>) -> Result<bool, Problem> {
        let is_next = self.peek()? == kind;
        if is_next {
            self.scanner.next()?;
        }
        Ok(is_next)
    }

    /// An error at the next token.
    fn expected<T>(&mut self, message: &'static str) -> Result<T, Problem> {
        let span = self.scanner.peek()?.span;
        Err(syntax(message, span))
    }

    /// A value that is not written.
    fn null(&mut self) -> Result<Node, Problem> {
        let span = self.scanner.peek()?.span.start();
        Ok(Node::scalar((), span))
    }

    /// Reads a node, which may be empty.
    fn optional(&mut self, context: Context) -> Result<Node, Problem> {
        if context.is_empty_before(self.peek()?) {
            self.null()
        } else {
            self.node(context)
        }
    }

    fn node(&mut self, context: Context) -> Result<Node, Problem> {
        let start = self.start(context)?;
        let anchor = start.anchor.map(|name| self.open_anchor(name));
        let span = start.span;
        let node = match start.kind {
            StartKind::Alias(name) => self.alias(name, span)?,
            StartKind::Scalar { text, plain } => {
                let scalar = self.scalar(text, plain, start.tag.as_deref(), span);
                Node::scalar(
                    scalar.map_or_else(Default::default, |scalar| scalar.value),
                    span,
                )
            }
            StartKind::List(style) => Node {
                span,
                content: self.nested(span, |it| it.list(style))?,
            },
            StartKind::Map(style) => Node {
                span,
                content: self.nested(span, |it| it.map(style))?,
            },
        };
        if let Some(index) = anchor {
            self.close_anchor(index, &node)?;
        }
        Ok(node)
    }

    /// Reads a scalar; none if JSON has no such value, which is reported.
    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        plain: bool,
        tag: Option<&str>,
        span: Span,
    ) -> Option<Scalar> {
        match scalar::read(text, plain, tag) {
            Ok(mut scalar) => {
                if let Some(text) = scalar.surprising.take() {
                    let value = scalar.value.clone();
                    self.spellings.push(Spelling { text, value, span });
                }
                Some(scalar)
            }
            Err(reason) => {
                self.problems.push(Problem::unsupported(span, reason));
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

    fn list(&mut self, style: Style) -> Result<Content, Problem> {
        let mut items = Vec::new();
        match style {
            Style::Indentless => {
                while self.take(&Kind::BlockEntry)? {
                    let next = self.peek()?;
                    // The map around the list may go on or end here.
                    let is_empty =
                        *next == Kind::BlockEntry || Context::BlockMap.is_empty_before(next);
                    items.push(if is_empty {
                        self.null()?
                    } else {
                        self.node(Context::Block)?
                    });
                }
            }
            Style::Block => {
                while self.take(&Kind::BlockEntry)? {
                    items.push(self.optional(Context::Block)?);
                }
                if !self.take(&Kind::BlockEnd)? {
                    return self.expected("did not find expected '-' indicator");
                }
            }
            Style::Flow => {
                while !self.take(&Kind::FlowListEnd)? {
                    if !items.is_empty() && !self.take(&Kind::FlowEntry)? {
                        return self.expected("did not find expected ',' or ']'");
                    }
                    if *self.peek()? == Kind::Key {
                        items.push(self.pair()?);
                    } else if *self.peek()? != Kind::FlowListEnd {
                        items.push(self.node(Context::Flow)?);
                    }
                }
            }
        }
        Ok(Content::List(items))
    }

    /// Reads an item of a flow list that is a map of one entry, without braces.
    fn pair(&mut self) -> Result<Node, Problem> {
        let span = self.scanner.next()?.span;
        let content = self.nested(span, |it| {
            let mut map = Map::new();
            it.entry(Context::Flow, &mut map)?;
            Ok(Content::Map(map))
        })?;
        Ok(Node { span, content })
    }

    fn map(&mut self, style: Style) -> Result<Content, Problem> {
        let mut map = Map::new();
        if style == Style::Flow {
            let mut is_first = true;
            while !self.take(&Kind::FlowMapEnd)? {
                if !is_first && !self.take(&Kind::FlowEntry)? {
                    return self.expected("did not find expected ',' or '}'");
                }
                is_first = false;
                if self.take(&Kind::Key)? {
                    self.entry(Context::Flow, &mut map)?;
                } else if *self.peek()? != Kind::FlowMapEnd {
                    let (key, span) = self.key(Context::Flow)?;
                    let value = self.null()?;
                    self.insert(&mut map, key, span, value);
                }
            }
        } else {
            while self.take(&Kind::Key)? {
                self.entry(Context::BlockMap, &mut map)?;
            }
            if !self.take(&Kind::BlockEnd)? {
                return self.expected("did not find expected key");
            }
        }
        Ok(Content::Map(map))
    }

    /// Reads a key and its value; both may be empty.
    fn entry(&mut self, context: Context, map: &mut Map) -> Result<(), Problem> {
        let (key, span) = self.key(context)?;
        let value = if self.take(&Kind::Value)? {
            self.optional(context)?
        } else {
            self.null()?
        };
        self.insert(map, key, span, value);
        Ok(())
    }
}

impl From<Error> for Problem {
    fn from(Error { message, at }: Error) -> Self {
        syntax(message, Span::new(at, at))
    }
}

fn syntax(message: &'static str, span: Span) -> Problem {
    Problem::new(Code::Syntax, span, message)
}
