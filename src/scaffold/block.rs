//! A person's text comes in, the same goes out with the tool's own lines in it made anew: those between two marks, and no others.

/// The lines around what is the tool's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    begin: &'static str,
    end: &'static str,
}

/// In TOML.
pub(super) const TOML: Marks = Marks {
    begin: "# kube-codegen: begin",
    end: "# kube-codegen: end",
};

/// In Markdown.
pub(super) const MARKDOWN: Marks = Marks {
    begin: "<!-- kube-codegen: begin -->",
    end: "<!-- kube-codegen: end -->",
};

impl Marks {
    /// The text with `block` between the marks; none where these are not there once each, in order. Line ends stay as they are.
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

/// Where the only line that is a mark begins, and where the next one does.
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
    fn what_is_outside_stays_to_the_byte() {
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
    fn marks_that_are_not_clear_are_no_marks() {
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
