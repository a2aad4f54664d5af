//! Checks patterns by the syntax of Go's `regexp` (RE2), and matches them.
//!
//! The parser follows Go's `regexp/syntax`; it does not know the names of Unicode classes, so that any name is valid. It
//! translates the pattern for `regex-lite`, whose classes are ASCII only, as Go's are.
use std::fmt::Write;
use std::str::Chars;

/// Go's limit of a repetition, nested ones multiplied.
const MAX_REPEAT: u32 = 1000;

/// Checks the syntax; the error says what is wrong.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    Parser::parse(pattern).map(drop)
}

/// Whether a text matches. A pattern that cannot be matched here matches any text.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Ok(Some(translated)) = Parser::parse(pattern) else {
        return true;
    };
    regex_lite::Regex::new(&translated).map_or(true, |regex| regex.is_match(text))
}

type Result<T, E = String> = std::result::Result<T, E>;

struct Parser<'p> {
    rest: Chars<'p>,
    /// The pattern for `regex-lite`.
    out: String,
    /// Whether a class has no counterpart there.
    is_foreign: bool,
    names: Vec<&'p str>,
}

/// What may be repeated, with the product of the repetitions within it; none where a repetition has no argument.
type Repeats = Option<u32>;

impl<'p> Parser<'p> {
    /// Returns the translated pattern, if there is one.
    fn parse(pattern: &'p str) -> Result<Option<String>> {
        let mut parser = Self {
            rest: pattern.chars(),
            out: String::new(),
            is_foreign: false,
            names: Vec::new(),
        };
        parser.alternatives(0)?;
        if parser.rest.as_str().is_empty() {
            Ok((!parser.is_foreign).then_some(parser.out))
        } else {
            Err("unexpected `)`".to_owned())
        }
    }

