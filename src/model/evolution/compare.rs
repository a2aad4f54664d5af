//! Compares the constraints of two nodes of the same shape.
use serde_json::Value;

use super::{
    Class,
    shape::{Domain, Shape},
};
use crate::input::crd::Schema;

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

/// The formats of numbers that the API server checks or that Rust types depend on; all numbers have the others.
const NUMBER_FORMATS: &[&str] = &[
    "int32", "float", "int8", "int16", "uint8", "uint16", "uint32", "uint64",
];

/// Keywords that restrict values in ways that are too complex to compare.
pub(crate) const RULES: [&str; 9] = [
    "x-kubernetes-validations",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "uniqueItems",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
];

/// How rules differ that reject the same objects.
const SAME_RULES: &str = "messages or order of rules";

/// How many letters of a text are shown.
const LIMIT: usize = 120;

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
pub(super) fn constraints(from: &Schema, to: &Schema) -> Relation {
    let mut relation = Relation::equal();
    let (old, new) = (Shape::of(from), Shape::of(to));
    // A keyword restricts no value that the schema with the other one cannot have.
    let mut add = |domain: Domain, (forward, backward): (bool, bool), detail: String| {
        relation.add(
            forward || !old.meets(domain),
            backward || !new.meets(domain),
            detail,
        );
    };
    let differ = |keyword| differ(keyword, from.bound(keyword), to.bound(keyword));
    let number = |schema: &Schema, keyword| schema.bound(keyword)?.as_f64();
    for (keyword, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        let is_lower = keyword == "minimum";
        let bound = |schema: &Schema| {
            // Of two equal bounds, the exclusive one accepts less.
            let is_exclusive = schema.flag(exclusive);
            Some((number(schema, keyword)?, is_exclusive == is_lower))
        };
        let shown = [keyword, exclusive].into_iter();
        let shown = shown.filter(|it| from.bound(it) != to.bound(it));
        let shown: Vec<_> = shown.map(differ).collect();
        let both = ordered(bound(from), bound(to), is_lower);
        add(Domain::Numbers, both, shown.join(", "));
    }
    for (domain, least, most) in [
        (Domain::Texts, "minLength", "maxLength"),
        (Domain::Lists, "minItems", "maxItems"),
        (Domain::Objects, "minProperties", "maxProperties"),
    ] {
        let lower = |schema| number(schema, least).filter(|it| *it > 0.0);
        add(domain, ordered(lower(from), lower(to), true), differ(least));
        let both = ordered(number(from, most), number(to, most), false);
        add(domain, both, differ(most));
    }
    let multiple = |schema| number(schema, "multipleOf");
    let both = included(
        multiple(from).as_ref(),
        multiple(to).as_ref(),
        |wide, narrow| narrow % wide == 0.0,
    );
    add(Domain::Numbers, both, differ("multipleOf"));
    let pattern = |schema| Schema::bound(schema, "pattern");
    let both = included(pattern(from), pattern(to), |wide, narrow| wide == narrow);
    add(Domain::Texts, both, differ("pattern"));
    for (domain, known) in [
        (Domain::Texts, TEXT_FORMATS),
        (Domain::Numbers, NUMBER_FORMATS),
    ] {
        let [old, new] = [from, to].map(|schema| schema.format.as_deref());
        let is_known = |format: &&str| known.contains(format);
        let (a, b) = (old.filter(is_known), new.filter(is_known));
        let both = included(a.as_ref(), b.as_ref(), |wide, narrow| wide == narrow);
        let [old, new] = [old, new].map(|it| it.map(Value::from));
        add(
            domain,
            both,
            self::differ("format", old.as_ref(), new.as_ref()),
        );
    }
    enums(&mut relation, from.enum_.as_ref(), to.enum_.as_ref());
    relation
}

/// Compares bounds.
fn ordered<T: PartialOrd + Copy>(a: Option<T>, b: Option<T>, is_lower: bool) -> (bool, bool) {
    included(a.as_ref(), b.as_ref(), |wide, narrow| {
        if is_lower {
            wide <= narrow
        } else {
            wide >= narrow
        }
    })
}

/// Returns whether the second value accepts what the first one does, and the other way round; a missing one accepts everything.
fn included<T>(a: Option<&T>, b: Option<&T>, includes: impl Fn(&T, &T) -> bool) -> (bool, bool) {
    let includes = |wide: Option<&T>, narrow: Option<&T>| match (wide, narrow) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => includes(wide, narrow),
    };
    (includes(b, a), includes(a, b))
}

fn enums(relation: &mut Relation, from: Option<&Vec<Value>>, to: Option<&Vec<Value>>) {
    // The API server ignores an empty list.
    let [old, new] = [from, to].map(|list| list.filter(|it| !it.is_empty()));
    let includes = |wide: Option<&Vec<Value>>, narrow: Option<&Vec<Value>>| match (wide, narrow) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => narrow.iter().all(|value| wide.contains(value)),
    };
    let detail = if let (Some(a), Some(b)) = (old, new) {
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
    } else {
        let [from, to] = [from, to].map(|list| list.cloned().map(Value::from));
        differ("enum", from.as_ref(), to.as_ref())
    };
    relation.add(includes(new, old), includes(old, new), detail);
}

/// Describes which rules of CEL only one of two lists has. Equal ones may differ in their messages or in their order.
pub(super) fn rules(from: &Schema, to: &Schema) -> Vec<String> {
    let texts = |schema: &Schema| -> Vec<String> {
        let rules = schema.rules().map(|it| {
            let optional = if it.optional_old_self {
                " (optionalOldSelf)"
            } else {
                ""
            };
            format!("{}{optional}", it.rule.trim())
        });
        rules.collect()
    };
    let (old, new) = (texts(from), texts(to));
    let only = |sign: &str, a: &[String], b: &[String]| -> Vec<String> {
        let only = a.iter().filter(|it| !b.contains(it));
        let line = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
        only.map(|it| format!("{sign} rule `{}`", shortened(&line(it))))
            .collect()
    };
    let mut details = only("without", &old, &new);
    details.extend(only("with", &new, &old));
    if details.is_empty() {
        details.push(SAME_RULES.to_owned());
    }
    details
}

/// Describes a keyword that differs, and that a schema may lack.
pub(super) fn differ(keyword: &str, from: Option<&Value>, to: Option<&Value>) -> String {
    let [from, to] = [from, to].map(|it| it.unwrap_or(&Value::Null));
    differs(keyword, from, to)
}

/// Describes a keyword that differs.
pub(crate) fn differs(keyword: &str, from: &Value, to: &Value) -> String {
    let show = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        value => value.to_string(),
    };
    let (from, to) = (show(from), show(to));
    let same = from.chars().zip(to.chars()).take_while(|(a, b)| a == b);
    let same = same.count();
    let (from, to) = (excerpt(&from, same), excerpt(&to, same));
    format!("{keyword}: {from}, then {to}")
}

/// Returns a long text as far as it shows where it differs, after this many letters.
fn excerpt(text: &str, same: usize) -> String {
    let begin = if text.chars().count() > LIMIT {
        same.saturating_sub(LIMIT / 3)
    } else {
        0
    };
    let rest: String = text.chars().skip(begin).collect();
    let dots = if begin > 0 { "…" } else { "" };
    format!("{dots}{}", shortened(&rest))
}

/// Returns the beginning of a long text.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(LIMIT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
