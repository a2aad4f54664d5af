//! Characters and classes of patterns.
use std::fmt::{self, Write};

use super::{Translated, fault};

/// Ranges of code points.
type Ranges = &'static [(u32, u32)];

const DIGIT: (u32, u32) = (0x30, 0x39);
const LOWER: (u32, u32) = (0x61, 0x7a);
const UPPER: (u32, u32) = (0x41, 0x5a);
const LINE: (u32, u32) = (0x5f, 0x5f);

/// The classes of Perl, by their letter; an upper case letter is the opposite.
const PERL: [(char, Ranges); 3] = [
    ('d', &[DIGIT]),
    ('s', &[(0x9, 0xa), (0xc, 0xd), (0x20, 0x20)]),
    ('w', &[DIGIT, UPPER, LINE, LOWER]),
];

/// The classes of POSIX.
const POSIX: [(&str, Ranges); 14] = [
    ("alnum", &[DIGIT, UPPER, LOWER]),
    ("alpha", &[UPPER, LOWER]),
    ("ascii", &[(0, 0x7f)]),
    ("blank", &[(0x9, 0x9), (0x20, 0x20)]),
    ("cntrl", &[(0, 0x1f), (0x7f, 0x7f)]),
    ("digit", &[DIGIT]),
    ("graph", &[(0x21, 0x7e)]),
    ("lower", &[LOWER]),
    ("print", &[(0x20, 0x7e)]),
    (
        "punct",
        &[(0x21, 0x2f), (0x3a, 0x40), (0x5b, 0x60), (0x7b, 0x7e)],
    ),
    ("space", &[(0x9, 0xd), (0x20, 0x20)]),
    ("upper", &[UPPER]),
    ("word", &[DIGIT, UPPER, LINE, LOWER]),
    ("xdigit", &[DIGIT, (0x41, 0x46), (0x61, 0x66)]),
];

/// The categories of Unicode that Go 1.26 knows, in lower case without separators.
const CATEGORIES: &str = "any ascii assigned c casedletter cc cf closepunctuation cn cntrl co combiningmark connectorpunctuation \
    control cs currencysymbol dashpunctuation decimalnumber digit enclosingmark finalpunctuation format initialpunctuation l lc letter \
    letternumber lineseparator ll lm lo lowercaseletter lt lu m mark mathsymbol mc me mn modifierletter modifiersymbol n nd nl no \
    nonspacingmark number openpunctuation other otherletter othernumber otherpunctuation othersymbol p paragraphseparator pc pd pe pf pi \
    po privateuse ps punct punctuation s sc separator sk sm so spaceseparator spacingmark surrogate symbol titlecaseletter unassigned \
    uppercaseletter z zl zp zs";

/// The scripts that Go 1.26 knows: not those of several words, which its comparison of names loses.
const SCRIPTS: &str = "adlam ahom arabic armenian avestan balinese bamum batak bengali bhaiksuki bopomofo brahmi braille buginese buhid \
    carian chakma cham cherokee chorasmian common coptic cuneiform cypriot cyrillic deseret devanagari dogra duployan elbasan elymaic \
    ethiopic georgian glagolitic gothic grantha greek gujarati gurmukhi han hangul hanunoo hatran hebrew hiragana inherited javanese \
    kaithi kannada katakana kawi kharoshthi khmer khojki khudawadi lao latin lepcha limbu lisu lycian lydian mahajani makasar malayalam \
    mandaic manichaean marchen medefaidrin miao modi mongolian mro multani myanmar nabataean nandinagari newa nko nushu ogham oriya osage \
    osmanya palmyrene phoenician rejang runic samaritan saurashtra sharada shavian siddham sinhala sogdian soyombo sundanese syriac \
    tagalog tagbanwa takri tamil tangsa tangut telugu thaana thai tibetan tifinagh tirhuta toto ugaritic vai vithkuqi wancho yezidi yi";

