//! Reads schema nodes: their shape, their parts, and the node at a path.
use crate::input::{
    crd::{Additional, Schema, SchemaType},
    path::{SchemaPath, Segment},
};

/// What values of a node look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Any JSON.
    Any,
    /// An object with declared properties, maybe none.
    Object,
    /// An object whose values have one schema.
    Map,
    /// A list.
    List,
    /// `x-kubernetes-int-or-string`
    IntOrString,
    /// `string`
    Text,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `boolean`
    Boolean,
}

impl Shape {
    pub(super) fn of(schema: &Schema) -> Self {
        if schema.kubernetes.int_or_string {
            return Self::IntOrString;
        }
        match &schema.type_ {
            Some(SchemaType::String) => Self::Text,
            Some(SchemaType::Integer) => Self::Integer,
            Some(SchemaType::Number) => Self::Number,
            Some(SchemaType::Boolean) => Self::Boolean,
            Some(SchemaType::Array) => Self::List,
            Some(SchemaType::Object) if schema.values().is_some() => Self::Map,
            _ if schema.properties.is_some() => Self::Object,
            Some(SchemaType::Object) if !is_open(schema) => Self::Object,
            _ => Self::Any,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Any => "any JSON",
            Self::Object => "object",
            Self::Map => "map",
            Self::List => "list",
            Self::IntOrString => "integer or string",
            Self::Text => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    /// Returns whether every value of another shape is one of this shape, constraints aside.
    pub(super) fn includes(self, other: Self) -> bool {
        self == other
            || match self {
                Self::Any => true,
                Self::IntOrString => matches!(other, Self::Integer | Self::Text),
                Self::Number => other == Self::Integer,
                Self::Object
                | Self::Map
                | Self::List
                | Self::Text
                | Self::Integer
                | Self::Boolean => false,
            }
    }
}

/// Which values a keyword restricts; it says nothing about others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Numbers,
    Texts,
    Lists,
    Objects,
}

impl Shape {
    /// Returns whether some of its values are in a domain.
    pub(super) fn meets(self, domain: Domain) -> bool {
        match self {
            Self::Any => true,
            Self::Object | Self::Map => domain == Domain::Objects,
            Self::List => domain == Domain::Lists,
            Self::IntOrString => matches!(domain, Domain::Numbers | Domain::Texts),
            Self::Text => domain == Domain::Texts,
            Self::Integer | Self::Number => domain == Domain::Numbers,
            Self::Boolean => false,
        }
    }
}

/// Returns whether values are objects whose unknown fields are kept.
pub(super) fn is_open_object(schema: &Schema) -> bool {
    schema.is(SchemaType::Object) && is_open(schema)
}

/// Returns whether unknown fields are kept.
pub(super) fn is_open(schema: &Schema) -> bool {
    schema.kubernetes.preserve_unknown_fields
        || matches!(schema.additional, Some(Additional::Bool(true)))
}

/// Returns the step to the items of a list or the values of a map, and their schema.
pub(super) fn element(schema: &Schema) -> Option<(Segment, &Schema)> {
    match Shape::of(schema) {
        Shape::List => Some((Segment::Items, schema.items()?)),
        Shape::Map => Some((Segment::Values, schema.values()?)),
        Shape::Any
        | Shape::Object
        | Shape::IntOrString
        | Shape::Text
        | Shape::Integer
        | Shape::Number
        | Shape::Boolean => None,
    }
}

/// Returns whether a field has a default.
pub(super) fn has_default(parent: &Schema, name: &str) -> bool {
    parent.field(name).is_some_and(|it| it.default.is_some())
}

/// Returns whether a field is required and has no default.
pub(super) fn is_required(parent: &Schema, name: &str) -> bool {
    parent.required.iter().any(|it| it == name) && !has_default(parent, name)
}

/// Returns the schema at a path; none if it declares no such path.
pub(crate) fn at<'a>(schema: &'a Schema, path: &SchemaPath) -> Option<&'a Schema> {
    path.segments()
        .into_iter()
        .try_fold(schema, |at, segment| match segment {
            Segment::Property(name) => at.field(name),
            Segment::Items | Segment::Values => {
                let (step, inner) = element(at)?;
                (step == *segment).then_some(inner)
            }
        })
}

/// Parses a path as diagnostics show it, such as `spec.ports[].port`, by the properties that a schema has: names may contain dots.
pub(crate) fn parse_path(schema: &Schema, text: &str) -> Option<SchemaPath> {
    parse_below(schema, SchemaPath::root(), text)
}

fn parse_below(schema: &Schema, path: SchemaPath, text: &str) -> Option<SchemaPath> {
    if text.is_empty() {
        return Some(path);
    }
    for (mark, segment) in [("[]", Segment::Items), ("{}", Segment::Values)] {
        if let Some(rest) = text.strip_prefix(mark) {
            let (step, inner) = element(schema)?;
            return (step == segment)
                .then(|| parse_below(inner, path.join(segment), rest))
                .flatten();
        }
    }
    let text = match path.last() {
        None => text,
        Some(_) => text.strip_prefix('.')?,
    };
    schema.fields().find_map(|(name, inner)| {
        let rest = text.strip_prefix(name.as_str())?;
        let ends = rest.is_empty() || rest.starts_with(['.', '[', '{']);
        ends.then(|| parse_below(inner, path.property(name), rest))
            .flatten()
    })
}

/// Returns a path up to its last list or map, whose items it is within.
pub(super) fn items(path: &SchemaPath) -> SchemaPath {
    let mut at = path.parent();
    while let Some(parent) = at {
        if matches!(parent.last(), Some(Segment::Items | Segment::Values)) {
            return parent.clone();
        }
        at = parent.parent();
    }
    SchemaPath::root()
}

/// Returns whether a value can move between two paths: both are within the same items, or those of a declared pair of lists.
pub(crate) fn same_items(
    from: &SchemaPath,
    to: &SchemaPath,
    pairs: &[(SchemaPath, SchemaPath)],
) -> bool {
    let (from, to) = (items(from), items(to));
    from == to
        || pairs.iter().any(|(a, b)| {
            let mut found = (&from, &to);
            // The lists may be below the declared pair.
            loop {
                if found == (a, b) {
                    return true;
                }
                if found.0.last() != found.1.last() {
                    return false;
                }
                match (found.0.parent(), found.1.parent()) {
                    (Some(from), Some(to)) => found = (from, to),
                    _ => return false,
                }
            }
        })
}

/// Returns whether a path is another one or below it.
pub(super) fn is_within(path: &SchemaPath, top: &SchemaPath) -> bool {
    let mut at = Some(path);
    while let Some(here) = at {
        if here == top {
            return true;
        }
        at = here.parent();
    }
    false
}
