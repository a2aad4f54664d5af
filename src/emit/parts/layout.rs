//! Fields and variants come in, lines go out as rustfmt leaves them, an empty one around what has docs.
use super::doc;

/// The longest line.
const MAX: usize = 100;
const MARGIN: &str = "    ";

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

/// A file: its docs, its `use` lines if it has any, and its items, each with an empty line above it.
pub(crate) fn file(docs: &str, uses: &str, items: &str) -> String {
    let gap = if uses.is_empty() { "" } else { "\n" };
    format!("//! {docs}\n{gap}{uses}{items}")
}

/// The lines of an attribute at the left margin: one where it fits.
pub(crate) fn attribute(name: &str, inside: &str) -> String {
    let line = format!("#[{name}({inside})]\n");
    if line.chars().count() <= MAX + 1 {
        line
    } else {
        format!("#[{name}(\n{MARGIN}{inside}\n)]\n")
    }
}

/// The lines of an import: one where it fits, else as many names in each as fit.
pub(crate) fn import(module: &str, names: &[&str]) -> String {
    let line = match names {
        [one] => format!("use {module}::{one};\n"),
        all => format!("use {module}::{{{}}};\n", all.join(", ")),
    };
    if names.len() == 1 || line.chars().count() <= MAX + 1 {
        return line;
    }
    let mut lines = format!("use {module}::{{");
    let mut width = MAX;
    for name in names {
        // A space before, a comma behind.
        width += name.chars().count() + 2;
        if width > MAX {
            lines.push('\n');
            lines.push_str(MARGIN);
            width = MARGIN.len() + name.chars().count() + 1;
        } else {
            lines.push(' ');
        }
        lines.push_str(name);
        lines.push(',');
    }
    lines.push_str("\n};\n");
    lines
}

/// The lines of a field: one where it fits, two where the type fits below, else as many as the formatter makes.
pub(crate) fn field(ident: &str, ty: &str) -> String {
    let line = format!("{MARGIN}pub {ident}: {ty},\n");
    if line.chars().count() <= MAX + 1 {
        return line;
    }
    if 2 * MARGIN.len() + ty.chars().count() < MAX {
        return format!("{MARGIN}pub {ident}:\n{MARGIN}{MARGIN}{ty},\n");
    }
    let broken = broken(&format!("struct A {{ pub {ident}: {ty} }}"));
    let broken = broken.as_deref();
    broken
        .and_then(|text| text.strip_prefix("struct A {\n")?.strip_suffix("}\n"))
        .map_or(line, str::to_owned)
}

/// The lines of an alias, as those of a field.
pub(crate) fn alias(ident: &str, ty: &str) -> String {
    let line = format!("pub type {ident} = {ty};\n");
    if line.chars().count() <= MAX + 1 {
        return line;
    }
    if MARGIN.len() + ty.chars().count() < MAX {
        return format!("pub type {ident} =\n{MARGIN}{ty};\n");
    }
    broken(&line).unwrap_or(line)
}

/// Code as the formatter breaks it; none for what is no Rust, which is found when the output is parsed.
fn broken(code: &str) -> Option<String> {
    let file: syn::File = syn::parse_str(code).ok()?;
    Some(prettyplease::unparse(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_takes_as_many_lines_as_it_needs() {
        assert_eq!(field("a", "B"), "    pub a: B,\n");
        let long = "x".repeat(88);
        assert_eq!(field("a", &long), format!("    pub a: {long},\n"));
        let longer = "x".repeat(91);
        assert_eq!(
            field("a", &longer),
            format!("    pub a:\n        {longer},\n")
        );
        let inner = "x".repeat(85);
        assert_eq!(
            field("a", &format!("Option<{inner}>")),
            format!("    pub a: Option<\n        {inner},\n    >,\n")
        );
    }

    #[test]
    fn an_import_takes_as_many_lines_as_it_needs() {
        assert_eq!(import("a::b", &["C"]), "use a::b::C;\n");
        assert_eq!(import("a", &["C", "D"]), "use a::{C, D};\n");
        let long = "x".repeat(44);
        let (a, b) = (format!("{long}abcdef"), long.as_str());
        assert_eq!(
            import("a", &[a.as_str(), b, "C"]),
            format!("use a::{{\n    {a},\n    {b}, C,\n}};\n")
        );
        let a = format!("{long}abcde");
        assert_eq!(
            import("a", &[a.as_str(), b, "C"]),
            format!("use a::{{\n    {a}, {b},\n    C,\n}};\n")
        );
    }

    #[test]
    fn an_alias_takes_as_many_lines_as_it_needs() {
        let short = "x".repeat(80);
        assert_eq!(alias("A", &short), format!("pub type A = {short};\n"));
        let long = "x".repeat(90);
        assert_eq!(alias("A", &long), format!("pub type A =\n    {long};\n"));
        let inner = "x".repeat(90);
        assert_eq!(
            alias("A", &format!("Option<{inner}>")),
            format!("pub type A = Option<\n    {inner},\n>;\n")
        );
    }

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
