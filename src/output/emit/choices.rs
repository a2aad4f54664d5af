//! Views of the fields of which at most one is set, and functions that set one, below the type that has the fields.
use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{TokenStreamExt, quote};

use super::parts::{
    code, docs,
    imports::{Borrowed, Imports, Parameter, parameter},
};
use crate::model::ir::{
    Body, Choice, EnumBase, Field, Ident, Member, Model, Module, Presence, Struct, Ty, TypeDef,
    TypeId,
};

/// Shows the views of a type under the name of a location that is an alias of it.
pub(super) fn renamed(model: &Model, module: &Module, id: TypeId) -> TokenStream {
    let definition = model.types.definition(id);
    let def = &model.types[definition];
    let (path, views) = match model.module_of(definition).filter(|it| *it != module) {
        Some(other) => {
            let version = &other.names().version;
            (quote!(super::super::#version), &*def.views)
        }
        None if def.shared.is_some() => (quote!(super::shared), def.defined_views()),
        None => (quote!(self), def.defined_views()),
    };
    let names = views.iter().zip(&model.types[id].views);
    let names = names.map(|(view, name)| {
        if view == name {
            quote!(pub use #path::#view;)
        } else {
            quote!(pub use #path::#view as #name;)
        }
    });
    names.collect()
}

/// Defines the views of a type, and its functions.
pub(super) fn define(model: &Model, id: TypeId, imports: &mut Imports<'_>) -> TokenStream {
    let def = &model.types[id];
    let Body::Struct(body) = &def.body else {
        return TokenStream::new();
    };
    if body.choices.is_empty() {
        return TokenStream::new();
    }
    let name = imports.defined_name(id);
    let mut views = TokenStream::new();
    let mut methods = TokenStream::new();
    let mut constructed: Vec<&Ident> = Vec::new();
    for (choice, view) in body.choices.iter().zip(def.defined_views()) {
        let members: Vec<(&Member, &Field)> = choice
            .members
            .iter()
            .filter_map(|member| Some((member, field(body, &member.wire)?)))
            .collect();
        views.append_all(enumeration(def, choice, view, &members, imports));
        methods.append_all(method(choice, view, &members, imports));
        for (member, field) in members {
            let Some(constructor) = &member.constructor else {
                continue;
            };
            if !constructed.contains(&constructor) {
                constructed.push(constructor);
                methods.append_all(construct(model, body, member, field, imports));
            }
        }
    }
    quote! {
        #views

        impl #name {
            #methods
        }
    }
}

fn field<'m>(body: &'m Struct, wire: &str) -> Option<&'m Field> {
    body.fields.iter().find(|field| field.wire == wire)
}

fn enumeration(
    def: &TypeDef,
    choice: &Choice,
    view: &Ident,
    members: &[(&Member, &Field)],
    imports: &mut Imports<'_>,
) -> TokenStream {
    let said = if choice.is_required {
        "exactly one"
    } else {
        "one at most"
    };
    let docs = code::docs(&[
        format!("The field of [`{}`] that is set.", def.defined_name()),
        String::new(),
        format!("The schema permits {said}."),
    ]);
    let variants = members.iter().map(|(member, field)| {
        let docs = code::doc(&docs::span(&member.wire));
        let variant = member.variant();
        let ty = match imports.borrowed(field) {
            Borrowed::Copy(ty) | Borrowed::Reference(ty) => ty,
        };
        quote! {
            #docs
            #variant(#ty),
        }
    });
    let variants: TokenStream = variants.collect();
    let lifetime = borrows(members, imports).then(|| quote!(<'a>));
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum #view #lifetime {
            #variants
            /// None of them is set.
            None,
            /// Several are set: these, by their names on the wire. The API server rejects such an object.
            Several(Vec<&'static str>),
        }
    }
}

/// Returns whether a view has a reference. One of copies alone has no lifetime: rustc rejects a parameter that nothing uses.
fn borrows(members: &[(&Member, &Field)], imports: &mut Imports<'_>) -> bool {
    let mut members = members.iter();
    members.any(|(_, field)| matches!(imports.borrowed(field), Borrowed::Reference(_)))
}

fn method(
    choice: &Choice,
    view: &Ident,
    members: &[(&Member, &Field)],
    imports: &mut Imports<'_>,
) -> TokenStream {
    let method = choice.method();
    let docs = code::doc(&format!("The field that is set, as a [`{view}`]."));
    let names = members.iter().map(|(member, field)| {
        let (ident, wire) = (field.ident(), &member.wire);
        quote!(self.#ident.is_some().then_some(#wire))
    });
    let arms = members.iter().map(|(member, field)| {
        let (ident, variant) = (field.ident(), member.variant());
        let value = match imports.borrowed(field) {
            Borrowed::Copy(_) if field.boxed => quote!(**value),
            Borrowed::Copy(_) => quote!(*value),
            Borrowed::Reference(_) => quote!(value),
        };
        quote! {
            if let Some(value) = &self.#ident {
                #view::#variant(#value)
            } else
        }
    });
    let arms: Vec<TokenStream> = arms.collect();
    let lifetime = borrows(members, imports).then(|| quote!(<'_>));
    quote! {
        #docs
        #[inline]
        pub fn #method(&self) -> #view #lifetime {
            let set = [#(#names),*];
            if set.iter().flatten().count() > 1 {
                return #view::Several(set.iter().flatten().copied().collect());
            }
            #(#arms)* {
                #view::None
            }
        }
    }
}

/// Makes the function that creates a struct with one field of a choice, and with what the schema demands beside it.
fn construct(
    model: &Model,
    body: &Struct,
    member: &Member,
    field: &Field,
    imports: &mut Imports<'_>,
) -> TokenStream {
    // What the schema demands of required fields without a default goes to `new`, of others into the struct expression.
    let missing: Vec<&Field> = model.types.without_default(body).collect();
    let mut sets = Vec::new();
    let mut said = Vec::new();
    let mut decided: BTreeMap<&str, TokenStream> = BTreeMap::new();
    for (wire, text) in &member.sets {
        let Some(field) = self::field(body, wire) else {
            continue;
        };
        let Some(value) = text_of(model, field, text, imports) else {
            continue;
        };
        let ident = field.ident();
        match field.presence {
            Presence::Required if missing.iter().any(|it| it.wire == *wire) => {
                decided.insert(wire, value);
            }
            Presence::Required => sets.push(quote!(#ident: #value)),
            Presence::Optional => sets.push(quote!(#ident: Some(#value))),
            Presence::Nullable | Presence::OptionalNullable => continue,
        }
        said.push(format!("{} is {}", docs::span(wire), docs::span(text)));
    }
    let mut line = format!("Creates one with only {}", docs::span(&member.wire));
    if !said.is_empty() {
        line += "; the schema then demands that ";
        line += &said.join(", and that ");
    }
    let docs = code::doc(&(line + "."));
    let constructor = member.constructor.as_ref();
    let (ident, ty) = (field.ident(), imports.set(field));
    let value = if field.boxed {
        quote!(Box::new(value))
    } else {
        quote!(value)
    };
    let mut parameters = Vec::new();
    let mut arguments = Vec::new();
    for field in &missing {
        if let Some(value) = decided.remove(field.wire.as_str()) {
            arguments.push(value);
        } else {
            let Parameter { name, ty, .. } = parameter(field, &["value"], imports);
            parameters.push(quote!(#name: #ty));
            arguments.push(quote!(#name));
        }
    }
    // A struct whose every field is set has no others.
    let is_whole = body.fields.len() == 1 + sets.len() && body.rest.is_none();
    let others = match (is_whole, missing.as_slice()) {
        (true, _) => TokenStream::new(),
        (false, []) => quote!(..Self::default()),
        (false, _) => quote!(..Self::new(#(#arguments),*)),
    };
    quote! {
        #docs
        #[inline]
        pub fn #constructor(value: #ty #(, #parameters)*) -> Self {
            Self {
                #ident: Some(#value),
                #(#sets,)*
                #others
            }
        }
    }
}

/// Writes a text as a value of a field.
fn text_of(
    model: &Model,
    field: &Field,
    text: &str,
    imports: &mut Imports<'_>,
) -> Option<TokenStream> {
    if field.boxed {
        return None;
    }
    match &field.ty {
        ty if *ty == Ty::STR => Some(quote!(#text.to_owned())),
        Ty::Named(id) => {
            let Body::Enum(body) = &model.types[model.types.definition(*id)].body else {
                return None;
            };
            let mut variants = body.variants.iter();
            let variant = variants.find(|it| it.value == text)?.ident();
            let ty = imports.ty(&field.ty);
            (body.base == EnumBase::Text).then(|| quote!(#ty::#variant))
        }
        Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) | Ty::External(_) => None,
    }
}
