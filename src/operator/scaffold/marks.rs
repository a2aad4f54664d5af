//! Replaces the lines between two marks in a file that otherwise belongs to the user.

/// The lines before and after the replaced ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    begin: &'static str,
    end: &'static str,
}

/// The marks in TOML.
pub(super) const TOML: Marks = Marks {
    begin: "# kube-codegen: begin",
    end: "# kube-codegen: end",
};

/// The marks in Markdown.
pub(super) const MARKDOWN: Marks = Marks {
    begin: "<!-- kube-codegen: begin -->",
    end: "<!-- kube-codegen: end -->",
};

impl Marks {
    /// Returns the text with `block` between the marks, with the text's own line endings. Returns nothing unless each mark
    /// occurs exactly once, in order.
    pub(super) fn fill(self, text: &str, block: &str) -> Option<String> {
        let (begin, end) = (only(text, self.begin)?, only(text, self.end)?);
        let head = text.get(..begin.1)?;
        let tail = text.get(end.0..)?;
        if begin.1 > end.0 {
            return None;
        }
        let block = if head.ends_with("\r\n") {
            block.replace('\n', "\r\n")
        } else {
            block.to_owned()
        };
        Some(format!("{head}{block}{tail}"))
    }
}

/// Returns the start and the end of the line with a mark, if there is exactly one.
fn only(text: &str, mark: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        let next = start + line.len();
        if line.trim() == mark && found.replace((start, next)).is_some() {
            return None;
        }
        start = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_outside_of_the_marks_is_kept() {
        let text = "a\n  # kube-codegen: begin\nold\n# kube-codegen: end\nb";
        let filled = "a\n  # kube-codegen: begin\nnew\nlines\n# kube-codegen: end\nb";
        assert_eq!(TOML.fill(text, "new\nlines\n").as_deref(), Some(filled));
        assert_eq!(TOML.fill(filled, "new\nlines\n").as_deref(), Some(filled));
        let windows = text.replace('\n', "\r\n");
        assert_eq!(
            TOML.fill(&windows, "new\nlines\n"),
            Some(filled.replace('\n', "\r\n"))
        );
    }

    #[test]
    fn ambiguous_marks_are_ignored() {
        for text in [
            "",
            "# kube-codegen: begin\n",
            "# kube-codegen: end\n# kube-codegen: begin\n",
            "# kube-codegen: begin\n# kube-codegen: begin\n# kube-codegen: end\n",
            "x # kube-codegen: begin\n# kube-codegen: end\n",
        ] {
            assert_eq!(TOML.fill(text, "new\n"), None, "{text:?}");
        }
    }
}
