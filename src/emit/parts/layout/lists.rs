//! Names and texts come in, lists of them go out.
use super::{MARGIN, MAX};

/// The longest line of an import that has one: rustfmt leaves room for its brackets.
const MAX_IMPORT: usize = MAX - 2;
/// The longest list of texts on one line.
const MAX_TEXTS: usize = 60;
/// The longest text that shares its line with others in a longer list.
const SHORT: usize = 10;

/// The lines of an import, `head` being its `use` and the path: one where it fits, else as many names in each as fit.
pub(crate) fn import(head: &str, names: &[&str]) -> String {
    if let [one] = names {
        return format!("{head}::{one};\n");
    }
    let line = format!("{head}::{{{}}};\n", names.join(", "));
    if line.trim_end().chars().count() <= MAX_IMPORT {
        return line;
    }
    let mut lines = format!("{head}::{{\n");
    pack(&mut lines, MARGIN, names, MAX - 1);
    lines.push_str("};\n");
    lines
}

/// Writes `head` and a list of texts that are Rust already, so many spaces from the margin.
pub(crate) fn texts(out: &mut String, margin: &str, head: &str, texts: &[&str]) {
    let line = format!("&[{}]", texts.join(", "));
    if line.chars().count() <= MAX_TEXTS + "&[]".len() || texts.len() == 1 {
        super::assigned(out, margin, head, &line, ";");
        return;
    }
    for piece in [margin, head, " &[\n"] {
        out.push_str(piece);
    }
    let inner = format!("{margin}{MARGIN}");
    if texts.iter().all(|text| text.chars().count() <= SHORT) {
        pack(out, &inner, texts, MAX);
    } else {
        for text in texts {
            for piece in [&inner, *text, ",\n"] {
                out.push_str(piece);
            }
        }
    }
    out.push_str(margin);
    out.push_str("];\n");
}

/// Writes as many items in each line as fit.
fn pack(out: &mut String, margin: &str, items: &[&str], max: usize) {
    let mut width = 0;
    for item in items {
        // With the comma behind.
        let more = item.chars().count() + 1;
        if width > 0 && width + 1 + more <= max {
            out.push(' ');
            width += 1 + more;
        } else {
            if width > 0 {
                out.push('\n');
            }
            out.push_str(margin);
            width = margin.len() + more;
        }
        out.push_str(item);
        out.push(',');
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_takes_as_many_lines_as_it_needs() {
        assert_eq!(import("use a::b", &["C"]), "use a::b::C;\n");
        assert_eq!(import("pub use a", &["C", "D"]), "pub use a::{C, D};\n");
        let name = |length| "x".repeat(length);
        let (a, b) = (name(40), name(46));
        assert_eq!(
            import("use a", &[&a, &b]),
            format!("use a::{{{a}, {b}}};\n")
        );
        let b = name(47);
        assert_eq!(
            import("use a", &[&a, &b]),
            format!("use a::{{\n    {a}, {b},\n}};\n")
        );
        let b = name(52);
        assert_eq!(
            import("use a", &[&a, &b, "C"]),
            format!("use a::{{\n    {a}, {b},\n    C,\n}};\n")
        );
        let b = name(53);
        assert_eq!(
            import("use a", &[&a, &b, "C"]),
            format!("use a::{{\n    {a},\n    {b}, C,\n}};\n")
        );
    }

    #[test]
    fn short_texts_of_a_long_list_share_lines() {
        let list = |all: &[&str]| {
            let mut out = String::new();
            texts(&mut out, "", "const A: &[&str] =", all);
            out
        };
        assert_eq!(list(&[]), "const A: &[&str] = &[];\n");
        assert_eq!(list(&["\"b\""; 2]), "const A: &[&str] = &[\"b\", \"b\"];\n");
        let short = "\"abcdefgh\"";
        assert_eq!(
            list(&[short; 9]),
            format!(
                "const A: &[&str] = &[\n    {},\n    {short},\n];\n",
                [short; 8].join(", ")
            )
        );
        let long = "\"abcdefghi\"";
        assert_eq!(
            list(&[long; 6]),
            format!(
                "const A: &[&str] = &[\n    {},\n];\n",
                [long; 6].join(",\n    ")
            )
        );
    }
}
