//! `records.rs` of a version: the field tables, uniform text with one line per field.
use std::fmt::Write;

use proc_macro2::Literal;
use serde_json::Value;

use super::code;
use crate::model::ir::{Body, Enum, EnumBase, Kind, Model, Module, Struct, TypeDef, Union};

/// The version of the API in `kube_codegen_record::private` that generated code uses.
const API: u32 = 2;

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
    out
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
