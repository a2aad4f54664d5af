//! Types as a file writes them, and the `use` items that their names need.
use std::collections::BTreeMap;

use foldhash::HashSet;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote};

use super::code::{self, ident};
use crate::model::ir::{self, Body, Field, Kind, Model, Module, Presence, Scalar, Ty, TypeId};

/// The names that a file imports.
pub(crate) struct Imports<'m> {
    model: &'m Model,
    /// The module that defines the types; none for `types.rs` itself.
    types: Option<&'static str>,
    /// Whether shared types refer to each other by the names under which they are defined.
    is_shared: bool,
    /// Names of the module's own types, which no import may take.
    own: HashSet<&'m str>,
    /// The path of the module that each name comes from.
    used: BTreeMap<String, String>,
}

impl<'m> Imports<'m> {
    /// Creates the imports of a file that has the types of a module in scope.
    pub(crate) fn within(model: &'m Model, module: &'m Module) -> Self {
        let places = model.locations_of(module).map(|id| &model.types[id]);
        let names = places.flat_map(|def| [Some(def.name()), def.shared.as_ref()]);
        Self {
            model,
            types: None,
            is_shared: false,
            own: names.flatten().map(ir::Ident::plain).collect(),
            used: BTreeMap::new(),
        }
    }

    /// Creates the imports of a file beside `types.rs`.
    pub(crate) fn beside(model: &'m Model, module: &'m Module) -> Self {
        Self {
            types: Some("super::types"),
            ..Self::within(model, module)
        }
    }

    /// Creates the imports of the file that defines the shared types of a module.
    pub(crate) fn shared(model: &'m Model, module: &'m Module) -> Self {
        Self {
            is_shared: true,
            ..Self::beside(model, module)
        }
    }

    /// Returns the name of a type of the module.
    pub(crate) fn own(&mut self, id: TypeId) -> Ident {
        let def = &self.model.types[id];
        if let Some(module) = self.types {
            self.add(module, def.name().plain());
        }
        def.name().into()
    }

    /// Returns the name of a kind's root type.
    pub(crate) fn root(&mut self, kind: &Kind) -> Ident {
        self.own(kind.root)
    }

    /// Returns the last name of a path, which is imported.
    pub(crate) fn name(&mut self, path: &str) -> Ident {
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        self.add(module, name);
        ident(name)
    }

