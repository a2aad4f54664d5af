//! `conversion.rs` of the hub of a kind: one trait per other version asks for the decisions that its conversion needs.
mod paths;
mod types;

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Contents, Exports, OutFile,
    parts::{code, docs},
};
use crate::{
    base::options::Options,
    model::{
        evolution::{Class, priority},
        ir::{Conversion, ConversionStep, Decision, Kind, KindId, Model, Module, Strategy},
    },
};
use paths::{is_nested, literal};
use types::Types;

pub(super) fn emit<'m>(model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
    let is_hub = |module: &&Module| of_hub(model, module).next().is_some();
    let files = model.modules.iter().filter(is_hub).map(|module| OutFile {
        path: format!("{}/conversion.rs", module.path()),
        contents: Contents::rust(move || conversions(model, module, options)),
        exports: Exports::Module,
    });
    files.collect()
}

/// Returns the conversions whose hub is in a module.
fn of_hub<'m>(model: &'m Model, module: &Module) -> impl Iterator<Item = &'m Conversion> {
    let range = model.range_of(module);
    let conversions = model.conversions.iter();
    conversions.filter(move |it| range.contains(&(it.hub.0 as usize)))
}

fn kind(model: &Model, id: KindId) -> Option<&Kind> {
    model.kinds.get(id.0 as usize)
}

