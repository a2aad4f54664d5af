//! Reads a crate whose kinds are types with `#[derive(CustomResource)]`: which kinds, and the names of finalizers and field managers.

mod calls;
mod only_tests;
mod report;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use syn::{
    Attribute, Expr, ImplItem, Item, ItemStruct, Lit, Meta, ext::IdentExt, parse::ParseStream,
};

use calls::Constants;
use only_tests::without_tests;

use crate::{
    model::ir::{self, Model},
    operator::scaffold::Takeover,
};

/// A type with `#[derive(CustomResource)]`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Derived {
    group: String,
    version: String,
    kind: String,
    /// Its file.
    file: PathBuf,
    /// Its module, such as `api::v1`.
    module: Vec<String>,
    /// The name of the struct that the derive makes.
    root: String,
}

/// A crate to take over.
#[derive(Debug, Default)]
pub(crate) struct DerivedCrate {
    /// The name of the package.
    pub(crate) name: String,
    has_library: bool,
    types: Vec<Derived>,
    /// The files with a controller, and the names of the types that they reconcile, as far as they are known.
    controllers: BTreeMap<PathBuf, BTreeSet<String>>,
    /// The finalizers, and the names of the types that have them.
    finalizers: BTreeMap<String, BTreeSet<String>>,
    /// The field managers, and in how many places they are.
    field_managers: BTreeMap<String, usize>,
    /// Whom Events are reported by.
    reporters: BTreeSet<String>,
}

/// Reads the sources of a crate.
///
/// # Errors
/// All problems, one a line: no manifest, a file that cannot be read or parsed, a derive without its names, or no derive at all.
pub(crate) fn read(directory: &Path) -> Result<DerivedCrate, String> {
    let path = directory.join("Cargo.toml");
    let cannot = |path: &Path, error: &dyn std::fmt::Display| {
        format!("cannot read `{}`: {error}", path.display())
    };
    let text = fs::read_to_string(&path).map_err(|error| cannot(&path, &error))?;
    let manifest: toml::Table = text.parse().map_err(|error| cannot(&path, &error))?;
    let name = manifest.get("package").and_then(|it| it.get("name"));
    let name = name.and_then(toml::Value::as_str);
    let Some(name) = name else {
        return Err(format!("`{}` has no package", path.display()));
    };
    let source = directory.join("src");
    let mut found = DerivedCrate {
        name: name.to_owned(),
        has_library: source.join("lib.rs").exists(),
        ..DerivedCrate::default()
    };
    let mut problems = Vec::new();
    let mut constants = Constants::default();
    let mut files = Vec::new();
    for path in rust_files(&source)? {
        let parsed = fs::read_to_string(&path)
            .map_err(|error| cannot(&path, &error))
            .and_then(|text| {
                syn::parse_file(&text).map_err(|error| {
                    format!(
                        "`{}` is not valid Rust: {error}; `cargo check` shows where",
                        path.display()
                    )
                })
            });
        match parsed {
            Ok(file) => files.push((path, file)),
            Err(problem) => problems.push(problem),
        }
    }
    let mut tests = BTreeSet::new();
    for (path, file) in &mut files {
        let module = module(path.strip_prefix(&source).unwrap_or(path));
        without_tests(&mut file.items, &module, &mut tests);
    }
    files.retain(|(path, _)| {
        let module = module(path.strip_prefix(&source).unwrap_or(path));
        !(1..=module.len()).any(|length| tests.contains(&module[..length]))
    });
    for (path, file) in &files {
        let relative = path.strip_prefix(directory).unwrap_or(path).to_owned();
        let module = module(path.strip_prefix(&source).unwrap_or(path));
        items(
            &file.items,
            &relative,
            &module,
            &mut found.types,
            &mut constants,
            &mut problems,
        );
    }
    for (path, file) in &files {
        let relative = path.strip_prefix(directory).unwrap_or(path).to_owned();
        found.calls(file, &relative, &constants);
    }
    if found.types.is_empty() && problems.is_empty() {
        problems.push(format!(
            "no type in `{}` has `#[derive(CustomResource)]`",
            source.display()
        ));
    }
    if problems.is_empty() {
        Ok(found)
    } else {
        Err(problems.join("\n"))
    }
}

