//! `columns.rs` of each version: what `kubectl get` shows of each kind.
use super::parts::{layout, uses};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Column, Kind, Model, Module};
use crate::options::Options;
use proc_macro2::Literal;
use std::fmt::Write;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "columns"
    }

    fn about(&self) -> &'static str {
        "the printer columns of each kind, as kubectl shows them"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types"]
    }

    fn emit<'m>(&self, model: &'m Model, _: &'m Options) -> Vec<OutFile<'m>> {
        model
            .modules
            .iter()
            .map(|module| OutFile {
                path: format!("{}/columns.rs", module.path()),
                contents: Contents::Rust(Box::new(move || columns(model, module))),
                exports: Exports::Nothing,
            })
            .collect()
    }
}

fn columns(model: &Model, module: &Module) -> String {
    let head = format!("Printer columns of `{}`.", module.api_version());
    let mut uses = uses::roots(model, module);
    let mut kinds = model.kinds_of(module);
    uses.push_str(if kinds.any(|kind| !kind.columns.is_empty()) {
        "use kube_codegen_record::walk::{Column, ColumnType, Columns};\n"
    } else {
        "use kube_codegen_record::walk::{Column, Columns};\n"
    });
    let mut items = String::new();
    for kind in model.kinds_of(module) {
        of_kind(&mut items, model, kind);
    }
    layout::file(&head, &uses, &items)
}

fn of_kind(out: &mut String, model: &Model, kind: &Kind) {
    let ty = &model.types[kind.root].name;
    _ = write!(
        out,
        "\nimpl Columns for {ty} {{\n    const COLUMNS: &'static [Column] = &["
    );
    match kind.columns.as_slice() {
        [] => {}
        // The brackets of a single one stand with its braces.
        [one] => column(out, "    ", one),
        all => {
            out.push('\n');
            for each in all {
                out.push_str("        ");
                column(out, "        ", each);
                out.push_str(",\n");
            }
            out.push_str("    ");
        }
    }
    out.push_str("];\n}\n");
}

/// A column, its braces so many spaces from the margin.
fn column(out: &mut String, margin: &str, column: &Column) {
    let Column {
        name,
        type_,
        format,
        description,
        priority,
        json_path,
    } = column;
    let type_ = match type_.as_str() {
        "integer" => "Integer",
        "number" => "Number",
        "boolean" => "Boolean",
        "date" => "Date",
        _ => "String",
    };
    let inner = format!("{margin}{}", layout::MARGIN);
    out.push_str("Column {\n");
    layout::assigned(out, &inner, "name:", &text(name), ",");
    _ = writeln!(out, "{inner}type_: ColumnType::{type_},");
    option(out, &inner, "format", format.as_deref());
    layout::assigned(out, &inner, "json_path:", &text(json_path), ",");
    _ = writeln!(out, "{inner}priority: {priority},");
    option(out, &inner, "description", description.as_deref());
    out.push_str(margin);
    out.push('}');
}

fn text(text: &str) -> String {
    Literal::string(text).to_string()
}

fn option(out: &mut String, margin: &str, field: &str, value: Option<&str>) {
    match value {
        None => _ = writeln!(out, "{margin}{field}: None,"),
        Some(value) => layout::passed(out, margin, field, "Some", &text(value)),
    }
}
