//! The files that the emitters wrote come in, the `mod.rs` files that declare exactly these go out.
use super::super::{Contents, Exports, OutFile};
use super::{gate, layout, order, rust, uses};
use crate::ir::{Model, Module};
use crate::options::Options;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What generated modules are spared: an operator uses a part of them, and a CRD does not describe every field.
fn allowed(deprecated: bool) -> String {
    let deprecated = if deprecated { " deprecated," } else { "" };
    format!(
        "// A program uses a part of this, and the definition does not describe all of it.\n\
         #![allow(clippy::pedantic, missing_docs, unreachable_pub)]\n#![allow(dead_code,{deprecated} unused_imports)]\n"
    )
}

/// A folder: its modules and what it shows of them.
#[derive(Default)]
struct Folder(BTreeMap<String, Exports>);

/// What a folder is made for, if not for a whole tree.
#[derive(Clone, Copy)]
enum Of<'m> {
    Group(&'m str),
    Version(&'m Module),
}

/// The `mod.rs` of each folder.
pub(crate) fn declare<'m>(
    model: &'m Model,
    files: &[OutFile<'_>],
    options: &'m Options,
) -> Vec<OutFile<'m>> {
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    folders.entry(String::new()).or_default();
    for file in files {
        if file.exports == Exports::NoModule {
            continue;
        }
        let (folder, name) = split(&file.path);
        let name = name.trim_end_matches(".rs").to_owned();
        let modules = &mut folders.entry(folder.to_owned()).or_default().0;
        modules.insert(name, file.exports.clone());
        let mut above = folder;
        while !above.is_empty() {
            let (parent, name) = split(above);
            let modules = &mut folders.entry(parent.to_owned()).or_default().0;
            modules.insert(name.to_owned(), Exports::Module);
            above = parent;
        }
    }
    let known = known(model);
    folders
        .into_iter()
        .map(|(path, folder)| {
            let of = known.get(&path).copied();
            OutFile {
                path: if path.is_empty() {
                    "mod.rs".into()
                } else {
                    format!("{path}/mod.rs")
                },
                contents: Contents::Rust(Box::new(move || {
                    let gate = |out: &mut String, file: &str| {
                        gate::write(out, "", below(model, of, file), options);
                    };
                    module(model, of, &folder, gate)
                })),
                exports: Exports::NoModule,
            }
        })
        .collect()
}

/// The folders of groups and versions, by their path.
fn known(model: &Model) -> BTreeMap<String, Of<'_>> {
    let folders = model.modules.iter().flat_map(|module| {
        [
            (module.group_folder().to_owned(), Of::Group(&module.group)),
            (module.path(), Of::Version(module)),
        ]
    });
    folders.collect()
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The versions that need a folder in another one: those of a group, or one of them and those that have types of it.
fn below<'m>(
    model: &'m Model,
    of: Option<Of<'m>>,
    folder: &'m str,
) -> Box<dyn Iterator<Item = &'m Module> + 'm> {
    let modules = model.modules.iter();
    match of {
        None => Box::new(modules.filter(move |module| module.group_folder() == folder)),
        Some(Of::Group(group)) => {
            let is_version = move |it: &&Module| it.group == group && split(&it.path()).1 == folder;
            Box::new(modules.filter(is_version).flat_map(|it| model.users_of(it)))
        }
        Some(Of::Version(_)) => Box::new(std::iter::empty()),
    }
}

fn module(
    model: &Model,
    of: Option<Of<'_>>,
    folder: &Folder,
    gate: impl Fn(&mut String, &str),
) -> String {
    let mut modules: Vec<_> = folder.0.iter().collect();
    modules.sort_by(|a, b| order::version(a.0, b.0));
    let mut declared = String::new();
    let mut exported = String::new();
    for (file, exports) in modules {
        let name = rust::module(file);
        if *exports == Exports::Module {
            // The root is also included into a module of its user's, where no inner attribute may stand.
            gate(&mut declared, file);
            declared.push_str("pub ");
        }
        _ = writeln!(declared, "mod {name};");
        match exports {
            Exports::NoModule | Exports::Module | Exports::Nothing => {}
            Exports::All => _ = writeln!(exported, "pub use {name}::*;"),
            Exports::Names(names) => {
                let names = names.iter().map(String::as_str).collect();
                exported.push_str(&uses::names_of(&format!("pub use {name}"), names));
            }
        }
    }
    let blocks = [head(model, of), declared, exported];
    let blocks: Vec<&str> = blocks
        .iter()
        .map(|it| it.trim_end())
        .filter(|it| !it.is_empty())
        .collect();
    blocks.join("\n\n")
}

/// The first lines of a `mod.rs`: what it is, and the lints that do not judge it.
fn head(model: &Model, of: Option<Of<'_>>) -> String {
    match of {
        Some(Of::Version(module)) => {
            let mut kinds = model.kinds_of(module);
            let deprecated = kinds.any(|kind| kind.deprecated.is_some());
            let (version, group) = (&module.version, &module.group);
            let head = format!("Version `{version}` of the API group `{group}`.");
            let above = allowed(deprecated) + &kubernetes(module);
            layout::file(&head, &above, "")
        }
        Some(Of::Group(group)) => layout::file(&format!("The API group `{group}`."), "", ""),
        None => String::new(),
    }
}

/// What keeps code from being built for a Kubernetes whose types have less than the schemas say: fields would be lost.
fn kubernetes(module: &Module) -> String {
    let oldest = module.kubernetes;
    let Some(before) = oldest.before() else {
        return String::new();
    };
    let version = before.as_str().replace('.', "_");
    let message = format!(
        "`{}` holds what k8s-openapi has for Kubernetes {oldest} and newer only: enable its feature `{}` or a newer one, or \
         generate this code for an older Kubernetes (`--kubernetes`)",
        module.api_version(),
        oldest.feature(),
    );
    format!("\nk8s_openapi::k8s_if_le_{version}! {{\n    compile_error!({message:?});\n}}\n")
}

/// The inner attributes of a file at the root.
pub(crate) fn spared() -> String {
    allowed(false)
}
