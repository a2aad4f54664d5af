//! Finds lines and columns of diagnostics; each source that has any is read once more.
use std::collections::BTreeSet;

use crate::{
    base::{
        diag::{Diagnostic, Diagnostics, Place, Position},
        source::{Source, SourceId},
        threads,
    },
    input::yaml::{self, Document, Lines},
};

impl Diagnostics {
    /// Finds line and column of every location and sorts by them.
    pub fn locate(&mut self, sources: &[Source]) {
        locate(self.all_mut(), sources);
        self.add_hints(sources);
    }
}

/// Locates every diagnostic that has no position yet, and sorts all by source and position.
fn locate(diagnostics: &mut [Diagnostic], sources: &[Source]) {
    let without = diagnostics
        .iter()
        .map(|it| &it.place)
        .filter(|place| place.position.is_none());
    let wanted: BTreeSet<SourceId> = without.filter_map(|place| place.source).collect();
    let wanted: Vec<(SourceId, &Source)> = wanted
        .into_iter()
        .filter_map(|id| Some((id, id.of(sources)?)))
        .collect();
    if !wanted.is_empty() {
        let positions = threads::with_large_stack(|| {
            threads::map_largest_first(
                &wanted,
                |(_, source)| source.text.len(),
                |(id, source)| positions(*id, source, diagnostics),
            )
        });
        for (diagnostic, position) in positions.into_iter().flatten() {
            diagnostics[diagnostic].place.position = position;
        }
    }
    diagnostics.sort_by_key(|diagnostic| {
        let at = diagnostic.place.position.map(|at| (at.line, at.column));
        // Diagnostics without a source come last.
        (
            diagnostic.place.source.is_none(),
            diagnostic.place.source,
            at,
        )
    });
}

/// Returns the positions of the diagnostics of a source, by their index.
fn positions(
    id: SourceId,
    source: &Source,
    diagnostics: &[Diagnostic],
) -> Vec<(usize, Option<Position>)> {
    let documents = yaml::read(source, id, &mut Diagnostics::new());
    let lines = Lines::new(&source.text);
    let places = diagnostics.iter().map(|it| &it.place).enumerate();
    places
        .filter(|(_, place)| place.position.is_none() && place.source == Some(id))
        .map(|(index, place)| (index, position(place, &documents, &lines)))
        .collect()
}

/// Returns the position of a place or, if it does not exist, of its nearest parent. Points at the key if the place asks for
/// it or does not exist.
fn position(place: &Place, documents: &[Document], lines: &Lines<'_>) -> Option<Position> {
    let document = documents
        .iter()
        .find(|document| document.index == place.document)?;
    let found = document.root.find(&place.pointer);
    let span = found
        .key
        .filter(|_| place.key || !found.is_exact)
        .unwrap_or(found.value);
    Some(lines.position(span))
}
