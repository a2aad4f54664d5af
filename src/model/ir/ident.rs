//! Rust identifiers.
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};
use std::fmt;

/// A Rust identifier; a keyword is a raw identifier.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(String);

impl Ident {
    /// Creates the identifier of a name: `size` for `size`, `r#type` for `type`.
    ///
    /// The name is made of identifier characters and is none of `self`, `Self`, `super`, `crate` and `_`, which cannot be raw.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        if KEYWORDS.contains(&name.as_str()) {
            Self(format!("r#{name}"))
        } else {
            Self(name)
        }
    }

    /// Parses an identifier that a user wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let ident: proc_macro2::Ident = syn::parse_str(text).ok()?;
        let text = ident.to_string();
        Some(Self::new(text.strip_prefix("r#").unwrap_or(&text)))
    }

    /// Returns the identifier as code has it, with `r#` where it is raw.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name without `r#`, for file names, features and parts of other names.
    pub fn plain(&self) -> &str {
        self.0.strip_prefix("r#").unwrap_or(&self.0)
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&Ident> for proc_macro2::Ident {
    fn from(ident: &Ident) -> Self {
        match ident.0.strip_prefix("r#") {
            Some(name) => Self::new_raw(name, Span::call_site()),
            None => Self::new(&ident.0, Span::call_site()),
        }
    }
}

impl ToTokens for Ident {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append(proc_macro2::Ident::from(self));
    }
}

/// The strict and reserved keywords of the 2024 edition that can be raw identifiers.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_raw_in_code_alone() {
        for (name, code) in [("type", "r#type"), ("gen", "r#gen"), ("size", "size")] {
            let ident = Ident::new(name);
            assert_eq!(ident.as_str(), code);
            assert_eq!(ident.plain(), name);
            assert_eq!(ident.to_token_stream().to_string(), code);
        }
        assert_eq!(Ident::parse("r#type"), Some(Ident::new("type")));
        assert_eq!(Ident::parse("r#size"), Some(Ident::new("size")));
        assert_eq!(Ident::parse("not a name"), None);
        assert_eq!(Ident::parse("self"), None);
    }
}
