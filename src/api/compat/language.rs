//! Compares patterns by all texts that they match, with their automata.
use std::{
    array,
    collections::{HashSet, VecDeque},
};

use kube_codegen_formats::pattern;
use regex_automata::{
    Anchored,
    dfa::{Automaton as _, StartKind, dense},
    nfa::thompson,
    util::{primitives::StateID, start},
};

/// How large the automaton of one pattern gets, in bytes.
const SIZE: usize = 8 << 20;

/// How many combinations of states are visited.
const STATES: usize = 20_000;

/// What texts have where they have a choice.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-._/: @";

/// Texts that one pattern matches and another one does not.
pub(super) struct Difference {
    /// The shortest first.
    pub(super) texts: Vec<String>,
    /// Whether it is known that no other texts exist.
    pub(super) is_whole: bool,
}

/// The states of the automata after some bytes; none where the pattern matches, whatever follows.
type States = [Option<StateID>; 3];

/// Returns whether the first pattern matches all texts that the second one matches, as far as that can be found out.
pub(super) fn includes(pattern: &str, other: &str) -> bool {
    difference(other, pattern, 1).is_some_and(|it| it.is_whole)
}

/// Returns at most `most` texts that the first pattern matches and the second one does not; none if that cannot be found out.
pub(super) fn difference(matches: &str, other: &str, most: usize) -> Option<Difference> {
    search(matches, other, false, most)
}

/// Returns at most `most` texts that both patterns match; none if that cannot be found out.
pub(super) fn common(pattern: &str, other: &str, most: usize) -> Option<Difference> {
    search(pattern, other, true, most)
}

/// Searches for texts that the first pattern matches and that the second one matches, or does not, as `both` says.
fn search(matches: &str, other: &str, both: bool, most: usize) -> Option<Difference> {
    let patterns = [
        pattern::translate(matches).ok()?,
        pattern::translate(other).ok()?,
        // What the others read is bytes, which need not be a text.
        r"\A(?s:.)*\z".to_owned(),
    ];
    let [matches, other, letters] = patterns.map(|it| automaton(&it));
    let automata = [matches?, other?, letters?];
    let bytes = representatives(&automata);
    let config = start::Config::new().anchored(Anchored::No);
    let starts: States = array::from_fn(|index| automata[index].start_state(&config).ok());
    if starts.contains(&None) {
        return None;
    }
    let mut found = Difference {
        texts: Vec::new(),
        is_whole: true,
    };
    let mut known: HashSet<States> = HashSet::from([starts]);
    // The shortest texts come first.
    let mut next = VecDeque::from([(starts, Vec::new())]);
    while let Some((states, text)) = next.pop_front() {
        let ends = |index: usize| {
            let dfa: &Dfa = &automata[index];
            states[index].is_none_or(|state| dfa.is_match_state(dfa.next_eoi_state(state)))
        };
        if ends(0) && ends(1) == both && ends(2) {
            found.texts.push(String::from_utf8(text.clone()).ok()?);
        }
        if found.texts.len() == most || known.len() > STATES {
            found.is_whole = false;
            break;
        }
        for byte in &bytes {
            let steps: States = array::from_fn(|index| {
                let dfa = &automata[index];
                let state = states[index].map(|state| dfa.next_state(state, *byte));
                state.filter(|state| !dfa.is_match_state(*state))
            });
            let mut reached = automata.iter().zip(steps);
            if reached.any(|(dfa, state)| state.is_some_and(|it| dfa.is_quit_state(it))) {
                return None;
            }
            let is_dead = |index: usize| {
                steps[index].is_some_and(|state| automata[index].is_dead_state(state))
            };
            let is_lost = if both { is_dead(1) } else { steps[1].is_none() };
            let is_over = is_dead(0) || is_lost || is_dead(2);
            if !is_over && known.insert(steps) {
                let mut text = text.clone();
                text.push(*byte);
                next.push_back((steps, text));
            }
        }
    }
    Some(found)
}

type Dfa = dense::DFA<Vec<u32>>;

fn automaton(pattern: &str) -> Option<Dfa> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(SIZE))
        .determinize_size_limit(Some(SIZE));
    let limit = thompson::Config::new().nfa_size_limit(Some(SIZE));
    let mut builder = dense::Builder::new();
    builder.configure(config).thompson(limit);
    builder.build(pattern).ok()
}

/// Returns one byte for each kind of bytes that the automata tell apart.
fn representatives(automata: &[Dfa; 3]) -> Vec<u8> {
    let mut kinds = HashSet::new();
    let all = LETTERS.iter().copied().chain(0..=u8::MAX);
    let is_new = |byte: &u8| {
        let classes = automata.each_ref().map(|dfa| dfa.byte_classes().get(*byte));
        kinds.insert(classes)
    };
    all.filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn patterns_are_compared_by_what_they_match() {
        // The shortest text that only the first pattern matches.
        for (pattern, other, text) in [
            ("^[a-z]+$", "^[a-z0-9]+$", None),
            ("^[a-z0-9]+$", "^[a-z]+$", Some("0")),
            ("^a{1,5}$", "^a{1,4}$", Some("aaaaa")),
            ("^[-a-zSA-Z0-9]+$", "^[a-zA-Z0-9-]+$", None),
            // Not anchored: each text with the letter.
            ("a", "^a", Some("ba")),
            ("^a", "a", None),
            ("", "^.*$", Some("\n")),
            ("^.$", "^[ -~]$", Some("\0")),
            (r"^\w+$", r"^[a-zA-Z0-9_]+$", None),
            ("^(?i)x$", "^[xX]$", None),
            ("^[^a]$", "^[\\x00-\\x7F]$", Some("\u{80}")),
            (r"^a\b", "^a$", Some("a-")),
        ] {
            let found = difference(pattern, other, 1);
            let found = found.unwrap_or_else(|| panic!("{pattern} and {other}"));
            assert_eq!(
                found.texts.first().map(String::as_str),
                text,
                "{pattern} and {other}"
            );
            assert_eq!(found.is_whole, text.is_none(), "{pattern} and {other}");
        }
        let all = difference("^(a|b|cd+)$", "^x$", 10).map(|it| it.texts);
        assert_eq!(all.unwrap_or_default(), ["a", "cd"], "one of each kind");
        assert!(difference("(", "a", 1).is_none());
        assert!(
            difference(&"(a|b){1000}".repeat(20), "a", 1).is_none(),
            "too large"
        );
    }
}
