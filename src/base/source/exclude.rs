//! Leaves files out of directories and patterns.
use super::Problem;
use glob::{MatchOptions, Pattern};
use std::cell::Cell;
use std::path::{Component, Path, PathBuf};

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Patterns of files to leave out. A pattern matches a path or its end, such as `tests`, `*_test.yaml` or `crds/old/*.yaml`,
/// and a directory that matches includes everything below.
pub(super) struct Exclude<'a>(Vec<(&'a str, Pattern, Cell<bool>)>);

impl<'a> Exclude<'a> {
    /// Parses the patterns; reports those that are invalid.
    pub(super) fn new(patterns: &'a [String], problems: &mut Vec<Problem>) -> Self {
        let mut parsed = Vec::new();
        for text in patterns {
            let plain = text.strip_prefix("./").unwrap_or(text);
            match Pattern::new(plain.trim_end_matches('/')) {
                Ok(pattern) => parsed.push((text.as_str(), pattern, Cell::new(false))),
                Err(error) => problems.push(Problem::Pattern {
                    pattern: text.clone(),
                    reason: error.to_string(),
                }),
            }
        }
        Self(parsed)
    }

    /// Returns whether a pattern matches a file, or a directory above it that is below `root`.
    pub(super) fn excludes(&self, file: &Path, root: &Path) -> bool {
        let above = parts_of(root).count();
        let mut is_excluded = false;
        for (_, pattern, is_used) in &self.0 {
            if is_match(pattern, file, above) {
                is_used.set(true);
                is_excluded = true;
            }
        }
        is_excluded
    }

    /// Returns the patterns that have matched nothing.
    pub(super) fn unused(self) -> Vec<String> {
        let unused = self.0.into_iter().filter(|(_, _, is_used)| !is_used.get());
        unused.map(|(text, ..)| text.to_owned()).collect()
    }
}

/// Returns whether a pattern matches a file, a directory above it, or the end of one of these; `above`: how many parts of the path do not count.
fn is_match(pattern: &Pattern, file: &Path, above: usize) -> bool {
    let parts: Vec<Component<'_>> = parts_of(file).collect();
    let matches = |start: usize, end: usize| {
        let path: PathBuf = parts[start..end].iter().collect();
        pattern.matches_path_with(&path, OPTIONS)
    };
    let mut ends = above + 1..=parts.len();
    ends.any(|end| (0..end).any(|start| matches(start, end)))
}

/// Returns whether a pattern matches the path of a file as those of files to leave out do.
pub(crate) fn matches(pattern: &str, file: &Path) -> bool {
    let plain = pattern.strip_prefix("./").unwrap_or(pattern);
    Pattern::new(plain.trim_end_matches('/')).is_ok_and(|it| is_match(&it, file, 0))
}

fn parts_of(path: &Path) -> impl Iterator<Item = Component<'_>> {
    path.components().filter(|part| *part != Component::CurDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excludes(pattern: &str, file: &str, root: &str) -> bool {
        let patterns = [pattern.to_owned()];
        let mut problems = Vec::new();
        let exclude = Exclude::new(&patterns, &mut problems);
        assert!(problems.is_empty());
        let is_excluded = exclude.excludes(Path::new(file), Path::new(root));
        assert_eq!(exclude.unused().is_empty(), is_excluded);
        is_excluded
    }

    #[test]
    fn a_pattern_matches_a_path_or_its_end() {
        for pattern in [
            "a.yaml",
            "*.yaml",
            "old",
            "old/",
            "old/*",
            "old/a.yaml",
            "crds/old",
            "./crds/old/*.yaml",
            "crds/**/a.yaml",
        ] {
            assert!(excludes(pattern, "crds/old/a.yaml", "crds"), "{pattern}");
            assert!(
                excludes(pattern, "./crds/old/a.yaml", "./crds"),
                "{pattern}"
            );
            assert!(
                excludes(pattern, "/x/crds/old/a.yaml", "/x/crds"),
                "{pattern}"
            );
        }
        for pattern in ["a", "crds/*.yaml", "ol", "b.yaml", "/old/*", "OLD"] {
            assert!(!excludes(pattern, "crds/old/a.yaml", "crds"), "{pattern}");
        }
        assert!(excludes("/x/crds/old", "/x/crds/old/a.yaml", "/x/crds"));
    }

    #[test]
    fn directories_above_the_input_do_not_count() {
        assert!(!excludes("tests", "/tests/crds/a.yaml", "/tests/crds"));
        assert!(!excludes("crds", "crds/a.yaml", "crds"));
    }
}
