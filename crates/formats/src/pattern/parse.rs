//! Checks patterns as Go's `regexp/syntax` does, and writes them in the syntax of the crate `regex`.
use std::fmt::Write;

use super::{
    Translated,
    class::{self, Set},
    fault,
};

/// Go's limit of a repetition, nested ones multiplied.
const MAX_REPEAT: u32 = 1000;
/// Go's limit of nested groups.
const MAX_DEPTH: usize = 1000;

/// Writes a pattern in the syntax of the crate `regex`; the error is Go's text.
pub(super) fn translate(pattern: &str) -> Translated<String> {
    let mut parser = PatternParser {
        rest: pattern,
        out: String::new(),
        flags: String::new(),
    };
    let mut groups = Vec::new();
    let mut group = Group::default();
    while let Some(next) = parser.rest.chars().next() {
        if let Some((text, bounds)) = parser.repetition(next) {
            group.repeat(text, bounds)?;
            continue;
        }
        group.last_repeat = None;
        let before = parser.rest;
        match next {
            '(' => {
                if parser.open()? {
                    if groups.len() == MAX_DEPTH {
                        return Err(fault("expression nests too deeply", pattern));
                    }
                    groups.push(std::mem::take(&mut group));
                }
                continue;
            }
            ')' => {
                let product = group.product;
                let unexpected = || fault("unexpected )", pattern);
                group = groups.pop().ok_or_else(unexpected)?;
                parser.take(1);
                parser.write(")");
                group.add(product);
                continue;
            }
            '|' => {
                parser.take(1);
                parser.write("|");
                group.last = None;
                continue;
            }
            '.' | '^' | '$' => {
                parser.take(1);
                parser.write(&before[..1]);
            }
            '[' => {
                let (set, rest) = class::parse(before)?;
                parser.rest = rest;
                parser.write(&set.to_string());
            }
            '\\' => {
                if !parser.escape()? {
                    continue;
                }
            }
            literal => {
                parser.take(literal.len_utf8());
                parser.literal(u32::from(literal));
            }
        }
        group.add(1);
    }
    if groups.is_empty() {
        Ok(parser.out)
    } else {
        Err(fault("missing closing )", pattern))
    }
}

struct PatternParser<'p> {
    rest: &'p str,
    out: String,
    /// Flags that apply from the next part on: what precedes them may still be repeated.
    flags: String,
}

/// What a group contains so far.
#[derive(Default)]
struct Group<'p> {
    /// The greatest product of nested repetitions.
    product: u32,
    /// The product of the last part; none if there is nothing to repeat.
    last: Option<u32>,
    /// The text from the last repetition on, if nothing follows it.
    last_repeat: Option<&'p str>,
}

impl<'p> Group<'p> {
    fn add(&mut self, product: u32) {
        self.last = Some(product.max(1));
        self.product = self.product.max(product);
    }

    /// Repeats the last part; the text is the rest of the pattern before and after the repetition.
    fn repeat(&mut self, (before, after): (&'p str, &'p str), bounds: Bounds) -> Translated<()> {
        let until = |start: &'p str| &start[..start.len() - after.len()];
        let text = until(before);
        let (least, most) = bounds;
        if least > MAX_REPEAT || most.is_some_and(|most| most > MAX_REPEAT || most < least) {
            let text = text.strip_suffix('?').unwrap_or(text);
            return Err(fault("invalid repeat count", text));
        }
        if let Some(start) = self.last_repeat {
            return Err(fault("invalid nested repetition operator", until(start)));
        }
        let Some(inner) = self.last else {
            return Err(fault("missing argument to repetition operator", text));
        };
        let product = inner.saturating_mul(most.unwrap_or(least).max(1));
        if product > MAX_REPEAT {
            return Err(fault("invalid repeat count", text));
        }
        self.add(product);
        self.last_repeat = Some(before);
        Ok(())
    }
}

/// How often a part is repeated, at least and at most.
type Bounds = (u32, Option<u32>);

impl<'p> PatternParser<'p> {
    fn take(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(&std::mem::take(&mut self.flags));
        self.out.push_str(text);
    }

    /// Writes a code point; surrogates match nothing.
    fn literal(&mut self, code: u32) {
        if char::from_u32(code).is_some() {
            self.write(&format!("\\x{{{code:X}}}"));
        } else {
            self.write("[^\\x{0}-\\x{10FFFF}]");
        }
    }

