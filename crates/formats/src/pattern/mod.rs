//! Compiles regular expressions of Go's syntax (RE2), with the errors of Go.
mod class;
mod parse;

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use regex::{Regex, RegexBuilder};

use crate::Refused;

/// A part of a translated pattern, or Go's message about it.
type Translated<T> = Result<T, String>;

/// Writes a pattern in the syntax of the crate `regex`.
///
/// Each character is written as its number, and each class as ranges, since the syntaxes differ in what has a meaning where.
pub fn translate(pattern: &str) -> Result<String, Refused> {
    parse::translate(pattern).map_err(Refused::new)
}

/// Compiles a pattern so that it matches as Go's `regexp` does.
pub fn compile(pattern: &str) -> Result<Regex, Refused> {
    build(pattern, 64 << 20)
}

fn build(pattern: &str, most: usize) -> Result<Regex, Refused> {
    RegexBuilder::new(&translate(pattern)?)
        .size_limit(most)
        .build()
        .map_err(|error| {
            Refused::new(match error {
                regex::Error::CompiledTooBig(_) => fault("expression too large", pattern),
                other => other.to_string(),
            })
        })
}

/// As [`compile`], but a pattern that this thread has compiled a moment ago is not compiled again: expressions (CEL) name theirs at each
/// evaluation.
///
/// ```
/// # use kube_codegen_formats::pattern;
/// # use std::rc::Rc;
/// let (a, b) = (pattern::compiled("^a+$")?, pattern::compiled("^a+$")?);
/// assert!(a.is_match("aa") && Rc::ptr_eq(&a, &b));
/// # Ok::<(), kube_codegen_formats::Refused>(())
/// ```
pub fn compiled(pattern: &str) -> Result<Rc<Regex>, Refused> {
    /// How many patterns are kept, and how many bytes one of them has at most.
    const MOST: usize = 64;
    const LARGEST: usize = 1 << 20;
    thread_local! {
        static KNOWN: RefCell<HashMap<String, Rc<Regex>>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(regex) = known.get(pattern) {
            return Ok(Rc::clone(regex));
        }
        // An error may mean that the pattern is too large to be kept.
        let Ok(regex) = build(pattern, LARGEST) else {
            return compile(pattern).map(Rc::new);
        };
        if known.len() >= MOST {
            known.clear();
        }
        let regex = Rc::new(regex);
        known.insert(pattern.to_owned(), Rc::clone(&regex));
        Ok(regex)
    })
}

/// Returns why Go's `regexp` refuses a pattern, as the API server reports it; none if it is valid.
///
/// ```
/// let why = kube_codegen_formats::pattern::pattern_error("(?=a)");
/// assert_eq!(why.as_deref(), Some("error parsing regexp: invalid or unsupported Perl syntax: `(?=`"));
/// assert_eq!(kube_codegen_formats::pattern::pattern_error(r"^\101$"), None);
/// ```
pub fn pattern_error(pattern: &str) -> Option<String> {
    parse::translate(pattern).err()
}

/// Writes an error as Go does: what is wrong, and where.
fn fault(what: &str, part: &str) -> String {
    format!("error parsing regexp: {what}: `{part}`")
}

#[cfg(test)]
mod tests {
    use super::compile;

    /// Patterns and Go's answers, recorded with Go 1.26: its error, or texts that match (`+`) or do not (`-`).
    const GO: &str = include_str!("go.tsv");

    #[test]
    fn patterns_match_and_fail_as_in_go() {
        let mut wrong = Vec::new();
        for line in GO.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t').map(unescaped);
            let pattern = fields.next().unwrap();
            let fields: Vec<String> = fields.collect();
            match compile(&pattern) {
                Err(why) if fields == [why.to_string()] => {}
                Err(why) => wrong.push(format!("{pattern:?}: {why}, in Go: {fields:?}")),
                Ok(regex) => {
                    for field in &fields {
                        let answer = field
                            .strip_prefix('+')
                            .map(|text| (text, true))
                            .or_else(|| field.strip_prefix('-').map(|text| (text, false)));
                        match answer {
                            Some((text, matches)) if regex.is_match(text) == matches => {}
                            _ => wrong.push(format!("{pattern:?}: {regex}, in Go: {field:?}")),
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(GO.lines().count() > 150);
    }

    /// Reads a field of the table, a string of JSON without its quotes.
    fn unescaped(field: &str) -> String {
        serde_json::from_str(&format!("\"{field}\"")).unwrap()
    }
}
