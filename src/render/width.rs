//! Lines that are longer than rustfmt leaves them are broken where it breaks them.

/// The longest line.
const MAX: usize = 100;

/// Breaks what can be broken.
pub(super) fn fit(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if line.chars().count() <= MAX || !broken(line, &mut out) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
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
