//! The tokens of YAML.
use std::borrow::Cow;

use crate::input::yaml::Span;

#[derive(Debug)]
pub(in crate::input::yaml) struct Token<'t> {
    pub(in crate::input::yaml) kind: Kind<'t>,
    pub(in crate::input::yaml) span: Span,
}

#[derive(Debug, PartialEq)]
pub(in crate::input::yaml) enum Kind<'t> {
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
