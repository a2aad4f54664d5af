//! What programs can name in the generated code of a release, and what a comparison with another release finds.
use std::collections::BTreeMap;

use super::{
    rust::{Break, Candidate},
    surface::{self, Items},
};
use crate::{
    model::ir::{Body, EnumBase, Field, KindId, Model, Presence, Scalar, Ty, TypeId},
    pipeline::Output,
};

/// What programs can name in the generated code of a release.
pub(super) struct Api {
    /// The types of schemas, by module, kind and path.
    places: BTreeMap<(String, String, String), Place>,
    /// Everything else, by module.
    items: BTreeMap<String, Items>,
    /// The modules by the folder of their code.
    modules: BTreeMap<String, String>,
    kinds: BTreeMap<String, Vec<String>>,
    /// The kinds of what converts between versions, by module and name.
    conversions: BTreeMap<(String, String), String>,
}

/// The type of one schema location.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    name: String,
    shape: Shape,
    derives: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Shape {
    /// Fields by their name on the wire: the Rust name, the type with `_` for types of other places, and the type as it is written.
    Struct(BTreeMap<String, (String, String, String)>, Option<String>),
    Enum(String, BTreeMap<String, String>),
    Union(Vec<String>),
    Other(String),
}

impl Api {
    pub(super) fn of(output: &Output) -> Self {
        Self::of_types(&output.model, surface::of(&output.files))
    }

    /// Returns what a model has, with the items of this release beside its types.
    pub(super) fn with_types(&self, model: &Model) -> Self {
        Self::of_types(model, self.items.clone())
    }

    fn of_types(model: &Model, items: BTreeMap<String, Items>) -> Self {
        let mut places = BTreeMap::new();
        let mut modules = BTreeMap::new();
        let mut kinds = BTreeMap::new();
        for module in &model.modules {
            modules.insert(module.path(), module.api_version());
            let names = model.kinds_of(module).map(|kind| kind.kind.clone());
            kinds.insert(module.api_version(), names.collect());
            for id in model.locations_of(module) {
                let Some(kind) = model.kind_of(id) else {
                    continue;
                };
                let path = &model.types[id].origin.path;
                let key = (module.api_version(), kind.kind.clone(), path.to_string());
                places.insert(key, place(model, id));
            }
        }
        let mut conversions = BTreeMap::new();
        for conversion in &model.conversions {
            let kind = |id: KindId| model.kinds.get(id.0 as usize);
            let Some(hub) = kind(conversion.hub) else {
                continue;
            };
            let module = format!("{}/{}", hub.group, hub.version);
            let names = [conversion.name.to_string(), conversion.function.to_string()];
            for name in names {
                conversions.insert((module.clone(), name), hub.kind.clone());
            }
        }
        Self {
            places,
            items,
            modules,
            kinds,
            conversions,
        }
    }

    /// Returns whether another release lacks the name of a type at the place of a break or below.
    pub(super) fn loses_types(&self, after: &Self, broken: &Break) -> bool {
        let (kind, top) = (broken.kind.as_ref(), broken.path.as_deref());
        let is_below = |path: &str| {
            let rest = top.and_then(|top| path.strip_prefix(top));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '{']))
        };
        let is_kept = |(module, name): (&String, &String)| {
            let mut places = after.places.iter().map(|(key, new)| (&key.0, &new.name));
            places.any(|it| it == (module, name))
        };
        self.places.iter().any(|((module, of, path), old)| {
            let is_kind = *module == broken.module && Some(of) == kind;
            is_kind && is_below(path) && !is_kept((module, &old.name))
        })
    }

    /// Returns what a program that compiles with this release does not compile with in another one.
    pub(super) fn breaks(&self, after: &Self) -> Vec<Break> {
        let mut found = Vec::new();
        for ((module, kind, path), old) in &self.places {
            let mut report = Report {
                module,
                kind,
                found: &mut found,
            };
            let key = (module.clone(), kind.clone(), path.clone());
            match after.places.get(&key) {
                Some(new) => compare(path, old, new, &mut report),
                None if path.is_empty() => {
                    let what = "is removed, with its types".to_owned();
                    report.add("", &old.name, what, Vec::new());
                }
                None => {} // Its field is reported.
            }
        }
        for (folder, old) in &self.items {
            let module = self.modules.get(folder).cloned().unwrap_or_default();
            // A module that is gone was reported by its kinds.
            let Some(new) = after.items.get(folder) else {
                continue;
            };
            for (name, text) in old {
                let now = new.get(name);
                if now == Some(text) {
                    continue;
                }
                let what = match now {
                    Some(now) => format!("was `{text}`, is `{now}`"),
                    None if text.starts_with("fn ") => "(a function) is removed".to_owned(),
                    None => "is removed".to_owned(),
                };
                let kinds = self.kinds.get(&module).into_iter().flatten();
                let is_word = |kind: &&String| {
                    let mut words = text.split(|c: char| !c.is_alphanumeric());
                    words.any(|word| word == kind.as_str()) || name.starts_with(kind.as_str())
                };
                // The longest: `WidgetList` is not an item of `Widget` if there is a kind of that name.
                let kind = kinds.filter(is_word).max_by_key(|kind| kind.len());
                let converts = self.conversions.get(&(module.clone(), name.clone()));
                let kind = converts.or(kind).cloned();
                found.push(Break::new(&module, kind, None, name, what, Vec::new()));
            }
        }
        found
    }
}

