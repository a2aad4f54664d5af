//! A text comes in, the characters of it that can stand in a name go out: letters and digits that rustc's lints let pass.
//!
//! rustc warns of letters that are rarely seen, of scripts of which a crate has nothing but letters that look like those of
//! others, and of two names that look alike. All can be spared for a whole crate alone, which is not ours: such letters are spelled.
use std::borrow::Cow;
use unicode_ident::is_xid_continue;
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::{
    GeneralSecurityProfile, is_potential_mixed_script_confusable_char, skeleton,
};

/// The letters of one text.
pub(super) struct Letters {
    /// The scripts of which the text has letters that look like no others.
    clear: Vec<AugmentedScriptSet>,
    /// Whether the text has a letter that no letters of ASCII look like, in either case: else its names could be taken for others.
    stands_out: bool,
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let mut clear = Vec::new();
        for c in text.chars().filter(|c| is_foreign(*c)) {
            let script = AugmentedScriptSet::for_char(c);
            if !is_potential_mixed_script_confusable_char(c) && !clear.contains(&script) {
                clear.push(script);
            }
        }
        let mut foreign = text.chars().filter(|c| is_european(*c) || is_foreign(*c));
        Self {
            clear,
            stands_out: foreign.any(stands_out),
        }
    }

    /// Whether a character of the text can be part of a word.
    pub(super) fn has(&self, c: char) -> bool {
        let foreign = || {
            is_european(c)
                || (is_foreign(c) && self.clear.contains(&AugmentedScriptSet::for_char(c)))
        };
        c.is_ascii_alphanumeric() || (self.stands_out && foreign())
    }
}

/// The text as rustc sees it in a name: an accent is part of its letter.
pub(super) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) {
        text.into()
    } else {
        text.nfc().collect::<String>().into()
    }
}

/// Latin letters with accents, but for those that look like others or change when Unicode normalises them.
fn is_european(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{17f}')
        && !matches!(
            c,
            '×' | '÷' | 'İ' | 'ı' | 'Ĳ' | 'ĳ' | 'ĸ' | 'Ŀ' | 'ŀ' | 'ŉ' | 'ſ'
        )
}

/// Whether neither case of a letter looks like letters of ASCII.
fn stands_out(c: char) -> bool {
    let differs = |case: &str| case.is_ascii() || skeleton(case).any(|c| !c.is_ascii());
    differs(&c.to_lowercase().to_string()) && differs(&c.to_uppercase().to_string())
}

/// Letters of other scripts in daily use; where a script has two cases, those that have both.
fn is_foreign(c: char) -> bool {
    c > '\u{17f}'
        && is_xid_continue(c)
        && GeneralSecurityProfile::identifier_allowed(c)
        && (!c.is_lowercase() || c.to_uppercase().ne([c]))
        && (!c.is_uppercase() || c.to_lowercase().ne([c]))
}
