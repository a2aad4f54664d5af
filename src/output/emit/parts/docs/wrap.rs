//! Wraps words to lines in which none begins a Markdown block by accident.
use std::borrow::Cow;

/// The longest line of docs.
pub(super) const WIDTH: usize = 92;

/// Wraps words to lines of [`WIDTH`]; `first` precedes the first line, `others` the other ones.
pub(crate) fn wrap<S: AsRef<str>>(words: &[S], first: &str, others: &str) -> Vec<String> {
    let begin = |margin: &str| {
        let mut line = String::with_capacity(WIDTH);
        line.push_str(margin);
        line
    };
    let mut lines = Vec::new();
    let mut line = begin(first);
    let mut length = first.chars().count();
    // The number of words on the line, and the start of the last one.
    let mut count = 0;
    let mut last = line.len();
    for word in words.iter().map(AsRef::as_ref) {
        let more = word.chars().count();
        if count > 0 && length + 1 + more > WIDTH {
            // A word that would start a block takes the previous word to the new line.
            let carried = (starts_block(word) && count > 1 && !starts_block(&line[last..]))
                .then(|| line.split_off(last));
            line.truncate(line.trim_end().len());
            lines.push(std::mem::replace(&mut line, begin(others)));
            line.push_str(carried.as_deref().unwrap_or(""));
            length = line.chars().count();
            count = usize::from(carried.is_some());
        }
        if count == 0 {
            last = line.len();
            let word = guarded(word);
            length += word.chars().count();
            line.push_str(&word);
        } else {
            length += 1 + more;
            line.push(' ');
            last = line.len();
            line.push_str(word);
        }
        count += 1;
    }
    lines.push(line);
    lines
}

/// Escapes a word that would start a block.
fn guarded(word: &str) -> Cow<'_, str> {
    if !starts_block(word) {
        return word.into();
    }
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &word[..word.len() - digits.len()];
    format!("{number}\\{digits}").into()
}

/// Whether a word at the start of a line starts a list, a heading, a quote, a rule, a table or a fence.
fn starts_block(word: &str) -> bool {
    let all = |signs: &[char]| word.chars().all(|c| signs.contains(&c));
    match word.chars().next() {
        Some('>' | '|') => true,
        Some('+') => word == "+",
        Some('-' | ':') => all(&['-', ':', '|']) && word.contains('-'),
        Some('*' | '_') => all(&['*', '_']),
        Some('#') => all(&['#']),
        Some('=') => all(&['=']),
        Some('~') => word.starts_with("~~~"),
        Some(c) if c.is_ascii_digit() => {
            let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
            rest == "." || rest == ")"
        }
        _ => false,
    }
}
