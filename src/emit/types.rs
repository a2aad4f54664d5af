//! `types.rs`, `aliases.rs` and `records.rs` of each version: the structs and enums, their other names, and how they are read and written.
use super::parts::doc::Others;
use super::parts::imports::{Import, Imports};
use super::parts::layout::{self, Members};
use super::parts::{aliases, doc, inline, records, rust, text};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{
    Body, Derives, Enum, EnumBase, Field, Kind, Model, Module, Rules, Struct, Ty, TypeDef, TypeId,
    Union,
};
use crate::options::Options;
use proc_macro2::Literal;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "types"
    }

    fn about(&self) -> &'static str {
        "the structs and enums of each kind, and how they are read and written"
    }

    fn emit<'m>(&self, model: &'m Model, _: &'m Options) -> Vec<OutFile<'m>> {
        model
            .modules
            .iter()
            .flat_map(|module| {
                let mut files = vec![
                    OutFile {
                        path: format!("{}/types.rs", module.path()),
                        contents: Contents::Rust(Box::new(move || types(model, module))),
                        exports: Exports::All,
                    },
                    OutFile {
                        path: format!("{}/records.rs", module.path()),
                        contents: Contents::Rust(Box::new(move || records::source(model, module))),
                        exports: Exports::Nothing,
                    },
                ];
                if model.aliases_of(module).next().is_some() {
                    files.push(OutFile {
                        path: format!("{}/aliases.rs", module.path()),
                        contents: Contents::Rust(Box::new(move || aliases::of(model, module))),
                        exports: Exports::All,
                    });
                }
                files
            })
            .collect()
    }
}

fn types(model: &Model, module: &Module) -> String {
    let mut imports = Imports::new(model, module);
    let mut items = String::new();
    let mut others: BTreeMap<TypeId, Others<'_>> = BTreeMap::new();
    for version in model.versions_of(module) {
        for id in model.aliases_of(version).filter_map(|(_, ty)| ty.named()) {
            let others = others.entry(model.types.definition(id)).or_default();
            if version == module {
                others.places += 1;
            } else {
                others.versions.insert(&version.version);
            }
        }
    }
    for id in model.types_of(module) {
        define(&mut items, model, id, others.get(&id), &mut imports);
    }
    let head = format!("The types of `{}`.", module.api_version());
    layout::file(&head, &imports.text(), &items)
}

fn define(
    out: &mut String,
    model: &Model,
    id: TypeId,
    others: Option<&Others<'_>>,
    imports: &mut Imports<'_>,
) {
    let def = &model.types[id];
    let kind = model.kind_of(id);
    let root = kind.filter(|kind| kind.root == id);
    let plain = Rules::default();
    let rules = root.map_or(&plain, |kind| &kind.rules);
    let docs = doc::of(def.doc.as_deref(), rules, None, || {
        doc::place(def, kind, others)
    });
    out.push('\n');
    doc::write(out, "", &docs);
    if let Some(root) = root {
        deprecated(out, root);
    }
    out.push_str(rust::acronym(&def.name));
    match &def.body {
        Body::Struct(body) => structure(out, model, def, body, imports),
        Body::Enum(body) => enumeration(out, def, body, imports),
        Body::Union(body) => union(out, model, def, body, imports),
        // No kind reaches one.
        Body::Alias(_) => {}
    }
}

fn deprecated(out: &mut String, kind: &Kind) {
    match kind.deprecated.as_deref() {
        None => {}
        Some("") => out.push_str("#[deprecated]\n"),
        Some(warning) => {
            // rustdoc takes the note for Markdown.
            let warning = text::clean(warning);
            let words = inline::words(&warning);
            let safe = text::wrap(&words, "", "").join(" ");
            let note = format!("note = {}", Literal::string(&safe));
            out.push_str(&layout::attribute("deprecated", &note));
        }
    }
}

