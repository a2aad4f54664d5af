//! A value that a path reaches: in a record, in raw JSON or in a leaf.
use std::borrow::Cow;

use serde_json::Value;

use crate::value::{List, Map, Record, View, views};

/// A value found by a path.
#[derive(Clone)]
#[non_exhaustive]
pub enum Node<'a> {
    /// In a record.
    View(View<'a>),
    /// In raw JSON.
    Json(&'a Value),
    /// In a leaf, converted to JSON.
    Owned(Value),
}

impl<'a> Node<'a> {
    pub(super) fn of(record: &'a dyn Record) -> Self {
        Node::View(View::Record(record))
    }

    /// Converts a view; `None` if absent.
    fn from_view(view: View<'a>) -> Option<Self> {
        match view {
            View::Absent => None,
            View::Json(json) => Some(Node::Json(json)),
            View::Foreign(_) | View::Bytes(_) => serde_json::to_value(view).ok().map(Node::Owned),
            view => Some(Node::View(view)),
        }
    }

    /// Returns the field or map entry with a name.
    pub(super) fn field(&self, name: &str) -> Option<Self> {
        match self {
            Node::View(View::Record(record)) => match record.names().binary_search(&name) {
                Ok(index) => Self::from_view(record.get(index)),
                Err(_) => record
                    .rest()
                    .and_then(|rest| rest.get(name))
                    .map(Node::Json),
            },
            Node::View(View::Map(map)) => Self::from_view(map.get(name)),
            Node::View(_) => None,
            Node::Json(json) => json.get(name).map(Node::Json),
            Node::Owned(json) => json.get(name).cloned().map(Node::Owned),
        }
    }

    /// Returns the items of an array.
    pub(super) fn items(&self) -> Option<Vec<Self>> {
        match self {
            Node::View(View::List(list)) => Some(items(*list)),
            Node::View(_) => None,
            Node::Json(json) => Some(json.as_array()?.iter().map(Node::Json).collect()),
            Node::Owned(json) => Some(json.as_array()?.iter().cloned().map(Node::Owned).collect()),
        }
    }

    /// Returns the items of an array, or the values of an object sorted by key.
    pub(super) fn children(&self) -> Vec<Self> {
        if let Some(items) = self.items() {
            return items;
        }
        match self {
            Node::View(View::Record(record)) => fields(*record),
            Node::View(View::Map(map)) => entries(*map),
            Node::View(_) => Vec::new(),
            Node::Json(json) => json
                .as_object()
                .into_iter()
                .flat_map(serde_json::Map::values)
                .map(Node::Json)
                .collect(),
            Node::Owned(json) => json
                .as_object()
                .into_iter()
                .flat_map(serde_json::Map::values)
                .cloned()
                .map(Node::Owned)
                .collect(),
        }
    }

    /// Returns whether the value is `null`.
    pub(super) fn is_null(&self) -> bool {
        match self {
            Node::View(view) => matches!(view, View::Null),
            Node::Json(json) => json.is_null(),
            Node::Owned(json) => json.is_null(),
        }
    }

    /// Converts the value to JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Node::View(view) => serde_json::to_value(view).unwrap_or_default(),
            Node::Json(json) => (*json).clone(),
            Node::Owned(json) => json.clone(),
        }
    }

    /// Returns the text of a string.
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Node::View(View::Str(text)) => Some(Cow::Borrowed(text)),
            Node::View(View::Display(shown)) => Some(Cow::Owned(shown.to_string())),
            Node::View(_) => None,
            Node::Json(json) => json.as_str().map(Cow::Borrowed),
            Node::Owned(json) => json.as_str().map(Cow::Borrowed),
        }
    }
}

fn items(list: &dyn List) -> Vec<Node<'_>> {
    (0..list.len())
        .filter_map(|index| Node::from_view(list.get(index)))
        .collect()
}

fn entries(map: &dyn Map) -> Vec<Node<'_>> {
    let mut all = Vec::with_capacity(map.len());
    map.each(&mut |_, view| {
        all.extend(Node::from_view(view));
        true
    });
    all
}

fn fields(record: &dyn Record) -> Vec<Node<'_>> {
    let declared = views(record).into_iter().filter_map(Node::from_view);
    declared
        .chain(
            record
                .rest()
                .into_iter()
                .flat_map(|rest| rest.values().map(Node::Json)),
        )
        .collect()
}
