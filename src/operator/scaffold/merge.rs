//! Merges newly rendered files into those of the user, against what was rendered before.
//!
//! The record has only the hash of what was rendered before. That is enough for a file that the user has not edited, and for a template that
//! has not changed. For an edited file whose template has changed, the caller looks for the text with this hash. If it finds none, a merge
//! would have to guess which lines are the user's: the user's file stays, and the new one goes beside it.
use super::{Baseline, Recorded};
use crate::output::render::File;

/// What happens to the file of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merged {
    /// It stays as it is: the user's, up to date or deleted by the user.
    Kept,
    /// The template's changes are in the text.
    Clean(String),
    /// As before, and some lines were changed by both: they are between conflict markers.
    Conflict(String),
    /// The user and the template have changed it, and what it was before is not known: the text is that of the template.
    Beside(String),
    /// No template makes it any more, and the user has not changed it.
    Removed,
}

/// The file with the text of the template, beside one that could not be merged.
pub(crate) fn beside(path: &str) -> String {
    format!("{path}.new")
}

/// Merges all files. `existing` returns the text of a file in the crate, and `base` the text that a file was scaffolded with.
///
/// # Errors
/// If a file cannot be read, or is not merged yet from the last time.
pub(crate) fn merge(
    baseline: &Baseline,
    rendered: &[File],
    existing: impl Fn(&str) -> Result<Option<String>, String>,
    base: impl Fn(&str, &Recorded) -> Option<String>,
) -> Result<Vec<(String, Merged)>, String> {
    let mut merged = Vec::new();
    for file in rendered {
        let path = &file.path;
        let (recorded, ours) = (baseline.file(path), existing(path)?);
        if let Some(text) = &ours
            && recorded.is_none_or(|it| !it.is(&unix(text)))
            && has_markers(text)
        {
            return Err(format!(
                "`{path}` has unresolved conflicts; resolve them first"
            ));
        }
        let beside = beside(path);
        if recorded.is_some() && existing(&beside)?.is_some() {
            return Err(format!(
                "`{beside}` is waiting to be merged; copy what you need from it to `{path}`, then delete `{beside}`"
            ));
        }
        let base = |recorded: &Recorded| base(path, recorded);
        merged.push((path.clone(), three_way(recorded, ours, &file.text, base)));
    }
    for path in baseline.paths() {
        if rendered.iter().all(|file| file.path != path) {
            let recorded = baseline.file(path);
            let is_unchanged =
                existing(path)?.is_some_and(|ours| recorded.is_some_and(|it| it.is(&unix(&ours))));
            let merged_file = if is_unchanged {
                Merged::Removed
            } else {
                Merged::Kept
            };
            merged.push((path.to_owned(), merged_file));
        }
    }
    Ok(merged)
}

fn three_way(
    recorded: Option<&Recorded>,
    ours: Option<String>,
    theirs: &str,
    base: impl Fn(&Recorded) -> Option<String>,
) -> Merged {
    match (recorded, ours) {
        // A new template.
        (None, None) => Merged::Clean(theirs.to_owned()),
        // The user's own file, or one that the user has deleted.
        (None, Some(_)) | (Some(_), None) => Merged::Kept,
        (Some(recorded), Some(ours)) => {
            let text = unix(&ours);
            if text == theirs || recorded.is(theirs) {
                return Merged::Kept;
            }
            let ending = |merged: String| {
                if text == ours {
                    merged
                } else {
                    merged.replace('\n', "\r\n")
                }
            };
            if recorded.is(&text) {
                return Merged::Clean(ending(theirs.to_owned()));
            }
            let Some(base) = base(recorded) else {
                return Merged::Beside(ending(theirs.to_owned()));
            };
            match diffy::merge(&base, &text, theirs) {
                Ok(merged) if merged == text => Merged::Kept,
                Ok(merged) => Merged::Clean(ending(merged)),
                Err(conflict) => Merged::Conflict(ending(conflict)),
            }
        }
    }
}

