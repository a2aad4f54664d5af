//! `semver('1.2.3')` and its methods.

use cel::{
    ExecutionError, add_member_overload, add_overload,
    common::types::{CelBool, CelInt, CelString},
};
use kube_codegen_formats::go::quote;
use semver::Version;

use super::function::{Function, function};
use crate::{errors::error, value::opaque};

#[derive(Clone, Debug)]
struct Semver(Version);

opaque!(Semver, "kubernetes.Semver");

impl PartialEq for Semver {
    fn eq(&self, other: &Self) -> bool {
        self.0.cmp_precedence(&other.0).is_eq()
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "semver",
        "string kubernetes.Semver | string,bool kubernetes.Semver",
    )
    .costs(|it| it.scan(0))
    .declared(|env| {
        add_overload!(env, fn strict: (CelString) -> Result<Semver>, name = "semver")?;
        add_overload!(env, fn tolerant: (CelString, CelBool) -> Result<Semver>, name = "semver")
    }),
    function("isSemver", "string bool | string,bool bool")
        .costs(|it| it.scan(0))
        .declared(|env| {
            add_overload!(env, fn is_strict: (CelString) -> CelBool, name = "isSemver")?;
            add_overload!(env, fn is_tolerant: (CelString, CelBool) -> CelBool, name = "isSemver")
        }),
    function("major", ".kubernetes.Semver int")
        .declared(|env| add_member_overload!(env, fn major: (Semver) -> CelInt)),
    function("minor", ".kubernetes.Semver int")
        .declared(|env| add_member_overload!(env, fn minor: (Semver) -> CelInt)),
    function("patch", ".kubernetes.Semver int")
        .declared(|env| add_member_overload!(env, fn patch: (Semver) -> CelInt)),
    function("isGreaterThan", ".kubernetes.Semver,kubernetes.Semver bool")
        .declared(|env| add_member_overload!(env, fn is_greater_than: (Semver, Semver) -> CelBool)),
    function("isLessThan", ".kubernetes.Semver,kubernetes.Semver bool")
        .declared(|env| add_member_overload!(env, fn is_less_than: (Semver, Semver) -> CelBool)),
    function("compareTo", ".kubernetes.Semver,kubernetes.Semver int")
        .declared(|env| add_member_overload!(env, fn compare_to: (Semver, Semver) -> CelInt)),
];

fn strict(text: &CelString<'_>) -> Result<Semver, ExecutionError> {
    parse(text.inner(), false).map_err(|why| error("semver", why))
}

fn tolerant(text: &CelString<'_>, normalize: &CelBool) -> Result<Semver, ExecutionError> {
    parse(text.inner(), *normalize.inner()).map_err(|why| error("semver", why))
}

fn is_strict(text: &CelString<'_>) -> CelBool {
    parse(text.inner(), false).is_ok().into()
}

fn is_tolerant(text: &CelString<'_>, normalize: &CelBool) -> CelBool {
    parse(text.inner(), *normalize.inner()).is_ok().into()
}

fn parse(text: &str, normalize: bool) -> Result<Semver, String> {
    let text = if normalize {
        normal(text)?
    } else {
        text.to_owned()
    };
    if let Some(why) = rejection(&text) {
        return Err(why);
    }
    Version::parse(&text)
        .map(Semver)
        .map_err(|error| error.to_string())
}

/// Returns the reason why a text is not a version, in the words of the server's library.
fn rejection(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("Version string empty".to_owned());
    }
    let mut parts = text.splitn(3, '.');
    let (Some(major), Some(minor), Some(patch)) = (parts.next(), parts.next(), parts.next()) else {
        return Some("No Major.Minor.Patch elements found".to_owned());
    };
    let (patch, build) = match patch.split_once('+') {
        Some((patch, build)) => (patch, Some(build)),
        None => (patch, None),
    };
    let (patch, prerelease) = match patch.split_once('-') {
        Some((patch, prerelease)) => (patch, Some(prerelease)),
        None => (patch, None),
    };
    let numbers = [("Major", major), ("Minor", minor), ("Patch", patch)];
    let number = |(name, text): (&str, &str)| {
        if !is_number(text) {
            let name = name.to_lowercase();
            let text = quote(text);
            return Some(format!(
                "Invalid character(s) found in {name} number {text}"
            ));
        }
        let why = || {
            format!(
                "{name} number must not contain leading zeroes {}",
                quote(text)
            )
        };
        if has_leading_zero(text) {
            return Some(why());
        }
        let why = match text.parse::<u64>() {
            Ok(_) => return None,
            Err(_) if text.is_empty() => "invalid syntax",
            Err(_) => "value out of range",
        };
        Some(format!("strconv.ParseUint: parsing {}: {why}", quote(text)))
    };
    numbers
        .into_iter()
        .find_map(number)
        .or_else(|| {
            let mut parts = prerelease?.split('.');
            parts.find_map(|part| {
                if is_number(part) && has_leading_zero(part) {
                    let part = quote(part);
                    Some(format!(
                        "Numeric PreRelease version must not contain leading zeroes {part}"
                    ))
                } else {
                    identifier(part, "Prerelease is empty", "prerelease")
                }
            })
        })
        .or_else(|| {
            let mut parts = build?.split('.');
            parts.find_map(|part| identifier(part, "Build meta data is empty", "build meta data"))
        })
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn identifier(text: &str, empty: &str, what: &str) -> Option<String> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    match text {
        "" => Some(empty.to_owned()),
        text if text.bytes().all(is_valid) => None,
        text => Some(format!(
            "Invalid character(s) found in {what} {}",
            quote(text)
        )),
    }
}

/// Removes a prefix `v` and leading zeros, and adds missing numbers.
fn normal(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let parts = text.splitn(3, '.').map(|part| match part {
        part if part.len() > 1 => {
            let rest = part.trim_start_matches('0');
            let zero = if rest.starts_with(|first: char| first.is_ascii_digit()) {
                ""
            } else {
                "0"
            };
            format!("{zero}{rest}")
        }
        part => part.to_owned(),
    });
    let mut parts: Vec<_> = parts.collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err("short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn number(number: u64) -> CelInt {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

fn major(this: &Semver) -> CelInt {
    number(this.0.major)
}

fn minor(this: &Semver) -> CelInt {
    number(this.0.minor)
}

fn patch(this: &Semver) -> CelInt {
    number(this.0.patch)
}

fn is_greater_than(this: &Semver, other: &Semver) -> CelBool {
    this.0.cmp_precedence(&other.0).is_gt().into()
}

fn is_less_than(this: &Semver, other: &Semver) -> CelBool {
    this.0.cmp_precedence(&other.0).is_lt().into()
}

fn compare_to(this: &Semver, other: &Semver) -> CelInt {
    CelInt::from(this.0.cmp_precedence(&other.0) as i64)
}
