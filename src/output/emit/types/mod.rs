//! `types.rs`, `shared.rs`, `aliases.rs` and `records.rs` of each version: structs, enums, their other names and their field tables. On request,
//! `builders.rs`: methods that set one field each.
mod aliases;
mod builders;
mod records;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{
    Contents, Exports, OutFile,
    parts::{
        code,
        docs::{self, Others},
        imports::{Imports, Parameter, parameter},
    },
};
use crate::base::options::Options;
use crate::model::ir::{
    Body, DefaultImpl, Derives, Enum, EnumBase, Field, Ident, Kind, Model, Module, Rules, Struct,
    Ty, TypeDef, TypeId, Union, Variant,
};

pub(super) fn emit<'m>(model: &'m Model, options: &Options) -> Vec<OutFile<'m>> {
    let mut files = Vec::new();
    for module in &model.modules {
        files.push(OutFile {
            path: format!("{}/types.rs", module.path()),
            contents: Contents::rust(move || types(model, module)),
            exports: Exports::All,
        });
        files.push(OutFile {
            path: format!("{}/records.rs", module.path()),
            contents: Contents::Table(Box::new(move || records::of(model, module))),
            exports: Exports::Nothing,
        });
        if options.builders {
            files.push(OutFile {
                path: format!("{}/builders.rs", module.path()),
                contents: Contents::rust(move || builders::of(model, module)),
                exports: Exports::Nothing,
            });
        }
        if has_shared(model, module) {
            files.push(OutFile {
                path: format!("{}/shared.rs", module.path()),
                contents: Contents::rust(move || shared(model, module)),
                exports: Exports::Nothing,
            });
        }
        if model
            .locations_of(module)
            .any(|id| model.types[id].is_alias())
        {
            files.push(OutFile {
                path: format!("{}/aliases.rs", module.path()),
                contents: Contents::rust(move || aliases::of(model, module)),
                exports: Exports::All,
            });
        }
    }
    files
}

