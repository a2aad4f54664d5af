//! `columns.rs` of each version: what `kubectl get` shows of each kind.
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{
    Exports, OutFile,
    parts::{code, imports::Imports},
};
use crate::model::ir::{Column, Model, Module};

pub(super) fn emit(model: &Model) -> Vec<OutFile<'_>> {
    OutFile::of_versions(model, "columns.rs", |_| Exports::Nothing, columns)
}

fn columns(model: &Model, module: &Module) -> TokenStream {
    let docs = code::file_docs(&format!("Printer columns of `{}`.", module.api_version()));
    let mut imports = Imports::beside(model, module);
    let mut kinds = model.kinds_of(module);
    let column_type = kinds
        .any(|kind| !kind.columns.is_empty())
        .then(|| quote!(ColumnType,));
    let kinds = model.kinds_of(module).map(|kind| {
        let ty = imports.root(kind);
        let columns = kind.columns.iter().map(column);
        quote! {
            impl Columns for #ty {
                const COLUMNS: &'static [Column] = &[#(#columns),*];
            }
        }
    });
    let columns: TokenStream = kinds.collect();
    quote! {
        #docs
        #imports
        use kube_codegen_record::walk::{Column, #column_type Columns};

        #columns
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
    let type_ = format_ident!(
        "{}",
        match type_.as_str() {
            "integer" => "Integer",
            "number" => "Number",
            "boolean" => "Boolean",
            "date" => "Date",
            _ => "String",
        }
    );
    let priority = Literal::i32_unsuffixed(*priority);
    let format = option(format.as_deref());
    let description = option(description.as_deref());
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

fn option(value: Option<&str>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}
