//! `new`: an object of a name, and of all that its schema requires.
use super::imports::Imports;
use super::{doc, layout, rust};
use crate::ir::{Body, Field, Model, Presence, Struct, Ty, TypeId};
use std::fmt::Write;

/// The most fields that are asked for one by one.
const MAX: usize = 5;

/// The types that a caller of the constructor passes, beside those that need no import.
pub(crate) fn types(body: &Struct, model: &Model) -> Vec<TypeId> {
    let asked = asked(body, model);
    asked.iter().filter_map(|field| field.ty.named()).collect()
}

/// The fields that a caller passes; none for a kind that requires more than a call should hold.
fn asked<'a>(body: &'a Struct, model: &Model) -> Vec<&'a Field> {
    let fields = body.fields.iter();
    let asked: Vec<&Field> = fields.filter(|field| is_asked(field, model)).collect();
    if asked.len() > MAX || asked.iter().any(|field| !is_plain(&field.ty)) {
        return Vec::new();
    }
    asked
}

/// Writes the constructor; none for a kind that requires more than a call should hold.
pub(crate) fn write(out: &mut String, body: &Struct, model: &Model) {
    let is_asked = |field: &Field| is_asked(field, model);
    let asked = asked(body, model);
    if asked.is_empty() && body.fields.iter().any(is_asked) {
        return;
    }
    let is_taken = asked.iter().any(|field| field.ident == "name");
    let name = if is_taken { "object_name" } else { "name" };
    let mut imports = Imports::default();
    let parameters = asked.iter().map(|field| {
        let mut parameter = format!("{}: ", field.ident);
        rust::text(&mut parameter, &field.ty, &model.types, &mut imports);
        parameter
    });
    let first = [format!("{name}: impl Into<String>")];
    let parameters: Vec<String> = first.into_iter().chain(parameters).collect();
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    let about = format!("Creates an object of this name, with {}.", with(&asked));
    doc::write(out, layout::MARGIN, &[about]);
    layout::function(out, "pub fn new", &parameters, "Self", " {");
    out.push_str("        Self {\n");
    for field in &body.fields {
        let ident = &field.ident;
        _ = if field.ty == Ty::ObjectMeta && field.wire == "metadata" {
            writeln!(
                out,
                "            {ident}: ObjectMeta {{
                name: Some({name}.into()),
                ..ObjectMeta::default()
            }},"
            )
        } else if is_asked(field) {
            writeln!(out, "            {ident},")
        } else if field.presence.may_be_absent() {
            writeln!(out, "            {ident}: None,")
        } else {
            writeln!(out, "            {ident}: Default::default(),")
        };
    }
    if body.rest {
        _ = writeln!(out, "            {}: Default::default(),", body.rest_ident);
    }
    out.push_str("        }\n    }\n");
}

/// What the object has from the start.
fn with(asked: &[&Field]) -> &'static str {
    if asked.is_empty() {
        "all else unset"
    } else {
        "what its schema requires"
    }
}

/// Whether the caller has to say what a field holds.
fn is_asked(field: &Field, model: &Model) -> bool {
    let has_blank = match &field.ty {
        Ty::Named(id) => {
            let def = &model.types[model.types.definition(*id)];
            match &def.body {
                Body::Struct(_) | Body::Union(_) | Body::Alias(_) => false,
                Body::Enum(_) => def.derives.default,
            }
        }
        ty => matches!(ty, Ty::ObjectMeta | Ty::List(_) | Ty::Map(_) | Ty::Json),
    };
    field.presence == Presence::Required && !has_blank
}

/// Whether the type can be written without an import.
fn is_plain(ty: &Ty) -> bool {
    matches!(ty, Ty::Bool | Ty::Int(_) | Ty::Str | Ty::Named(_))
}
