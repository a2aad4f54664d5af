//! Turns a description into lines of Markdown: wrapped paragraphs, lists and code, never a doctest.
use std::borrow::Cow;

use super::{emphasis, inline, markers, span::clean, wrap::wrap};

/// Returns the lines of a description.
pub(crate) fn lines(description: &str) -> Vec<String> {
    let text = clean(description);
    let mut out = Lines::default();
    let mut lines = text.lines().filter_map(markers::without).peekable();
    let mut in_list = false;
    while let Some(line) = lines.next() {
        if let Some(fence) = fence(line) {
            let mut code = Vec::new();
            for line in lines.by_ref() {
                if line.trim_start().starts_with(fence) {
                    break;
                }
                code.push(line);
            }
            out.code(&code);
            in_list = false;
        } else if line.trim().is_empty() {
            out.end_paragraph();
            // After an empty line, only another item continues a list.
            in_list &= lines.peek().is_some_and(|next| item(next).is_some());
            if !in_list {
                out.gap();
            }
        } else if is_drawn(line) || is_signs(line) && lines.peek().is_some_and(|it| is_drawn(it)) {
            let mut code = vec![line];
            while let Some(next) = lines.next_if(|line| is_drawn(line)) {
                code.push(next);
            }
            out.code(&code);
            in_list = false;
        } else if let Some((marker, indent, rest)) = item(line) {
            in_list = true;
            out.item(&marker, indent, rest);
        } else if in_list && line.starts_with("  ") {
            out.paragraph(line);
        } else if !in_list && line.starts_with("    ") && out.at_block() {
            let mut code = vec![line];
            while let Some(next) = lines.next_if(|line| line.starts_with("    ")) {
                code.push(next);
            }
            out.code(&code);
        } else {
            if in_list {
                out.end_paragraph();
                out.gap();
                in_list = false;
            }
            out.paragraph(line);
        }
    }
    out.finish()
}

/// Whether a line is part of a drawing or a table.
fn is_drawn(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Whether a line has no letter or digit, as the first line of a drawing may.
fn is_signs(line: &str) -> bool {
    !line.contains(char::is_alphanumeric)
}

fn fence(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    let is_fence = |fence: &str| line.starts_with(fence) && !line[fence.len()..].contains(fence);
    ["```", "~~~"].into_iter().find(|fence| is_fence(fence))
}

/// Whether a line starts with one or two words and a colon, as in `More info: …`.
fn is_labelled(line: &str) -> bool {
    let line = line.trim_start();
    if !line.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let label = line.find(|c: char| c != ' ' && !c.is_alphanumeric());
    label.is_some_and(|end| {
        let rest = &line[end..];
        (rest.starts_with(": ") || rest == ":") && line[..end].matches(' ').count() < 2
    })
}

/// Whether a line ends within a sentence.
fn is_cut(line: &str) -> bool {
    line.split_whitespace().nth(3).is_some() && line.trim_end().ends_with(char::is_alphanumeric)
}

/// Whether a line continues a sentence: it starts in lower case, and not with a name that it explains.
fn goes_on(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_plain = |word: &str| {
        word.chars()
            .all(|c| c.is_lowercase() || matches!(c, ',' | '.'))
    };
    words.next().is_some_and(is_plain) && words.next().is_none_or(|next| !matches!(next, "-" | "="))
}

/// Returns the marker, the indentation and the text of a list item.
fn item(line: &str) -> Option<(String, usize, &str)> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let bullets = ["- ", "* ", "+ ", "• "];
    if let Some(rest) = bullets.iter().find_map(|bullet| text.strip_prefix(bullet)) {
        return Some(("- ".into(), indent, rest.trim()));
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text[digits..].strip_prefix(". ")?;
    (1..=2)
        .contains(&digits)
        .then(|| (format!("{}. ", &text[..digits]), indent, rest.trim()))
}

#[derive(Default)]
struct Lines<'t> {
    done: Vec<String>,
    /// The words of the open paragraph, the prefix of its first line and that of the others.
    open: Vec<Cow<'t, str>>,
    first: String,
    others: String,
    /// Whether the last source line is so short that its end is deliberate.
    short: bool,
    /// Whether the last source line ends within a sentence.
    cut: bool,
    /// The open list items: their indentation in the source and that of their text in the docs.
    items: Vec<(usize, usize)>,
}

impl<'t> Lines<'t> {
    fn paragraph(&mut self, line: &'t str) {
        if self.short && !(self.cut && goes_on(line)) || is_labelled(line) {
            self.end_line();
        }
        self.open.extend(inline::words(line.trim()));
        // Short lines are separate, as in `key: value` lists without markers.
        self.short = line.trim_end().ends_with(':') || line.len() < 50;
        self.cut = is_cut(line);
    }

