//! `aliases.rs` of a version: the names that places of the schema give to types of other places, of other versions, and of others.
use super::imports::Imports;
use super::{doc, layout, rust, uses};
use crate::ir::{Model, Module, Ty, TypeId};
use std::collections::BTreeMap;

/// The file.
pub(crate) fn of(model: &Model, module: &Module) -> String {
    let mut aliases: Vec<(TypeId, &Ty)> = model.aliases_of(module).collect();
    aliases.sort_by_key(|(id, _)| &model.types[*id].name);
    let mut imports = Imports::new(model, module);
    let mut items = String::new();
    let mut same: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut has_local = false;
    for (id, ty) in aliases {
        let def = &model.types[id];
        let end = model.types.definition(id);
        let version = model.module_of(end).filter(|home| *home != module);
        let version = version.map(|home| format!("super::super::{}", home.version_ident));
        let mut text = String::new();
        match (ty, version) {
            (Ty::Named(_), Some(version)) if model.types[end].name == def.name => {
                same.entry(version).or_default().push(&def.name);
                continue;
            }
            (Ty::Named(of), Some(version)) if *of == end => {
                text = format!("{version}::{}", model.types[end].name);
            }
            (Ty::Named(of), version) => {
                has_local |= version.is_none();
                text.push_str(&model.types[*of].name);
            }
            (ty, _) => rust::text(&mut text, ty, &model.types, &mut imports),
        }
        items.push('\n');
        doc::write(&mut items, "", &doc::place(def, model.kind_of(id), None));
        items.push_str(rust::acronym(&def.name));
        items.push_str(&layout::alias(&def.name, &text));
    }
    let head = format!(
        "Names of places in the schemas of `{}` whose types are defined elsewhere.",
        module.api_version()
    );
    let local = if has_local {
        "use super::types::*;\n"
    } else {
        ""
    };
    let blocks = [local.to_owned() + &imports.text(), shared(same)];
    let blocks: Vec<String> = blocks.into_iter().filter(|it| !it.is_empty()).collect();
    layout::file(&head, &blocks.join("\n"), &items)
}

/// The types whose name is the same in the version that defines them.
fn shared(versions: BTreeMap<String, Vec<&str>>) -> String {
    let mut text = String::new();
    if !versions.is_empty() {
        text.push_str("// Equal in another version, which defines them.\n");
    }
    for (version, names) in versions {
        text.push_str(&uses::names_of(&format!("pub use {version}"), names));
    }
    text
}
