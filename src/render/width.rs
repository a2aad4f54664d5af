//! Lines that are longer than rustfmt leaves them are broken where it breaks them.

/// The longest line.
const MAX: usize = 100;
/// The longest list of features on one line.
const MAX_LIST: usize = 70;

/// Breaks what can be broken.
pub(super) fn fit(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let broken = if line.trim_start().starts_with("#[cfg(") {
            gate(line, &mut out)
        } else {
            line.chars().count() > MAX && broken(line, &mut out)
        };
        if !broken {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// The features of a gate, each on a line of its own; says whether they had to be.
fn gate(line: &str, out: &mut String) -> bool {
    let body = line.trim_start();
    let indent = &line[..line.len() - body.len()];
    let within = |open, close| body.strip_prefix(open)?.strip_suffix(close);
    let (open, close, list) = match (within("#[cfg(any(", "))]"), within("#[cfg(", ")]")) {
        (Some(list), _) if list.len() > MAX_LIST => ("#[cfg(any(", "))]", list),
        (None, Some(one)) if line.len() > MAX => ("#[cfg(", ")]", one),
        _ => return false,
    };
    // The names of features have neither a comma nor a space.
    let lines = list.replace(", ", &format!(",\n{indent}    "));
    out.push_str(indent);
    for part in [
        open, "\n", indent, "    ", &lines, "\n", indent, close, "\n",
    ] {
        out.push_str(part);
    }
    true
}

/// A constant after `=`, a field after `:`; says whether the line was one.
fn broken(line: &str, out: &mut String) -> bool {
    let body = line.trim_start();
    let indent = " ".repeat(line.len() - body.len());
    let separator = if ["pub const ", "const ", "pub type "]
        .iter()
        .any(|start| body.starts_with(start))
    {
        " = "
    } else if body.starts_with("pub ") && body.ends_with(',') && !body.contains('{') {
        ": "
    } else {
        return false;
    };
    let Some((head, tail)) = body.split_once(separator) else {
        return false;
    };
    // What does not fit by itself either is left as it is.
    if indent.len() + 4 + tail.chars().count() > MAX {
        return false;
    }
    out.push_str(&indent);
    out.push_str(head);
    out.push_str(separator.trim_end());
    out.push('\n');
    out.push_str(&indent);
    out.push_str("    ");
    out.push_str(tail);
    out.push('\n');
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_broken_where_rustfmt_breaks_them() {
        let feature = |letters: usize| format!("feature = \"{}\"", "a".repeat(letters));
        for (line, broken) in [
            (format!("    #[cfg({})]", feature(76)), None),
            (
                format!("    #[cfg({})]", feature(77)),
                Some(format!("    #[cfg(\n        {}\n    )]", feature(77))),
            ),
            (
                format!("#[cfg(any({}, {}))]", feature(22), feature(22)),
                None,
            ),
            (
                format!("#[cfg(any({}, {}))]", feature(22), feature(23)),
                Some(format!(
                    "#[cfg(any(\n    {},\n    {}\n))]",
                    feature(22),
                    feature(23)
                )),
            ),
        ] {
            assert_eq!(fit(&line).trim_end(), broken.unwrap_or(line));
        }
    }
}
