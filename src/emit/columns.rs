//! `columns.rs` of each version: what `kubectl get` shows of each kind.
use super::parts::{doc, rust};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Column, Kind, Model, Module};
use crate::options::Options;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

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

fn columns(model: &Model, module: &Module) -> TokenStream {
    let head = doc::inner(&format!("Printer columns of `{}`.", module.api_version()));
    let types = rust::use_roots(model, module);
    let any = model
        .kinds_of(module)
        .any(|kind| !kind.columns.is_empty());
    let runtime = if any {
        quote!(use kube_codegen_runtime::walk::{Column, ColumnType, Columns};)
    } else {
        quote!(use kube_codegen_runtime::walk::{Column, Columns};)
    };
    let kinds = model.kinds_of(module).map(|kind| of_kind(model, kind));
    quote!(#head #types #runtime #(#kinds)*)
}

fn of_kind(model: &Model, kind: &Kind) -> TokenStream {
    let ty = rust::ident(&model.types[kind.root].name);
    let columns = kind.columns.iter().map(column);
    quote! {
        impl Columns for #ty {
            const COLUMNS: &'static [Column] = &[#(#columns),*];
        }
    }
}

fn column(column: &Column) -> TokenStream {
    let Column {
        name,
        type_,
        format,
        description,
        priority,
        json_path,
    } = column;
    let type_ = Ident::new(
        match type_.as_str() {
            "integer" => "Integer",
            "number" => "Number",
            "boolean" => "Boolean",
            "date" => "Date",
            _ => "String",
        },
        Span::call_site(),
    );
    let format = option(format.as_deref());
    let description = option(description.as_deref());
    let priority = Literal::i32_unsuffixed(*priority);
    quote! {
        Column {
            name: #name,
            type_: ColumnType::#type_,
            format: #format,
            json_path: #json_path,
            priority: #priority,
            description: #description,
        }
    }
}

fn option(text: Option<&str>) -> TokenStream {
    text.map_or_else(|| quote!(None), |text| quote!(Some(#text)))
}
