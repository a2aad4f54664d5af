//! The beginning of a node: anchor, tag and first token.
use std::borrow::Cow;

use super::{Context, Parser, syntax};
use crate::input::yaml::{
    Problem, Span,
    scan::{Kind, Token},
};

/// The first token of a node, with the properties before it.
pub(super) struct Start<'t> {
    pub(super) anchor: Option<&'t str>,
    pub(super) tag: Option<String>,
    pub(super) kind: StartKind<'t>,
    pub(super) span: Span,
}

pub(super) enum StartKind<'t> {
    Alias(&'t str),
    Scalar { text: Cow<'t, str>, plain: bool },
    List(Style),
    Map(Style),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Style {
    Block,
    /// A list in a block map, at the column of its key.
    Indentless,
    Flow,
}

impl<'t> Parser<'t> {
    /// Takes the properties of a node and its first token, except that of an indentless list.
    pub(super) fn start(&mut self, context: Context) -> Result<Start<'t>, Problem> {
        let (mut anchor, mut tag) = (None, None);
        loop {
            let span = self.scanner.peek()?.span;
            let has_properties = anchor.is_some() || tag.is_some();
            let kind = match self.peek()? {
                Kind::Alias(name) if !has_properties => StartKind::Alias(name),
                Kind::Anchor(name) if anchor.is_none() => {
                    anchor = Some(*name);
                    self.scanner.next()?;
                    continue;
                }
                Kind::Tag { .. } if tag.is_none() => {
                    let token = self.scanner.next()?;
                    tag = Some(self.tag(token)?);
                    continue;
                }
                Kind::BlockEntry if context == Context::BlockMap => {
                    let kind = StartKind::List(Style::Indentless);
                    return Ok(Start {
                        anchor,
                        tag,
                        kind,
                        span,
                    });
                }
                Kind::Scalar { .. } => {
                    let Token {
                        kind: Kind::Scalar { text, plain },
                        ..
                    } = self.scanner.next()?
                    else {
                        return self.expected("did not find expected node content");
                    };
                    let kind = StartKind::Scalar { text, plain };
                    return Ok(Start {
                        anchor,
                        tag,
                        kind,
                        span,
                    });
                }
                Kind::FlowListStart => StartKind::List(Style::Flow),
                Kind::FlowMapStart => StartKind::Map(Style::Flow),
                Kind::BlockListStart if context != Context::Flow => StartKind::List(Style::Block),
                Kind::BlockMapStart if context != Context::Flow => StartKind::Map(Style::Block),
                _ if has_properties => {
                    let kind = StartKind::Scalar {
                        text: Cow::Borrowed(""),
                        plain: true,
                    };
                    return Ok(Start {
                        anchor,
                        tag,
                        kind,
                        span: span.start(),
                    });
                }
                _ => return self.expected("did not find expected node content"),
            };
            self.scanner.next()?;
            return Ok(Start {
                anchor,
                tag,
                kind,
                span,
            });
        }
    }

    /// The full name of a tag.
    fn tag(&self, token: Token<'t>) -> Result<String, Problem> {
        let Token {
            kind: Kind::Tag { handle, suffix },
            span,
        } = token
        else {
            return Err(syntax("did not find expected node content", token.span));
        };
        if handle.is_empty() {
            return Ok(suffix);
        }
        let prefix = self.handles.iter().find(|(known, _)| *known == handle);
        match prefix.map(|(_, prefix)| format!("{prefix}{suffix}")) {
            Some(tag) if !tag.is_empty() => Ok(tag),
            _ => Err(syntax("found undefined tag handle", span)),
        }
    }
}
