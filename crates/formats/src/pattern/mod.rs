//! Compiles regular expressions of Go's syntax (RE2), with the errors of Go.
mod class;
mod parse;

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use regex::{Regex, RegexBuilder};

use crate::Rejected;

/// A part of a translated pattern, or Go's message about it.
type Translated<T> = Result<T, String>;

/// Writes a pattern in the syntax of the crate `regex`.
///
/// Each character is written as its number, and each class as ranges, since the syntaxes differ in what has a meaning where.
pub fn translate(pattern: &str) -> Result<String, Rejected> {
    parse::translate(pattern).map_err(Rejected::new)
}

/// Compiles a pattern so that it matches as Go's `regexp` does.
pub fn compile(pattern: &str) -> Result<Regex, Rejected> {
    build(pattern, 64 << 20)
}

fn build(pattern: &str, most: usize) -> Result<Regex, Rejected> {
    RegexBuilder::new(&translate(pattern)?)
        .size_limit(most)
        .build()
        .map_err(|error| {
            Rejected::new(match error {
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
/// # Ok::<(), kube_codegen_formats::Rejected>(())
/// ```
pub fn compiled(pattern: &str) -> Result<Rc<Regex>, Rejected> {
    /// How many patterns are kept, and how many bytes one of them has at most.
    const MOST: usize = 64;
    const LARGEST: usize = 1 << 20;
    /// How many larger ones are kept.
    const MOST_LARGE: usize = 2;
    #[derive(Default)]
    struct Known {
        small: HashMap<String, Rc<Regex>>,
        large: HashMap<String, Rc<Regex>>,
    }
    thread_local! {
        static KNOWN: RefCell<Known> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        let Known { small, large } = known;
        if let Some(regex) = small.get(pattern).or_else(|| large.get(pattern)) {
            return Ok(Rc::clone(regex));
        }
        let (regex, kept, most) = match build(pattern, LARGEST) {
            Ok(regex) => (regex, small, MOST),
            // An error may mean that the pattern is large.
            Err(_) => (compile(pattern)?, large, MOST_LARGE),
        };
        if kept.len() >= most {
            kept.clear();
        }
        let regex = Rc::new(regex);
        kept.insert(pattern.to_owned(), Rc::clone(&regex));
        Ok(regex)
    })
}

/// Returns why Go's `regexp` rejects a pattern, as the API server reports it; none if it is valid.
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
    use std::rc::Rc;

    use super::{compile, compiled};

    #[test]
    fn a_large_pattern_is_compiled_once_too() {
        let large = r"^\p{L}{0,900}$";
        let (a, b) = (compiled(large).unwrap(), compiled(large).unwrap());
        assert!(Rc::ptr_eq(&a, &b));
    }

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
