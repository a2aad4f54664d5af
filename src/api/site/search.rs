//! The index that the search of the site reads: a script, since pages of the file system cannot read other files.
use std::fmt::Write as _;

use serde::Serialize;

use super::{list::KindPage, page::Page};
use crate::{model::ir::Kind, output::render::File};

/// The index.
#[derive(Debug, Default, Serialize)]
pub(super) struct Index {
    pub(super) pages: Vec<Entry>,
}

/// What is found on a page.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    kind: String,
    /// Other names of the kind.
    names: Vec<String>,
    group: String,
    version: String,
    path: String,
    /// A line for each field: as many spaces as it is deep, the last part of its anchor, a space, its type.
    fields: String,
}

impl Entry {
    pub(super) fn of(place: &KindPage<'_>, page: &Page) -> Self {
        let kind: &Kind = place.kind;
        let mut names = vec![kind.plural.clone()];
        names.extend(kind.short_names.iter().cloned());
        let mut fields = String::new();
        for rows in
            std::iter::once(&page.rows).chain(page.sections.iter().map(|section| &section.rows))
        {
            for row in rows {
                let last = row.anchor.rsplit('.').next().unwrap_or_default();
                let name = if row.depth == 0 { &row.anchor } else { last };
                let type_ = row.named.as_ref().map_or("", |named| &named.text);
                fields.extend(std::iter::repeat_n(' ', row.depth));
                _ = writeln!(fields, "{name} {}{type_}", row.type_);
            }
        }
        Self {
            kind: kind.kind.clone(),
            names,
            group: kind.group.clone(),
            version: kind.version.clone(),
            path: place.path.clone(),
            fields,
        }
    }
}

impl Index {
    /// Returns the script that defines the index.
    pub(super) fn file(&self) -> File {
        // Cannot fail: all keys are strings. A script may contain any JSON.
        let json = serde_json::to_string(self).unwrap_or_default();
        File {
            path: "search.js".to_owned(),
            text: format!("window.kubeCodegenIndex = {json};\n").into(),
        }
    }
}
