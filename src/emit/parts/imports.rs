//! The `use` lines of a file: only what was asked for while its code was made.
use super::{layout, order};
use crate::ir::{Body, Model, Module, TypeDef};
use std::collections::{BTreeMap, BTreeSet};

/// The names that a module has for types of other versions.
const ALIASES: &str = "super::aliases";

/// What a file of types can use of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Import {
    ByteString,
    ObjectMeta,
    IntOrString,
    DateTime,
    Nullable,
    Number,
    Value,
    BTreeMap,
}

impl Import {
    const ALL: [Self; 8] = [
        Self::ByteString,
        Self::ObjectMeta,
        Self::IntOrString,
        Self::DateTime,
        Self::Nullable,
        Self::Number,
        Self::Value,
        Self::BTreeMap,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::ByteString => "ByteString",
            Self::ObjectMeta => "ObjectMeta",
            Self::IntOrString => "IntOrString",
            Self::DateTime => "DateTime",
            Self::Nullable => "Nullable",
            Self::Number => "Number",
            Self::Value => "Value",
            Self::BTreeMap => "BTreeMap",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::ByteString => "k8s_openapi",
            Self::ObjectMeta => "k8s_openapi::apimachinery::pkg::apis::meta::v1",
            Self::IntOrString => "k8s_openapi::apimachinery::pkg::util::intstr",
            Self::DateTime | Self::Nullable | Self::Number => "kube_codegen_record",
            Self::Value => "serde_json",
            Self::BTreeMap => "std::collections",
        }
    }
}

/// What a file of types uses.
#[derive(Default)]
pub(crate) struct Imports<'m> {
    /// Names of each module.
    used: BTreeMap<String, BTreeSet<String>>,
    /// Names that stand for something else here.
    taken: BTreeSet<&'m str>,
}

impl<'m> Imports<'m> {
    /// Of a file of the module: what is defined there keeps its name.
    pub(crate) fn new(model: &'m Model, module: &'m Module) -> Self {
        let own = model.places_of(module).map(|id| &*model.types[id].name);
        Self {
            used: BTreeMap::new(),
            taken: own.chain(Import::ALL.map(Import::name)).collect(),
        }
    }

    /// The name of an import, which is used by that.
    pub(crate) fn name(&mut self, import: Import) -> &'static str {
        self.add(import.path(), import.name());
        import.name()
    }

    /// The name of a place of the module; where its type is that of another version, it is imported.
    pub(crate) fn own<'d>(&mut self, def: &'d TypeDef) -> &'d str {
        if matches!(def.body, Body::Alias(_)) {
            self.add(ALIASES, &def.name);
        }
        &def.name
    }

    /// The name of a type of k8s-openapi by its path, which is imported by that; none where something else has the name.
    pub(crate) fn foreign<'p>(&mut self, path: &'p str) -> Option<&'p str> {
        let (module, name) = path.rsplit_once("::")?;
        if !module.starts_with("k8s_openapi::") {
            return None;
        }
        let mut own = Import::ALL.into_iter();
        let is_own = own.any(|own| own.path() == module && own.name() == name);
        let mut others = self.used.iter().filter(|(other, _)| *other != module);
        if !is_own && (self.taken.contains(name) || others.any(|(_, names)| names.contains(name))) {
            return None;
        }
        self.add(module, name);
        Some(name)
    }

    fn add(&mut self, module: &str, name: &str) {
        match self.used.get_mut(module) {
            Some(names) if names.contains(name) => {}
            Some(names) => {
                names.insert(name.to_owned());
            }
            None => {
                let names = BTreeSet::from([name.to_owned()]);
                self.used.insert(module.to_owned(), names);
            }
        }
    }

    /// The lines.
    pub(crate) fn text(&self) -> String {
        let lines = self.used.iter().map(|(module, names)| {
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            names.sort_by(|a, b| order::version(a, b));
            layout::import(&format!("use {module}"), &names)
        });
        let mut lines: Vec<String> = lines.collect();
        // What is near comes first.
        lines.sort_by_cached_key(|line| (!line.contains(ALIASES), line.replace('{', "")));
        lines.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_imported_unless_its_name_is_taken() {
        let core = "k8s_openapi::api::core::v1";
        let mut imports = Imports {
            taken: BTreeSet::from(["Container", "ObjectMeta"]),
            ..Imports::default()
        };
        let mut name = |path: &str| imports.foreign(path).map(str::to_owned);
        assert_eq!(name(&format!("{core}::Container")), None);
        assert_eq!(name("my::Probe"), None);
        assert_eq!(name("Vec<k8s_openapi::x::Probe>"), None);
        assert_eq!(name(&format!("{core}::Probe")), Some("Probe".into()));
        assert_eq!(name(&format!("{core}::Probe")), Some("Probe".into()));
        assert_eq!(name("k8s_openapi::other::Probe"), None);
        let own = format!("{}::ObjectMeta", Import::ObjectMeta.path());
        assert_eq!(name(&own), Some("ObjectMeta".into()));
        assert_eq!(
            imports.text(),
            "use k8s_openapi::api::core::v1::Probe;\nuse k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;\n"
        );
    }
}
