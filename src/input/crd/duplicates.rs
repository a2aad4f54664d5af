//! Removes repeated CRDs and reports those that cannot be installed together.
use super::Crd;
use crate::base::diag::{Code, Diagnostics, Place, pointer};
use crate::base::source::Source;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Keeps one of identical CRDs; reports different ones of the same name, and those of the same kind.
pub(super) fn resolve<R>(
    crds: Vec<(Crd, R)>,
    sources: &[Source],
    diagnostics: &mut Diagnostics,
) -> Vec<(Crd, R)> {
    let name_of = |place: &Place| {
        let source = place.source.and_then(|id| id.of(sources));
        source.map_or_else(String::new, |source| source.name.clone())
    };
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut kinds: HashMap<(String, String), String> = HashMap::new();
    let mut kept: Vec<(Crd, R)> = Vec::with_capacity(crds.len());
    for (crd, result) in crds {
        match names.entry(crd.name.clone()) {
            Entry::Occupied(first) => {
                let (first, _) = &kept[*first.get()];
                let place = below(&crd.place, &["metadata", "name"]);
                let hint = format!("the first one is in {}", name_of(&first.place));
                if first.manifest == crd.manifest {
                    diagnostics
                        .report(
                            Code::RepeatedCrd,
                            place,
                            format!("duplicate of an identical CRD {}; skipped", crd.name),
                        )
                        .hint(hint);
                } else {
                    diagnostics
                        .report(
                            Code::DuplicateCrd,
                            place,
                            format!("conflicting definitions of {}", crd.name),
                        )
                        .label("second definition")
                        .hint(format!("{hint}; remove one of them"));
                }
                continue;
            }
            Entry::Vacant(slot) => {
                slot.insert(kept.len());
            }
        }
        match kinds.entry((crd.group.clone(), crd.names.kind.clone())) {
            Entry::Occupied(first) => {
                diagnostics
                    .report(
                        Code::KindClash,
                        below(&crd.place, &["spec", "names", "kind"]),
                        format!(
                            "kind {} of group {} is already used by {}",
                            crd.names.kind,
                            crd.group,
                            first.get()
                        ),
                    )
                    .hint("the API server would reject the names of the second CRD");
            }
            Entry::Vacant(slot) => {
                slot.insert(crd.name.clone());
            }
        }
        kept.push((crd, result));
    }
    kept
}

fn below(place: &Place, steps: &[&str]) -> Place {
    let mut place = place.clone();
    for step in steps {
        pointer::push(&mut place.pointer, step);
    }
    place
}
