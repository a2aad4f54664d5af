//! Printer columns of each kind in the `resource.rs` of its version: what `kubectl get` shows.
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::parts::imports::Imports;
use crate::model::ir::{Column, Model, Module};

/// Returns whether a kind of a version has columns.
pub(super) fn has(model: &Model, module: &Module) -> bool {
    let mut kinds = model.kinds_of(module);
    kinds.any(|kind| !kind.columns.is_empty())
}

pub(super) fn part(model: &Model, module: &Module, imports: &mut Imports<'_>) -> TokenStream {
    let [columns_trait, column_type, struct_] = ["Columns", "ColumnType", "Column"]
        .map(|name| imports.name(&format!("kube_codegen_record::walk::{name}")));
    let kinds = model.kinds_of(module).filter(|it| !it.columns.is_empty());
    let kinds = kinds.map(|kind| {
        let ty = imports.root(kind);
        let columns = kind.columns.iter();
        let columns = columns.map(|it| column(it, &struct_, &column_type));
        quote! {
            impl #columns_trait for #ty {
                const COLUMNS: &'static [#struct_] = &[#(#columns),*];
            }
        }
    });
    kinds.collect()
}

fn column(column: &Column, struct_: &Ident, column_type: &Ident) -> TokenStream {
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
    let format = format.as_ref().map(|it| quote!(.with_format(#it)));
    let priority = (*priority != 0).then(|| {
        let priority = Literal::i32_unsuffixed(*priority);
        quote!(.with_priority(#priority))
    });
    let description = description.as_ref();
    let description = description.map(|it| quote!(.with_description(#it)));
    quote! {
        #struct_::new(#name, #column_type::#type_, #json_path) #priority #format #description
    }
}
