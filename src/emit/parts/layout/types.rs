//! Types come in, lines of fields and aliases go out; the formatter is asked only for what takes more than two, and for types
//! that a person wrote.
use super::{MARGIN, fits};
use std::borrow::Cow;

/// The lines of a field: one where it fits, two where the type fits below, else as many as the formatter makes.
pub(crate) fn field(ident: &str, ty: &str) -> String {
    let line = format!("{MARGIN}pub {ident}: {ty},\n");
    if fits(&[line.trim_end()]) {
        return line;
    }
    if fits(&[MARGIN, MARGIN, ty, ","]) {
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
    if fits(&[line.trim_end()]) {
        return line;
    }
    if fits(&[MARGIN, ty, ";"]) {
        return format!("pub type {ident} =\n{MARGIN}{ty};\n");
    }
    broken(&line).unwrap_or(line)
}

/// A type of somebody else, on one line where it fits; any other text as it is.
pub(crate) fn foreign(ty: &str) -> Cow<'_, str> {
    let alias = broken(&format!("type A = {ty};"));
    alias
        .as_deref()
        .and_then(|line| line.trim_end().strip_prefix("type A = ")?.strip_suffix(';'))
        .map_or(ty.into(), |laid_out| laid_out.to_owned().into())
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
}
