//! The fields of a schema as the rows of a tree, each with an anchor that is its path.
use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::Serialize;

use super::{
    facts::{self, Fact, Rule},
    kubernetes,
    places::{At, anchor, innermost},
    shared::Shared,
};
use crate::{
    input::crd::{Schema, SchemaType},
    output::emit,
};

/// A field.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    /// Its path, by which links find it for ever.
    pub(super) anchor: String,
    /// Its path as people write it.
    pub(super) path: String,
    /// The type, as `[]string`; for a type with a name, what is around it.
    #[serde(rename = "type")]
    pub(super) type_: String,
    /// The type with a name.
    pub(super) named: Option<Link>,
    /// Whether it is required, immutable, deprecated, or newer than some older version.
    pub(super) labels: Vec<Label>,
    /// The description, as lines of Markdown.
    pub(super) description: Vec<String>,
    pub(super) facts: Vec<Fact>,
    pub(super) rules: Vec<Rule>,
    /// How many rows below it follow; none for a field whose type has a section.
    pub(super) fields: usize,
    /// Whether the rows below it are shown at first.
    pub(super) open: bool,
    /// What the type of a section has.
    pub(super) see: Option<See>,
    /// How many levels below the section it is.
    pub(super) depth: usize,
    /// One entry for each level that ends with this row.
    pub(super) ends: Vec<()>,
}

/// A word about a field.
#[derive(Debug, Serialize)]
pub(super) struct Label {
    text: String,
    /// How much it matters: `bad`, `note` or `good`.
    class: &'static str,
}

/// A text that is a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Link {
    pub(super) text: String,
    pub(super) href: String,
}

/// The section of a type.
#[derive(Debug, Serialize)]
pub(super) struct See {
    pub(super) name: String,
    pub(super) fields: usize,
    /// The path at which the fields of the section have their anchors.
    pub(super) path: String,
}

/// The fields of a type that a schema has at several places.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) anchor: String,
    /// The reference of Kubernetes' own type.
    pub(super) kubernetes: Option<String>,
    /// The fields of this type.
    pub(super) uses: Vec<Link>,
    pub(super) rows: Vec<Row>,
}

