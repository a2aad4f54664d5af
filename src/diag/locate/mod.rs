//! Findings with pointers come in, the same with lines and columns go out: one scan of each source that has findings.
mod events;
mod json;
mod trail;
mod yaml;

pub(crate) use events::{Broken, Events};

use super::{Diagnostic, Place, Position};
use crate::source::{Source, SourceId};
use crate::threads;
use std::collections::{BTreeMap, HashMap};
use trail::Trail;

/// Where a node stands: its key, if it has one, and its value.
#[derive(Clone, Copy, Debug)]
struct Spot {
    key: Option<Position>,
    value: Position,
}

/// Gives every finding of the sources its line and column, and puts all in the order of the text; a position that is
/// known stays.
pub(super) fn locate(findings: &mut [Diagnostic], sources: &[Source]) {
    let mut wanted: BTreeMap<SourceId, Vec<&Place>> = BTreeMap::new();
    for place in findings.iter().map(|finding| &finding.place) {
        if let (None, Some(id)) = (place.position, place.source) {
            wanted.entry(id).or_default().push(place);
        }
    }
    let wanted: Vec<(SourceId, &str, Vec<&Place>)> = wanted
        .into_iter()
        .filter_map(|(id, places)| Some((id, id.of(sources)?.text.as_str(), places)))
        .collect();
    let trails = threads::map_largest_first(
        &wanted,
        |(_, text, _)| text.len(),
        |(id, text, places)| (*id, trail(text, places)),
    );
    let trails: HashMap<SourceId, Trail> = trails.into_iter().collect();
    for finding in findings.iter_mut() {
        let place = &mut finding.place;
        if place.position.is_none()
            && let Some(trail) = place.source.and_then(|id| trails.get(&id))
        {
            place.position = position(place, trail);
        }
    }
    findings.sort_by_key(|finding| {
        let at = finding.place.position.map(|at| (at.line, at.column));
        // Diagnostics without a source come last.
        (finding.place.source.is_none(), finding.place.source, at)
    });
}

/// The places that are wanted, found in a text.
fn trail(text: &str, places: &[&Place]) -> Trail {
    let mut trail = Trail::default();
    for place in places {
        trail.want(place);
    }
    // Whatever YAML reads, it reads; JSON has escapes of its own, and tabs.
    if !json::scan(text, &mut trail) {
        trail.forget();
        yaml::scan(text, &mut trail);
    }
    trail
}

/// The place itself, or the nearest above it that is there. The key is meant if the finding says so, and where a nearest
/// parent stands for something that is not there.
fn position(place: &Place, trail: &Trail) -> Option<Position> {
    let (spot, exact) = trail.nearest(place)?;
    match spot.key {
        Some(key) if place.key || !exact => Some(key),
        _ => Some(spot.value),
    }
}
