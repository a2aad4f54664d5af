//! The Rust types of the values that a conversion decides on.
use proc_macro2::TokenStream;
use quote::quote;

use super::code;
use crate::model::{
    evolution::Class,
    ir::{Body, ConversionStep, Kind, Model, Scalar, SchemaPath, Segment, Ty},
};

/// The types of two versions of a kind.
pub(super) struct Types<'m> {
    pub(super) model: &'m Model,
    pub(super) spoke: &'m Kind,
    pub(super) hub: &'m Kind,
}

impl Types<'_> {
    /// Returns what a method returns.
    pub(super) fn of_step(&self, step: &ConversionStep) -> TokenStream {
        let change = &step.change;
        let spoke = || self.at(self.spoke, change.from.as_ref());
        let hub = || self.at(self.hub, change.to.as_ref());
        match change.class {
            Class::Widened => {
                let (wide, narrow) = (hub(), spoke());
                quote!(Narrowing<#wide, #narrow>)
            }
            Class::Narrowed => {
                let (wide, narrow) = (spoke(), hub());
                quote!(Narrowing<#wide, #narrow>)
            }
            Class::Added | Class::NowRequired | Class::AddedAround => {
                let ty = hub();
                quote!(IfAbsent<#ty>)
            }
            Class::Removed | Class::NowOptional | Class::RemovedAround => {
                let ty = spoke();
                quote!(IfAbsent<#ty>)
            }
            Class::Moved
            | Class::Renamed
            | Class::Declared
            | Class::Changed
            | Class::Retyped
            | Class::NotNullable
            | Class::Nullable
            | Class::Pruned
            | Class::Preserved
            | Class::Default
            | Class::Rules => {
                let (spoke, hub) = (spoke(), hub());
                quote!(Mapping<#spoke, #hub>)
            }
        }
    }

    /// Returns the name of a kind's module.
    pub(super) fn module(&self, kind: &Kind) -> TokenStream {
        let mut modules = self.model.modules.iter();
        let module = modules.find(|it| it.group == kind.group && it.version == kind.version);
        let name = module.map(|module| &module.names().version);
        quote!(#name)
    }

    /// Returns the type of the value at a path; raw JSON within types of other crates.
    fn at(&self, kind: &Kind, path: Option<&SchemaPath>) -> TokenStream {
        let found = path.and_then(|path| Some((path, find(self.model, kind, path)?)));
        let (path, ty) = found.unzip();
        self.write(
            kind,
            path.unwrap_or(&SchemaPath::root()),
            ty.unwrap_or(&Ty::JSON),
        )
    }

    fn write(&self, kind: &Kind, path: &SchemaPath, ty: &Ty) -> TokenStream {
        let within = |segment, inner| self.write(kind, &path.join(segment), inner);
        match ty {
            // Below a shared type, fields refer to locations of the version that defines it, which may be at other paths: the name is
            // that of the version's own location.
            Ty::Named(_) => match self.model.location(kind, path) {
                Some(id) => {
                    if let Some(reused) = self.model.types.reused(id) {
                        return self.write(kind, path, reused);
                    }
                    let (module, name) = (self.module(kind), self.model.types[id].name());
                    quote!(#module::#name)
                }
                None => scalar_type(Scalar::Json),
            },
            Ty::External(path) => code::parsed(path),
            Ty::List(inner) => {
                let inner = within(Segment::Items, inner);
                quote!(Vec<#inner>)
            }
            Ty::Map(inner) => {
                let inner = within(Segment::Values, inner);
                quote!(std::collections::BTreeMap<String, #inner>)
            }
            Ty::Nullable(inner) => {
                let inner = self.write(kind, path, inner);
                quote!(kube_codegen_record::Nullable<#inner>)
            }
            Ty::Scalar(scalar) => scalar_type(*scalar),
        }
    }
}

fn scalar_type(scalar: Scalar) -> TokenStream {
    let path = match scalar {
        Scalar::Bool => "bool",
        Scalar::Int(width) => code::int(width),
        Scalar::Str => "String",
        Scalar::Number => "kube_codegen_record::Number",
        Scalar::Bytes => "k8s_openapi::ByteString",
        Scalar::Time => "kube_codegen_record::DateTime",
        Scalar::IntOrString => "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
        Scalar::Quantity => "k8s_openapi::apimachinery::pkg::api::resource::Quantity",
        Scalar::Json => "kube_codegen_record::serde_json::Value",
        Scalar::ObjectMeta => "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta",
    };
    code::parsed(path)
}

/// Returns the type of a value of the model, without null.
fn find<'m>(model: &'m Model, kind: &Kind, path: &SchemaPath) -> Option<&'m Ty> {
    let mut at: Option<&Ty> = None;
    for segment in path.segments() {
        at = match segment {
            Segment::Property(name) => {
                let id = match at {
                    None => kind.root,
                    Some(Ty::Named(id)) => *id,
                    Some(_) => return None,
                };
                match &model.types[model.types.definition(id)].body {
                    Body::Struct(body) => {
                        let mut fields = body.fields.iter();
                        Some(fields.find(|field| field.wire == **name)?.ty.not_null())
                    }
                    Body::Alias(_) | Body::Enum(_) | Body::Union(_) => return None,
                }
            }
            Segment::Items | Segment::Values => {
                let (step, inner) = at?.element()?;
                (step == *segment).then_some(inner.not_null())
            }
        };
    }
    at
}
