//! Emphasis: where two escaped marks of a paragraph form a pair, they become Markdown again.
use std::borrow::Cow;

/// The most words that one pair of marks may span.
const LONGEST: usize = 40;

/// Restores the marks of `**emphasised words**` and `*emphasised words*`.
pub(super) fn restore(words: &mut [Cow<'_, str>]) {
    let mut at = 0;
    while at < words.len() {
        let found = ["\\*\\*", "\\*"].into_iter().find_map(|mark| {
            let from = opens(&words[at], mark)?;
            let last = words.len().min(at + LONGEST);
            let (to, until) = (at..last)
                .find_map(|to| closes(&words[to], mark).map(|until| (to, until)))
                .filter(|(to, until)| {
                    let has_no_mark = |word: &str| !word.contains("\\*");
                    let between = words[at..*to].iter().skip(1);
                    (*to == at || has_no_mark(&words[*to][..*until]))
                        && between.map(AsRef::as_ref).all(has_no_mark)
                })?;
            Some((mark, from, to, until))
        });
        let Some((mark, from, to, until)) = found else {
            at += 1;
            continue;
        };
        let plain = mark.replace('\\', "");
        // The closing mark first: both may be in one word.
        words[to]
            .to_mut()
            .replace_range(until..until + mark.len(), &plain);
        words[at]
            .to_mut()
            .replace_range(from..from + mark.len(), &plain);
        at = to + 1;
    }
}

/// Returns the position of an opening mark.
fn opens(word: &str, mark: &str) -> Option<usize> {
    let rest = word.trim_start_matches(['(', '"']);
    let body = rest.strip_prefix(mark)?;
    body.starts_with(char::is_alphanumeric)
        .then_some(word.len() - rest.len())
}

/// Returns the position of a closing mark; punctuation may precede it, as in `**Note:** this`.
fn closes(word: &str, mark: &str) -> Option<usize> {
    let rest = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"']);
    let body = rest.strip_suffix(mark)?;
    let text = body.strip_suffix([':', '.', '!', '?', ',']).unwrap_or(body);
    text.ends_with(|c: char| c.is_alphanumeric() || c == '`')
        .then_some(body.len())
}

#[cfg(test)]
mod tests {
    use super::super::inline;
    use super::*;

    #[test]
    fn pairs_are_restored_and_other_marks_stay_escaped() {
        for (text, expected) in [
            ("*deprecated* now", "*deprecated* now"),
            ("**Fair Sharing** only", "**Fair Sharing** only"),
            ("**Note:** x", "**Note:** x"),
            (
                "is (*experimental feature*),",
                "is (*experimental feature*),",
            ),
            ("*a *b* c", r"\*a *b* c"),
            ("*alone", r"\*alone"),
            ("a* and *b", r"a\* and \*b"),
            ("*both* and *each*.", "*both* and *each*."),
            ("** x **", r"** x **"),
        ] {
            let mut words = inline::words(text);
            restore(&mut words);
            assert_eq!(words.join(" "), expected, "{text}");
        }
    }
}