/// A set of characters, as the inside of a class of the crate `regex`.
#[derive(Default)]
pub(super) struct Set {
    is_negated: bool,
    inside: String,
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.inside.as_str(), self.is_negated) {
            // Surrogates alone match nothing.
            ("", false) => f.write_str("[^\\x{0}-\\x{10FFFF}]"),
            ("", true) => f.write_str("[\\x{0}-\\x{10FFFF}]"),
            (inside, false) => write!(f, "[{inside}]"),
            (inside, true) => write!(f, "[^{inside}]"),
        }
    }
}

impl Set {
    /// Adds a range, without surrogates: no text has them.
    fn add(&mut self, low: u32, high: u32) {
        for (low, high) in [(low, high.min(0xd7ff)), (low.max(0xe000), high)] {
            if low <= high {
                // Writing to a String cannot fail.
                _ = write!(self.inside, "\\x{{{low:X}}}-\\x{{{high:X}}}");
            }
        }
    }

    fn add_all(&mut self, ranges: Ranges, is_negated: bool) {
        if is_negated {
            self.inside.push_str("[^");
        }
        for (low, high) in ranges {
            self.add(*low, *high);
        }
        if is_negated {
            self.inside.push(']');
        }
    }
}

/// Parses a class from its bracket on; returns what follows it.
pub(super) fn parse(start: &str) -> Translated<(Set, &str)> {
    let mut set = Set::default();
    let mut rest = &start[1..];
    if let Some(inside) = rest.strip_prefix('^') {
        set.is_negated = true;
        rest = inside;
    }
    for number in 0.. {
        match rest.chars().next() {
            // In the first place, a bracket is a member.
            Some(']') if number > 0 => return Ok((set, &rest[1..])),
            None => return Err(fault("missing closing ]", start)),
            Some('[') => {
                if let Some(after) = posix(rest, &mut set)? {
                    rest = after;
                    continue;
                }
            }
            Some('\\') => {
                if let Some(after) = escape(rest, &mut set)? {
                    rest = after;
                    continue;
                }
            }
            Some(_) => {}
        }
        let range = rest;
        let (low, after) = member(rest, start)?;
        let mut high = low;
        rest = after;
        if let Some(after) = rest
            .strip_prefix('-')
            .filter(|it| !it.is_empty() && !it.starts_with(']'))
        {
            (high, rest) = member(after, start)?;
            if high < low {
                let range = &range[..range.len() - rest.len()];
                return Err(fault("invalid character class range", range));
            }
        }
        set.add(low, high);
    }
    Err(fault("missing closing ]", start))
}

fn member<'p>(rest: &'p str, class: &str) -> Translated<(u32, &'p str)> {
    match rest.chars().next() {
        Some('\\') => character(rest),
        Some(member) => Ok((u32::from(member), &rest[member.len_utf8()..])),
        None => Err(fault("missing closing ]", class)),
    }
}

/// Parses a class such as `[:alpha:]`; returns what follows it, if it is one.
fn posix<'p>(start: &'p str, set: &mut Set) -> Translated<Option<&'p str>> {
    let Some((name, rest)) = start.strip_prefix("[:").and_then(|it| it.split_once(":]")) else {
        return Ok(None);
    };
    let plain = name.strip_prefix('^').unwrap_or(name);
    let Some((_, ranges)) = POSIX.iter().find(|(known, _)| *known == plain) else {
        let part = &start[..start.len() - rest.len()];
        return Err(fault("invalid character class range", part));
    };
    set.add_all(ranges, plain != name);
    Ok(Some(rest))
}

