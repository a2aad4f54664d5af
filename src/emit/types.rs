//! `types.rs`, `aliases.rs` and `records.rs` of each version: the structs and enums, their other names, and how they are read and written.
use super::parts::imports::{Import, Imports};
use super::parts::{aliases, doc, inline, records, rust};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Body, Derives, Enum, EnumBase, Kind, Model, Module, Rules, Struct, TypeDef, TypeId};
use crate::options::Options;
use proc_macro2::TokenStream;
use quote::quote;

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
                        contents: Contents::Source(Box::new(move || {
                            records::source(model, module)
                        })),
                        exports: Exports::Nothing,
                    },
                ];
                if !model.aliases_of(module).is_empty() {
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

fn types(model: &Model, module: &Module) -> TokenStream {
    let head = doc::inner(&format!("The types of `{}`.", module.api_version()));
    let mut imports = Imports::default();
    let mut items = TokenStream::new();
    for id in model.types_of(module) {
        items.extend(define(model, id, &mut imports));
    }
    let imports = imports.lines();
    quote!(#head #imports #items)
}

fn define(model: &Model, id: TypeId, imports: &mut Imports) -> TokenStream {
    let def = &model.types[id];
    let kind = model.kind_of(id);
    let root = kind.filter(|kind| kind.root == id);
    let plain = Rules::default();
    let rules = root.map_or(&plain, |kind| &kind.rules);
    let doc = doc::of(def.doc.as_deref(), rules, None, || doc::place(def, kind));
    let deprecated = root.and_then(deprecated);
    let acronym = rust::acronym(&def.name);
    let attributes = quote!(#doc #deprecated #acronym);
    match &def.body {
        Body::Struct(body) => structure(model, def, body, &attributes, imports),
        Body::Enum(body) => enumeration(def, body, &attributes, imports),
        // No kind reaches one.
        Body::Alias(_) => TokenStream::new(),
    }
}

fn deprecated(kind: &Kind) -> Option<TokenStream> {
    let warning = kind.deprecated.as_ref()?;
    Some(if warning.is_empty() {
        quote!(#[deprecated])
    } else {
        quote!(#[deprecated(note = #warning)])
    })
}

fn structure(
    model: &Model,
    def: &TypeDef,
    body: &Struct,
    attributes: &TokenStream,
    imports: &mut Imports,
) -> TokenStream {
    let name = rust::ident(&def.name);
    let derive = derive(&def.derives, false, &[]);
    let fields = body.fields.iter().map(|field| {
        let doc = doc::of(
            field.doc.as_deref(),
            &field.rules,
            field.default.as_ref(),
            Vec::new,
        );
        let ident = rust::ident(&field.ident);
        let involved = rust::involved(field);
        let ty = rust::field(field, &model.types, imports);
        quote!(#doc #involved pub #ident: #ty)
    });
    let fields: Vec<_> = fields.collect();
    let rest = body.rest.then(|| {
        let map = imports.name(Import::BTreeMap);
        let ident = rust::ident(&body.rest_ident);
        let json = imports.name(Import::Value);
        let doc = doc::outer(&["All other fields, as they are."]);
        quote!(#doc pub #ident: #map<String, #json>,)
    });
    quote! {
        #attributes
        #derive
        pub struct #name {
            #(#fields,)*
            #rest
        }
    }
}

/// A value as a reader of Rust would write it.
fn written(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn enumeration(
    def: &TypeDef,
    body: &Enum,
    attributes: &TokenStream,
    imports: &mut Imports,
) -> TokenStream {
    let name = rust::ident(&def.name);
    let (more, other_ty): (&[&str], _) = match body.base {
        EnumBase::Text => (&["Hash", "PartialOrd", "Ord"], quote!(String)),
        EnumBase::Int(width) => (&["Hash", "PartialOrd", "Ord"], rust::int(width)),
        EnumBase::Mixed => (&["Hash"], imports.name(Import::Value)),
    };
    let copy = matches!(body.base, EnumBase::Int(_));
    let derive = derive(&def.derives, copy, more);
    let variants = body.variants.iter().enumerate().map(|(index, variant)| {
        let ident = rust::ident(&variant.ident);
        let default = (body.default == Some(index)).then(|| quote!(#[default]));
        // A variant that is not spelled as its value says what it stands for.
        let doc = (variant.value != variant.ident.as_str())
            .then(|| doc::outer(&[inline::span(&written(&variant.value))]));
        quote!(#doc #default #ident)
    });
    let variants: Vec<_> = variants.collect();
    let other = rust::ident(&body.other_ident);
    let doc = doc::outer(&["A value that the schema does not declare, as it is."]);
    quote! {
        #attributes
        #derive
        pub enum #name {
            #(#variants,)*
            #doc
            #other(#other_ty),
        }
    }
}

fn derive(derives: &Derives, copy: bool, more: &[&str]) -> TokenStream {
    let mut names = vec!["Clone"];
    names.extend(copy.then_some("Copy"));
    names.push("Debug");
    names.extend(derives.default.then_some("Default"));
    names.push("PartialEq");
    names.extend(derives.eq.then_some("Eq"));
    names.extend(more);
    let names = names.iter().map(|name| rust::ident(name));
    let chosen = derives.more.iter().map(|path| {
        // The overrides pass let only paths through.
        path.parse::<TokenStream>().unwrap_or_default()
    });
    let chosen: Vec<_> = chosen.collect();
    let chosen = (!chosen.is_empty()).then(|| quote!(#[derive(#(#chosen),*)]));
    quote!(#[derive(#(#names),*)] #chosen)
}
