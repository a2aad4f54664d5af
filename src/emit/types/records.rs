//! `records.rs` of a version: the field tables, uniform text with one line per field.
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use proc_macro2::Literal;
use serde_json::Value;

use super::code;
use crate::ir::{
    Body, Enum, EnumBase, Kind, Model, Module, Presence, Scalar, Struct, Ty, TypeDef, TypeId, Union,
};

/// The version of the API in `kube_codegen_record::private` that generated code uses.
const API: u32 = 1;

/// Makes the file.
pub(super) fn of(model: &Model, module: &Module) -> String {
    let mut structs = String::new();
    let [mut texts, mut constants, mut ints, mut mixed, mut unions] = [const { String::new() }; 5];
    for id in model.types_of(module) {
        let def = &model.types[id];
        match &def.body {
            Body::Struct(body) => {
                let root = model.kind_of(id).filter(|kind| kind.root == id);
                record(&mut structs, def, body, root, module);
            }
            Body::Enum(body) => match body.base {
                EnumBase::Text if body.constants => choices(&mut constants, def, body, ""),
                EnumBase::Text => choices(&mut texts, def, body, ""),
                EnumBase::Int(width) => {
                    choices(&mut ints, def, body, &format!(": {}", code::int(width)));
                }
                EnumBase::Mixed => choices(&mut mixed, def, body, ""),
            },
            Body::Union(body) => union(&mut unions, def, body),
            // `types_of` returns no alias.
            Body::Alias(_) => {}
        }
    }
    let shared = if super::has_shared(model, module) {
        "use super::shared::*;\n"
    } else {
        ""
    };
    let mut out = format!(
        "//! Field tables of `{}`: how its types are read and written, fields sorted by name.\n\n{shared}use super::types::*;\n\n\
         kube_codegen_record::private::generated_by!({API});\n",
        module.api_version()
    );
    for (name, tables) in [
        ("records", structs),
        ("text_enums", texts),
        ("text_constants", constants),
        ("int_enums", ints),
        ("mixed_enums", mixed),
        ("unions", unions),
    ] {
        if !tables.is_empty() {
            _ = write!(
                out,
                "\nkube_codegen_record::private::{name}! {{\n{tables}}}\n"
            );
        }
    }
    items(&mut out, model, module);
    out
}

/// Names the keys of the items of map lists (`x-kubernetes-list-type: map`), for server-side apply.
fn items(out: &mut String, model: &Model, module: &Module) {
    let types = model.types_of(module);
    let mut items: BTreeMap<TypeId, BTreeSet<&[String]>> = BTreeMap::new();
    for id in &types {
        let Body::Struct(body) = &model.types[*id].body else {
            continue;
        };
        for field in &body.fields {
            if let (Some("map"), Ty::List(item)) = (field.rules.list_type.as_deref(), &field.ty)
                && let Ty::Named(item) = &**item
            {
                let item = model.types.definition(*item);
                items
                    .entry(item)
                    .or_default()
                    .insert(&field.rules.list_map_keys);
            }
        }
    }
    let (mut tables, mut enums) = (String::new(), BTreeSet::new());
    for (id, keys) in items {
        // Lists with different keys can share the type of their items.
        let is_clear = keys.len() == 1 && types.contains(&id);
        let keys = keys.into_iter().next().filter(|_| is_clear);
        let keys = keys.and_then(|keys| keys_of(model, &types, id, keys, &mut enums));
        if let Some(keys) = keys {
            let name = model.types[id].defined_name();
            _ = writeln!(tables, "    {name} {{ {} }}", keys.join(", "));
        }
    }
    if !enums.is_empty() {
        let names: Vec<_> = enums.into_iter().collect();
        _ = write!(
            out,
            "\nkube_codegen_record::key_enums! {{ {} }}\n",
            names.join(", ")
        );
    }
    if !tables.is_empty() {
        _ = write!(out, "\nkube_codegen_record::map_items! {{\n{tables}}}\n");
    }
}

/// Returns the keys of an item with their types; `None` if one of them is not a field that can be a key.
fn keys_of(
    model: &Model,
    types: &[TypeId],
    item: TypeId,
    keys: &[String],
    enums: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    let Body::Struct(body) = &model.types[item].body else {
        return None;
    };
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for key in keys {
        let field = body.fields.iter().find(|field| field.wire == *key)?;
        let ty = match &field.ty {
            Ty::Scalar(Scalar::Str) => "String".to_owned(),
            Ty::Scalar(Scalar::Bool) => "bool".to_owned(),
            Ty::Scalar(Scalar::Int(width)) => code::int(*width).to_string(),
            Ty::Named(id) => {
                let id = model.types.definition(*id);
                let def = &model.types[id];
                if !types.contains(&id) || !matches!(def.body, Body::Enum(_)) {
                    return None;
                }
                used.insert(def.defined_name().to_string());
                def.defined_name().to_string()
            }
            _ => return None,
        };
        found.push(match field.presence {
            Presence::Required => format!("{}: {ty}", field.ident()),
            Presence::Optional => format!("{}: Option<{ty}>", field.ident()),
            Presence::Nullable | Presence::OptionalNullable => return None,
        });
    }
    enums.extend(used);
    Some(found)
}

fn record(out: &mut String, def: &TypeDef, body: &Struct, root: Option<&Kind>, module: &Module) {
    let mut entries: Vec<(&str, String)> = body
        .fields
        .iter()
        .map(|field| {
            let wire = Literal::string(&field.wire);
            // Input without metadata, as command line tools read it, is written without metadata.
            let unless = if root.is_some() && field.wire == "metadata" {
                " unless_blank"
            } else {
                ""
            };
            let entry = format!(" {} {wire}{unless}", field.ident());
            (field.wire.as_str(), entry)
        })
        .collect();
    if let Some(kind) = root {
        for (wire, text) in [("apiVersion", &module.api_version()), ("kind", &kind.kind)] {
            let text = Literal::string(text);
            entries.push((wire, format!(" = \"{wire}\": {text}")));
        }
    }
    entries.sort_by_key(|(wire, _)| *wire);
    _ = writeln!(out, "    {} {{", def.defined_name());
    for (index, (_, entry)) in entries.iter().enumerate() {
        _ = writeln!(out, "        {index}{entry},");
    }
    if let Some(rest) = &body.rest {
        _ = writeln!(out, "        .. {rest}");
    }
    out.push_str("    }\n");
}

fn union(out: &mut String, def: &TypeDef, body: &Union) {
    let arms: Vec<&str> = body.arms.iter().map(|arm| arm.ident.as_str()).collect();
    _ = writeln!(
        out,
        "    {} {{ {}, .. {} }}",
        def.defined_name(),
        arms.join(", "),
        body.other
    );
}

fn choices(out: &mut String, def: &TypeDef, body: &Enum, of: &str) {
    _ = writeln!(out, "    {}{of} {{", def.defined_name());
    for variant in &body.variants {
        let value = match &variant.value {
            Value::String(text) => Literal::string(text).to_string(),
            number if number.is_i64() && body.base == EnumBase::Mixed => format!("{number}_i64"),
            number if number.is_u64() && body.base == EnumBase::Mixed => format!("{number}_u64"),
            other => other.to_string(),
        };
        _ = writeln!(out, "        {} = {value},", variant.ident());
    }
    if !body.constants {
        _ = writeln!(out, "        .. {}", body.other);
    }
    out.push_str("    }\n");
}