/// Returns the Rust files below a directory, sorted.
fn rust_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let cannot = |error| format!("cannot read `{}`: {error}", directory.display());
        for entry in fs::read_dir(&directory).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let path = entry.path();
            if entry.file_type().map_err(cannot)?.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the module of a file, by its path below `src`.
fn module(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    let mut parts: Vec<String> = path
        .iter()
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let is_index = |it: &String| matches!(it.as_str(), "mod" | "lib" | "main");
    parts.pop_if(|last| is_index(last));
    parts
}

/// Collects derives and string constants.
fn items(
    all: &[Item],
    file: &Path,
    module: &[String],
    types: &mut Vec<Derived>,
    constants: &mut Constants,
    problems: &mut Vec<String>,
) {
    for item in all {
        match item {
            Item::Struct(item) if is_derived(item) => match derived(item, file, module) {
                Ok(found) => types.push(found),
                Err(error) => {
                    let (file, name) = (file.display(), &item.ident);
                    problems.push(format!("`{file}`: the derive of `{name}`: {error}"));
                }
            },
            Item::Const(item) => constants.add(file, &item.ident, &item.expr),
            Item::Static(item) => constants.add(file, &item.ident, &item.expr),
            Item::Impl(item) => {
                for item in &item.items {
                    if let ImplItem::Const(item) = item {
                        constants.add(file, &item.ident, &item.expr);
                    }
                }
            }
            Item::Mod(item) => {
                if let Some((_, inner)) = &item.content {
                    let name = item.ident.unraw().to_string();
                    let module = [module, &[name]].concat();
                    items(inner, file, &module, types, constants, problems);
                }
            }
            _ => {}
        }
    }
}

fn is_derived(item: &ItemStruct) -> bool {
    let is_derive = |attribute: &Attribute| {
        let Meta::List(list) = &attribute.meta else {
            return false;
        };
        let words = list.tokens.to_string();
        let mut words = words.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        list.path.is_ident("derive") && words.any(|it| it == "CustomResource")
    };
    item.attrs.iter().any(is_derive)
}

/// Reads `#[kube(…)]`.
fn derived(item: &ItemStruct, file: &Path, module: &[String]) -> Result<Derived, String> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for attribute in item.attrs.iter().filter(|it| it.path().is_ident("kube")) {
        let read = attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string);
            if meta.input.peek(syn::Token![=]) {
                let value: Expr = meta.value()?.parse()?;
                if let Expr::Lit(value) = value
                    && let (Lit::Str(text), Some(name)) = (value.lit, name)
                {
                    values.insert(name, text.value());
                }
            } else if meta.input.peek(syn::token::Paren) {
                let inner;
                syn::parenthesized!(inner in meta.input);
                let skip = |it: ParseStream<'_>| it.parse::<proc_macro2::TokenStream>();
                drop(skip(&inner)?);
            }
            Ok(())
        });
        read.map_err(|error| error.to_string())?;
    }
    let mut take = |name: &str| {
        let value = values.remove(name);
        value.ok_or_else(|| format!("`#[kube(…)]` has no `{name}`"))
    };
    let (group, version, kind) = (take("group")?, take("version")?, take("kind")?);
    Ok(Derived {
        group,
        version,
        root: values
            .remove("root")
            .or_else(|| values.remove("struct"))
            .unwrap_or_else(|| kind.clone()),
        kind,
        file: file.to_owned(),
        module: module.to_vec(),
    })
}

