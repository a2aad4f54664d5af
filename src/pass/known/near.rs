//! Structs that mean a type of k8s-openapi but are not compatible with it come in, one note for each type and reason goes out.
use super::compatible::Miss;
use super::types::Type;
use crate::diag::{Code, Diagnostics};
use crate::ir::{Model, TypeId};
use crate::options::Kubernetes;
use std::collections::BTreeMap;

/// The near misses of a run, by type and reason.
#[derive(Default)]
pub(super) struct Near {
    all: BTreeMap<Reason, Vec<TypeId>>,
}

/// What places have in common of which one note tells.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Reason {
    path: &'static str,
    field: Option<String>,
    why: &'static str,
    before: Option<Kubernetes>,
    newer: Option<Kubernetes>,
}

impl Near {
    /// Remembers one, which newer versions of Kubernetes may not miss.
    pub(super) fn add(
        &mut self,
        id: TypeId,
        known: &'static Type,
        miss: Miss,
        newer: Option<Kubernetes>,
    ) {
        let reason = Reason {
            path: known.path,
            field: miss.field,
            why: miss.why,
            before: miss.before,
            newer,
        };
        self.all.entry(reason).or_default().push(id);
    }

    /// Remembers all of another, which come behind its own.
    pub(super) fn extend(&mut self, other: Self) {
        for (of, ids) in other.all {
            self.all.entry(of).or_default().extend(ids);
        }
    }

    /// Tells each type and reason once, at the first place.
    pub(super) fn report(self, model: &Model, diagnostics: &mut Diagnostics) {
        for (reason, ids) in self.all {
            let Some(first) = ids.first() else { continue };
            let place = model.place(*first, &model.types[*first].origin.path);
            let name = reason.path.rsplit("::").next().unwrap_or(reason.path);
            let field = reason.field.as_ref();
            let field = field.map_or_else(String::new, |field| format!(" `{field}`:"));
            let why = match reason.before {
                Some(version) => format!("{} before Kubernetes {version}", reason.why),
                None => reason.why.to_owned(),
            };
            let more = match ids.len() {
                1 => String::new(),
                2 => " (and at one more place)".to_owned(),
                count => format!(" (and at {} more places)", count - 1),
            };
            diagnostics
                .report(
                    Code::NearMiss,
                    place,
                    format!("almost matches k8s-openapi's `{name}`:{field} {why}{more}"),
                )
                .hint(hint(reason.newer));
        }
    }
}

/// What can be done.
fn hint(newer: Option<Kubernetes>) -> String {
    let own = "it has a type of its own, so that nothing is lost";
    match newer {
        None => own.to_owned(),
        Some(version) => {
            format!("{own}; `--kubernetes {version}` reuses it for Kubernetes {version} and newer")
        }
    }
}