/// Parses an escape that is a class, such as `\d` or `\pL`; returns what follows it, if it is one.
pub(super) fn escape<'p>(start: &'p str, set: &mut Set) -> Translated<Option<&'p str>> {
    let mut letters = start.chars().skip(1);
    let Some(letter) = letters.next() else {
        return Ok(None);
    };
    if let Some((lower, ranges)) = PERL
        .iter()
        .find(|(lower, _)| letter.eq_ignore_ascii_case(lower))
    {
        set.add_all(ranges, letter != *lower);
        return Ok(Some(&start[2..]));
    }
    if !matches!(letter, 'p' | 'P') {
        return Ok(None);
    }
    let invalid = |part: &str| fault("invalid character class range", part);
    let (name, rest) = match letters.next() {
        Some('{') => {
            let inside = start[3..].split_once('}');
            inside.ok_or_else(|| invalid(start))?
        }
        Some(letter) => start[2..].split_at(letter.len_utf8()),
        None => return Err(invalid(start)),
    };
    let part = &start[..start.len() - rest.len()];
    let plain = name.strip_prefix('^').unwrap_or(name);
    let is_negated = (letter == 'P') != (plain != name);
    let known: String = plain
        .chars()
        .filter(|it| !matches!(it, '_' | '-' | ' '))
        .collect();
    let known = known.to_ascii_lowercase();
    let is_in = |names: &str| names.split(' ').any(|name| name == known);
    let property = match (known.as_str(), is_in(CATEGORIES), is_in(SCRIPTS)) {
        // No text has a surrogate.
        ("", ..) | (_, false, false) => return Err(invalid(part)),
        ("cs" | "surrogate", ..) => {
            if is_negated {
                set.add(0, 0x10_ffff);
            }
            return Ok(Some(rest));
        }
        (_, true, _) => "gc",
        (_, false, true) => "sc",
    };
    let letter = if is_negated { 'P' } else { 'p' };
    // Writing to a String cannot fail.
    _ = write!(set.inside, "\\{letter}{{{property}={known}}}");
    Ok(Some(rest))
}

/// Parses the character that an escape means; returns its code point, which may be a surrogate, and what follows it.
pub(super) fn character(start: &str) -> Translated<(u32, &str)> {
    let mut letters = start[1..].chars();
    let Some(letter) = letters.next() else {
        return Err(fault("trailing backslash at end of expression", ""));
    };
    let rest = letters.as_str();
    let simple = match letter {
        'a' => 0x07,
        'f' => 0x0c,
        'n' => 0x0a,
        'r' => 0x0d,
        't' => 0x09,
        'v' => 0x0b,
        'x' => return hexadecimal(start, rest),
        // A single digit would refer back to a group.
        '0'..='7' if letter == '0' || rest.starts_with(|c| matches!(c, '0'..='7')) => {
            let more = rest
                .bytes()
                .take(2)
                .take_while(|c| matches!(c, b'0'..=b'7'));
            let more = more.count();
            let digits = start[1..]
                .chars()
                .take(1 + more)
                .filter_map(|c| c.to_digit(8));
            return Ok((digits.fold(0, |sum, digit| sum * 8 + digit), &rest[more..]));
        }
        letter if letter.is_ascii() && !letter.is_ascii_alphanumeric() => u32::from(letter),
        _ => return Err(invalid_escape(start, rest)),
    };
    Ok((simple, rest))
}

fn invalid_escape(start: &str, rest: &str) -> String {
    fault(
        "invalid escape sequence",
        &start[..start.len() - rest.len()],
    )
}

/// Parses what follows `\x`: two digits, or any number of them in braces.
fn hexadecimal<'p>(start: &str, rest: &'p str) -> Translated<(u32, &'p str)> {
    let mut letters = rest.chars();
    let Some(inside) = rest.strip_prefix('{') else {
        let mut digit = || letters.next().and_then(|it| it.to_digit(16));
        let (first, second) = (digit(), digit());
        let (Some(first), Some(second)) = (first, second) else {
            return Err(invalid_escape(start, letters.as_str()));
        };
        return Ok((first * 16 + second, letters.as_str()));
    };
    letters = inside.chars();
    let mut code = 0;
    let mut is_empty = true;
    loop {
        let digit = match letters.next() {
            Some('}') if !is_empty => return Ok((code, letters.as_str())),
            Some(letter) => letter.to_digit(16),
            None => None,
        };
        let next = digit
            .map(|digit| code * 16 + digit)
            .filter(|it| *it <= 0x10_ffff);
        let Some(next) = next else {
            return Err(invalid_escape(start, letters.as_str()));
        };
        (code, is_empty) = (next, false);
    }
}
