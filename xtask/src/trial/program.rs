//! Writes the program of a user of the generated types.
use kube_codegen::private::ir::{
    Body, Field, IntWidth, KindId, Model, Module, Presence, Scalar, SchemaPath, Ty, TypeId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Names of all types of a version by their schema locations.
type Names<'m> = BTreeMap<(KindId, SchemaPath), &'m str>;

/// Returns a program that uses all types of a model, to be compiled with the types of another model.
///
/// The fields and variants of a type that another Kubernetes version replaces by one of k8s-openapi are not used. A type of k8s-openapi is
/// used by its name alone, or with `reused` as what it is.
pub(crate) fn of(model: &Model, after: &Model, reused: bool) -> String {
    let mut text = String::from("//! Uses all types.\n#![allow(warnings, clippy::all)]\n");
    for module in &model.modules {
        let names = module.names();
        let (group, version) = (&names.group, &names.version);
        _ = writeln!(
            text,
            "mod {}_{} {{\nuse super::super::generated::{group}::{version} as api;",
            group.plain(),
            version.plain()
        );
        let replaced = replaced(after, module);
        let places: Vec<TypeId> = model.locations_of(module).collect();
        let by_path = places.iter().map(|id| {
            let def = &model.types[*id];
            let origin = (def.origin.kind, def.origin.path.clone());
            (origin, def.name().as_str())
        });
        let by_path: Names<'_> = by_path.collect();
        for (index, id) in places.iter().enumerate() {
            let name = model.types[*id].name().as_str();
            _ = writeln!(text, "fn f{index}(value: api::{name}) {{");
            let def = &model.types[model.types.definition(*id)];
            if let Body::Alias(Ty::External(path)) = &def.body
                && reused
            {
                _ = writeln!(text, "let _: &{path} = &value;");
            }
            uses(&mut text, model, *id, &by_path, replaced.contains(name));
            text.push_str("}\n");
        }
        text.push_str("}\n");
    }
    text
}

/// Returns the names of a module that are aliases of types of another crate.
fn replaced<'m>(model: &'m Model, module: &Module) -> BTreeSet<&'m str> {
    let mut modules = model.modules.iter();
    let same = modules.find(|it| it.group == module.group && it.version == module.version);
    let aliases = same.into_iter().flat_map(|module| model.aliases_of(module));
    let foreign = aliases.filter(|(_, ty)| ty.named().is_none());
    foreign
        .map(|(id, _)| model.types[id].name().as_str())
        .collect()
}

fn uses(text: &mut String, model: &Model, id: TypeId, names: &Names<'_>, is_replaced: bool) {
    let name = model.types[id].name().as_str();
    let is_root = model.kind_of(id).is_some_and(|kind| kind.root == id);
    match &model.types[model.types.definition(id)].body {
        Body::Struct(body) => {
            if is_replaced {
                return;
            }
            for field in &body.fields {
                let (ident, ty) = (field.ident(), field_type(model, id, field, names));
                _ = writeln!(text, "let _: &{ty} = &value.{ident};");
            }
            let others = match model.types.without_default(body).count() {
                0 => "Default::default()".to_owned(),
                // The kind has a constructor of its own, which takes its name.
                _ if is_root => "todo!()".to_owned(),
                count => format!("api::{name}::new({})", vec!["todo!()"; count].join(", ")),
            };
            _ = writeln!(text, "let _ = api::{name} {{ ..{others} }};");
            if let Some(field) = body.fields.first() {
                let ident = field.ident();
                _ = writeln!(
                    text,
                    "let api::{name} {{ {ident}: first, .. }} = value;\nlet _ = api::{name} {{ {ident}: first, ..{others} }};"
                );
            }
        }
        Body::Enum(body) => {
            if is_replaced {
                return;
            }
            for variant in &body.variants {
                _ = writeln!(text, "let _ = api::{name}::{};", variant.ident());
            }
            if let Some(variant) = body.variants.first().filter(|_| !body.constants) {
                let variants = body.variants.iter();
                let arms = variants.map(|it| it.ident().to_string());
                all_arms(text, name, arms, &body.other.to_string());
                let ident = variant.ident();
                _ = writeln!(
                    text,
                    "use api::{name}::{ident} as First;\nlet _ = matches!(value, First);"
                );
            }
        }
        Body::Union(body) => {
            let arms = body.arms.iter().map(|it| format!("{}(_)", it.ident));
            all_arms(text, name, arms, &body.other.to_string());
        }
        // A type of k8s-openapi: its name alone is stable.
        Body::Alias(_) => {}
    }
}

/// Writes a `match` that names all variants of an enum.
fn all_arms(text: &mut String, name: &str, arms: impl Iterator<Item = String>, other: &str) {
    text.push_str("match &value {\n");
    for arm in arms.chain([format!("{other}(_)")]) {
        _ = writeln!(text, "api::{name}::{arm} => {{}}");
    }
    text.push_str("}\n");
}

/// Returns the type of a field at a location of its struct, as a user writes it.
fn field_type(model: &Model, id: TypeId, field: &Field, names: &Names<'_>) -> String {
    let origin = &model.types[id].origin;
    let path = origin.path.property(&field.wire);
    let mut text = ty(&field.ty, origin.kind, path, names);
    if field.boxed {
        text = format!("Box<{text}>");
    }
    if matches!(
        field.presence,
        Presence::Nullable | Presence::OptionalNullable
    ) {
        text = format!("kube_codegen_record::Nullable<{text}>");
    }
    if field.presence.may_be_absent() {
        text = format!("Option<{text}>");
    }
    text
}

fn ty(ty_: &Ty, kind: KindId, path: SchemaPath, names: &Names<'_>) -> String {
    match ty_ {
        Ty::Scalar(scalar) => scalar_type(*scalar).to_owned(),
        Ty::Nullable(inner) => format!(
            "kube_codegen_record::Nullable<{}>",
            ty(inner, kind, path, names)
        ),
        Ty::Named(_) => match names.get(&(kind, path)) {
            Some(name) => format!("api::{name}"),
            None => "NoSuchName".to_owned(),
        },
        Ty::External(path) => path.clone(),
        Ty::List(_) | Ty::Map(_) => {
            let Some((segment, inner)) = ty_.element() else {
                return String::new();
            };
            let inner = ty(inner, kind, path.join(segment), names);
            match ty_ {
                Ty::List(_) => format!("Vec<{inner}>"),
                _ => format!("std::collections::BTreeMap<String, {inner}>"),
            }
        }
    }
}

fn scalar_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Str => "String",
        Scalar::Int(width) => match width {
            IntWidth::I8 => "i8",
            IntWidth::I16 => "i16",
            IntWidth::I32 => "i32",
            IntWidth::I64 => "i64",
            IntWidth::U8 => "u8",
            IntWidth::U16 => "u16",
            IntWidth::U32 => "u32",
            IntWidth::U64 => "u64",
        },
        Scalar::Number => "kube_codegen_record::Number",
        Scalar::Bytes => "k8s_openapi::ByteString",
        Scalar::Time => "kube_codegen_record::DateTime",
        Scalar::IntOrString => "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
        Scalar::Quantity => "k8s_openapi::apimachinery::pkg::api::resource::Quantity",
        Scalar::Json => "serde_json::Value",
        Scalar::ObjectMeta => "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta",
    }
}
