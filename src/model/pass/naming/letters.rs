//! Selects the characters of a text that a name can have without a warning of rustc.
//!
//! rustc warns about uncommon letters, about scripts of which a crate has only letters that look like those of others, and about
//! names that look alike. These lints can only be allowed for the user's whole crate, so such letters are spelled out.
use std::borrow::Cow;
use unicode_ident::is_xid_continue;
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::{
    GeneralSecurityProfile, is_potential_mixed_script_confusable_char, skeleton,
};

/// The letters of one text.
pub(super) struct Letters {
    /// The scripts of which the text has a letter that looks like no other one.
    unambiguous: Vec<AugmentedScriptSet>,
    /// Whether the text has a letter that differs from all ASCII letters in both cases.
    is_distinct: bool,
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let mut unambiguous = Vec::new();
        for c in text.chars().filter(|c| is_foreign(*c)) {
            let script = AugmentedScriptSet::for_char(c);
            if !is_potential_mixed_script_confusable_char(c) && !unambiguous.contains(&script) {
                unambiguous.push(script);
            }
        }
        let mut foreign = text.chars().filter(|c| is_european(*c) || is_foreign(*c));
        Self {
            unambiguous,
            is_distinct: foreign.any(is_distinct),
        }
    }

    /// Returns whether a character of the text can be part of a word.
    pub(super) fn has(&self, c: char) -> bool {
        let foreign = || {
            is_european(c)
                || (is_foreign(c) && self.unambiguous.contains(&AugmentedScriptSet::for_char(c)))
        };
        c.is_ascii_alphanumeric() || (self.is_distinct && foreign())
    }
}

/// Returns the text as rustc normalizes a name: an accent is part of its letter.
pub(super) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) {
        text.into()
    } else {
        text.nfc().collect::<String>().into()
    }
}

/// Returns whether a character is a Latin letter with an accent, except those that look like others or that normalization changes.
fn is_european(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{17f}')
        && !matches!(
            c,
            '×' | '÷' | 'İ' | 'ı' | 'Ĳ' | 'ĳ' | 'ĸ' | 'Ŀ' | 'ŀ' | 'ŉ' | 'ſ'
        )
}

/// Returns whether neither case of a letter looks like ASCII letters.
fn is_distinct(c: char) -> bool {
    let differs = |case: &str| case.is_ascii() || skeleton(case).any(|c| !c.is_ascii());
    differs(&c.to_lowercase().to_string()) && differs(&c.to_uppercase().to_string())
}

/// Returns whether a character is a letter of another script in common use; if the script has two cases, one that has both.
fn is_foreign(c: char) -> bool {
    c > '\u{17f}'
        && is_xid_continue(c)
        && GeneralSecurityProfile::identifier_allowed(c)
        && (!c.is_lowercase() || c.to_uppercase().ne([c]))
        && (!c.is_uppercase() || c.to_lowercase().ne([c]))
}