struct Report<'a> {
    module: &'a str,
    kind: &'a str,
    found: &'a mut Vec<Break>,
}

impl Report<'_> {
    fn add(&mut self, path: &str, item: &str, what: String, candidates: Vec<Candidate>) {
        let (kind, path) = (Some(self.kind.to_owned()), Some(path.to_owned()));
        let broken = Break::new(self.module, kind, path, item, what, candidates);
        self.found.push(broken);
    }

    fn target(&self, path: &str) -> String {
        let dot = if path.is_empty() { "" } else { "." };
        format!("{}/{}{dot}{path}", self.module, self.kind)
    }
}

fn compare(path: &str, old: &Place, new: &Place, report: &mut Report<'_>) {
    let target = report.target(path);
    if old.name != new.name {
        let candidates = vec![Candidate::TypeName(target.clone(), old.name.clone())];
        report.add(
            path,
            &old.name,
            format!("is called `{}`", new.name),
            candidates,
        );
    }
    for name in old.derives.iter().filter(|it| !new.derives.contains(it)) {
        report.add(
            path,
            &old.name,
            format!("does not implement `{name}` any more"),
            Vec::new(),
        );
    }
    match (&old.shape, &new.shape) {
        (Shape::Struct(before, rest), Shape::Struct(after, new_rest)) => {
            fields(path, old, before, after, report);
            if let Some(rest) = rest
                && new_rest.as_ref() != Some(rest)
            {
                report.add(
                    path,
                    &format!("{}::{rest}", old.name),
                    "is removed".to_owned(),
                    Vec::new(),
                );
            }
        }
        (Shape::Enum(base, before), Shape::Enum(new_base, after)) => {
            if base != new_base {
                report.add(
                    path,
                    &old.name,
                    format!("was an enum of {base}, is one of {new_base}"),
                    Vec::new(),
                );
            }
            for (ident, value) in before {
                if !after.contains_key(ident) {
                    let item = format!("{}::{ident}", old.name);
                    report.add(path, &item, format!("is removed (`{value}`)"), Vec::new());
                }
            }
            for (ident, value) in after {
                if !before.contains_key(ident) {
                    let item = format!("{}::{ident}", new.name);
                    let what = format!(
                        "is added (`{value}`): a `match` without an arm for all others needs it"
                    );
                    report.add(path, &item, what, Vec::new());
                }
            }
        }
        (before, after) if before != after => {
            let what = format!("was {}, is {}", before.text(), after.text());
            report.add(path, &old.name, what, vec![Candidate::NoReuse]);
        }
        _ => {}
    }
}

fn fields(
    path: &str,
    owner: &Place,
    before: &BTreeMap<String, (String, String, String)>,
    after: &BTreeMap<String, (String, String, String)>,
    report: &mut Report<'_>,
) {
    for (wire, (ident, ty, text)) in before {
        let at = match path {
            "" => wire.clone(),
            path => format!("{path}.{wire}"),
        };
        let item = format!("{}::{ident}", owner.name);
        let Some((new_ident, new_ty, new_text)) = after.get(wire) else {
            // A field that has another name on the wire may keep that in Rust.
            if after.values().any(|it| (&it.0, &it.1) == (ident, ty)) {
                continue;
            }
            let renamed = after.iter().filter(|(name, it)| {
                !before.contains_key(*name) && it.1 == *ty && is_similar(wire, name)
            });
            let beside = at.strip_suffix(wire.as_str()).unwrap_or_default();
            let candidates = renamed.map(|(name, _)| {
                Candidate::FieldName(report.target(&format!("{beside}{name}")), ident.clone())
            });
            let candidates = candidates.take(3).collect();
            report.add(&at, &item, "is removed".to_owned(), candidates);
            continue;
        };
        let target = report.target(&at);
        if ident != new_ident {
            let candidates = vec![Candidate::FieldName(target.clone(), ident.clone())];
            report.add(&at, &item, format!("is called `{new_ident}`"), candidates);
        }
        if ty != new_ty {
            let mut candidates = Vec::new();
            // The same container around another scalar.
            if let (Some(old), Some(new)) = (inner(ty), inner(new_ty))
                && holds(old, new)
            {
                candidates.push(Candidate::RustType(target, old.to_owned()));
            }
            candidates.push(Candidate::NoReuse);
            report.add(
                &at,
                &item,
                format!("was `{text}`, is `{new_text}`"),
                candidates,
            );
        }
    }
}

