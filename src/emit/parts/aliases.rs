//! `aliases.rs` of a version: the names that places of the schema give to types of other places, and to types of others.
use super::imports::Imports;
use super::{doc, layout, rust};
use crate::ir::{Model, Module, Ty, TypeId};

/// The file.
pub(crate) fn of(model: &Model, module: &Module) -> String {
    let mut aliases: Vec<(TypeId, &Ty)> = model.aliases_of(module);
    aliases.sort_by_key(|(id, _)| &model.types[*id].name);
    let mut imports = Imports::new(model, module);
    let mut items = String::new();
    for (id, ty) in &aliases {
        let def = &model.types[*id];
        items.push('\n');
        doc::write(&mut items, "", &doc::place(def, model.kind_of(*id), 0));
        items.push_str(rust::acronym(&def.name));
        let mut text = String::new();
        rust::text(&mut text, ty, &model.types, &mut imports);
        items.push_str(&layout::alias(&def.name, &text));
    }
    let head = format!(
        "Names of places in the schemas of `{}` whose types are defined elsewhere.",
        module.api_version()
    );
    let is_local = |(_, ty): &(TypeId, &Ty)| ty.named().is_some();
    let mut uses = String::new();
    if aliases.iter().any(is_local) {
        uses.push_str("use super::types::*;\n");
    }
    uses.push_str(&imports.text());
    layout::file(&head, &uses, &items)
}
