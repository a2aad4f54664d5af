//! `format.dns1123Label()` and its siblings, with `validate`.

use cel::{
    add_member_overload, add_overload,
    common::{
        types::{CelList, CelOptional, CelString},
        value::{CowVal, Val},
    },
};

use kube_codegen_formats::{check, names, url};

use super::{
    cost::{Operands, PATTERN, share},
    function::{Function, function},
};
use crate::value::opaque;

type Check = fn(&str) -> Vec<String>;

#[derive(Clone, Debug)]
struct Format {
    name: &'static str,
    check: Check,
}

opaque!(Format, "kubernetes.NamedFormat");

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

const fn format(name: &'static str, check: Check) -> Format {
    Format { name, check }
}

/// Cuts a hyphen at the end, which a prefix may have.
fn prefix(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) => format!("{rest}a"),
        None => text.to_owned(),
    }
}

fn known(name: &str, text: &str, why: &str) -> Vec<String> {
    let is_valid = check(name, text).unwrap_or(true);
    if is_valid {
        Vec::new()
    } else {
        vec![why.to_owned()]
    }
}

static FORMATS: [Format; 13] = [
    format("dns1123Label", names::dns_1123_label),
    format("dns1123Subdomain", names::dns_1123_subdomain),
    format("dns1035Label", names::dns_1035_label),
    format("qualifiedName", names::qualified_name),
    format("dns1123LabelPrefix", |text| {
        names::dns_1123_label(&prefix(text))
    }),
    format("dns1123SubdomainPrefix", |text| {
        names::dns_1123_subdomain(&prefix(text))
    }),
    format("dns1035LabelPrefix", |text| {
        names::dns_1035_label(&prefix(text))
    }),
    format("labelValue", names::label_value),
    format("uri", |text| {
        let why = url::parse_request_uri(text).err().into_iter();
        why.map(|why| why.to_string()).collect()
    }),
    format("uuid", |text| {
        known("uuid", text, "does not match the UUID format")
    }),
    format("byte", |text| known("byte", text, "invalid base64")),
    format("date", |text| known("date", text, "invalid date")),
    format("datetime", |text| {
        known("datetime", text, "invalid datetime")
    }),
];

/// The row of the function that returns the format of an index.
macro_rules! constant {
    ($index:literal, $name:literal) => {
        function($name, " kubernetes.NamedFormat").declared(|env| {
            env.add_overload($name, concat!($name, "()"), vec![], |_| {
                Ok(CowVal::Borrowed(&FORMATS[$index]))
            })
        })
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    function("format.named", "string optional(kubernetes.NamedFormat)").declared(
        |env| add_overload!(env, fn named: (CelString) -> CelOptional, name = "format.named"),
    ),
    function(
        "validate",
        ".kubernetes.NamedFormat,string optional(list(string))",
    )
    .costs_at_most(|it| share(it.scan(1), PATTERN_LENGTH * PATTERN))
    .declared(|env| add_member_overload!(env, fn validate: (Format, CelString) -> CelOptional)),
    constant!(0, "format.dns1123Label"),
    constant!(1, "format.dns1123Subdomain"),
    constant!(2, "format.dns1035Label"),
    constant!(3, "format.qualifiedName"),
    constant!(4, "format.dns1123LabelPrefix"),
    constant!(5, "format.dns1123SubdomainPrefix"),
    constant!(6, "format.dns1035LabelPrefix"),
    constant!(7, "format.labelValue"),
    constant!(8, "format.uri"),
    constant!(9, "format.uuid"),
    constant!(10, "format.byte"),
    constant!(11, "format.date"),
    constant!(12, "format.datetime"),
];

/// The length of the longest pattern of a named format.
const PATTERN_LENGTH: f64 = 128.0;

fn named(name: &CelString<'_>) -> CelOptional<'static> {
    let found = FORMATS.iter().find(|format| format.name == name.inner());
    match found {
        Some(format) => CelOptional::of(Box::new(format.clone())),
        None => CelOptional::none(),
    }
}

/// Returns the violations, if there are any.
fn validate(this: &Format, text: &CelString<'_>) -> CelOptional<'static> {
    let found = (this.check)(text.inner()).into_iter();
    let found: Vec<_> = found
        .map(|why| Box::new(CelString::from(why)) as Box<dyn Val>)
        .collect();
    if found.is_empty() {
        CelOptional::none()
    } else {
        CelOptional::of(Box::new(CelList::from(found)))
    }
}