fn types(model: &Model, module: &Module) -> TokenStream {
    let docs = code::file_docs(&format!("The types of `{}`.", module.api_version()));
    let others = others(model, module);
    let mut imports = Imports::within(model, module);
    let types = model.types_of(module).into_iter();
    let types: Vec<TokenStream> = types
        .filter(|id| model.types[*id].shared.is_none())
        .map(|id| define(model, id, others.get(&id), &mut imports))
        .collect();
    // Interpolation would copy every token.
    let mut file = quote!(#docs #imports);
    file.extend(types);
    file
}

/// Returns whether a module has a type that several of its locations share.
fn has_shared(model: &Model, module: &Module) -> bool {
    let mut places = model.locations_of(module);
    places.any(|id| model.types[id].shared.is_some())
}

fn shared(model: &Model, module: &Module) -> TokenStream {
    let docs = code::file_docs(&format!(
        "Types of `{}` that several schema locations share.",
        module.api_version()
    ));
    let comment = quote!(#[comment = " Private: which locations share a type changes with the CRD, the names of the locations do not."]);
    let others = others(model, module);
    let mut imports = Imports::shared(model, module);
    let mut places: Vec<TypeId> = model.locations_of(module).collect();
    places.retain(|id| model.types[*id].shared.is_some());
    places.sort_by_key(|id| model.types[*id].defined_name());
    let types = places
        .into_iter()
        .map(|id| match aliases::elsewhere(model, module, id) {
            Some((version, name)) => {
                let shared = model.types[id].defined_name();
                quote!(pub use super::super::#version::#name as #shared;)
            }
            None => define(model, id, others.get(&id), &mut imports),
        });
    let types: Vec<TokenStream> = types.collect();
    let mut file = quote!(#docs #comment #imports);
    file.extend(types);
    file
}

/// Counts the aliases of each type, in its own version and in others.
fn others<'m>(model: &'m Model, module: &'m Module) -> BTreeMap<TypeId, Others<'m>> {
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
    others
}

fn define(
    model: &Model,
    id: TypeId,
    others: Option<&Others<'_>>,
    imports: &mut Imports<'_>,
) -> TokenStream {
    let def = &model.types[id];
    let kind = model.kind_of(id);
    let root = kind.filter(|kind| kind.root == id);
    let no_rules = Rules::default();
    let rules = root.map_or(&no_rules, |kind| &kind.rules);
    let docs = docs::of(def.doc.as_deref(), rules, None, || {
        docs::place(def, kind, others)
    });
    let docs = code::docs(&docs);
    let deprecated = root.and_then(deprecated);
    let allow = code::allow_acronym(def.defined_name());
    let item = match &def.body {
        Body::Struct(body) => {
            let item = structure(def, body, imports);
            // The constructor of a kind takes its name, too.
            let new = root.is_none().then(|| new(model, def, body, imports));
            quote!(#item #new)
        }
        Body::Enum(body) => enumeration(def, body, imports),
        Body::Union(body) => union(def, body, imports),
        // `types_of` returns no alias.
        Body::Alias(_) => TokenStream::new(),
    };
    let mut tokens = docs;
    tokens.extend(deprecated);
    tokens.extend(allow);
    tokens.extend(item);
    tokens
}

fn deprecated(kind: &Kind) -> Option<TokenStream> {
    // rustdoc renders the note as Markdown.
    let warning = kind.deprecated.as_ref()?.warning.as_deref();
    let note = warning.map(docs::line).map(|note| quote!((note = #note)));
    Some(quote!(#[deprecated #note]))
}

fn structure(def: &TypeDef, body: &Struct, imports: &mut Imports<'_>) -> TokenStream {
    let derive = derive(&def.derives, &[]);
    let name = def.defined_name();
    let default = (def.derives.default == DefaultImpl::Blank)
        .then(|| default(name, &quote!(kube_codegen_record::private::Value::blank())));
    let fields = body.fields.iter().map(|field| {
        let docs = docs::of(
            field.doc.as_deref(),
            &field.rules,
            field.default.as_ref(),
            || undescribed(field),
        );
        let docs = code::docs(&docs);
        let allow = code::allow_complexity(field);
        let (ident, ty) = (field.ident(), imports.field(field));
        let mut tokens = docs;
        tokens.extend(quote!(#allow pub #ident: #ty,));
        tokens
    });
    let fields: TokenStream = fields.collect();
    let rest = body.rest.as_ref().map(|ident| {
        let ty = imports.ty(&Ty::Map(Box::new(Ty::JSON)));
        quote! {
            /// All other fields, kept verbatim.
            pub #ident: #ty,
        }
    });
    quote! {
        #derive
        pub struct #name {
            #fields
            #rest
        }

        #default
    }
}

/// Makes the constructor of a struct that has no `Default`: it takes the values that have none.
fn new(
    model: &Model,
    def: &TypeDef,
    body: &Struct,
    imports: &mut Imports<'_>,
) -> Option<TokenStream> {
    if def.derives.default != DefaultImpl::Missing {
        return None;
    }
    let name = def.defined_name();
    let docs = code::doc(&format!(
        "Creates one with only the required fields that have no default. `..{name}::new(…)` completes a struct expression."
    ));
    let given: Vec<&Field> = model.types.without_default(body).collect();
    let (parameters, fields): (Vec<_>, Vec<_>) = given
        .iter()
        .map(|field| {
            let Parameter { name, ty, field } = parameter(field, &[], imports);
            (quote!(#name: #ty), field)
        })
        .unzip();
    // A struct whose every field is set has no others.
    let is_whole = body.fields.len() == given.len() && body.rest.is_none();
    let others = (!is_whole).then(|| quote!(..kube_codegen_record::private::Value::blank()));
    Some(quote! {
        impl #name {
            #docs
            pub fn new(#(#parameters),*) -> Self {
                Self {
                    #(#fields,)*
                    #others
                }
            }
        }
    })
}

/// Implements `Default` for a type that cannot derive it.
fn default(name: &Ident, value: &TokenStream) -> TokenStream {
    quote! {
        impl Default for #name {
            fn default() -> Self {
                #value
            }
        }
    }
}

/// Describes a field that the schema does not describe, where its type says enough.
fn undescribed(field: &Field) -> Vec<String> {
    if field.ty == Ty::OBJECT_META {
        vec!["Standard object metadata.".to_owned()]
    } else {
        Vec::new()
    }
}

fn enumeration(def: &TypeDef, body: &Enum, imports: &mut Imports<'_>) -> TokenStream {
    let (more, other): (&[&str], Ty) = match body.base {
        EnumBase::Text => (&["Eq", "Hash", "PartialOrd", "Ord"], Ty::STR),
        EnumBase::Int(width) => (&["Copy", "Eq", "Hash", "PartialOrd", "Ord"], Ty::int(width)),
        EnumBase::Mixed => (&["Eq", "Hash"], Ty::JSON),
    };
    if body.constants {
        return text(def, body, more);
    }
    let derive = derive(&def.derives, more);
    let name = def.defined_name();
    // The default of the schema, or else the declared value that is empty.
    let default_variant = body.default.or(body.blank());
    let variants = body.variants.iter().enumerate().map(|(index, variant)| {
        // A variant that is not spelled as its value shows the value.
        let docs = (variant.value != variant.ident().as_str())
            .then(|| code::doc(&docs::span(&shown(&variant.value))));
        let default = (default_variant == Some(index)).then(|| quote!(#[default]));
        let ident = variant.ident();
        quote!(#docs #default #ident)
    });
    let other_ident = &body.other;
    let other = imports.ty(&other);
    quote! {
        #derive
        pub enum #name {
            #(#variants,)*
            /// A value not described by the schema, kept verbatim.
            #other_ident(#other),
        }
    }
}

/// Makes a struct around a text; `records.rs` has the constants.
fn text(def: &TypeDef, body: &Enum, more: &[&str]) -> TokenStream {
    let derives = Derives {
        default: DefaultImpl::Blank,
        ..def.derives.clone()
    };
    let derive = derive(&derives, more);
    let name = def.defined_name();
    let docs = code::docs(&[
        "",
        "The values that the schema declares are constants; any other text is kept verbatim.",
    ]);
    let blank = body.default.or(body.blank());
    let blank = blank.and_then(|index| body.variants.get(index));
    let default = blank
        .map(Variant::ident)
        .map(|ident| default(name, &quote!(Self::#ident)));
    quote! {
        #docs
        #derive
        pub struct #name(pub std::borrow::Cow<'static, str>);

        #default
    }
}

/// Writes a JSON value as Rust would.
fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn union(def: &TypeDef, body: &Union, imports: &mut Imports<'_>) -> TokenStream {
    let derive = derive(&def.derives, &["Eq"]);
    let name = def.defined_name();
    let arms = body.arms.iter().map(|arm| {
        let (ident, ty) = (&arm.ident, imports.ty(&arm.ty));
        quote!(#ident(#ty),)
    });
    let arms: TokenStream = arms.collect();
    let other_ident = &body.other;
    let json = imports.ty(&Ty::JSON);
    quote! {
        #derive
        pub enum #name {
            #arms
            /// A value of a type not described by the schema, kept verbatim.
            #other_ident(#json),
        }
    }
}

fn derive(derives: &Derives, more: &[&str]) -> TokenStream {
    let mut names = vec!["Clone", "Debug", "PartialEq"];
    names.extend((derives.default == DefaultImpl::Derived).then_some("Default"));
    names.extend(more);
    let order = [
        "Clone",
        "Copy",
        "Debug",
        "Default",
        "PartialEq",
        "Eq",
        "Hash",
        "PartialOrd",
        "Ord",
    ];
    names.sort_by_key(|name| order.iter().position(|it| it == name));
    let names = names.into_iter().map(|name| format_ident!("{name}"));
    let chosen: Vec<TokenStream> = derives.more.iter().map(|path| code::parsed(path)).collect();
    let chosen = (!chosen.is_empty()).then(|| quote!(#[derive(#(#chosen),*)]));
    quote! {
        #[derive(#(#names),*)]
        #chosen
    }
}
