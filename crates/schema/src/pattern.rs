//! Compiles regular expressions of Go's syntax (RE2).

use std::{iter::Peekable, str::Chars};

use regex::{Regex, RegexBuilder};

/// Compiles a pattern so that it matches as Go's `regexp` does; the error is the reason.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(&translate(pattern))
        .size_limit(64 << 20)
        .build()
        .map_err(|error| error.to_string())
}

/// Returns why a pattern is wrong in the words of Go's `regexp`, for the most frequent reasons.
#[cfg(feature = "cel")]
pub(crate) fn go_error(pattern: &str, why: &str) -> String {
    let reason = [
        ("unclosed group", "missing closing )", pattern),
        ("unopened group", "unexpected )", pattern),
        ("unclosed character class", "missing closing ]", pattern),
        (
            "repetition operator missing expression",
            "missing argument to repetition operator",
            "*",
        ),
        (
            "incomplete escape sequence",
            "trailing backslash at end of expression",
            "",
        ),
    ]
    .into_iter()
    .find(|(ours, ..)| why.contains(ours));
    match reason {
        Some((_, theirs, part)) => format!("error parsing regexp: {theirs}: `{part}`"),
        None => why.to_owned(),
    }
}

/// Rewrites what Go reads differently: classes such as `\d` are ASCII, and braces, `&&`, `--`, `~~` and `[` in a class are literals.
pub(crate) fn translate(pattern: &str) -> String {
    let mut letters = pattern.chars().peekable();
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => escape(&mut letters, in_class, &mut out),
            '[' if in_class && letters.peek() == Some(&':') => {
                let name: String = letters.clone().take_while(|it| *it != ']').collect();
                if name.len() > 2 && name.ends_with(':') {
                    out.push('[');
                    out.push_str(&name);
                    out.push(']');
                    letters.nth(name.chars().count());
                } else {
                    out.push_str("\\[");
                }
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push('[');
                if letters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // A bracket in the first place is a literal.
                if letters.next_if_eq(&']').is_some() {
                    out.push_str("\\]");
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(letter);
            }
            '-' if in_class && letters.next_if_eq(&'-').is_some() => out.push_str("-\\-"),
            '{' if !in_class && !is_repetition(letters.clone()) => out.push_str("\\{"),
            letter => out.push(letter),
        }
    }
    out
}

fn escape(letters: &mut Peekable<Chars<'_>>, in_class: bool, out: &mut String) {
    let Some(letter) = letters.next() else {
        out.push('\\');
        return;
    };
    let ascii = match letter {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        's' => "\\t\\n\\f\\r ",
        'D' => "^0-9",
        'W' => "^0-9A-Za-z_",
        'S' => "^\\t\\n\\f\\r ",
        _ => "",
    };
    match letter {
        'Q' if !in_class => {
            let rest: String = letters.collect();
            let (literal, rest) = rest.split_once("\\E").unwrap_or((&rest, ""));
            out.push_str(&regex::escape(literal));
            out.push_str(&translate(rest));
        }
        _ if !ascii.is_empty() && in_class && !ascii.starts_with('^') => out.push_str(ascii),
        _ if !ascii.is_empty() => {
            out.push('[');
            out.push_str(ascii);
            out.push(']');
        }
        'b' | 'B' => {
            out.push_str("(?-u:\\");
            out.push(letter);
            out.push(')');
        }
        letter if letter.is_ascii_punctuation() => {
            // Rust gives these a meaning of its own if escaped.
            if !matches!(letter, '_' | '<' | '>') {
                out.push('\\');
            }
            out.push(letter);
        }
        letter => {
            out.push('\\');
            out.push(letter);
        }
    }
}

/// Returns whether the text after `{` is a repetition: `n}`, `n,}` or `n,m}`.
fn is_repetition(letters: Peekable<Chars<'_>>) -> bool {
    let rest: String = letters.collect();
    let Some((inner, _)) = rest.split_once('}') else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match inner.split_once(',') {
        Some((low, high)) => is_number(low) && (high.is_empty() || is_number(high)),
        None => is_number(inner),
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, text, matches) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^[\w.-]+$", "a_b.c-d", true),
            (r"^[\w]+$", "é", false),
            (r"^\{[a-z]+\}$", "{a}", true),
            (r"^{{.*}}$", "{{ x }}", true),
            (r"^a{2,3}$", "aaa", true),
            (r"^[]a]+$", "]a", true),
            (r"^[a&&b]+$", "&", true),
            (r"^[[:alpha:]-]+$", "a-b", true),
            (r"^[[a]+$", "[", true),
            (r"^\Qa.b\E+$", "a.bbb", true),
            (r"\bfoo\b", "a foo b", true),
            (r"^[a-z\-_/]*$", "a-_/", true),
            (r"^\_\/$", "_/", true),
            (r"(?i)^ABC$", "abc", true),
            (r"^\S+$", "a\u{85}", true),
            (r"^[+--]$", ",", true),
            (r"^[^\D]$", "5", true),
        ] {
            let regex = compile(pattern).unwrap_or_else(|why| panic!("{pattern}: {why}"));
            assert_eq!(regex.is_match(text), matches, "{pattern} on {text}");
        }
    }
}
