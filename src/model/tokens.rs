//! Splits a rule (CEL) into tokens, for readers that know a few of its forms. kube-codegen-cel evaluates rules; build scripts do without it, since
//! its 47 crates take longer to compile than the generator.

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Name(String),
    Int(i64),
    Text(String),
    /// A number that is not an integer, or bytes or a text with escapes, as it is written.
    Other(String),
    Symbol(String),
}

/// The longest rule that is read.
const MOST: usize = 20_000;

/// Returns the tokens of a rule.
pub(crate) fn tokens(rule: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = rule.trim_start();
    if rule.len() > MOST {
        return None;
    }
    while let Some(first) = rest.chars().next() {
        let (token, length) = if rest.starts_with("//") {
            rest = rest
                .split_once('\n')
                .map_or("", |(_, next)| next)
                .trim_start();
            continue;
        } else if let Some(text) = text(rest) {
            text?
        } else if first.is_ascii_digit() {
            number(rest)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = length(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            (Token::Name(rest[..length].to_owned()), length)
        } else {
            let two = ["==", "!=", "<=", ">=", "&&", "||"];
            let symbol = two.into_iter().find(|two| rest.starts_with(two));
            let symbol = symbol.or_else(|| {
                let is_symbol = "()[]{}.,?:+-*/%!<>".contains(first);
                is_symbol.then(|| &rest[..1])
            })?;
            (Token::Symbol(symbol.to_owned()), symbol.len())
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    Some(found)
}

fn length(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

fn number(rest: &str) -> (Token, usize) {
    let digits = length(rest, |c| c.is_ascii_digit());
    let all = length(rest, |c| c.is_ascii_alphanumeric() || c == '.');
    let value = rest[..digits].parse().ok();
    match value {
        Some(value) if all == digits => (Token::Int(value), digits),
        _ => (Token::Other(rest[..all].to_owned()), all),
    }
}

/// Reads a text. The outer option is empty if no text begins here, the inner one if the text does not end.
#[expect(clippy::option_option, reason = "no text, or one without an end")]
fn text(rest: &str) -> Option<Option<(Token, usize)>> {
    let prefix = length(rest, |c| matches!(c, 'r' | 'R' | 'b' | 'B'));
    let after = rest.get(prefix..)?;
    let quote = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| after.starts_with(quote))?;
    if prefix > 2 {
        return None;
    }
    let is_raw = rest[..prefix].contains(['r', 'R']);
    let is_plain = !rest[..prefix].contains(['b', 'B']);
    let body = &after[quote.len()..];
    let mut is_escaped = false;
    for (at, c) in body.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' && !is_raw {
            is_escaped = true;
        } else if body[at..].starts_with(quote) {
            let text = &body[..at];
            let is_plain = is_plain && (is_raw || !text.contains('\\'));
            let length = prefix + quote.len() + at + quote.len();
            let token = if is_plain {
                Token::Text(text.to_owned())
            } else {
                Token::Other(rest[..length].to_owned())
            };
            return Some(Some((token, length)));
        }
    }
    Some(None)
}
