//! All definitions and a seed come in, a slice of bounded size goes out: the same seed gives the same slice.
use super::input::Manifest;

/// Draws files until `bytes` are full; all of them without a seed. What does not fit is passed over.
pub(super) fn choose(mut all: Vec<Manifest>, seed: Option<u64>, bytes: u64) -> Vec<Manifest> {
    let Some(seed) = seed else {
        return all;
    };
    fastrand::Rng::with_seed(seed).shuffle(&mut all);
    let mut room = bytes;
    all.retain(|manifest| {
        let size = manifest.source.text.len() as u64;
        let fits = size <= room;
        room -= if fits { size } else { 0 };
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
            source: Source {
                name: format!("{index:02}"),
                path: None,
                text: "x".repeat(10),
            },
        });
        let chosen = choose(all.collect(), seed, bytes);
        chosen.into_iter().map(|it| it.source.name).collect()
    }

    #[test]
    fn slices_are_bounded_and_follow_the_seed() {
        assert_eq!(names(None, 0).len(), 20);
        assert_eq!(names(Some(1), 55).len(), 5);
        assert_eq!(names(Some(1), 55), names(Some(1), 55));
        assert_ne!(names(Some(1), 55), names(Some(2), 55));
        assert!(names(Some(1), 55).is_sorted());
    }
}
