//! Names the traits and methods of conversions.
use super::Pair;
use crate::model::evolution::{Change, Class};
use crate::model::ir::{ConversionStep, Decision, Ident, Kind, Segment};
use crate::model::pass::naming::{idents, words};

/// Returns the name of the trait of a version, such as `ConvertWidgetV1`.
pub(super) fn of_trait(kind: &Kind) -> Ident {
    let words = words::words(&format!("{} {}", kind.kind, kind.version));
    Ident::new(format!("Convert{}", words::camel(&words)))
}

/// Returns the name of the function that makes the converter of a kind, such as `widget_converter`.
pub(super) fn of_function(kind: &Kind) -> Ident {
    let name = words::snake(&words::words(&kind.kind));
    idents::lower(&format!("{name}_converter"), "v")
}

/// Returns the name of the method of a change, by its path: `spec_size`.
pub(super) fn method(change: &Change) -> Ident {
    let path = change.path();
    let names = path
        .segments()
        .into_iter()
        .filter_map(|segment| match segment {
            Segment::Property(name) => Some(&**name),
            Segment::Items | Segment::Values => None,
        });
    let words: Vec<String> = names.flat_map(words::words).collect();
    let mut name = words::snake(&words);
    if matches!(path.last(), Some(Segment::Items | Segment::Values)) {
        name.push_str("_item");
    }
    if matches!(change.class, Class::NowRequired | Class::NowOptional) {
        name.push_str("_if_absent");
    }
    idents::lower(if name.is_empty() { "value" } else { &name }, "v")
}

/// Makes the names of methods unique: of several with one name, the later ones have the version or a number appended.
pub(super) fn methods(steps: &mut [ConversionStep], pair: &Pair<'_>) {
    let mut taken: Vec<Ident> = Vec::new();
    for step in steps {
        let version = match step.change.from {
            Some(_) => &pair.spoke.version,
            None => &pair.hub.version,
        };
        let Decision::Method(name) = &mut step.decision else {
            continue;
        };
        let plain = name.plain().to_owned();
        let candidates = (2..).map(|number: u32| Ident::new(format!("{plain}_{number}")));
        let in_version = words::snake(&words::words(version));
        let first = [name.clone(), Ident::new(format!("{plain}_in_{in_version}"))];
        let mut free = first
            .into_iter()
            .chain(candidates)
            .filter(|it| !taken.contains(it));
        if let Some(free) = free.next() {
            *name = free;
        }
        taken.push(name.clone());
    }
}
