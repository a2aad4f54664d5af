//! `types.rs` and `shared.rs` of each version: structs and enums, each with its table below it, and their other names. On request, `builders.rs`:
//! methods that set one field each.
//!
//! The file `shared.rs` is a module of its own, since its names are not public: which locations share a type changes with the CRD.
mod aliases;
mod builders;
mod tables;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{
    Chosen, Contents, Exports, OutFile, choices,
    parts::{
        code,
        docs::{self, Others},
        imports::{Imports, Parameter, parameter},
    },
};
use crate::{
    base::options::{Emitter, Options},
    model::ir::{
        Body, DefaultImpl, Derives, Enum, EnumBase, Field, Ident, Kind, Model, Module, Rules,
        Struct, Ty, TypeDef, TypeId, Union, Variant,
    },
};

pub(super) fn files<'m>(
    model: &'m Model,
    module: &'m Module,
    options: &Options,
    chosen: &Chosen,
) -> Vec<OutFile<'m>> {
    let with_choices = chosen.contains(&Emitter::Choices);
    let mut files = vec![OutFile {
        path: format!("{}/types.rs", module.path()),
        contents: Contents::rust(move || types(model, module, with_choices)),
        exports: Exports::All,
    }];
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
            contents: Contents::rust(move || shared(model, module, with_choices)),
            exports: Exports::Nothing,
        });
    }
    files
}

/// What the head of a file says about the tables.
fn about_tables() -> TokenStream {
    code::file_docs_of(&[
        "",
        "The table below each type implements serde's `Serialize` and `Deserialize` for it: `field`, or `field = \"name in JSON\"`.",
    ])
}

fn types(model: &Model, module: &Module, with_choices: bool) -> TokenStream {
    let docs = code::file_docs(&format!("The types of `{}`.", module.api_version()));
    let tables = about_tables();
    let others = others(model, module);
    let mut imports = Imports::within(model, module);
    let types = model.types_of(module).into_iter();
    let types: Vec<TokenStream> = types
        .filter(|id| model.types[*id].shared.is_none())
        .map(|id| define(model, id, others.get(&id), with_choices, &mut imports))
        .collect();
    let aliases = aliases::of(model, module, with_choices, &mut imports);
    // Interpolation would copy every token.
    let mut file = quote!(#docs #tables #imports);
    file.extend(types);
    file.extend(aliases);
    file
}

/// Returns whether a module has a type that several of its locations share.
fn has_shared(model: &Model, module: &Module) -> bool {
    let mut places = model.locations_of(module);
    places.any(|id| model.types[id].shared.is_some())
}

fn shared(model: &Model, module: &Module, with_choices: bool) -> TokenStream {
    let docs = code::file_docs(&format!(
        "Types of `{}` that several schema locations share.",
        module.api_version()
    ));
    let tables = about_tables();
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
            None => define(model, id, others.get(&id), with_choices, &mut imports),
        });
    let types: Vec<TokenStream> = types.collect();
    let mut file = quote!(#docs #tables #comment #imports);
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
    with_choices: bool,
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
    // The constructor of a kind takes its name, too.
    let mut new = None;
    let (item, default) = match &def.body {
        Body::Struct(body) => {
            if root.is_none() {
                new = self::new(model, def, body, imports);
            }
            structure(def, body, imports)
        }
        Body::Enum(body) => enumeration(def, body, imports),
        Body::Union(body) => union(def, body, imports),
        // `types_of` returns no alias.
        Body::Alias(_) => Default::default(),
    };
    let mut tokens = docs;
    tokens.extend(deprecated);
    tokens.extend(allow);
    tokens.extend(item);
    tokens.extend(tables::of(def, root));
    tokens.extend(default);
    tokens.extend(new);
    if with_choices {
        tokens.extend(choices::define(model, id, imports));
    }
    tokens
}

fn deprecated(kind: &Kind) -> Option<TokenStream> {
    // rustdoc renders the note as Markdown.
    let warning = kind.deprecated.as_ref()?.warning.as_deref();
    let note = warning.map(docs::line).map(|note| quote!((note = #note)));
    Some(quote!(#[deprecated #note]))
}

fn structure(def: &TypeDef, body: &Struct, imports: &mut Imports<'_>) -> Item {
    let derive = derive(&def.derives, &[]);
    let name = def.defined_name();
    let default = (def.derives.default == DefaultImpl::Blank)
        .then(|| default(name, &quote!(kube_codegen_record::blank())));
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
    let item = quote! {
        #derive
        pub struct #name {
            #fields
            #rest
        }
    };
    (item, default)
}

/// A type, and its `Default` if it has one that it cannot derive: the table of the type is between them.
type Item = (TokenStream, Option<TokenStream>);

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
    let others = (!is_whole).then(|| quote!(..kube_codegen_record::blank()));
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

fn enumeration(def: &TypeDef, body: &Enum, imports: &mut Imports<'_>) -> Item {
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
    let item = quote! {
        #derive
        pub enum #name {
            #(#variants,)*
            /// A value not described by the schema, kept verbatim.
            #other_ident(#other),
        }
    };
    (item, None)
}

/// Makes a struct around a text; its table has the constants.
fn text(def: &TypeDef, body: &Enum, more: &[&str]) -> Item {
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
    let item = quote! {
        #docs
        #derive
        pub struct #name(pub std::borrow::Cow<'static, str>);
    };
    (item, default)
}

/// Writes a JSON value as Rust would.
fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn union(def: &TypeDef, body: &Union, imports: &mut Imports<'_>) -> Item {
    let derive = derive(&def.derives, &["Eq"]);
    let name = def.defined_name();
    let arms = body.arms.iter().map(|arm| {
        let (ident, ty) = (&arm.ident, imports.ty(&arm.ty));
        quote!(#ident(#ty),)
    });
    let arms: TokenStream = arms.collect();
    let other_ident = &body.other;
    let json = imports.ty(&Ty::JSON);
    let item = quote! {
        #derive
        pub enum #name {
            #arms
            /// A value of a type not described by the schema, kept verbatim.
            #other_ident(#json),
        }
    };
    (item, None)
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