/// Returns whether one name contains the other, or most letters are the same: code may go on with the old name then.
fn is_similar(from: &str, to: &str) -> bool {
    let (from, to) = (from.to_lowercase(), to.to_lowercase());
    from.contains(&to)
        || to.contains(&from)
        || strsim::normalized_damerau_levenshtein(&from, &to) >= 0.6
}

/// Returns whether a type of a field can hold the values of another one: enums and all formats are texts.
fn holds(old: &str, new: &str) -> bool {
    let is_int = |ty: &str| ty.len() < 4 && ty.starts_with(['i', 'u']);
    match old {
        "String" => matches!(new, "_" | "ByteString" | "DateTime"),
        "serde_json::Value" => true,
        "Number" => is_int(new),
        "i64" => is_int(new) && new != "u64",
        _ => false,
    }
}

/// Returns what a type is without `Option`.
fn inner(ty: &str) -> Option<&str> {
    let inner = ty
        .strip_prefix("Option<")
        .and_then(|it| it.strip_suffix('>'));
    let inner = inner.unwrap_or(ty);
    (!inner.contains('<')).then_some(inner)
}

impl Shape {
    fn text(&self) -> String {
        match self {
            Self::Struct(..) => "a struct".to_owned(),
            Self::Enum(base, _) => format!("an enum of {base}"),
            Self::Union(_) => "a union".to_owned(),
            Self::Other(ty) => format!("`{ty}`"),
        }
    }
}

fn place(model: &Model, id: TypeId) -> Place {
    let def = &model.types[id];
    let defined = &model.types[model.types.definition(id)];
    let derives = defined.derives.more.iter().cloned().collect();
    let shape = match &defined.body {
        Body::Struct(body) => {
            let fields = body.fields.iter().map(|field| {
                let text = (
                    field.ident().to_string(),
                    field_type(model, field, false),
                    field_type(model, field, true),
                );
                (field.wire.clone(), text)
            });
            let rest = body.rest.as_ref().map(ToString::to_string);
            Shape::Struct(fields.collect(), rest)
        }
        Body::Enum(body) => {
            let base = match body.base {
                EnumBase::Text => "texts".to_owned(),
                EnumBase::Int(width) => crate::output::emit::int_type(width).to_owned(),
                EnumBase::Mixed => "any scalars".to_owned(),
            };
            let base = if body.constants {
                format!("{base} with constants")
            } else {
                base
            };
            let variants = body.variants.iter();
            let variants = variants.map(|it| (it.ident().to_string(), it.text().into_owned()));
            let mut variants: BTreeMap<String, String> = variants.collect();
            if !body.constants {
                variants.insert(body.other.to_string(), "any other value".to_owned());
            }
            Shape::Enum(base, variants)
        }
        Body::Union(body) => {
            let arms = body.arms.iter();
            let arms =
                arms.map(|arm| format!("{}({})", arm.ident, type_text(model, &arm.ty, false)));
            Shape::Union(arms.chain([body.other.to_string()]).collect())
        }
        Body::Alias(ty) => Shape::Other(type_text(model, ty, true)),
    };
    Place {
        name: def.name().to_string(),
        shape,
        derives,
    }
}

fn field_type(model: &Model, field: &Field, with_names: bool) -> String {
    let mut text = type_text(model, &field.ty, with_names);
    if field.boxed {
        text = format!("Box<{text}>");
    }
    if matches!(
        field.presence,
        Presence::Nullable | Presence::OptionalNullable
    ) {
        text = format!("Nullable<{text}>");
    }
    if field.presence.may_be_absent() {
        text = format!("Option<{text}>");
    }
    text
}

/// Writes a type; without names, the types of other places are `_`, since these are compared for themselves.
fn type_text(model: &Model, ty: &Ty, with_names: bool) -> String {
    let inner = |ty: &Ty| type_text(model, ty, with_names);
    match ty {
        Ty::Scalar(scalar) => match scalar {
            Scalar::Bool => "bool",
            Scalar::Int(width) => crate::output::emit::int_type(*width),
            Scalar::Str => "String",
            Scalar::Number => "Number",
            Scalar::Bytes => "ByteString",
            Scalar::Time => "DateTime",
            Scalar::IntOrString => "IntOrString",
            Scalar::Quantity => "Quantity",
            Scalar::Json => "serde_json::Value",
            Scalar::ObjectMeta => "ObjectMeta",
        }
        .to_owned(),
        Ty::Named(id) if with_names => model.types[*id].name().to_string(),
        Ty::Named(_) => "_".to_owned(),
        Ty::List(ty) => format!("Vec<{}>", inner(ty)),
        Ty::Map(ty) => format!("BTreeMap<String, {}>", inner(ty)),
        Ty::Nullable(ty) => format!("Nullable<{}>", inner(ty)),
        Ty::External(path) => path.clone(),
    }
}