impl DerivedCrate {
    /// Returns a program that prints the CRDs, and the commands that run it.
    pub(crate) fn example(&self) -> String {
        let mut text = String::from("//! Prints the CRDs of this crate. JSON is YAML, too.\n");
        let mut types = String::new();
        for derived in &self.types {
            let path = if self.has_library {
                let name = self.name.replace('-', "_");
                [&[name][..], &derived.module].concat().join("::")
            } else {
                let module = derived.module.last().map_or("types", String::as_str);
                let line = format!(
                    "#[path = \"../{}\"]\nmod {module};\n",
                    derived.file.display()
                );
                if !text.contains(&line) {
                    text.push_str(&line);
                }
                module.to_owned()
            };
            _ = writeln!(types, "        {path}::{}::crd(),", derived.root);
        }
        _ = write!(
            text,
            "use kube::CustomResourceExt;\n\nfn main() -> serde_json::Result<()> {{\n    for crd in [\n{types}    ] {{\n        \
             println!(\"---\\n{{}}\", serde_json::to_string_pretty(&crd)?);\n    }}\n    Ok(())\n}}\n"
        );
        text
    }

    /// Returns what the new operator has in common with the crate. What is `given` takes precedence.
    pub(crate) fn takeover(&self, given: Takeover) -> Takeover {
        let found = || self.field_manager().map(ToOwned::to_owned);
        Takeover {
            field_manager: given.field_manager.clone().or_else(found),
            ..given
        }
    }

    /// Returns the field manager that is in more places than any other.
    fn field_manager(&self) -> Option<&str> {
        let most = self.field_managers.values().max();
        let mut names = self.field_managers.iter();
        let mut names = names.by_ref().filter(|(_, places)| Some(*places) == most);
        match (names.next(), names.next()) {
            (Some((only, _)), None) => Some(only),
            _ => None,
        }
    }

    /// Returns the finalizers by the names of CRDs, where a kind has one.
    pub(crate) fn finalizers(&self, model: &Model) -> BTreeMap<String, String> {
        let mut found: BTreeMap<String, BTreeSet<&String>> = BTreeMap::new();
        for (finalizer, kinds) in self.finalizers_by_kind(model) {
            for kind in kinds {
                found.entry(kind.crd_name()).or_default().insert(finalizer);
            }
        }
        let single = found.into_iter().filter(|(_, names)| names.len() == 1);
        single
            .filter_map(|(crd, names)| Some((crd, (*names.first()?).clone())))
            .collect()
    }

    /// Returns each finalizer with the kinds whose objects have it, as far as they are known.
    fn finalizers_by_kind<'a>(
        &'a self,
        model: &'a Model,
    ) -> impl Iterator<Item = (&'a String, Vec<&'a ir::Kind>)> {
        self.finalizers.iter().map(|(finalizer, roots)| {
            let is_of = |kind: &&ir::Kind| {
                let mut types = self.types.iter();
                types.any(|it| it.is(kind) && roots.contains(&it.root))
            };
            let is_derived = |kind: &&ir::Kind| self.types.iter().any(|it| it.is(kind));
            let mut kinds: Vec<&ir::Kind> = model.kinds.iter().filter(is_of).collect();
            if kinds.is_empty() {
                // If there is one kind, it can be no other.
                kinds = model.kinds.iter().filter(is_derived).collect();
                let crds: BTreeSet<String> = kinds.iter().map(|it| it.crd_name()).collect();
                if crds.len() != 1 {
                    kinds.clear();
                }
            }
            (finalizer, kinds)
        })
    }

    /// Returns the derived kinds that the CRDs lack, one a line. They may be those of another project, which the operator only uses.
    ///
    /// # Errors
    /// If the CRDs have none of the kinds.
    pub(crate) fn check(&self, model: &Model) -> Result<Vec<String>, String> {
        let missing = self.types.iter().filter(|it| it.find(model).is_none());
        let missing: Vec<String> = missing
            .map(|it| {
                format!(
                    "`{}`: no CRD of --file has {}/{}, kind {}",
                    it.file.display(),
                    it.group,
                    it.version,
                    it.kind
                )
            })
            .collect();
        if missing.len() < self.types.len() {
            Ok(missing)
        } else {
            Err(missing.join("\n"))
        }
    }
}

impl Derived {
    fn is(&self, kind: &ir::Kind) -> bool {
        kind.group == self.group && kind.kind == self.kind && kind.version == self.version
    }

    fn find<'a>(&self, model: &'a Model) -> Option<&'a ir::Kind> {
        model.kinds.iter().find(|kind| self.is(kind))
    }
}
