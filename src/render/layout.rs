//! Empty lines, where a careful person leaves them: between items, methods, and fields that have docs.

/// Puts the empty lines in. No text of the formatter has a string over several lines, so a line is what it seems.
pub(super) fn spread(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 20);
    let mut before: Option<Line<'_>> = None;
    let mut body = Body::Other;
    let mut documented = false;
    for text in text.lines() {
        let line = Line::of(text);
        if let Some(before) = &before
            && needs_gap(before, &line, body, documented)
        {
            out.push('\n');
        }
        if line.indent <= 4 {
            documented = line.leads() || documented && before.as_ref().is_some_and(Line::leads);
        }
        if line.indent == 0 {
            body = Body::opened_by(text).unwrap_or(body);
        }
        out.push_str(text);
        out.push('\n');
        before = Some(line);
    }
    out
}

/// What the item at the left margin holds.
#[derive(Clone, Copy, PartialEq)]
enum Body {
    /// Methods, constants, types.
    Items,
    /// Fields.
    Fields,
    Other,
}

impl Body {
    /// The body that a line at the left margin opens; none for a line that only leads to it.
    fn opened_by(text: &str) -> Option<Self> {
        if text.starts_with("//") || text.starts_with('#') {
            return None;
        }
        Some(
            if text.starts_with("impl") || text.starts_with("pub trait") {
                Self::Items
            } else if text.starts_with("pub struct") || text.starts_with("pub enum") {
                Self::Fields
            } else {
                Self::Other
            },
        )
    }
}

struct Line<'a> {
    indent: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Self {
        let text = line.trim_start();
        Self {
            indent: line.len() - text.len(),
            text,
        }
    }

    /// Whether it is a doc comment or an attribute, and so belongs to the line after it.
    fn leads(&self) -> bool {
        self.text.starts_with("//") || self.text.starts_with("#[")
    }

    /// The sort of a declaration of one line, which stands close to its like.
    fn declares(&self) -> Option<&'a str> {
        let text = self.text.strip_prefix("pub ").unwrap_or(self.text);
        let is_public = text.len() < self.text.len();
        [
            ("use ", if is_public { "pub use" } else { "use" }),
            ("mod ", "mod"),
            ("const ", "const"),
            ("type ", "const"),
        ]
        .into_iter()
        .find_map(|(start, sort)| (text.starts_with(start) && text.ends_with(';')).then_some(sort))
    }

    /// Whether it says when the line after it is compiled.
    fn gates(&self) -> bool {
        self.text.starts_with("#[cfg(")
    }

    fn ends_item(&self) -> bool {
        !self.leads()
            && (self.text.ends_with(';') || self.text.starts_with('}') || self.text.ends_with("{}"))
    }

    fn ends_field(&self) -> bool {
        !self.leads() && self.text.ends_with(',')
    }
}

fn needs_gap(before: &Line<'_>, line: &Line<'_>, body: Body, documented: bool) -> bool {
    if before.text.is_empty() || line.text.is_empty() || line.text.starts_with('}') {
        return false;
    }
    // What is gated among declarations is one more of them.
    let alike =
        || before.declares().is_some() && (before.declares() == line.declares() || line.gates());
    match line.indent {
        0 if before.indent > 0 => false,
        0 if is_inner(before) => {
            !is_inner(line) || before.text.starts_with("//!") && line.text.starts_with('#')
        }
        0 => before.ends_item() && !alike(),
        4 if body == Body::Items => before.indent == 4 && before.ends_item() && !alike(),
        4 if body == Body::Fields => before.ends_field() && (line.leads() || documented),
        _ => false,
    }
}

/// Docs and attributes of the file itself.
fn is_inner(line: &Line<'_>) -> bool {
    line.text.starts_with("//!") || line.text.starts_with("#!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_never_taken_apart() {
        let lines = [
            "/// A;",
            "/// b.",
            "pub struct A {",
            "    /// C,",
            "    /// d.",
            "    pub a: B,",
            "    /// E {}",
            "    /// f.",
            "    pub b: B,",
            "}",
        ];
        let spread = spread(&lines.join("\n"));
        assert_eq!(
            spread.trim_end().split("\n\n").collect::<Vec<_>>(),
            [lines[..6].join("\n"), lines[6..].join("\n")]
        );
    }
}
