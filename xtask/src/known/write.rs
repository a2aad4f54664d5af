//! The types that all versions agree upon come in, the text of the tables goes out; touches no disk.
use super::merge::is_record;
use super::types::{Field, Struct, Ty, Version};
use kube_codegen::Kubernetes;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Where the generator's table lies.
const TABLE: &str = "src/pass/known/table";
/// Where the runtime's list lies.
const LEAVES: &str = "crates/record/src/k8s/leaves.rs";
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
    let versions = Kubernetes::ALL.into_iter().skip(1);
    let versions: Vec<String> = versions
        .map(variant)
        .filter(|version| text.contains(version.as_str()))
        .collect();
    if !versions.is_empty() {
        _ = writeln!(
            out,
            "use crate::options::Kubernetes::{{{}}};",
            versions.join(", ")
        );
    }
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
        _ = writeln!(out, "        {},", self::field(wire, field, body.since));
    }
    let since = since(body.since);
    _ = writeln!(out, "    ],\n){since};");
    out
}

/// A field of a type that is there since a version as a `whole`.
fn field(wire: &str, field: &Field, whole: Kubernetes) -> String {
    let presence = if field.required { "must" } else { "may" };
    // What is said of a field tells what it holds, where that is a struct.
    let doc = if field.ty.holds().is_some() {
        format!(".said({:?})", field.doc)
    } else {
        String::new()
    };
    let since = if field.since == whole {
        String::new()
    } else {
        since(field.since)
    };
    let before = match field.required_before {
        Some(version) => format!(".required_before({})", variant(version)),
        None => String::new(),
    };
    format!(
        "{presence}({wire:?}, {}){doc}{since}{before}",
        ty(&field.ty)
    )
}

/// Told only where it is not the oldest.
fn since(version: Kubernetes) -> String {
    match version.before() {
        Some(_) => format!(".since({})", variant(version)),
        None => String::new(),
    }
}

/// `V1_34`
fn variant(version: Kubernetes) -> String {
    version.feature().to_uppercase()
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
        let mut leaves: BTreeMap<Kubernetes, Vec<&str>> = BTreeMap::new();
        for (name, body) in types {
            if !is_record(&format!("{module}::{name}")) {
                leaves.entry(body.since).or_default().push(name);
            }
        }
        let Some(first) = leaves.keys().next().copied() else {
            continue;
        };
        let mut text = format!(
            "mod {} {{\n    use k8s_openapi::{module}::*;\n",
            file(module)
        );
        for (since, names) in leaves {
            let names = names
                .iter()
                .map(|name| format!("    {name} = {name}::default(),\n"));
            let list = format!("super::leaves! {{\n{}}}\n", names.collect::<String>());
            let list = if since == first {
                list
            } else {
                only(since, &list)
            };
            text.push('\n');
            text.push_str(&indented(&list));
        }
        text.push_str("}\n");
        out.push('\n');
        out.push_str(&only(first, &text));
    }
    out
}

/// Items that are there from a version of Kubernetes on.
fn only(since: Kubernetes, items: &str) -> String {
    if since == Kubernetes::default() {
        return items.to_owned();
    }
    let version = since.as_str().replace('.', "_");
    let items = indented(items);
    format!("k8s_openapi::k8s_if_ge_{version}! {{\n{items}}}\n")
}

fn indented(lines: &str) -> String {
    let indent = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("    {line}\n"),
    };
    lines.lines().map(indent).collect()
}
