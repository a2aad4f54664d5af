//! Structs that mean a type of k8s-openapi but are not compatible with it come in, one note for each type and reason goes out.
use super::compatible::Miss;
use super::types::Type;
use crate::diag::{Code, Diagnostics};
use crate::ir::{Model, TypeId};
use std::collections::BTreeMap;

/// The near misses of a run, by type and reason.
#[derive(Default)]
pub(super) struct Near {
    all: BTreeMap<(&'static str, Option<String>, &'static str), Vec<TypeId>>,
}

impl Near {
    /// Remembers one.
    pub(super) fn add(&mut self, id: TypeId, known: &'static Type, miss: Miss) {
        let Miss { field, why, .. } = miss;
        self.all
            .entry((known.path, field, why))
            .or_default()
            .push(id);
    }

    /// Tells each type and reason once, at the first place.
    pub(super) fn report(self, model: &Model, diagnostics: &mut Diagnostics) {
        for ((path, field, why), ids) in self.all {
            let Some(first) = ids.first() else { continue };
            let mut place = model
                .kind_of(*first)
                .map(|kind| kind.place.clone())
                .unwrap_or_default();
            let at = &model.types[*first].origin.path;
            if let Some(kind) = model.kind_of(*first) {
                place.pointer = format!("{}{}", kind.schema_pointer, at.pointer());
            }
            place.schema_path = Some(at.to_string());
            let name = path.rsplit("::").next().unwrap_or(path);
            let field = field.map_or_else(String::new, |field| format!(" `{field}`:"));
            let more = match ids.len() {
                1 => String::new(),
                2 => " (and at one more place)".to_owned(),
                count => format!(" (and at {} more places)", count - 1),
            };
            diagnostics
                .report(
                    Code::NearMiss,
                    place,
                    format!(
                        "this is `{name}` of k8s-openapi but for one thing:{field} {why}{more}"
                    ),
                )
                .hint("it has a type of its own, so that nothing is lost");
        }
    }
}