    /// Writes the type of a field.
    pub(crate) fn field(&mut self, field: &Field) -> TokenStream {
        let mut ty = self.held(field);
        if matches!(
            field.presence,
            Presence::Nullable | Presence::OptionalNullable
        ) {
            let nullable = self.nullable();
            ty = quote!(#nullable<#ty>);
        }
        if field.presence.may_be_absent() {
            ty = quote!(Option<#ty>);
        }
        ty
    }

    /// Writes the type of a field that is present and not null.
    pub(crate) fn held(&mut self, field: &Field) -> TokenStream {
        let ty = self.ty(&field.ty);
        if field.boxed { quote!(Box<#ty>) } else { ty }
    }

    /// Writes the type of a field that is present, which may be null, without its `Box`.
    pub(crate) fn set(&mut self, field: &Field) -> TokenStream {
        let ty = self.ty(&field.ty);
        match field.presence {
            Presence::Required | Presence::Optional => ty,
            Presence::Nullable | Presence::OptionalNullable => {
                let nullable = self.nullable();
                let ty = if field.boxed { quote!(Box<#ty>) } else { ty };
                quote!(#nullable<#ty>)
            }
        }
    }

    /// Writes the type of a reference to a field that is present, for a view whose lifetime is `'a`: a scalar that is `Copy` by itself.
    pub(crate) fn borrowed(&mut self, field: &Field) -> Borrowed {
        let is_null = match field.presence {
            Presence::Required | Presence::Optional => false,
            Presence::Nullable | Presence::OptionalNullable => true,
        };
        if is_null {
            let ty = self.set(field);
            return Borrowed::Reference(quote!(&'a #ty));
        }
        let types = &self.model.types;
        let is_copy = match &field.ty {
            Ty::Scalar(scalar) => matches!(scalar, Scalar::Bool | Scalar::Int(_) | Scalar::Number),
            Ty::Named(id) => {
                matches!(&types[types.definition(*id)].body, Body::Enum(body) if body.is_copy())
            }
            Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) | Ty::External(_) => false,
        };
        let reference = match &field.ty {
            ty if is_copy => return Borrowed::Copy(self.ty(ty)),
            ty if *ty == Ty::STR => quote!(&'a str),
            Ty::List(inner) => {
                let inner = self.ty(inner);
                quote!(&'a [#inner])
            }
            ty => {
                let ty = self.ty(ty);
                quote!(&'a #ty)
            }
        };
        Borrowed::Reference(reference)
    }

    /// Returns the name under which a type is defined in the file's module.
    pub(crate) fn defined_name(&mut self, id: TypeId) -> TokenStream {
        self.ty(&Ty::Named(id))
    }

    /// Writes a type.
    pub(crate) fn ty(&mut self, ty: &Ty) -> TokenStream {
        let model = self.model;
        let name = match ty {
            Ty::Scalar(scalar) => self.scalar(*scalar),
            Ty::Named(id) => match model.types.reused(*id) {
                Some(reused) => return self.ty(reused),
                None if self.is_shared => return self.defined(*id),
                None => self.own(*id),
            },
            Ty::External(path) => return self.external(path),
            Ty::List(inner) => {
                let inner = self.ty(inner);
                return quote!(Vec<#inner>);
            }
            Ty::Map(inner) => {
                let map = self.name("std::collections::BTreeMap");
                let inner = self.ty(inner);
                return quote!(#map<String, #inner>);
            }
            Ty::Nullable(inner) => {
                let nullable = self.nullable();
                let inner = self.ty(inner);
                return quote!(#nullable<#inner>);
            }
        };
        name.into_token_stream()
    }

    /// Writes a type within a shared type: that of one of several locations has no other place to name.
    fn defined(&mut self, id: TypeId) -> TokenStream {
        let model = self.model;
        let first = match &model.types[id].body {
            Body::Alias(Ty::Named(to)) if model.group_version(*to) == model.group_version(id) => {
                *to
            }
            Body::Alias(_) | Body::Struct(_) | Body::Enum(_) | Body::Union(_) => id,
        };
        match &model.types[first].shared {
            Some(name) => name.to_token_stream(),
            None => self.own(first).into_token_stream(),
        }
    }

    fn scalar(&mut self, scalar: Scalar) -> Ident {
        let path = match scalar {
            Scalar::Bool => return ident("bool"),
            Scalar::Int(width) => return ident(code::int(width)),
            Scalar::Str => return ident("String"),
            Scalar::Number => "kube_codegen_record::Number",
            Scalar::Bytes => "k8s_openapi::ByteString",
            Scalar::Time => "kube_codegen_record::DateTime",
            Scalar::IntOrString => "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
            Scalar::Quantity => "k8s_openapi::apimachinery::pkg::api::resource::Quantity",
            Scalar::Json => "kube_codegen_record::serde_json::Value",
            Scalar::ObjectMeta => "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta",
        };
        self.name(path)
    }

    fn nullable(&mut self) -> Ident {
        self.name("kube_codegen_record::Nullable")
    }

    /// Imports a type of k8s-openapi unless its name is taken; any other type keeps its path.
    fn external(&mut self, path: &str) -> TokenStream {
        let is_free = |module: &str, name: &str| {
            let used = self.used.get(name);
            used.map_or(!self.own.contains(name), |other| other == module)
        };
        match path.rsplit_once("::") {
            Some((module, name))
                if module.starts_with("k8s_openapi::") && is_free(module, name) =>
            {
                self.name(path).into_token_stream()
            }
            _ => code::parsed(path),
        }
    }

    fn add(&mut self, module: &str, name: &str) {
        if !self.used.contains_key(name) {
            self.used.insert(name.to_owned(), module.to_owned());
        }
    }
}

impl ToTokens for Imports<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, module) in &self.used {
            modules.entry(module).or_default().push(name);
        }
        // The nearest modules first.
        let (near, far): (Vec<_>, Vec<_>) = modules
            .into_iter()
            .partition(|(module, _)| module.starts_with("super"));
        for (module, names) in near.into_iter().chain(far) {
            tokens.append_all(import(&quote!(use), &code::parsed(module), &names));
        }
    }
}

/// How a view refers to a field.
pub(crate) enum Borrowed {
    /// By its value.
    Copy(TokenStream),
    /// By a reference of the lifetime `'a`.
    Reference(TokenStream),
}

/// The parameter of a constructor that is the value of a field.
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: ir::Ident,
    /// Its type.
    pub(crate) ty: TokenStream,
    /// The field, as a struct expression has it.
    pub(crate) field: TokenStream,
}

/// Makes the parameter of a field, for a constructor that has the other parameters, too.
pub(crate) fn parameter(field: &Field, others: &[&str], imports: &mut Imports<'_>) -> Parameter {
    let (ident, ty) = (field.ident(), imports.ty(&field.ty));
    let name = if others.contains(&ident.as_str()) {
        ir::Ident::new(format!("{}_", ident.plain()))
    } else {
        ident.clone()
    };
    let field = match (field.boxed, name == *ident) {
        (true, _) => quote!(#ident: Box::new(#name)),
        (false, true) => quote!(#ident),
        (false, false) => quote!(#ident: #name),
    };
    Parameter { name, ty, field }
}

/// Makes a `use` item for the names of a module.
pub(crate) fn import(keyword: &TokenStream, module: &TokenStream, names: &[&str]) -> TokenStream {
    let names: Vec<Ident> = names.iter().map(|name| ident(name)).collect();
    match names.as_slice() {
        [] => TokenStream::new(),
        [name] => quote!(#keyword #module::#name;),
        names => quote!(#keyword #module::{#(#names),*};),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_imported_unless_its_name_is_taken() {
        let core = "k8s_openapi::api::core::v1";
        let (model, module) = (Model::default(), Module::default());
        let mut imports = Imports::within(&model, &module);
        imports.own.insert("Container");
        let mut written = |path: &str| imports.external(path).to_string().replace(' ', "");
        assert_eq!(written("my::Probe"), "my::Probe");
        for (path, expected) in [
            (format!("{core}::Container"), None),
            ("Vec<k8s_openapi::x::Probe>".into(), None),
            (format!("{core}::Probe"), Some("Probe")),
            (format!("{core}::Probe"), Some("Probe")),
            ("k8s_openapi::other::Probe".into(), None),
        ] {
            assert_eq!(written(&path), expected.unwrap_or(&path), "{path}");
        }
        let uses = imports.to_token_stream().to_string().replace(' ', "");
        assert_eq!(uses, "usek8s_openapi::api::core::v1::Probe;");
    }
}
