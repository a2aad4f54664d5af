//! The formatter breaks lines sooner than rustfmt: signatures, types of fields and lists of texts that still fit are joined again.

/// The longest line.
const MAX: usize = 100;
/// The longest list of texts on one line.
const MAX_LIST: usize = 60;

/// Joins what fits.
pub(super) fn join(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let (joined, end) = group(&lines, at)
            .or_else(|| single(&lines, at))
            .or_else(|| imports(&lines, at))
            .unwrap_or_else(|| (lines[at].to_owned(), at));
        out.push_str(&joined);
        out.push('\n');
        at = end + 1;
    }
    out
}

/// The lines from a broken bracket to its end, in one; none where rustfmt breaks it too.
fn group(lines: &[&str], start: usize) -> Option<(String, usize)> {
    let first = lines[start];
    let body = first.trim_start();
    let indent = first.len() - body.len();
    let is_fn = first.ends_with('(') && (body.starts_with("pub fn ") || body.starts_with("fn "));
    let is_field = first.ends_with('<') && body.starts_with("pub ");
    let is_list = first.ends_with("&[") && body.starts_with("pub const ");
    let is_alias = first.ends_with('<') && body.starts_with("pub type ");
    let is_gate = first.ends_with('(') && body.starts_with("#[cfg(");
    let is_call = first.ends_with('(') && !is_fn && !is_gate && !body.starts_with("//");
    if !(is_gate || is_fn || is_field || is_list || is_alias || is_call) {
        return None;
    }
    let end = closing(lines, start, indent)?;
    if is_call && end > start + 2 {
        return None;
    }
    let mut joined = first.to_owned();
    for line in &lines[start + 1..=end] {
        let piece = line.trim_start();
        if piece.starts_with([')', '>', ']']) {
            joined.truncate(joined.trim_end_matches(',').len());
        } else if !joined.ends_with(['(', '<', '[']) {
            joined.push(' ');
        }
        joined.push_str(piece);
    }
    let fits = match joined.split_once(" = &[") {
        Some((_, list)) if is_list => list.chars().count() <= MAX_LIST + 2,
        // Where a gate is to be broken is decided later.
        _ if is_gate => true,
        _ => joined.chars().count() <= MAX || (is_field || is_alias) && fits_below(&joined),
    };
    fits.then_some((joined, end))
}

/// The names of a `use`, as many on a line as fit: rustfmt leaves room for the brackets.
fn imports(lines: &[&str], start: usize) -> Option<(String, usize)> {
    let first = lines[start];
    let path = first.strip_prefix("pub ").unwrap_or(first);
    if !path.starts_with("use ") || !path.ends_with("::{") {
        return None;
    }
    let end = closing(lines, start, 0)?;
    let mut names = lines[start + 1..end]
        .iter()
        .flat_map(|line| line.split_whitespace())
        .peekable();
    let whole: Vec<&str> = names.clone().collect();
    let one = format!("{first}{}}};", whole.join(" ").trim_end_matches(','));
    if one.chars().count() <= MAX - 2 {
        return Some((one, end));
    }
    let mut out = first.to_owned();
    while names.peek().is_some() {
        let mut line = "   ".to_owned();
        while let Some(name) =
            names.next_if(|name| line.chars().count() + 1 + name.chars().count() < MAX)
        {
            line.push(' ');
            line.push_str(name);
        }
        if let Some(long) = names.next_if(|_| line.trim().is_empty()) {
            line.push(' ');
            line.push_str(long);
        }
        out.push('\n');
        out.push_str(&line);
    }
    out.push_str("\n};");
    Some((out, end))
}

/// A list of one struct, whose brackets rustfmt leaves together.
fn single(lines: &[&str], start: usize) -> Option<(String, usize)> {
    let first = lines[start];
    let indent = first.len() - first.trim_start().len();
    let element = lines.get(start + 1)?;
    if !first.ends_with(" = &[") || !element.ends_with(" {") {
        return None;
    }
    let end = closing(lines, start, indent)?;
    if closing(lines, start + 1, indent + 4)? + 1 != end {
        return None;
    }
    let mut joined = format!("{first}{}\n", element.trim_start());
    for line in &lines[start + 2..end - 1] {
        joined.push_str(line.strip_prefix("    ").unwrap_or(line));
        joined.push('\n');
    }
    joined.push_str(&first[..indent]);
    joined.push_str("}];");
    Some((joined, end))
}

/// The line that closes what is opened at the end of another.
fn closing(lines: &[&str], start: usize, indent: usize) -> Option<usize> {
    let is_end = |line: &&str| {
        let body = line.trim_start();
        line.len() - body.len() == indent && body.starts_with([')', '>', ']', '}'])
    };
    let length = lines[start + 1..].iter().position(is_end)?;
    Some(start + 1 + length)
}

/// Whether the type of a field, or of an alias, fits on a line of its own.
fn fits_below(line: &str) -> bool {
    let indent = line.len() - line.trim_start().len();
    line.split_once(": ")
        .or_else(|| line.split_once(" = "))
        .is_some_and(|(_, ty)| indent + 4 + ty.chars().count() <= MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_imports() {
        let [a, b, c, d] = [20, 20, 50, 60].map(|length| "x".repeat(length));
        assert_eq!(
            join(&format!("use p::{{\n    {a}, {b},\n    {c},\n}};\n")),
            format!("use p::{{\n    {a}, {b}, {c},\n}};\n")
        );
        assert_eq!(
            join(&format!("pub use p::{{\n    {a}, {b},\n    {d},\n}};\n")),
            format!("pub use p::{{\n    {a}, {b},\n    {d},\n}};\n")
        );
        assert_eq!(
            join(&format!("use p::{{\n    {a},\n    {d},\n}};\n")),
            format!("use p::{{{a}, {d}}};\n")
        );
    }

    #[test]
    fn joins_types_and_signatures() {
        let field = "    pub a: Option<\n        Vec<\n            B,\n        >,\n    >,\n";
        assert_eq!(join(field), "    pub a: Option<Vec<B>>,\n");
        let gate =
            "#[cfg(\n    any(\n        feature = \"a\",\n        feature = \"b\",\n    )\n)]\n";
        assert_eq!(
            join(gate),
            "#[cfg(any(feature = \"a\", feature = \"b\"))]\n"
        );
        let signature = "    pub fn a(\n        &self,\n        b: B,\n    ) -> C {\n";
        assert_eq!(join(signature), "    pub fn a(&self, b: B) -> C {\n");
    }

    #[test]
    fn leaves_what_does_not_fit() {
        let long = "x".repeat(60);
        let signature =
            format!("    pub fn a(\n        {long}: A,\n        b{long}: B,\n    ) -> C {{\n");
        assert_eq!(join(&signature), signature);
    }
}
