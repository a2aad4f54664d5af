//! What programs can name in the generated code of a release, and what a comparison with another release finds.
use std::{collections::BTreeMap, fmt};

use super::{
    breaks::{Break, Candidate, CrdPart},
    surface::{self, Items},
};
use crate::{
    base::options::Options,
    model::ir::{Body, EnumBase, Field, IntWidth, KindId, Model, Presence, Scalar, Ty, TypeId},
};

/// What programs can name in the generated code of a release.
pub(super) struct Api {
    /// The types of schemas.
    places: BTreeMap<Location, LocatedType>,
    /// Everything else, by module.
    items: BTreeMap<String, Items>,
    /// The modules by the folder of their code.
    modules: BTreeMap<String, String>,
    kinds: BTreeMap<String, Vec<String>>,
    /// The kinds of what converts between versions, by module and name.
    conversions: BTreeMap<(String, String), String>,
}

/// A location in the schema of a kind.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Location {
    module: String,
    kind: String,
    path: String,
}

/// The type of one schema location.
#[derive(Debug, PartialEq)]
struct LocatedType {
    name: String,
    shape: Shape,
    derives: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Shape {
    /// Fields by their name on the wire, and the field for all others.
    Struct(BTreeMap<String, Member>, Option<String>),
    Enum(String, BTreeMap<String, String>),
    /// The arms with their types, and the name of the one for all others.
    Union(Vec<(String, Type)>, String),
    /// What an alias is written as.
    Other(String),
}

/// A field of a struct.
#[derive(Debug, PartialEq)]
struct Member {
    ident: String,
    ty: Type,
}

/// A type as a program sees it.
#[derive(Debug)]
enum Type {
    Scalar(Scalar),
    /// A type of another crate, as it is written.
    External(String),
    /// The type of another place, by its name.
    Named(String),
    Of(Container, Box<Type>),
}

/// Scalars and external types are equal if they are written alike: an override writes `String` for the scalar. All names are equal, since the
/// place of the type is compared for itself.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        use Type::{External, Named, Of, Scalar};
        match (self, other) {
            (Named(_), Named(_)) => true,
            (Of(container, inner), Of(other, other_inner)) => {
                container == other && inner == other_inner
            }
            (Scalar(_) | External(_), Scalar(_) | External(_)) => {
                self.to_string() == other.to_string()
            }
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Option,
    Nullable,
    Box,
    List,
    Map,
}

impl Api {
    pub(super) fn of(model: &Model, options: &Options) -> Self {
        Self::of_types(model, surface::of(model, options))
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
                let location = Location {
                    module: module.api_version(),
                    kind: kind.kind.clone(),
                    path: model.types[id].origin.path.to_string(),
                };
                places.insert(location, place(model, id));
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
            let mut places = after.places.iter().map(|(at, new)| (&at.module, &new.name));
            places.any(|it| it == (module, name))
        };
        self.places.iter().any(|(at, old)| {
            let is_kind = at.module == broken.module && Some(&at.kind) == kind;
            is_kind && is_below(&at.path) && !is_kept((&at.module, &old.name))
        })
    }