/// Returns a text with the line endings of templates.
fn unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn has_markers(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
        && text.lines().any(|line| line.starts_with(">>>>>>> "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "a\nb\nc\nd\ne\nf\ng\n";

    fn of(base: Option<&str>, ours: Option<&str>, theirs: &str) -> Merged {
        let recorded = base.map(Recorded::new);
        let base = |_: &Recorded| base.map(str::to_owned);
        three_way(recorded.as_ref(), ours.map(str::to_owned), theirs, base)
    }

    #[test]
    fn changes_of_both_sides_are_kept() {
        let (ours, theirs) = ("mine\na\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nd\ne\nF\ng\n");
        let expected = Merged::Clean("mine\na\nb\nc\nd\ne\nF\ng\n".to_owned());
        assert_eq!(of(Some(BASE), Some(ours), theirs), expected);
        // With the line endings of the user.
        let windows = ours.replace('\n', "\r\n");
        let expected = Merged::Clean("mine\na\nb\nc\nd\ne\nF\ng\n".replace('\n', "\r\n"));
        assert_eq!(of(Some(BASE), Some(&windows), theirs), expected);
    }

    #[test]
    fn lines_changed_by_both_sides_become_a_conflict_with_both() {
        let Merged::Conflict(text) = of(Some("a\n"), Some("mine\n"), "new\n") else {
            panic!("no conflict");
        };
        assert!(text.contains("mine\n") && text.contains("new\n"), "{text}");
        assert!(has_markers(&text), "{text}");
    }

    #[test]
    fn without_the_text_before_only_an_edited_file_of_a_changed_template_is_not_merged() {
        let recorded = Recorded::new("a\n");
        let of = |ours: &str, theirs: &str| {
            three_way(Some(&recorded), Some(ours.to_owned()), theirs, |_| None)
        };
        assert_eq!(of("mine\n", "new\n"), Merged::Beside("new\n".to_owned()));
        assert_eq!(of("mine\n", "a\n"), Merged::Kept);
        assert_eq!(of("new\n", "new\n"), Merged::Kept);
        assert_eq!(of("a\n", "new\n"), Merged::Clean("new\n".to_owned()));
        let windows = Merged::Clean("new\r\n".to_owned());
        assert_eq!(of("a\r\n", "new\n"), windows);
    }

    #[test]
    fn files_of_the_user_and_deleted_ones_stay() {
        assert_eq!(of(None, Some("mine\n"), "new\n"), Merged::Kept);
        assert_eq!(of(Some("a\n"), None, "new\n"), Merged::Kept);
        assert_eq!(of(Some("a\n"), Some("mine\n"), "a\n"), Merged::Kept);
        assert_eq!(of(Some("a\n"), Some("new\n"), "new\n"), Merged::Kept);
        assert_eq!(of(None, None, "new\n"), Merged::Clean("new\n".to_owned()));
    }

    /// Inserts lines of its own into a text, and removes others.
    fn edited(base: &[String], own: &str, random: &mut impl FnMut(usize) -> usize) -> Vec<String> {
        let mut lines = base.to_vec();
        for edit in 0..=random(4) {
            let at = random(lines.len());
            match random(3) {
                0 => drop(lines.remove(at)),
                1 => lines[at] = format!("{own} {edit}"),
                _ => lines.insert(at, format!("{own} {edit}")),
            }
        }
        lines
    }

    #[test]
    fn no_line_of_either_side_is_lost() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % below
        };
        let (mut clean, mut conflicts) = (0, 0);
        for _ in 0..2_000 {
            let base: Vec<String> = (0..5 + random(20))
                .map(|it| format!("line {}", it % 9))
                .collect();
            let ours = edited(&base, "mine", &mut random);
            let theirs = edited(&base, "new", &mut random);
            let text = |lines: &[String]| lines.join("\n") + "\n";
            let (base, theirs_text) = (text(&base), text(&theirs));
            let merged = match of(Some(&base), Some(&text(&ours)), &theirs_text) {
                Merged::Clean(merged) => {
                    clean += 1;
                    merged
                }
                Merged::Conflict(merged) => {
                    conflicts += 1;
                    merged
                }
                // One side changed nothing after all, or both the same.
                Merged::Kept => text(&ours),
                Merged::Beside(_) | Merged::Removed => panic!("not merged"),
            };
            let is_own = |line: &&String| line.starts_with("mine") || line.starts_with("new");
            for line in ours.iter().chain(&theirs).filter(is_own) {
                assert!(merged.lines().any(|it| it == line), "{line}: {merged}");
            }
        }
        assert!(clean > 500 && conflicts > 100, "{clean}, {conflicts}");
    }
}