fn structure(
    out: &mut String,
    model: &Model,
    def: &TypeDef,
    body: &Struct,
    imports: &mut Imports<'_>,
) {
    derive(out, &def.derives, false, &[]);
    let mut members = Members::open(out, &format!("pub struct {}", def.name));
    for field in &body.fields {
        let docs = doc::of(
            field.doc.as_deref(),
            &field.rules,
            field.default.as_ref(),
            || undescribed(field),
        );
        let allow = rust::is_involved(field).then_some("#[allow(clippy::type_complexity)]");
        let mut ty = String::new();
        rust::field(&mut ty, field, &model.types, imports);
        members.add(&docs, allow, &layout::field(&field.ident, &ty));
    }
    if body.rest {
        let map = imports.name(Import::BTreeMap);
        let json = imports.name(Import::Value);
        let ty = format!("{map}<String, {json}>");
        let docs = ["All other fields, as they are.".to_owned()];
        members.add(&docs, None, &layout::field(&body.rest_ident, &ty));
    }
    members.close();
}

/// What there is to say of a field that nothing describes.
fn undescribed(field: &Field) -> Vec<String> {
    if field.ty == Ty::ObjectMeta {
        vec!["Standard object metadata.".to_owned()]
    } else {
        Vec::new()
    }
}

/// A value as a reader of Rust would write it.
fn written(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn enumeration(out: &mut String, def: &TypeDef, body: &Enum, imports: &mut Imports<'_>) {
    let (more, other): (&[&str], _) = match body.base {
        EnumBase::Text => (&["Hash", "PartialOrd", "Ord"], "String"),
        EnumBase::Int(width) => (&["Hash", "PartialOrd", "Ord"], rust::int(width)),
        EnumBase::Mixed => (&["Hash"], imports.name(Import::Value)),
    };
    let copy = matches!(body.base, EnumBase::Int(_));
    derive(out, &def.derives, copy, more);
    let mut members = Members::open(out, &format!("pub enum {}", def.name));
    for (index, variant) in body.variants.iter().enumerate() {
        let default = (body.default == Some(index)).then_some("#[default]");
        // A variant that is not spelled as its value says what it stands for.
        let docs = (variant.value != variant.ident.as_str())
            .then(|| inline::span(&written(&variant.value)));
        let docs: Vec<String> = docs.into_iter().collect();
        members.add(&docs, default, &format!("    {},\n", variant.ident));
    }
    let docs = ["A value that the schema does not declare, as it is.".to_owned()];
    members.add(
        &docs,
        None,
        &format!("    {}({other}),\n", body.other_ident),
    );
    members.close();
}

fn union(out: &mut String, model: &Model, def: &TypeDef, body: &Union, imports: &mut Imports<'_>) {
    derive(out, &def.derives, false, &[]);
    let mut members = Members::open(out, &format!("pub enum {}", def.name));
    for arm in &body.arms {
        let mut line = format!("    {}(", arm.ident);
        rust::text(&mut line, &arm.ty, &model.types, imports);
        line.push_str("),\n");
        members.add(&[], None, &line);
    }
    let docs = ["A value of no type that the schema declares, as it is.".to_owned()];
    let json = imports.name(Import::Value);
    members.add(&docs, None, &format!("    {}({json}),\n", body.other_ident));
    members.close();
}

fn derive(out: &mut String, derives: &Derives, copy: bool, more: &[&str]) {
    let mut names = vec!["Clone"];
    names.extend(copy.then_some("Copy"));
    names.push("Debug");
    names.extend(derives.default.then_some("Default"));
    names.push("PartialEq");
    names.extend(derives.eq.then_some("Eq"));
    names.extend(more);
    _ = writeln!(out, "#[derive({})]", names.join(", "));
    // The overrides pass let only paths through.
    let chosen: Vec<&str> = derives.more.iter().map(String::as_str).collect();
    if !chosen.is_empty() {
        _ = writeln!(out, "#[derive({})]", chosen.join(", "));
    }
}
