//! Fields and variants come in, a body goes out, with an empty line around what has docs.
use super::super::doc;
use super::MARGIN;

/// The braces of a struct or an enum, and what is between them.
pub(crate) struct Members<'o> {
    out: &'o mut String,
    before: Before,
}

/// What stands above a member.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Head,
    Plain,
    Documented,
}

impl<'o> Members<'o> {
    /// Begins after a head, as `pub struct A`.
    pub(crate) fn open(out: &'o mut String, head: &str) -> Self {
        out.push_str(head);
        out.push_str(" {");
        Self {
            out,
            before: Before::Head,
        }
    }

    /// Adds a member: its lines, below its docs and an attribute.
    pub(crate) fn add(&mut self, docs: &[String], attribute: Option<&str>, lines: &str) {
        let leads = !docs.is_empty() || attribute.is_some();
        // The end of the head's line, or an empty line.
        if self.before == Before::Head || leads || self.before == Before::Documented {
            self.out.push('\n');
        }
        doc::write(self.out, MARGIN, docs);
        if let Some(attribute) = attribute {
            self.out.push_str(MARGIN);
            self.out.push_str(attribute);
            self.out.push('\n');
        }
        self.out.push_str(lines);
        self.before = if leads {
            Before::Documented
        } else {
            Before::Plain
        };
    }

    /// Ends.
    pub(crate) fn close(self) {
        self.out.push_str("}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_docs_stands_by_itself() {
        let mut out = String::new();
        let mut members = Members::open(&mut out, "enum A");
        let docs = ["About.".to_owned()];
        members.add(&[], None, "    B,\n");
        members.add(&[], None, "    C,\n");
        members.add(&docs, None, "    D,\n");
        members.add(&[], None, "    E,\n");
        members.close();
        let expected = "enum A {\n    B,\n    C,\n\n    /// About.\n    D,\n\n    E,\n}\n";
        assert_eq!(out, expected);
    }
}
