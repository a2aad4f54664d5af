//! The tokens of YAML.
use std::borrow::Cow;

use crate::yaml::Span;

#[derive(Debug)]
pub(in crate::yaml) struct Token<'t> {
    pub(in crate::yaml) kind: Kind<'t>,
    pub(in crate::yaml) span: Span,
}

#[derive(Debug, PartialEq)]
pub(in crate::yaml) enum Kind<'t> {
    StreamEnd,
    VersionDirective {
        /// Whether the version is 1.1.
        is_known: bool,
    },
    TagDirective {
        handle: &'t str,
        prefix: String,
    },
    DocumentStart,
    DocumentEnd,
    BlockListStart,
    BlockMapStart,
    BlockEnd,
    FlowListStart,
    FlowListEnd,
    FlowMapStart,
    FlowMapEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'t str),
    Anchor(&'t str),
    Tag {
        handle: &'t str,
        suffix: String,
    },
    Scalar {
        text: Cow<'t, str>,
        plain: bool,
    },
}