    /// Parses up to the end or a closing parenthesis; returns the greatest product of repetitions.
    fn alternatives(&mut self, depth: usize) -> Result<u32> {
        if depth > MAX_REPEAT as usize {
            return Err("the groups nest too deeply".to_owned());
        }
        let mut most = 1;
        let mut last: Repeats = None;
        let mut was_repeat = false;
        while let Some(next) = self.peek().filter(|next| *next != ')') {
            let repetition = self.repetition(next)?;
            if let Some((text, least, greatest)) = repetition {
                let Some(inner) = last else {
                    return Err(format!("`{text}` has nothing to repeat"));
                };
                if was_repeat {
                    return Err(format!("`{text}` follows another repetition"));
                }
                let product = inner.saturating_mul(greatest.unwrap_or(least).max(1));
                if product > MAX_REPEAT {
                    return Err(format!("`{text}` repeats more than {MAX_REPEAT} times"));
                }
                most = most.max(product);
                last = Some(product);
                was_repeat = true;
                continue;
            }
            was_repeat = false;
            self.rest.next();
            last = match next {
                '|' => {
                    self.out.push('|');
                    None
                }
                // Flags are nothing to repeat, and what precedes them still is.
                '(' => self.group(depth)?.or(last),
                '[' => {
                    self.class()?;
                    Some(1)
                }
                '\\' => self.escape()?.or(last),
                '.' | '^' | '$' => {
                    self.out.push(next);
                    Some(1)
                }
                literal => {
                    self.literal(literal);
                    Some(1)
                }
            };
            most = most.max(last.unwrap_or(1));
        }
        Ok(most)
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn literal(&mut self, literal: char) {
        // Writing to a String cannot fail.
        _ = write!(self.out, "\\x{{{:X}}}", u32::from(literal));
    }

    /// Takes a repetition with its least and greatest number.
    fn repetition(&mut self, next: char) -> Result<Option<(&'p str, u32, Option<u32>)>> {
        let before = self.rest.as_str();
        let (least, greatest) = match next {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            '{' => {
                // Anything else in braces is text.
                let Some((inside, after)) = before[1..].split_once('}') else {
                    return Ok(None);
                };
                let Some((least, greatest)) = bounds(inside) else {
                    return Ok(None);
                };
                if least > MAX_REPEAT || greatest.is_some_and(|it| it > MAX_REPEAT || it < least) {
                    return Err(format!("`{{{inside}}}` is not a valid repetition"));
                }
                self.rest = after.chars();
                self.out.push_str(&before[..before.len() - after.len()]);
                return Ok(Some((self.lazy(before), least, greatest)));
            }
            _ => return Ok(None),
        };
        self.rest.next();
        self.out.push(next);
        Ok(Some((self.lazy(before), least, greatest)))
    }

    /// Takes the `?` of a repetition that prefers fewer; returns the repetition.
    fn lazy(&mut self, before: &'p str) -> &'p str {
        if self.peek() == Some('?') {
            self.rest.next();
            self.out.push('?');
        }
        &before[..before.len() - self.rest.as_str().len()]
    }

    /// Parses a group after its parenthesis, or flags.
    fn group(&mut self, depth: usize) -> Result<Repeats> {
        self.out.push('(');
        if self.peek() == Some('?') {
            self.rest.next();
            let rest = self.rest.as_str();
            let name = rest.strip_prefix("P<").or_else(|| {
                let name = rest.strip_prefix('<')?;
                (!name.starts_with(['=', '!'])).then_some(name)
            });
            if let Some(rest) = name {
                self.name(rest)?;
            } else if self.flags()? {
                return Ok(None);
            }
        }
        let repeats = self.alternatives(depth + 1)?;
        if self.rest.next() != Some(')') {
            return Err("a `(` is not closed".to_owned());
        }
        self.out.push(')');
        Ok(Some(repeats))
    }

    fn name(&mut self, rest: &'p str) -> Result<()> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match rest.split_once('>') {
            Some((name, after)) if !name.is_empty() && name.chars().all(is_word) => {
                if self.names.contains(&name) {
                    return Err(format!("two groups have the name {name:?}"));
                }
                self.names.push(name);
                self.rest = after.chars();
                Ok(())
            }
            _ => Err("a group has an invalid name".to_owned()),
        }
    }

    /// Parses flags; returns whether they are a group of their own.
    fn flags(&mut self) -> Result<bool> {
        let unsupported =
            || "`(?` begins a group that Go does not have, such as a lookahead".to_owned();
        let before = self.rest.as_str();
        let (mut negated, mut has_flag) = (false, false);
        loop {
            match self.rest.next() {
                Some('i' | 'm' | 's' | 'U') => has_flag = true,
                Some('-') if !negated => (negated, has_flag) = (true, false),
                Some(end @ (':' | ')')) if has_flag || !negated => {
                    let flags = &before[..before.len() - self.rest.as_str().len()];
                    self.out.push('?');
                    self.out.push_str(flags);
                    return Ok(end == ')');
                }
                _ => return Err(unsupported()),
            }
        }
    }

    /// Parses an escape outside a class; assertions can be repeated.
    fn escape(&mut self) -> Result<Repeats> {
        match self.peek() {
            Some(assertion @ ('A' | 'b' | 'B' | 'z' | 'd' | 'D' | 's' | 'S' | 'w' | 'W')) => {
                self.rest.next();
                self.out.push('\\');
                self.out.push(assertion);
            }
            Some('p' | 'P') => self.unicode()?,
            Some('Q') => {
                self.rest.next();
                let rest = self.rest.as_str();
                let (quoted, after) = rest.split_once("\\E").unwrap_or((rest, ""));
                self.rest = after.chars();
                quoted.chars().for_each(|literal| self.literal(literal));
                return Ok((!quoted.is_empty()).then_some(1));
            }
            _ => {
                let literal = self.escaped()?;
                self.literal(literal);
            }
        }
        Ok(Some(1))
    }

    /// Parses the character that an escape means.
    fn escaped(&mut self) -> Result<char> {
        let hex = |digits: &str| {
            u32::from_str_radix(digits, 16)
                .ok()
                .and_then(char::from_u32)
        };
        let Some(next) = self.rest.next() else {
            return Err("a `\\` at the end".to_owned());
        };
        let rest = self.rest.as_str();
        let found = match next {
            'a' => Some('\x07'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\x0b'),
            // A single digit would refer back to a group.
            '0'..='7' if next == '0' || rest.starts_with(|c| matches!(c, '0'..='7')) => {
                let digits = rest
                    .bytes()
                    .take(2)
                    .take_while(|c| matches!(c, b'0'..=b'7'));
                let more = digits.count();
                self.rest = rest[more..].chars();
                u32::from_str_radix(&format!("{next}{}", &rest[..more]), 8)
                    .ok()
                    .and_then(char::from_u32)
            }
            'x' => {
                let (digits, after) = match rest.strip_prefix('{') {
                    Some(inside) => inside.split_once('}').unwrap_or(("", "")),
                    None => rest.split_at_checked(2).unwrap_or(("", "")),
                };
                self.rest = after.chars();
                hex(digits)
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c),
            _ => None,
        };
        found.ok_or_else(|| format!("Go does not have the escape `\\{next}`"))
    }

    /// Parses `\p` or `\P` with the name of a class.
    fn unicode(&mut self) -> Result<()> {
        self.is_foreign = true;
        self.rest.next();
        let rest = self.rest.as_str();
        let after = match rest.strip_prefix('{') {
            Some(inside) => inside.split_once('}').map(|(_, after)| after),
            None => rest.char_indices().nth(1).map_or_else(
                || (!rest.is_empty()).then_some(""),
                |(second, _)| Some(&rest[second..]),
            ),
        };
        let after = after.ok_or("`\\p` without the name of a class")?;
        self.rest = after.chars();
        Ok(())
    }

    /// Parses a class after its bracket.
    fn class(&mut self) -> Result<()> {
        let open = || "a `[` is not closed".to_owned();
        self.out.push('[');
        if self.peek() == Some('^') {
            self.rest.next();
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            let rest = self.rest.as_str();
            match self.peek().ok_or_else(open)? {
                ']' if !is_first => {
                    self.rest.next();
                    self.out.push(']');
                    return Ok(());
                }
                '[' if rest.starts_with("[:") && rest.contains(":]") => self.posix()?,
                '\\' if rest[1..].starts_with(['p', 'P']) => {
                    self.rest.next();
                    self.unicode()?;
                }
                '\\' if rest[1..].starts_with(['d', 'D', 's', 'S', 'w', 'W']) => {
                    // A negated class within a class has no counterpart.
                    self.is_foreign |= rest[1..].starts_with(['D', 'S', 'W']);
                    self.out.push_str(&rest[..2]);
                    self.rest = rest[2..].chars();
                }
                _ => self.range()?,
            }
            is_first = false;
        }
    }

    fn posix(&mut self) -> Result<()> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print",
            "punct", "space", "upper", "word", "xdigit",
        ];
        let rest = self.rest.as_str();
        let (name, after) = rest[2..].split_once(":]").unwrap_or_default();
        if !NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(format!("`[:{name}:]` is not a class"));
        }
        self.out.push_str(&rest[..rest.len() - after.len()]);
        self.rest = after.chars();
        Ok(())
    }

    fn range(&mut self) -> Result<()> {
        let low = self.member()?;
        self.literal(low);
        let mut after = self.rest.clone();
        if after.next() == Some('-') && after.next().is_some_and(|next| next != ']') {
            self.rest.next();
            let high = self.member()?;
            if high < low {
                return Err(format!("the range {low}-{high} is empty"));
            }
            self.out.push('-');
            self.literal(high);
        }
        Ok(())
    }

    fn member(&mut self) -> Result<char> {
        match self.rest.next() {
            Some('\\') => self.escaped(),
            Some(member) => Ok(member),
            None => Err("a `[` is not closed".to_owned()),
        }
    }
}

/// Reads `n`, `n,` or `n,m`.
fn bounds(inside: &str) -> Option<(u32, Option<u32>)> {
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

#[cfg(test)]
mod tests;
