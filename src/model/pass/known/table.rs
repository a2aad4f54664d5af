//! Reads `table.txt`, which has the types that may be reused. It is data, not Rust: a difference is readable, and compiles in no time.
use super::types::{Field, Ty, Type};
use crate::base::options::{InvalidValue, Kubernetes};
use foldhash::{HashMap, HashMapExt};
use std::{ops::Range, sync::LazyLock};

/// All types, by group.
#[expect(
    clippy::expect_used,
    reason = "the table is a part of the program, and a test reads it"
)]
pub(super) static ALL: LazyLock<Vec<&'static Type>> =
    LazyLock::new(|| read(include_str!("table.txt")).expect("the table is valid"));

/// Returns the path of a type in the table.
#[cfg(feature = "cli")]
pub(crate) fn path(path: &str) -> Option<&'static str> {
    BY_PATH.get(path).map(|known| known.path)
}

/// Returns the path of the type that a field of a type holds.
#[cfg(feature = "cli")]
pub(crate) fn part(path: &str, field: &str) -> Option<&'static str> {
    let Ty::Struct(known) = BY_PATH.get(path)?.field_of_any(field)?.ty.inner() else {
        return None;
    };
    Some(known.path)
}

#[cfg(feature = "cli")]
static BY_PATH: LazyLock<HashMap<&str, &'static Type>> =
    LazyLock::new(|| ALL.iter().map(|known| (known.path, *known)).collect());

/// The crate of all types. The table leaves it out of their paths.
const CRATE: &str = "k8s_openapi::";

/// The lines of a type: its path, what follows its name, its docs, and the lines of its fields.
struct Entry {
    path: &'static str,
    marks: &'static str,
    doc: &'static str,
    fields: Range<usize>,
}

/// Creates the types in the order that they need each other: none contains itself. Each run of the program reads the whole table, so a line costs
/// no allocation.
struct TableReader {
    /// The lines of all fields.
    fields: Vec<&'static str>,
    /// By path, without the crate.
    entries: HashMap<&'static str, Entry>,
    types: HashMap<&'static str, &'static Type>,
}

/// Reads the table; a `String` says which line is invalid.
fn read(text: &'static str) -> Result<Vec<&'static Type>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut fields = Vec::new();
    let mut group = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(field) = line.strip_prefix("    ") {
            let entry = entries.last_mut();
            let entry = entry.ok_or_else(|| format!("no type: {line}"))?;
            fields.push(field);
            entry.fields.end = fields.len();
        } else if let Some(line) = line.strip_prefix("  ") {
            let (head, doc) = split(line, ':').ok_or(line)?;
            let (name, marks) = head.split_once(' ').unwrap_or((head, ""));
            entries.push(Entry {
                path: [CRATE, group, "::", name].concat().leak(),
                marks,
                doc,
                fields: fields.len()..fields.len(),
            });
        } else {
            group = line;
        }
    }
    let paths: Vec<&str> = entries.iter().map(|it| &it.path[CRATE.len()..]).collect();
    let entries = paths.iter().copied().zip(entries);
    let mut reader = TableReader {
        types: HashMap::with_capacity(paths.len()),
        entries: entries.collect(),
        fields,
    };
    paths.into_iter().map(|path| reader.read(path)).collect()
}

/// Splits a line at the first mark, which a blank follows. Texts of several characters are slower to find.
fn split(line: &str, mark: char) -> Option<(&str, &str)> {
    let (before, after) = line.split_once(mark)?;
    Some((before, after.strip_prefix(' ')?))
}

