//! Selects a slice of the CRDs of bounded size; the same seed selects the same slice.
use super::input::Manifest;

/// Selects random files of at most `bytes` in total, skipping those that do not fit; without a seed, selects all.
pub(crate) fn select(mut all: Vec<Manifest>, seed: Option<u64>, bytes: u64) -> Vec<Manifest> {
    let Some(seed) = seed else {
        return all;
    };
    fastrand::Rng::with_seed(seed).shuffle(&mut all);
    let mut left = bytes;
    all.retain(|manifest| {
        let size = manifest.source.text.len() as u64;
        let fits = size <= left;
        left -= if fits { size } else { 0 };
        fits
    });
    all.sort_by(|a, b| (&a.repository, &a.source.name).cmp(&(&b.repository, &b.source.name)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_codegen::source::Source;

    fn names(seed: Option<u64>, bytes: u64) -> Vec<String> {
        let all = (0..20).map(|index| Manifest {
            repository: String::new(),
            input: String::new(),
            source: Source::new(format!("{index:02}"), "x".repeat(10)),
        });
        let selected = select(all.collect(), seed, bytes);
        selected.into_iter().map(|it| it.source.name).collect()
    }

    #[test]
    fn slices_are_bounded_and_depend_on_the_seed() {
        assert_eq!(names(None, 0).len(), 20);
        assert_eq!(names(Some(1), 55).len(), 5);
        assert_eq!(names(Some(1), 55), names(Some(1), 55));
        assert_ne!(names(Some(1), 55), names(Some(2), 55));
        assert!(names(Some(1), 55).is_sorted());
    }
}
