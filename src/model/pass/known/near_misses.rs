//! Reports the structs that almost match a type of k8s-openapi: one note for each type and reason.
use super::compatible::Mismatch;
use super::types::Type;
use crate::base::diag::{Code, Diagnostics};
use crate::base::options::Kubernetes;
use crate::model::ir::{Model, TypeId};
use std::collections::BTreeMap;

/// The near misses of a run, by type and reason.
#[derive(Default)]
pub(super) struct NearMisses(BTreeMap<Reason, Vec<TypeId>>);

/// What the near misses of one note have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Reason {
    path: &'static str,
    name: &'static str,
    mismatch: Mismatch,
    compatible_since: Option<Kubernetes>,
}

impl NearMisses {
    /// Adds a struct that does not match a type, except possibly since a newer version of Kubernetes.
    pub(super) fn add(
        &mut self,
        id: TypeId,
        known: &'static Type,
        mismatch: Mismatch,
        compatible_since: Option<Kubernetes>,
    ) {
        let reason = Reason {
            path: known.path,
            name: known.name(),
            mismatch,
            compatible_since,
        };
        self.0.entry(reason).or_default().push(id);
    }

    /// Appends the near misses of another search.
    pub(super) fn extend(&mut self, other: Self) {
        for (reason, ids) in other.0 {
            self.0.entry(reason).or_default().extend(ids);
        }
    }

    /// Reports each type and reason once, at its first location.
    pub(super) fn report(self, model: &Model, diagnostics: &mut Diagnostics) {
        for (reason, ids) in self.0 {
            let Some(first) = ids.first() else { continue };
            let more = match ids.len() {
                1 => String::new(),
                2 => " (and at one more location)".to_owned(),
                count => format!(" (and at {} more locations)", count - 1),
            };
            let own = "a separate type is generated, so that no data is lost";
            let hint = match reason.compatible_since {
                None => own.to_owned(),
                Some(version) => format!("{own}; `--kubernetes {version}` reuses it"),
            };
            let (name, mismatch) = (reason.name, reason.mismatch);
            diagnostics
                .report(
                    Code::NearMiss,
                    model.place(*first, &model.types[*first].origin.path),
                    format!("almost matches k8s-openapi's `{name}`: {mismatch}{more}"),
                )
                .hint(hint);
        }
    }
}