impl TableReader {
    /// Returns the type of a path without its crate.
    fn read(&mut self, path: &str) -> Result<&'static Type, String> {
        if let Some(known) = self.types.get(path) {
            return Ok(known);
        }
        let (key, entry) = self.entries.remove_entry(path).ok_or(path)?;
        let path = entry.path;
        let mut words = entry.marks.split(' ').filter(|word| !word.is_empty());
        let mut known = Type {
            path,
            doc: entry.doc,
            default: true,
            record: false,
            since: Kubernetes::default(),
            fields: &[],
        };
        while let Some(word) = words.next() {
            match word {
                "record" => known.record = true,
                "without-default" => known.default = false,
                "since" => known.since = version(words.next())?,
                _ => return Err(format!("{path}: {word}")),
            }
        }
        let fields = entry.fields.map(|index| self.field(self.fields[index]));
        known.fields = fields.collect::<Result<Vec<Field>, String>>()?.leak();
        let known: &'static Type = Box::leak(Box::new(known));
        self.types.insert(key, known);
        Ok(known)
    }

    fn field(&mut self, line: &'static str) -> Result<Field, String> {
        let (head, doc) = split(line, '#').unwrap_or((line, ""));
        let (name, rest) = split(head.trim_ascii_end(), ':').ok_or(line)?;
        let optional = name.strip_suffix('?');
        let mut words = rest.split(' ');
        let mut field = Field {
            wire: optional.unwrap_or(name),
            since: Kubernetes::default(),
            required: optional.is_none(),
            required_before: None,
            ty: self.ty(words.next().unwrap_or_default())?,
            doc,
        };
        while let Some(word) = words.next() {
            let version = version(words.next())?;
            match word {
                "since" => field.since = version,
                "required-before" => field.required_before = Some(version),
                _ => return Err(line.to_owned()),
            }
        }
        Ok(field)
    }

    fn ty(&mut self, text: &str) -> Result<Ty, String> {
        let within = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        if let Some(inner) = within('[', ']') {
            return Ok(Ty::List(Box::leak(Box::new(self.ty(inner)?))));
        }
        if let Some(inner) = within('{', '}') {
            return Ok(Ty::Map(Box::leak(Box::new(self.ty(inner)?))));
        }
        Ok(match text {
            "Bool" => Ty::Bool,
            "I32" => Ty::I32,
            "I64" => Ty::I64,
            "Str" => Ty::Str,
            "Bytes" => Ty::Bytes,
            "Time" => Ty::Time,
            "IntOrString" => Ty::IntOrString,
            "Quantity" => Ty::Quantity,
            "Json" => Ty::Json,
            "Other" => Ty::Other,
            path => Ty::Struct(self.read(path)?),
        })
    }
}

fn version(word: Option<&str>) -> Result<Kubernetes, String> {
    let version = word.unwrap_or_default().parse();
    version.map_err(|error: InvalidValue| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_valid() {
        let count: usize = ALL.iter().map(|known| known.fields.len()).sum();
        assert!(ALL.len() > 400 && count > 1700, "{} {count}", ALL.len());
        for known in ALL.iter() {
            let names: Vec<&str> = known.fields.iter().map(|field| field.wire).collect();
            assert!(names.is_sorted(), "{}", known.path);
        }
    }

    #[test]
    fn lines_are_read_as_written() {
        let text = "# A comment\napi::a::v1\n  Outer since 1.36: Docs: of it.\n    at?: [api::a::v1::Inner] since 1.37 # The parts: all.\n    by: {Str} required-before 1.35\n  Inner record without-default: Docs.\n    at?: Time\n";
        let types = read(text).unwrap();
        let [outer, inner] = types.as_slice() else {
            panic!("{types:?}");
        };
        assert_eq!(outer.path, "k8s_openapi::api::a::v1::Outer");
        assert_eq!(
            (outer.doc, outer.since),
            ("Docs: of it.", Kubernetes::V1_36)
        );
        assert!(outer.default && !outer.record && inner.record && !inner.default);
        let [at, by] = outer.fields else {
            panic!("{outer:?}");
        };
        assert_eq!(at.ty.holds(), Some(*inner));
        assert_eq!((at.doc, at.since), ("The parts: all.", Kubernetes::V1_37));
        assert!(!at.required && by.required && matches!(by.ty, Ty::Map(Ty::Str)));
        assert_eq!(by.required_before, Some(Kubernetes::V1_35));
    }

    #[test]
    fn invalid_lines_are_errors() {
        for text in [
            "    a: Str",
            "a\n  B",
            "a\n  B oops: Docs.",
            "a\n  B: Docs.\n    c",
            "a\n  B: Docs.\n    c: a::D",
            "a\n  B: Docs.\n    c: a::B",
            "a\n  B: Docs.\n    c: Str since 1.2",
            "a\n  B: Docs.\n    c: Str until 1.36",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
