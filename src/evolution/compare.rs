//! Compares the constraints of two nodes of the same shape.
use serde_json::Value;

use super::Class;

/// The formats of strings that the API server checks (`SupportedFormats` of apiextensions-apiserver, 1.37); `password` accepts any.
const TEXT_FORMATS: &[&str] = &[
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "date",
    "duration",
    "date-time",
    "datetime",
    "k8s-short-name",
    "k8s-long-name",
];

/// Which values of two versions the other one accepts too.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// The second version accepts every value of the first.
    pub(super) forward: bool,
    /// The first version accepts every value of the second.
    pub(super) backward: bool,
    /// What differs.
    pub(super) details: Vec<String>,
}

impl Relation {
    pub(super) fn equal() -> Self {
        Self {
            forward: true,
            backward: true,
            details: Vec::new(),
        }
    }

    /// Returns the class of the difference, if there is one.
    pub(super) fn class(&self) -> Option<Class> {
        match (self.forward, self.backward) {
            (true, true) => None,
            (true, false) => Some(Class::Widened),
            (false, true) => Some(Class::Narrowed),
            (false, false) => Some(Class::Changed),
        }
    }

    pub(super) fn add(&mut self, forward: bool, backward: bool, detail: String) {
        if !(forward && backward) {
            self.forward &= forward;
            self.backward &= backward;
            self.details.push(detail);
        }
    }
}

/// Compares bounds, patterns, formats and enums.
pub(super) fn constraints(from: &Value, to: &Value) -> Relation {
    let mut relation = Relation::equal();
    for (keyword, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        let is_lower = keyword == "minimum";
        let bound = |schema: &Value| {
            let value = schema[keyword].as_f64()?;
            // Of two equal bounds, the exclusive one accepts less.
            Some((value, (schema[exclusive] == true) == is_lower))
        };
        let shown = if from[keyword] == to[keyword] {
            exclusive
        } else {
            keyword
        };
        ordered(&mut relation, shown, from, to, bound, is_lower);
    }
    for keyword in ["minLength", "minItems", "minProperties"] {
        ordered(
            &mut relation,
            keyword,
            from,
            to,
            |it| it[keyword].as_f64().filter(|it| *it > 0.0),
            true,
        );
    }
    for keyword in ["maxLength", "maxItems", "maxProperties"] {
        ordered(
            &mut relation,
            keyword,
            from,
            to,
            |it| it[keyword].as_f64(),
            false,
        );
    }
    multiples(&mut relation, from, to);
    optional(&mut relation, "pattern", &from["pattern"], &to["pattern"]);
    optional(&mut relation, "format", &format(from), &format(to));
    enums(&mut relation, &from["enum"], &to["enum"]);
    relation
}

/// Compares bounds; a missing one accepts everything.
fn ordered<T: PartialOrd>(
    relation: &mut Relation,
    keyword: &str,
    from: &Value,
    to: &Value,
    bound: impl Fn(&Value) -> Option<T>,
    is_lower: bool,
) {
    let (a, b) = (bound(from), bound(to));
    let includes = |wide: &Option<T>, narrow: &Option<T>| match (wide, narrow) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) if is_lower => wide <= narrow,
        (Some(wide), Some(narrow)) => wide >= narrow,
    };
    relation.add(
        includes(&b, &a),
        includes(&a, &b),
        differs(keyword, &from[keyword], &to[keyword]),
    );
}

fn multiples(relation: &mut Relation, from: &Value, to: &Value) {
    let (a, b) = (from["multipleOf"].as_f64(), to["multipleOf"].as_f64());
    let includes = |wide: Option<f64>, narrow: Option<f64>| match (wide, narrow) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => narrow % wide == 0.0,
    };
    let detail = differs("multipleOf", &from["multipleOf"], &to["multipleOf"]);
    relation.add(includes(b, a), includes(a, b), detail);
}

/// Compares keywords of which a missing one accepts everything.
fn optional(relation: &mut Relation, keyword: &str, from: &Value, to: &Value) {
    if from != to {
        relation.add(to.is_null(), from.is_null(), differs(keyword, from, to));
    }
}

/// Returns the format, if the API server checks it or the Rust type depends on it.
fn format(schema: &Value) -> Value {
    const FREE: [&str; 2] = ["int64", "double"];
    let format = schema["format"]
        .as_str()
        .filter(|name| !FREE.contains(name));
    let checked = match schema["type"].as_str() {
        Some("string") => TEXT_FORMATS,
        _ => &[
            "int32", "float", "int8", "int16", "uint8", "uint16", "uint32", "uint64",
        ],
    };
    format.filter(|name| checked.contains(name)).into()
}

fn enums(relation: &mut Relation, from: &Value, to: &Value) {
    let includes = |wide: &Value, narrow: &Value| match (wide.as_array(), narrow.as_array()) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => narrow.iter().all(|value| wide.contains(value)),
    };
    let detail = match (from.as_array(), to.as_array()) {
        (Some(a), Some(b)) => {
            let only = |a: &[Value], b: &[Value]| -> Vec<String> {
                let only = a.iter().filter(|value| !b.contains(value));
                only.map(Value::to_string).collect()
            };
            let parts = [("without", only(a, b)), ("with", only(b, a))];
            let parts = parts.iter().filter(|(_, values)| !values.is_empty());
            let parts: Vec<_> = parts
                .map(|(word, values)| format!("{word} {}", shortened(&values.join(", "))))
                .collect();
            format!("enum {}", parts.join(", "))
        }
        _ => differs("enum", from, to),
    };
    relation.add(includes(to, from), includes(from, to), detail);
}

/// Describes a keyword that differs.
pub(crate) fn differs(keyword: &str, from: &Value, to: &Value) -> String {
    let show = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        value => shortened(&value.to_string()),
    };
    format!("{keyword}: {}, then {}", show(from), show(to))
}

/// Returns the beginning of a long text.
fn shortened(text: &str) -> String {
    const LIMIT: usize = 120;
    let mut short: String = text.chars().take(LIMIT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