    /// Takes a repetition; returns the rest of the pattern before and after it.
    fn repetition(&mut self, next: char) -> Option<((&'p str, &'p str), Bounds)> {
        let before = self.rest;
        let (bounds, length) = match next {
            '*' => ((0, None), 1),
            '+' => ((1, None), 1),
            '?' => ((0, Some(1)), 1),
            '{' => {
                // Anything else in braces is text.
                let inside = before[1..].split_once('}')?.0;
                (counts(inside)?, inside.len() + 2)
            }
            _ => return None,
        };
        let is_lazy = before[length..].starts_with('?');
        let length = length + usize::from(is_lazy);
        self.take(length);
        self.out.push_str(&before[..length]);
        Some(((before, self.rest), bounds))
    }

    /// Parses an opening parenthesis, or flags; returns whether a group begins.
    fn open(&mut self) -> Translated<bool> {
        let start = self.rest;
        let Some(inside) = start.strip_prefix("(?") else {
            self.take(1);
            self.write("(");
            return Ok(true);
        };
        let name = inside.strip_prefix("P<").or(inside.strip_prefix('<'));
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            let invalid = |part| Err(fault("invalid named capture", part));
            let Some((name, rest)) = name.split_once('>') else {
                return invalid(start);
            };
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_word) {
                return invalid(&start[..start.len() - rest.len()]);
            }
            self.rest = rest;
            // Go permits two groups of one name.
            self.write("(");
            return Ok(true);
        }
        self.take(2);
        self.set_flags(start)
    }

    fn set_flags(&mut self, start: &str) -> Translated<bool> {
        let (mut on, mut off) = (String::new(), String::new());
        let (mut is_negated, mut has_flag) = (false, false);
        while let Some(next) = self.rest.chars().next() {
            self.take(next.len_utf8());
            match next {
                'i' | 'm' | 's' | 'U' => {
                    has_flag = true;
                    // The last one counts.
                    on.retain(|it| it != next);
                    off.retain(|it| it != next);
                    if is_negated { &mut off } else { &mut on }.push(next);
                }
                '-' if !is_negated => (is_negated, has_flag) = (true, false),
                ':' | ')' if has_flag || !is_negated => {
                    if !off.is_empty() {
                        on.push('-');
                        on.push_str(&off);
                    }
                    if next == ':' {
                        self.write(&format!("(?{on}:"));
                    } else if !on.is_empty() {
                        // Writing to a String cannot fail.
                        _ = write!(self.flags, "(?{on})");
                    }
                    return Ok(next == ':');
                }
                _ => break,
            }
        }
        let part = &start[..start.len() - self.rest.len()];
        Err(fault("invalid or unsupported Perl syntax", part))
    }

    /// Parses an escape outside of a class; returns whether it is something that can be repeated.
    fn escape(&mut self) -> Translated<bool> {
        let start = self.rest;
        let assertion = match start.as_bytes().get(1) {
            Some(b'A') => "\\A",
            Some(b'z') => "\\z",
            Some(b'b') => "(?-u:\\b)",
            Some(b'B') => "(?-u:\\B)",
            Some(b'Q') => {
                let quoted = &start[2..];
                let (quoted, rest) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                self.rest = rest;
                quoted.chars().for_each(|it| self.literal(u32::from(it)));
                return Ok(!quoted.is_empty());
            }
            _ => {
                let mut set = Set::default();
                if let Some(rest) = class::escape(start, &mut set)? {
                    self.rest = rest;
                    self.write(&set.to_string());
                } else {
                    let (code, rest) = class::character(start)?;
                    self.rest = rest;
                    self.literal(code);
                }
                return Ok(true);
            }
        };
        self.take(2);
        self.write(assertion);
        Ok(true)
    }
}

/// Reads `n`, `n,` or `n,m`.
fn counts(inside: &str) -> Option<Bounds> {
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
        // Go reads no leading zeros.
        let is_short = digits.len() == 1 || !digits.starts_with('0');
        (is_number && is_short).then(|| digits.parse().unwrap_or(u32::MAX))
    };
    match inside.split_once(',') {
        None => number(inside).map(|exact| (exact, Some(exact))),
        Some((least, "")) => number(least).map(|least| (least, None)),
        Some((least, most)) => Some((number(least)?, Some(number(most)?))),
    }
}