    fn item(&mut self, marker: &str, indent: usize, rest: &'t str) {
        self.end_paragraph();
        while self.items.last().is_some_and(|(open, _)| *open >= indent) {
            self.items.pop();
        }
        if self.items.is_empty() && !self.done.is_empty() && !self.after_item() {
            self.gap();
        }
        let margin = self.items.last().map_or(0, |(_, text)| *text);
        let text = margin + marker.len();
        self.items.push((indent, text));
        self.first = format!("{}{marker}", " ".repeat(margin));
        self.others = " ".repeat(text);
        self.open = inline::words(rest);
        self.short = false;
        if self.open.is_empty() {
            self.open.push("\\-".into());
        }
    }

    /// Whether the last line is part of a list.
    fn after_item(&self) -> bool {
        self.done
            .last()
            .is_some_and(|line| line.starts_with(' ') || item(line).is_some())
    }

    fn code(&mut self, code: &[&str]) {
        self.end_paragraph();
        self.gap();
        let indent = |line: &&str| line.len() - line.trim_start().len();
        let margin = code
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(indent)
            .min()
            .unwrap_or(0);
        self.done.push("```text".into());
        for line in code {
            let line = line.get(margin..).unwrap_or("").trim_end();
            self.done.push(line.replace("```", "'''"));
        }
        self.done.push("```".into());
        self.gap();
    }

    /// Whether a block may start: no paragraph is open.
    fn at_block(&self) -> bool {
        self.open.is_empty() || self.short
    }

    fn end_line(&mut self) {
        if !self.open.is_empty() {
            let mut words = std::mem::take(&mut self.open);
            emphasis::restore(&mut words);
            self.done.extend(wrap(&words, &self.first, &self.others));
            self.first.clone_from(&self.others);
        }
        self.short = false;
    }

    fn end_paragraph(&mut self) {
        self.end_line();
        self.first.clear();
        self.others.clear();
    }

    /// Adds an empty line, unless there is one.
    fn gap(&mut self) {
        self.items.clear();
        if self.done.last().is_some_and(|line| !line.is_empty()) {
            self.done.push(String::new());
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.end_paragraph();
        while self.done.last().is_some_and(String::is_empty) {
            self.done.pop();
        }
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::super::wrap::WIDTH;
    use super::*;

    #[track_caller]
    fn gives(text: &str, expected: &[&str]) {
        assert_eq!(lines(text), expected, "{text}");
    }

    #[test]
    fn paragraphs_are_joined_and_wrapped() {
        let first = "A line of the source that is long enough to be wrapped by its writer";
        gives(
            &format!("{first}\ngoes on.\n\nNext."),
            &[&format!("{first} goes on."), "", "Next."],
        );
        let long = "word ".repeat(40);
        assert!(lines(&long).iter().all(|line| line.len() <= WIDTH));
        gives("short\nlines", &["short", "lines"]);
        gives("a line that is cut\nin two", &["a line that is cut in two"]);
        gives(
            "one two three four:\nnext",
            &["one two three four:", "next"],
        );
        gives(
            "one two three four\nkey: x",
            &["one two three four", "key: x"],
        );
        gives(
            "one two three\nDefault: x",
            &["one two three", "Default: x"],
        );
    }

    #[test]
    fn lists_keep_their_items() {
        gives(
            "Values:\n* a\n  - b\n2. c",
            &["Values:", "", "- a", "  - b", "2. c"],
        );
        gives("- a\nb", &["- a", "", "b"]);
        gives("- a\n  b", &["- a b"]);
    }

    #[test]
    fn code_is_never_a_doctest() {
        gives(
            "See:\n\n    fn x() {}\n      y",
            &["See:", "", "```text", "fn x() {}", "  y", "```"],
        );
        gives("```rust\nx\n```", &["```text", "x", "```"]);
        gives("~~~\n```\n~~~", &["```text", "'''", "```"]);
        gives("```\nnever closed", &["```text", "never closed", "```"]);
    }

    #[test]
    fn no_word_starts_a_block() {
        gives("# no heading", &["\\# no heading"]);
        gives("-Xms and #1", &["-Xms and #1"]);
        gives("* * *\n| | |", &["```text", "* * *", "| | |", "```"]);
        let long = format!("{} last > 5", "x".repeat(WIDTH - 5));
        gives(&long, &[&long[..WIDTH - 5], "last > 5"]);
        gives("> no quote", &["\\> no quote"]);
        gives("text\n---", &["text", "\\---"]);
        gives("text\n===", &["text", "\\==="]);
        gives("a\u{202e}b\u{7}c", &["abc"]);
        gives("a\tb", &["a b"]);
        gives("", &[]);
    }
}
