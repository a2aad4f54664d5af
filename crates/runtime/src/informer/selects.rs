//! Decides which written objects an informer shows, by its selectors.
use std::collections::BTreeMap;

use super::config::InformerConfig;
use crate::{
    cache::AnyObject,
    lister::{Selector, SelectorExt, parse_selector},
};

/// Which written objects an informer shows.
pub(super) enum Selects {
    All,
    Labels(Selector),
    /// Only the server can say.
    Unknown,
}

impl Selects {
    pub(super) fn new(config: &InformerConfig) -> Self {
        let text = |selector: &Option<String>| selector.clone().unwrap_or_default();
        if !text(&config.field_selector).is_empty() {
            return Self::Unknown;
        }
        match text(&config.label_selector) {
            labels if labels.is_empty() => Self::All,
            labels => parse_selector(&labels).map_or(Self::Unknown, Self::Labels),
        }
    }

    /// Whether the informer has `object`; `None` if only the server can say.
    pub(super) fn selects(&self, object: &dyn AnyObject) -> Option<bool> {
        match self {
            Self::All => Some(true),
            Self::Labels(selector) => {
                let labels = object.metadata().labels.as_ref();
                Some(selector.matches(labels.unwrap_or(&BTreeMap::default())))
            }
            Self::Unknown => None,
        }
    }
}
