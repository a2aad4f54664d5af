//! Texts that are to be files of Rust come in, and whether they are goes out; nothing is changed here.

/// Parses a text as a file of Rust.
pub(super) fn parse(text: &str) -> Result<(), String> {
    match syn::parse_str::<syn::File>(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether two texts differ only in what stands between tokens, and in the commas that a line loses when it is joined.
/// Comments have lines of their own in both, and are the same.
pub(super) fn same_but_for_layout(a: &str, b: &str) -> bool {
    comments(a).eq(comments(b)) && code(a).eq(code(b))
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_start).filter(is_comment)
}

fn code(text: &str) -> impl Iterator<Item = u8> {
    text.lines()
        .map(str::trim_start)
        .filter(|line| !is_comment(line))
        .flat_map(str::bytes)
        .filter(|byte| !matches!(byte, b' ' | b','))
}

fn is_comment(line: &&str) -> bool {
    line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_line_is_the_same_and_a_swallowed_one_is_not() {
        let broken = "fn a(\n    b: B,\n) {}\n";
        assert!(same_but_for_layout(broken, "fn a(b: B) {}\n"));
        assert!(!same_but_for_layout(broken, "fn a(c: B) {}\n"));
        let commented = "/// a(\nb,\n)\n";
        assert!(!same_but_for_layout(commented, "/// a(b)\n"));
        assert!(!same_but_for_layout("/// a b\n", "/// ab\n"));
    }

    #[test]
    fn what_is_no_rust_is_told() {
        assert_eq!(parse("struct A;"), Ok(()));
        assert!(parse("struct A").is_err());
    }
}
