//! The escaped words of a paragraph come in; where two marks of emphasis belong together, they stand for themselves again.
use std::borrow::Cow;

/// The most words that are taken for stressed ones.
const LONGEST: usize = 40;

/// Gives back the marks of `**stressed words**` and `*stressed words*`.
pub(super) fn restore(words: &mut [Cow<'_, str>]) {
    let mut at = 0;
    while at < words.len() {
        let found = ["\\*\\*", "\\*"].into_iter().find_map(|mark| {
            let from = opens(&words[at], mark)?;
            let last = words.len().min(at + LONGEST);
            let (to, until) = (at..last)
                .find_map(|to| closes(&words[to], mark).map(|until| (to, until)))
                .filter(|(to, until)| {
                    let is_free = |word: &str| !word.contains("\\*");
                    let between = words[at..*to].iter().skip(1);
                    (*to == at || is_free(&words[*to][..*until]))
                        && between.map(AsRef::as_ref).all(is_free)
                })?;
            Some((mark, from, to, until))
        });
        let Some((mark, from, to, until)) = found else {
            at += 1;
            continue;
        };
        let plain = mark.replace('\\', "");
        // The end first: both may be in one word.
        words[to]
            .to_mut()
            .replace_range(until..until + mark.len(), &plain);
        words[at]
            .to_mut()
            .replace_range(from..from + mark.len(), &plain);
        at = to + 1;
    }
}

/// Where a word begins what is stressed.
fn opens(word: &str, mark: &str) -> Option<usize> {
    let rest = word.trim_start_matches(['(', '"']);
    let body = rest.strip_prefix(mark)?;
    body.starts_with(char::is_alphanumeric)
        .then_some(word.len() - rest.len())
}

/// Where a word ends what is stressed.
fn closes(word: &str, mark: &str) -> Option<usize> {
    let rest = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"']);
    let body = rest.strip_suffix(mark)?;
    body.ends_with(is_end)
        .then_some(body.len())
        .or_else(|| ended(body))
}

/// Whether a word may end so before a mark that closes.
fn is_end(c: char) -> bool {
    c.is_alphanumeric() || c == '`'
}

/// As in `**Note:** this`, where the punctuation is stressed too.
fn ended(body: &str) -> Option<usize> {
    let text = body.strip_suffix([':', '.', '!', '?', ','])?;
    text.ends_with(is_end).then_some(body.len())
}

#[cfg(test)]
mod tests {
    use super::super::inline;
    use super::*;

    #[test]
    fn pairs_stand_and_the_rest_is_text() {
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
