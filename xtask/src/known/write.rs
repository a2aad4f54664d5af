//! The types that all versions agree upon come in, the text of the tables goes out; touches no disk.
use super::merge::is_record;
use super::types::{Field, Struct, Ty, Version};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Where the generator's table lies.
const TABLE: &str = "src/pass/known/table";
/// Where the runtime's list lies.
const LEAVES: &str = "runtime/src/record/k8s/leaves.rs";
const MADE: &str = "Made by `cargo xtask known-types` from the sources of k8s-openapi.";

/// All files: one of each group of the API, one that lists them, and the runtime's.
pub(super) fn files(types: &Version) -> Vec<(PathBuf, String)> {
    let mut modules: BTreeMap<&str, Vec<(&str, &Struct)>> = BTreeMap::new();
    for (path, body) in types {
        if let Some((module, name)) = path.rsplit_once("::") {
            modules.entry(module).or_default().push((name, body));
        }
    }
    let mut files = vec![
        (PathBuf::from(TABLE).join("mod.rs"), list(&modules)),
        (PathBuf::from(LEAVES), leaves(&modules)),
    ];
    files.extend(modules.iter().map(|(module, types)| {
        let file = format!("{TABLE}/{}.rs", file(module));
        (file.into(), table(module, types))
    }));
    files
}

/// `core_v1` of `api::core::v1`
fn file(module: &str) -> String {
    let mut steps: Vec<&str> = module.rsplit("::").take(2).collect();
    steps.reverse();
    steps.join("_")
}

/// `SECRET_KEY_SELECTOR` of `SecretKeySelector`
fn constant(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, c) in letters.iter().enumerate() {
        let after_small = at > 0 && !letters[at - 1].is_uppercase();
        let before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if at > 0 && c.is_uppercase() && (after_small || before_small) {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

fn list(modules: &BTreeMap<&str, Vec<(&str, &Struct)>>) -> String {
    let mut out = format!(
        "//! The types that may be reused, one file for each group of the API. {MADE}\nuse super::types::Type;\n\n"
    );
    for module in modules.keys() {
        _ = writeln!(out, "#[rustfmt::skip]\nmod {};", file(module));
    }
    out.push_str("\n/// All types, by group.\npub(super) static ALL: &[&[&Type]] = &[\n");
    for module in modules.keys() {
        _ = writeln!(out, "    {}::ALL,", file(module));
    }
    out.push_str("];\n");
    out
}

fn table(module: &str, types: &[(&str, &Struct)]) -> String {
    let mut out = format!("//! `{module}`. {MADE}\n");
    let text: String = types
        .iter()
        .map(|(name, body)| entry(module, name, body))
        .collect();
    let mut names: Vec<&str> = ["leaf", "may", "must", "record"]
        .into_iter()
        .filter(|name| text.contains(&format!("{name}(")))
        .collect();
    names.push("Type");
    _ = writeln!(out, "use super::super::types::{{{}}};", names.join(", "));
    let plain = [
        "Bool",
        "I32",
        "I64",
        "F64",
        "Str",
        "Bytes",
        "Time",
        "IntOrString",
        "Quantity",
        "Json",
        "Other",
        "List",
        "Map",
        "Struct",
    ];
    let plain: Vec<&str> = plain
        .into_iter()
        .filter(|name| {
            text.match_indices(name).any(|(at, _)| {
                let before = text[..at].ends_with(", ") || text[..at].ends_with('&');
                let after = text[at + name.len()..].starts_with([')', '(']);
                before && after
            })
        })
        .collect();
    _ = writeln!(
        out,
        "use super::super::types::Ty::{{{}}};",
        plain.join(", ")
    );
    out.push_str("\npub(super) static ALL: &[&Type] = &[\n");
    for (name, _) in types {
        _ = writeln!(out, "    &{},", constant(name));
    }
    out.push_str("];\n");
    out + &text
}

fn entry(module: &str, name: &str, body: &Struct) -> String {
    let path = format!("k8s_openapi::{module}::{name}");
    let form = if is_record(&format!("{module}::{name}")) {
        "record"
    } else {
        "leaf"
    };
    let mut out = format!(
        "\npub(super) static {}: Type = {form}(\n    {path:?},\n    {:?},\n    {},\n    &[\n",
        constant(name),
        body.doc,
        body.default,
    );
    for (wire, field) in &body.fields {
        _ = writeln!(out, "        {},", self::field(wire, field));
    }
    out.push_str("    ],\n);\n");
    out
}

fn field(wire: &str, field: &Field) -> String {
    let presence = if field.required { "must" } else { "may" };
    // What is said of a field tells what it holds, where that is a struct.
    let doc = if field.ty.holds().is_some() {
        format!(".said({:?})", field.doc)
    } else {
        String::new()
    };
    format!("{presence}({wire:?}, {}){doc}", ty(&field.ty))
}

fn ty(of: &Ty) -> String {
    match of {
        Ty::Plain(name) => (*name).to_owned(),
        Ty::List(inner) => format!("List(&{})", ty(inner)),
        Ty::Map(inner) => format!("Map(&{})", ty(inner)),
        Ty::Struct(path) => {
            let (module, name) = path.rsplit_once("::").unwrap_or_default();
            format!("Struct(&super::{}::{})", file(module), constant(name))
        }
    }
}

fn leaves(modules: &BTreeMap<&str, Vec<(&str, &Struct)>>) -> String {
    let mut out = format!(
        "//! Types of `k8s-openapi` that generated types may hold, each as it reads and writes itself. {MADE}\n#![allow(\n    clippy::wildcard_imports,\n    reason = \"each module of this file is of one group of the API\"\n)]\n\nuse crate::leaves;\n"
    );
    for (module, types) in modules {
        let leaves: Vec<&str> = types
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| !is_record(&format!("{module}::{name}")))
            .collect();
        if leaves.is_empty() {
            continue;
        }
        _ = writeln!(
            out,
            "\nmod {} {{\n    use k8s_openapi::{module}::*;\n\n    super::leaves! {{",
            file(module)
        );
        for name in leaves {
            _ = writeln!(out, "        {name} = {name}::default(),");
        }
        out.push_str("    }\n}\n");
    }
    out
}
