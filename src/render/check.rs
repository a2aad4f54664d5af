//! Texts that are to be files of Rust come in, and whether they are goes out; nothing is changed here.

/// Parses a text as a file of Rust.
pub(super) fn parse(text: &str) -> Result<(), String> {
    // What a comment says is nothing to parse, and it is the most of a text.
    let silent = without_comments(text);
    match syn::parse_str::<syn::File>(silent.as_deref().unwrap_or(text)) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// The text with an empty comment in place of each block of comments; none if a token may go over several lines, as then
/// a line that looks like a comment need not be one.
fn without_comments(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines().map(str::trim_start) {
        let mark = ["///", "//!", "//"]
            .into_iter()
            .find(|mark| line.starts_with(mark))
            .unwrap_or_default();
        let is_plain = if mark.is_empty() {
            is_whole(line)
        } else {
            !line.contains('\r') && !line.starts_with("////")
        };
        if !is_plain {
            return None;
        }
        if mark.is_empty() {
            out.push_str(line);
        } else if mark != before {
            out.push_str(mark);
        }
        out.push('\n');
        before = mark;
    }
    Some(out)
}

/// Whether every string of a line of code ends in it. Raw strings, quotes as characters and `/*` are taken for what does
/// not end.
fn is_whole(line: &str) -> bool {
    let mut bytes = line.bytes();
    let mut before = b' ';
    while let Some(byte) = bytes.next() {
        match (before, byte) {
            (b'r' | b'#' | b'\'' | b'\\', b'"') | (b'/', b'*') => return false,
            (_, b'"') => loop {
                match bytes.next() {
                    None => return false,
                    Some(b'\\') => _ = bytes.next(),
                    Some(b'"') => break,
                    Some(_) => {}
                }
            },
            _ => {}
        }
        before = byte;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_rust_is_told() {
        assert_eq!(parse("struct A;"), Ok(()));
        assert!(parse("struct A").is_err());
        assert!(parse("/// Of nothing.\n").is_err());
        assert!(parse("struct A;\n// a\nstruct B;\n").is_ok());
    }

    #[test]
    fn a_comment_is_left_out_only_where_it_is_one() {
        let plain = "//! a\n//! b\n\nstruct A; // \"c\n";
        assert_eq!(without_comments(plain), None);
        let plain = "//! a\n//! b\n\n/// c\nconst A: &str = \"a\\\"//\";\n";
        let expected = "//!\n\n\n///\nconst A: &str = \"a\\\"//\";\n";
        assert_eq!(without_comments(plain).as_deref(), Some(expected));
        for several in [
            "const A: &str = \"\n/// \";\n",
            "/* \n/// */ x\n",
            "const A: &str = r#\"\n/// \"#;\n",
            "const A: char = '\"';\n",
        ] {
            assert_eq!(without_comments(several), None, "{several}");
        }
        assert!(parse("const A: &str = \"\n/// \"; }\n").is_err());
    }
}