    /// Returns what a program that compiles with this release does not compile with in another one.
    pub(super) fn breaks(&self, after: &Self) -> Vec<Break> {
        let mut found = Vec::new();
        for (at, old) in &self.places {
            let mut report = Report {
                module: &at.module,
                kind: &at.kind,
                found: &mut found,
            };
            match after.places.get(at) {
                Some(new) => compare(&at.path, old, new, &mut report),
                None if at.path.is_empty() => {
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
            for (name, declared) in old {
                let text = &declared.text;
                let now = new.get(name).map(|it| &it.text);
                if now == Some(text) {
                    continue;
                }
                let what = match now {
                    Some(now) => format!("was `{text}`, is `{now}`"),
                    None if declared.is_function => "(a function) is removed".to_owned(),
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
                let part = converts.map(|_| CrdPart::Conversion).or(declared.part);
                let kind = converts.or(kind).cloned();
                found.push(Break {
                    part,
                    ..Break::new(&module, kind, None, name, what, Vec::new())
                });
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

fn compare(path: &str, old: &LocatedType, new: &LocatedType, report: &mut Report<'_>) {
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
    owner: &LocatedType,
    before: &BTreeMap<String, Member>,
    after: &BTreeMap<String, Member>,
    report: &mut Report<'_>,
) {
    for (wire, member) in before {
        let Member { ident, ty } = member;
        let at = match path {
            "" => wire.clone(),
            path => format!("{path}.{wire}"),
        };
        let item = format!("{}::{ident}", owner.name);
        let Some(new) = after.get(wire) else {
            // A field that has another name on the wire may keep that in Rust.
            if after.values().any(|it| it == member) {
                continue;
            }
            let renamed = after.iter().filter(|(name, it)| {
                !before.contains_key(*name) && it.ty == *ty && is_similar(wire, name)
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
        if *ident != new.ident {
            let candidates = vec![Candidate::FieldName(target.clone(), ident.clone())];
            report.add(&at, &item, format!("is called `{}`", new.ident), candidates);
        }
        if *ty != new.ty {
            let mut candidates = Vec::new();
            // The same container around another scalar.
            let old = ty.without_option();
            if old.holds(new.ty.without_option()) {
                candidates.push(Candidate::RustType(target, old.to_string()));
            }
            candidates.push(Candidate::NoReuse);
            report.add(
                &at,
                &item,
                format!("was `{ty}`, is `{}`", new.ty),
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

impl Type {
    /// Returns what it is without `Option`.
    fn without_option(&self) -> &Self {
        match self {
            Self::Of(Container::Option, inner) => inner,
            other => other,
        }
    }

    /// Returns whether it can hold the values of another type: enums and all formats are texts.
    fn holds(&self, new: &Self) -> bool {
        let Self::Scalar(old) = self else {
            return false;
        };
        match (old, new) {
            (_, Self::Of(..)) => false,
            (Scalar::Json, _)
            | (Scalar::Str, Self::Named(_) | Self::Scalar(Scalar::Bytes | Scalar::Time))
            | (Scalar::Number, Self::Scalar(Scalar::Int(_))) => true,
            (Scalar::Int(IntWidth::I64), Self::Scalar(Scalar::Int(width))) => {
                *width != IntWidth::U64
            }
            _ => false,
        }
    }

    fn of(model: &Model, ty: &Ty) -> Self {
        let around = |container, ty| Self::Of(container, Self::of(model, ty).into());
        match ty {
            Ty::Scalar(scalar) => Self::Scalar(*scalar),
            Ty::Named(id) => Self::Named(model.types[*id].name().to_string()),
            Ty::List(ty) => around(Container::List, ty),
            Ty::Map(ty) => around(Container::Map, ty),
            Ty::Nullable(ty) => around(Container::Nullable, ty),
            Ty::External(path) => Self::External(path.clone()),
        }
    }

    fn of_field(model: &Model, field: &Field) -> Self {
        let presence = field.presence;
        let is_nullable = matches!(presence, Presence::Nullable | Presence::OptionalNullable);
        let containers = [
            (field.boxed, Container::Box),
            (is_nullable, Container::Nullable),
            (presence.may_be_absent(), Container::Option),
        ];
        let containers = containers.into_iter().filter(|(is_around, _)| *is_around);
        containers.fold(Self::of(model, &field.ty), |ty, (_, container)| {
            Self::Of(container, ty.into())
        })
    }
}

fn scalar_text(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Int(width) => crate::output::emit::int_type(width),
        Scalar::Str => "String",
        Scalar::Number => "Number",
        Scalar::Bytes => "ByteString",
        Scalar::Time => "DateTime",
        Scalar::IntOrString => "IntOrString",
        Scalar::Quantity => "Quantity",
        Scalar::Json => "serde_json::Value",
        Scalar::ObjectMeta => "ObjectMeta",
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => f.write_str(scalar_text(*scalar)),
            Self::External(text) | Self::Named(text) => f.write_str(text),
            Self::Of(container, inner) => match container {
                Container::Option => write!(f, "Option<{inner}>"),
                Container::Nullable => write!(f, "Nullable<{inner}>"),
                Container::Box => write!(f, "Box<{inner}>"),
                Container::List => write!(f, "Vec<{inner}>"),
                Container::Map => write!(f, "BTreeMap<String, {inner}>"),
            },
        }
    }
}

impl Shape {
    fn text(&self) -> String {
        match self {
            Self::Struct(..) => "a struct".to_owned(),
            Self::Enum(base, _) => format!("an enum of {base}"),
            Self::Union(..) => "a union".to_owned(),
            Self::Other(ty) => format!("`{ty}`"),
        }
    }
}

fn place(model: &Model, id: TypeId) -> LocatedType {
    let def = &model.types[id];
    let defined = &model.types[model.types.definition(id)];
    let derives = defined.derives.more.iter().cloned().collect();
    let shape = match &defined.body {
        Body::Struct(body) => {
            let fields = body.fields.iter().map(|field| {
                let ident = field.ident().to_string();
                let ty = Type::of_field(model, field);
                (field.wire.clone(), Member { ident, ty })
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
            let arms = arms.map(|arm| (arm.ident.to_string(), Type::of(model, &arm.ty)));
            Shape::Union(arms.collect(), body.other.to_string())
        }
        Body::Alias(ty) => Shape::Other(Type::of(model, ty).to_string()),
    };
    LocatedType {
        name: def.name().to_string(),
        shape,
        derives,
    }
}
