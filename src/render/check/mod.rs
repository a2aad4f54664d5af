//! Texts that are to be files of Rust come in, and whether they are goes out; nothing is changed here.
//!
//! Most of what is generated consists of a few plain shapes, which take little to recognise. A text with anything else in
//! it is parsed by `syn`, which also says what is wrong.
mod code;
mod items;
mod tokens;

/// Parses a text as a file of Rust.
pub(super) fn parse(text: &str) -> Result<(), String> {
    if items::is_plain(text) {
        return Ok(());
    }
    match syn::parse_str::<syn::File>(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
