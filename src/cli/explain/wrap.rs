//! Wraps text at white space, with the same breaks as kubectl.

/// Wraps a text at a width. A word that is longer than a line is not broken.
pub(super) fn wrap(text: &str, width: usize) -> String {
    let mut lines = Lines {
        out: String::with_capacity(text.len()),
        column: 0,
        space: String::new(),
        word: String::new(),
    };
    for c in text.chars() {
        if c == '\n' {
            lines.end(width);
        } else if c.is_whitespace() && c != '\u{a0}' {
            if lines.space.is_empty() || !lines.word.is_empty() {
                lines.flush();
            }
            lines.space.push(c);
        } else {
            lines.word.push(c);
            let (space, word) = (count(&lines.space), count(&lines.word));
            if lines.column + space + word > width && word < width {
                lines.out.push('\n');
                lines.column = 0;
                lines.space.clear();
            }
        }
    }
    if !lines.word.is_empty() || lines.column + count(&lines.space) <= width {
        lines.flush();
    }
    lines.out
}

struct Lines {
    out: String,
    /// The width of what is written of the line.
    column: usize,
    /// White space after that, which is dropped where a line is broken.
    space: String,
    /// The word after the white space.
    word: String,
}

impl Lines {
    /// Writes the space and the word.
    fn flush(&mut self) {
        self.column += count(&self.space) + count(&self.word);
        self.out.push_str(&self.space);
        self.out.push_str(&self.word);
        self.space.clear();
        self.word.clear();
    }

    /// Ends a line of the text.
    fn end(&mut self, width: usize) {
        if self.word.is_empty() && self.column + count(&self.space) > width {
            self.space.clear();
        }
        self.flush();
        self.out.push('\n');
        self.column = 0;
    }
}

fn count(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_are_broken_at_spaces() {
        for (text, expected) in [
            ("aaa bbb ccc", "aaa bbb\nccc"),
            ("aaa bbbbbbbbbbbb c", "aaa\nbbbbbbbbbbbb\nc"),
            ("aaa\nbbb ccc ddd", "aaa\nbbb ccc\nddd"),
            ("aaa bbb  \nccc", "aaa bbb\nccc"),
            ("  aaa", "  aaa"),
            ("", ""),
            ("äää ööö", "äää ööö"),
        ] {
            assert_eq!(wrap(text, 8), expected, "{text:?}");
        }
    }
}
