//! Changes of the generated code that programs do not compile with, and what may keep it.
use crate::base::options::{Options, Override};

/// A change of the generated code that programs do not compile with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Break {
    /// `group/version`
    pub(crate) module: String,
    /// The kind, if it concerns one.
    pub(crate) kind: Option<String>,
    /// The path in the schema.
    pub(crate) path: Option<String>,
    /// What it is called, such as `WidgetSpec::size`.
    pub(crate) item: String,
    /// The part of the CRD that it stands for, if it is not the schema.
    pub(super) part: Option<CrdPart>,
    /// What differs, such as ``was `i64`, is `String` ``.
    pub(crate) what: String,
    /// The entry of the config file with which the program compiles.
    pub(crate) keep: Option<Keep>,
    /// What may keep it.
    pub(super) candidates: Vec<Candidate>,
}

impl Break {
    pub(super) fn new(
        module: &str,
        kind: Option<String>,
        path: Option<String>,
        item: &str,
        what: String,
        candidates: Vec<Candidate>,
    ) -> Self {
        Self {
            module: module.to_owned(),
            kind,
            path,
            item: item.to_owned(),
            part: None,
            what,
            keep: None,
            candidates,
        }
    }
}

/// A part of a CRD outside its schemas that code is generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CrdPart {
    Status,
    Scale,
    Columns,
    /// What converts between versions.
    Conversion,
}

/// An entry of the config file with which a program compiles.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Keep {
    /// As a line of TOML.
    pub(crate) line: String,
    pub(super) candidate: Candidate,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Candidate {
    TypeName(String, String),
    FieldName(String, String),
    RustType(String, String),
    NoReuse,
}

impl Candidate {
    pub(super) fn apply(&self, options: &mut Options) {
        let entry = match self {
            Self::NoReuse => {
                options.reuse = false;
                return;
            }
            Self::TypeName(path, name) => Override::at(path).type_name(name),
            Self::FieldName(path, name) => Override::at(path).field_name(name),
            Self::RustType(path, name) => Override::at(path).rust_type(name),
        };
        options.overrides.push(entry);
    }

    pub(super) fn keep(&self) -> Keep {
        Keep {
            line: self.line(),
            candidate: self.clone(),
        }
    }

    fn line(&self) -> String {
        let entry = |path: &str, key: &str, value: &str| {
            let quote = |text: &str| toml::Value::from(text).to_string();
            format!(
                "override = [{{ path = {}, {key} = {} }}]",
                quote(path),
                quote(value)
            )
        };
        match self {
            Self::NoReuse => "reuse = false".to_owned(),
            Self::TypeName(path, name) => entry(path, "type-name", name),
            Self::FieldName(path, name) => entry(path, "field-name", name),
            Self::RustType(path, name) => entry(path, "rust-type", name),
        }
    }
}
