//! Compares the inputs that were rejected with a list of those that have to be; every difference is a failure.
use super::{Problem, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The list for the corpus that this repository is tested with.
const BUILT_IN: &str = include_str!("rejected.tsv");

/// Messages by input, relative to the directory of the corpus, and code.
pub(super) type Rejections = BTreeMap<(String, String), String>;

/// The rejections that are expected, each with a reason as its message.
pub(super) fn expected(file: Option<&Path>) -> Result<Rejections> {
    match file {
        Some(file) => parse(&fs::read_to_string(file)?),
        None => parse(BUILT_IN),
    }
}

fn parse(text: &str) -> Result<Rejections> {
    let mut rejections = Rejections::new();
    for line in text.lines().skip(1) {
        let [input, code, reason] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!(
                "expected an input, a code and a reason, separated by tabs: {line:?}"
            )
            .into());
        };
        if reason.trim().is_empty() {
            return Err(format!("{input}: {code} has no reason").into());
        }
        let key = (input.to_owned(), code.to_owned());
        if rejections.insert(key, reason.to_owned()).is_some() {
            return Err(format!("{input}: {code} is listed twice").into());
        }
    }
    Ok(rejections)
}

/// Returns the rejections that are not expected, and the expected ones of these inputs that did not occur.
pub(super) fn compare(
    expected: &Rejections,
    found: &Rejections,
    inputs: &BTreeSet<String>,
) -> Vec<Problem> {
    let not_expected = found.iter().filter(|(key, _)| !expected.contains_key(key));
    let not_expected = not_expected.map(|((input, code), message)| Problem {
        stage: "rejected",
        subject: input.clone(),
        message: format!("{code}: {message}"),
    });
    let not_found = expected
        .iter()
        .filter(|(key, _)| inputs.contains(&key.0) && !found.contains_key(key));
    let not_found = not_found.map(|((input, code), reason)| Problem {
        stage: "not rejected",
        subject: input.clone(),
        message: format!("{code} is expected, but was not reported: {reason}"),
    });
    not_expected.chain(not_found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejections(all: &[(&str, &str)]) -> Rejections {
        let all = all.iter();
        all.map(|(input, code)| (((*input).to_owned(), (*code).to_owned()), "why".to_owned()))
            .collect()
    }

    #[test]
    fn every_difference_is_a_failure() {
        let expected = rejections(&[("a", "KC0101"), ("b", "KC0101"), ("c", "KC0101")]);
        let found = rejections(&[("a", "KC0101"), ("a", "KC0301"), ("d", "KC0101")]);
        let inputs = ["a", "b", "d", "e"].map(str::to_owned).into();
        let problems = compare(&expected, &found, &inputs);
        let problems: Vec<_> = problems.iter().map(|it| (it.stage, &*it.subject)).collect();
        assert_eq!(
            problems,
            [("rejected", "a"), ("rejected", "d"), ("not rejected", "b")]
        );
        assert!(compare(&expected, &expected, &inputs).is_empty());
    }

    #[test]
    fn each_entry_has_a_reason() {
        assert!(!parse(BUILT_IN).unwrap().is_empty());
        let head = "input\tcode\treason\n";
        for bad in [
            "a\tKC0101\n",
            "a\tKC0101\t \n",
            "a\tKC0101\tb\na\tKC0101\tc\n",
        ] {
            assert!(parse(&format!("{head}{bad}")).is_err(), "{bad:?}");
        }
    }
}
