//! Findings with pointers come in, the same with lines and columns go out: one scan of each source that has findings.
mod events;
mod json;
mod trail;
mod yaml;

pub(crate) use events::{Broken, Events};

use super::{Diagnostic, Place, Position};
use crate::source::Source;
use std::collections::HashMap;
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
    let mut wanted: HashMap<usize, Trail> = HashMap::new();
    for finding in findings.iter() {
        let place = &finding.place;
        if place.position.is_none() && place.source < sources.len() {
            wanted.entry(place.source).or_default().want(place);
        }
    }
    for (source, trail) in &mut wanted {
        let text = &sources[*source].text;
        // Whatever YAML reads, it reads; JSON has escapes of its own, and tabs.
        if !json::scan(text, trail) {
            trail.forget();
            yaml::scan(text, trail);
        }
    }
    for finding in findings.iter_mut() {
        let place = &mut finding.place;
        if place.position.is_none()
            && let Some(trail) = wanted.get(&place.source)
        {
            place.position = position(place, trail);
        }
    }
    findings.sort_by_key(|finding| {
        let at = finding.place.position.map(|at| (at.line, at.column));
        (finding.place.source, at)
    });
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