/// Makes the rows of a schema.
pub(super) struct Tree<'a> {
    pub(super) shared: Shared,
    /// The oldest version of fields that some older version lacks, by their anchors.
    pub(super) since: BTreeMap<String, String>,
    /// The anchors at which sections have their fields, by their keys.
    sections: HashMap<String, String>,
    uses: HashMap<String, Vec<Link>>,
    pending: VecDeque<(String, &'a Schema, At<'a>)>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(shared: Shared, since: BTreeMap<String, String>) -> Self {
        Self {
            shared,
            since,
            sections: HashMap::new(),
            uses: HashMap::new(),
            pending: VecDeque::new(),
        }
    }

    /// Returns the rows of the whole object, without those that the API server defines.
    pub(super) fn object(&mut self, schema: &'a Schema, root: &At<'a>) -> Vec<Row> {
        let mut rows = Vec::new();
        self.below(schema, root, 0, &mut rows);
        rows
    }

    /// Returns the sections of the types in the rows made so far.
    pub(super) fn sections(&mut self) -> Vec<Section> {
        let mut sections = Vec::new();
        while let Some((key, node, at)) = self.pending.pop_front() {
            let mut rows = Vec::new();
            self.below(node, &at, 0, &mut rows);
            sections.push((key, rows));
        }
        let sections = sections.into_iter().filter_map(|(key, rows)| {
            let named = self.shared.section(&key)?;
            Some(Section {
                name: named.name.clone(),
                anchor: section_anchor(&named.name),
                kubernetes: named.known.and_then(kubernetes::link),
                uses: self.uses.remove(&key).unwrap_or_default(),
                rows,
            })
        });
        sections.collect()
    }

    fn below(&mut self, node: &'a Schema, at: &At<'a>, depth: usize, rows: &mut Vec<Row>) {
        let before = rows.len();
        let is_own =
            |name: &str| at.path.is_empty() && matches!(name, "apiVersion" | "kind" | "metadata");
        for (name, field) in node.fields().filter(|(name, _)| !is_own(name)) {
            self.row(name, field, node, &at.field(name), depth, rows);
        }
        if rows.len() > before
            && depth > 0
            && let Some(last) = rows.last_mut()
        {
            last.ends.push(());
        }
    }

    fn row(
        &mut self,
        name: &str,
        node: &'a Schema,
        parent: &Schema,
        at: &At<'a>,
        depth: usize,
        rows: &mut Vec<Row>,
    ) {
        let inner = innermost(node);
        let anchor = anchor(&at.path);
        let description = described(node);
        let label = |is: bool, text: &str, class| {
            is.then(|| Label {
                text: text.to_owned(),
                class,
            })
        };
        let labels = [
            label(
                parent.required.iter().any(|it| it == name),
                "required",
                "bad",
            ),
            label(facts::is_immutable(node, parent, name), "immutable", "note"),
            label(is_deprecated(&description), "deprecated", "note"),
            self.since.get(&anchor).map(|version| Label {
                text: format!("since {version}"),
                class: "good",
            }),
        ];
        let mut row = Row {
            labels: labels.into_iter().flatten().collect(),
            name: name.to_owned(),
            path: at.path.join("."),
            type_: around(node),
            facts: facts::facts(node),
            rules: facts::validations(node),
            open: at.path.len() == 1,
            anchor,
            description,
            depth,
            ..Row::default()
        };
        let key = Shared::key(inner)
            .filter(|key| at.path.len() > 1 && self.shared.section(key).is_some());
        let count = inner.fields().count();
        if let Some((key, named)) =
            key.and_then(|key| Some((key.clone(), self.shared.section(&key)?)))
        {
            let link = Link {
                text: named.name.clone(),
                href: format!("#{}", section_anchor(&named.name)),
            };
            row.see = Some(See {
                name: named.name.clone(),
                fields: count,
                path: self.sections.get(&key).unwrap_or(&row.anchor).clone(),
            });
            row.named = Some(link);
            let here = Link {
                text: at.path.join("."),
                href: format!("#{}", row.anchor),
            };
            self.uses.entry(key.clone()).or_default().push(here);
            if !self.sections.contains_key(&key) {
                self.sections.insert(key.clone(), row.anchor.clone());
                self.pending.push_back((key, inner, at.clone()));
            }
            rows.push(row);
            return;
        }
        if let Some(known) = at.known
            && let Some(href) = kubernetes::link(known)
        {
            row.named = Some(Link {
                text: kubernetes::name(known).to_owned(),
                href,
            });
        } else {
            row.type_.push_str(&base(inner));
        }
        row.fields = count;
        rows.push(row);
        if count > 0 {
            self.below(inner, at, depth + 1, rows);
        }
    }
}

fn section_anchor(name: &str) -> String {
    format!("type:{name}")
}

/// Returns the description of a field, or else that of its entries.
fn described(node: &Schema) -> Vec<String> {
    let mut layers = std::iter::successors(Some(node), |it| it.element());
    let described = layers.find_map(|it| {
        let lines = emit::description(it.description.as_deref()?);
        (!lines.is_empty()).then_some(lines)
    });
    described.unwrap_or_default()
}

fn is_deprecated(description: &[String]) -> bool {
    let first = description
        .first()
        .map(|it| it.to_ascii_lowercase())
        .unwrap_or_default();
    first.starts_with("deprecated")
        || description
            .iter()
            .any(|line| line.starts_with("Deprecated:") || line.starts_with("DEPRECATED"))
}

/// Returns the lists and maps of a type.
fn around(mut node: &Schema) -> String {
    let mut out = String::new();
    while let Some(inner) = node.element() {
        out.push_str(if node.items().is_some() {
            "[]"
        } else {
            "map[string]"
        });
        node = inner;
    }
    out
}

/// Returns the name of a type without lists and maps.
fn base(node: &Schema) -> String {
    if node.kubernetes.int_or_string {
        return "integer or string".to_owned();
    }
    let name = node.type_.as_ref().map_or("any value", SchemaType::name);
    match node.format.as_deref().filter(|format| !format.is_empty()) {
        Some(format) => {
            // The index of the search has a line for each field.
            let words: Vec<&str> = format.split_whitespace().collect();
            format!("{name} ({})", words.join(" "))
        }
        None => name.to_owned(),
    }
}