fn conversions(model: &Model, module: &Module, options: &Options) -> TokenStream {
    let docs = code::file_docs(&format!(
        "Conversion of the kinds of `{}` from and to their other versions.",
        module.api_version()
    ));
    let all: Vec<&Conversion> = of_hub(model, module).collect();
    let versions = |id: KindId| kind(model, id).map(|kind| kind.version.as_str());
    let used: Vec<&Module> = model
        .versions_of(module)
        .filter(|other| {
            let version = Some(other.version.as_str());
            *other == module || all.iter().any(|it| versions(it.spoke) == version)
        })
        .collect();
    let names = used.iter().map(|module| &module.names().version);
    let gate = options.feature_gates.then(|| {
        let features = used.iter().map(|module| module.feature());
        quote!(#![cfg(all(#(feature = #features),*))])
    });
    let paths = all.iter().flat_map(|conversion| {
        let changes = conversion.steps.iter().map(|step| &step.change);
        let places = changes.flat_map(|change| [&change.from, &change.to]);
        let keyed = conversion.keyed.iter().map(|(path, _)| path);
        places.flatten().chain(keyed)
    });
    let field_path = paths.into_iter().any(is_nested).then(|| quote!(FieldPath,));
    let items = all
        .chunk_by(|a, b| a.hub == b.hub)
        .map(|spokes| of_kind(model, spokes));
    let items: TokenStream = items.collect();
    quote! {
        #docs
        #gate
        use super::super::{#(#names),*};
        use kube_codegen_record::conversion::{Converter, #field_path IfAbsent, Mapping, Narrowing, Spoke};

        #items
    }
}

/// Makes the traits and the converter of a kind.
fn of_kind(model: &Model, spokes: &[&Conversion]) -> TokenStream {
    let Some(hub) = spokes.first().and_then(|it| kind(model, it.hub)) else {
        return TokenStream::new();
    };
    let mut traits = TokenStream::new();
    let mut parameters = TokenStream::new();
    let mut chain = TokenStream::new();
    let mut names = Vec::new();
    for conversion in spokes {
        let Some(spoke) = kind(model, conversion.spoke) else {
            continue;
        };
        let types = Types { model, spoke, hub };
        let argument = types.module(spoke);
        let version = &spoke.version;
        names.push(format!("`{version}`"));
        let mut calls = quote!(Spoke::new(#version));
        for step in &conversion.steps {
            calls.extend(call(step, &argument));
        }
        for (path, keys) in &conversion.keyed {
            let path = literal(path);
            calls.extend(quote!(.keyed(#path, &[#(#keys),*])));
        }
        chain.extend(quote!(.spoke(#calls)));
        if conversion.has_methods() {
            traits.extend(of_spoke(conversion, spoke, hub, &types));
            let name = &conversion.name;
            parameters.extend(quote!(#argument: &impl #name,));
        }
    }
    let (group, name, version) = (&hub.group, &hub.kind, &hub.version);
    let docs = code::docs(&[
        format!(
            "Converts `{name}` between its versions {} and `{version}`, the hub.",
            names.join(", ")
        ),
        String::new(),
        format!(
            "What has no place in a version travels in the annotation `{group}/kept-by-conversion`."
        ),
    ]);
    let function = spokes.first().map(|it| &it.function);
    quote! {
        #traits

        #docs
        pub fn #function(#parameters) -> Converter {
            Converter::new(#group, #name, #version) #chain
        }
    }
}

/// Makes the trait of a version.
fn of_spoke(conversion: &Conversion, spoke: &Kind, hub: &Kind, types: &Types<'_>) -> TokenStream {
    let methods = conversion.steps.iter().filter_map(|step| {
        let Decision::Method(name) = &step.decision else {
            return None;
        };
        let docs = code::docs(&describe(step, spoke, hub));
        let ty = types.of_step(step);
        Some(quote!(#docs fn #name(&self) -> #ty;))
    });
    let methods: TokenStream = methods.collect();
    let docs = code::docs(&[
        format!("How `{}` is converted between `{}` and `{}`, the hub.", hub.kind, spoke.version, hub.version),
        String::new(),
        "Each method decides on a path where a value of one version may have no equal in the other. A change of the".to_owned(),
        "schemas that adds such a path adds a method.".to_owned(),
    ]);
    let name = &conversion.name;
    quote! {
        #docs
        pub trait #name {
            #methods
        }
    }
}

/// Describes a path and what differs.
fn describe(step: &ConversionStep, spoke: &Kind, hub: &Kind) -> Vec<String> {
    let change = &step.change;
    let (old, new) = (&spoke.version, &hub.version);
    let path = match (change.class, &change.to) {
        (Class::NowRequired, Some(to)) => to.to_string(),
        _ => change.path().to_string(),
    };
    let path = docs::span(&path);
    let (first, then) = match (change.class, &change.to) {
        (Class::Moved | Class::Renamed, Some(to)) => (
            format!(
                "{path} of `{old}` is {} in `{new}`.",
                docs::span(&to.to_string())
            ),
            "",
        ),
        (Class::Removed, _) => (
            format!("{path} exists in `{old}` only."),
            "The value in objects that were made in the other version. It is kept in the annotation where it has no place.",
        ),
        (Class::Added, _) => (
            format!("{path} exists in `{new}` only."),
            "The value in objects that were made in the other version. It is kept in the annotation where it has no place.",
        ),
        (Class::NowRequired, _) => (
            format!("{path} is required in `{new}` only."),
            "The value in objects that have none.",
        ),
        (Class::NowOptional, _) => (
            format!("{path} is required in `{old}` only."),
            "The value in objects that have none.",
        ),
        (Class::Widened, _) => (
            format!("{path} accepts more values in `{new}` than in `{old}`."),
            "The original value is kept in the annotation and comes back unless the field is changed.",
        ),
        (Class::Narrowed, _) => (
            format!("{path} accepts more values in `{old}` than in `{new}`."),
            "The original value is kept in the annotation and comes back unless the field is changed.",
        ),
        (Class::Retyped, _) => (
            format!("{path} has another type in `{new}` than in `{old}`."),
            "`Mapping::copy` would write a value of the wrong type: use `Mapping::new`. If one version has a list of what the other one has, \
             `list = true` in the config declares that.",
        ),
        _ => (
            format!("{path} accepts other values in `{new}` than in `{old}`."),
            "The original value is kept in the annotation and comes back unless the field is changed.",
        ),
    };
    let mut lines = vec![first];
    if !change.details.is_empty() {
        lines.push(String::new());
        let details = change.details.iter().map(|detail| docs::span(detail));
        let order = match change.class {
            Class::Removed | Class::Added => String::new(),
            _ => format!("From `{old}` to `{new}`: "),
        };
        lines.push(format!(
            "{order}{}.",
            details.collect::<Vec<_>>().join(", ")
        ));
    }
    if !then.is_empty() {
        lines.extend([String::new(), then.to_owned()]);
    }
    if let (Class::Moved | Class::Renamed, Some(from), Some(to)) =
        (change.class, &change.from, &change.to)
    {
        let is_forward = priority::of(old) > priority::of(new);
        let (older, newer) = if is_forward { (from, to) } else { (to, from) };
        let rename = docs::span(&format!("rename = \"{older} -> {newer}\""));
        let line =
            format!("To copy the values as they are, declare {rename} in the config instead.");
        lines.extend([String::new(), line]);
    }
    lines
}

/// Makes the call that adds a step to a spoke.
fn call(step: &ConversionStep, argument: &TokenStream) -> TokenStream {
    let from = step.change.from.as_ref().map(literal);
    let to = step.change.to.as_ref().map(literal);
    let known = &step.known;
    let is_required = step
        .change
        .details
        .iter()
        .any(|detail| detail == "required");
    let method = match &step.decision {
        Decision::Method(name) => quote!(#argument.#name()),
        Decision::Declared(strategy) => declared(strategy),
        Decision::Automatic => TokenStream::new(),
    };
    let is_method = matches!(step.decision, Decision::Method(_));
    match step.change.class {
        Class::Widened if is_method => quote!(.map(#from, #to, #method.to_spoke())),
        Class::Narrowed if is_method => quote!(.map(#from, #to, #method.to_hub())),
        Class::Moved
        | Class::Renamed
        | Class::Declared
        | Class::Changed
        | Class::Retyped
        | Class::Widened
        | Class::Narrowed => quote!(.map(#from, #to, #method)),
        Class::NowRequired => quote!(.required_in_hub(#to, #method)),
        Class::NowOptional => quote!(.required_in_spoke(#from, #method)),
        Class::Added => quote!(.only_in_hub(#to, #method)),
        Class::Removed => quote!(.only_in_spoke(#from, #method)),
        Class::AddedAround if is_required => quote!(.only_in_hub(#to, IfAbsent::empty())),
        Class::RemovedAround if is_required => quote!(.only_in_spoke(#from, IfAbsent::empty())),
        Class::AddedAround => quote!(.removed_in_spoke(#to)),
        Class::RemovedAround => quote!(.removed_in_hub(#from)),
        Class::NotNullable => quote!(.without_null_in_hub(#from)),
        Class::Nullable => quote!(.without_null_in_spoke(#to)),
        Class::Pruned => quote!(.pruned_in_hub(#to, &[#(#known),*])),
        Class::Preserved => quote!(.pruned_in_spoke(#from, &[#(#known),*])),
        Class::Default | Class::Rules => TokenStream::new(),
    }
}

fn declared(strategy: &Strategy) -> TokenStream {
    match strategy {
        Strategy::Copy => quote!(Mapping::copied()),
        Strategy::Values(pairs) => {
            let pairs = pairs.iter().map(|(spoke, hub)| quote!((#spoke, #hub)));
            quote!(Mapping::values(&[#(#pairs),*]))
        }
        Strategy::ListInHub => quote!(Mapping::list_in_hub()),
        Strategy::ListInSpoke => quote!(Mapping::list_in_spoke()),
        Strategy::Multiplied(factor) => {
            let factor = factor.as_f64();
            quote!(Mapping::multiplied(#factor))
        }
        Strategy::Divided(factor) => {
            let factor = factor.as_f64();
            quote!(Mapping::divided(#factor))
        }
        Strategy::IfAbsent(None) => quote!(IfAbsent::unset()),
        Strategy::IfAbsent(Some(value)) => {
            let text = value.to_string();
            quote!(IfAbsent::json(#text))
        }
    }
}
