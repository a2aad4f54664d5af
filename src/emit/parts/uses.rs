//! The `use` lines of files beside and above `types.rs`.
use super::{gate, layout, order};
use crate::ir::{Body, Model, Module, TypeDef, TypeId};
use crate::options::Options;
use std::fmt::Write;

/// That of the root types of a module, for a file beside `types.rs`.
pub(crate) fn roots(model: &Model, module: &Module) -> String {
    types(
        model,
        model.kinds_of(module).map(|kind| kind.root).collect(),
    )
}

/// That of types, for a file beside `types.rs`.
pub(crate) fn types<'m>(model: &'m Model, mut types: Vec<TypeId>) -> String {
    types.sort_unstable();
    types.dedup();
    let defs = types.iter().map(|id| &model.types[*id]);
    let (aliases, own): (Vec<_>, Vec<_>) = defs.partition(|def| matches!(def.body, Body::Alias(_)));
    let names = |defs: Vec<&'m TypeDef>| defs.into_iter().map(|def| def.name.as_str()).collect();
    names_of("use super::aliases", names(aliases)) + &names_of("use super::types", names(own))
}

/// That of names, which are put in order; none without names.
pub(crate) fn names_of(head: &str, mut names: Vec<&str>) -> String {
    if names.is_empty() {
        return String::new();
    }
    names.sort_by(|a, b| order::version(a, b));
    layout::import(head, &names)
}

/// Those of one name from each version's module, for a file at the root.
pub(crate) fn of_modules(
    model: &Model,
    options: &Options,
    name: impl Fn(&Module) -> &str,
) -> String {
    let mut modules: Vec<&Module> = model.modules.iter().collect();
    modules.sort_by(|a, b| {
        let groups = order::version(&a.group_ident, &b.group_ident);
        groups.then_with(|| order::version(&a.version_ident, &b.version_ident))
    });
    let mut out = String::new();
    for module in modules {
        gate::write(&mut out, "", [module], options);
        let (group, version) = (&module.group_ident, &module.version_ident);
        _ = writeln!(out, "use super::{group}::{version}::{};", name(module));
    }
    out
}
