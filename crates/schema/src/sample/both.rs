//! Finds a text that a pattern matches, and that has a format and a length.
//!
//! Regular expressions describe the usual texts of a format. The automata of the pattern and of such an expression run side by side; for each
//! number of further letters it is known from which of their states both can end. So a text is written letter by letter, the most usual first,
//! and never into a dead end. What no expression says, such as a check digit, decides the format itself: several texts are tried.

use std::collections::HashMap;

use kube_codegen_formats::pattern;
use regex_automata::{
    Anchored,
    dfa::{Automaton as _, StartKind, dense},
    nfa::thompson,
    util::{primitives::StateID, start},
};

/// How large an automaton gets, in bytes.
const SIZE: usize = 1 << 19;
/// How many combinations of states are visited.
const STATES: usize = 4_000;
/// How much longer than it must be a text gets, and how long at most.
const LONGER: usize = 100;
const LONGEST: usize = 400;
/// How many texts are tried.
const TRIES: usize = 300;

/// What texts have where they have a choice.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz1023456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-._/:@ !\"#$%&'()*+,;<=>?[\\]^`{|}~";

/// Returns the first text that is accepted.
pub(super) fn find(
    pattern: &str,
    format: Option<&str>,
    (least, most): (usize, usize),
    is_accepted: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if least > most.min(LONGEST) {
        return None;
    }
    let pattern = automaton(&pattern::translate(pattern).ok()?)?;
    forms(format).iter().find_map(|form| {
        let graph = Graph::new([&pattern, &automaton(form)?])?;
        graph.find((least, most), is_accepted)
    })
}

/// Returns expressions for the usual texts of a format, and then for others.
fn forms(format: Option<&str>) -> &'static [&'static str] {
    const ANY: &[&str] = &[r"\A[A-Za-z0-9._/:@-]*\z", r"\A[ -~]*\z"];
    let Some(format) = format else {
        return ANY;
    };
    match format.replace('-', "").as_str() {
        "datetime" => &[
            r"\A20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])\z",
            r"\A[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.,][0-9]+)?([zZ]|[+-][0-9]{2}:[0-9]{2})\z",
        ],
        "date" => &[
            r"\A20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\z",
            r"\A[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\z",
        ],
        "duration" => &[
            r"\A([1-9][0-9]*(\.[0-9]+)?(h|m|s|ms|us|ns))+\z",
            r"\A-?([0-9]+(\.[0-9]+)?(h|m|s|ms|us|ns|d|w))+\z",
            r"\A-?[0-9]+ ?[a-z]+\z",
        ],
        "uri" => &[
            r"\Ahttps?://[a-z0-9.-]+(:[0-9]{1,4})?(/[A-Za-z0-9._/~-]*)?(\?[A-Za-z0-9=&]*)?\z",
            r"\A[a-z][a-z0-9+.-]*://[A-Za-z0-9.@-]+(:[0-9]{1,4})?(/[A-Za-z0-9._/~@:-]*)?(\?[A-Za-z0-9=&]*)?\z",
            r"\A/[A-Za-z0-9._/~-]*\z",
            r"\A[a-z]+:[ -~]*\z",
        ],
        "email" => &[
            r"\A[a-z0-9]+([._+-][a-z0-9]+)*@[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)+\z",
            r"\A[ -~]+@[A-Za-z0-9.-]+\z",
        ],
        "hostname" => &[
            r"\A[a-z]-?[a-z0-9]*\z",
            r"\A([a-z]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}\z",
            r"\A[A-Za-z0-9.-]+\z",
        ],
        "ipv4" => &[
            r"\A(([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)\.){3}([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)\z",
        ],
        "ipv6" => &[
            r"\A([0-9a-f]{1,4}:){1,5}(:[0-9a-f]{1,4}){1,2}\z",
            r"\A[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}\z",
            r"\A[0-9A-Fa-f:]*::[0-9A-Fa-f:]*\z",
            r"\A[0-9A-Fa-f:.]+\z",
        ],
        "cidr" => &[
            r"\A(([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)\.){3}([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)/(3[0-2]|[12]?[0-9])\z",
            r"\A([0-9a-f]{1,4}:){1,5}(:[0-9a-f]{1,4})?:?/(12[0-8]|1[01][0-9]|[1-9]?[0-9])\z",
            r"\A[0-9A-Fa-f:]+/[0-9]{1,3}\z",
        ],
        "mac" => &[
            r"\A[0-9a-f]{2}(:[0-9a-f]{2}){5}\z",
            r"\A[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5,19}\z",
            r"\A[0-9A-Fa-f]{4}(\.[0-9A-Fa-f]{4}){2,9}\z",
        ],
        "uuid" => &[
            r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z",
            r"\A[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\z",
        ],
        "uuid3" => &[
            r"\A[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?3[0-9a-fA-F]{3}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\z",
        ],
        "uuid4" => &[
            r"\A[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\z",
            r"\A[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?4[0-9a-fA-F]{3}-?[89abAB][0-9a-fA-F]{3}-?[0-9a-fA-F]{12}\z",
        ],
        "uuid5" => &[
            r"\A[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?5[0-9a-fA-F]{3}-?[89abAB][0-9a-fA-F]{3}-?[0-9a-fA-F]{12}\z",
        ],
        "isbn" => &[
            r"\A97[89][0-9]{10}\z",
            r"\A[0-9]{9}[0-9X]\z",
            r"\A[0-9X -]+\z",
        ],
        "isbn10" => &[r"\A[0-9]{9}[0-9X]\z", r"\A[0-9X -]+\z"],
        "isbn13" => &[r"\A97[89][0-9]{10}\z", r"\A[0-9 -]+\z"],
        "creditcard" => &[r"\A[0-9]{13,16}\z", r"\A[0-9 -]+\z"],
        "ssn" => &[
            r"\A[0-9]{3}-[0-9]{2}-[0-9]{4}\z",
            r"\A[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}\z",
        ],
        "hexcolor" => &[
            r"\A#([0-9a-f]{3}|[0-9a-f]{6})\z",
            r"\A#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\z",
        ],
        "rgbcolor" => &[
            r"\Argb\(([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)(, ?([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)){2}\)\z",
        ],
        "byte" => {
            &[r"\A([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)\z"]
        }
        "bsonobjectid" => &[r"\A[0-9a-fA-F]{24}\z"],
        "k8sshortname" => &[
            r"\A[a-z]([-a-z0-9]*[a-z0-9])?\z",
            r"\A[a-z0-9]([-a-z0-9]*[a-z0-9])?\z",
        ],
        "k8slongname" => &[
            r"\A[a-z]([-a-z0-9]*[a-z0-9])?(\.[a-z]([-a-z0-9]*[a-z0-9])?)*\z",
            r"\A[-a-z0-9.]+\z",
        ],
        _ => ANY,
    }
}

type Dfa = dense::DFA<Vec<u32>>;

fn automaton(pattern: &str) -> Option<Dfa> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(SIZE))
        .determinize_size_limit(Some(SIZE));
    let limit = thompson::Config::new().nfa_size_limit(Some(SIZE));
    let mut builder = dense::Builder::new();
    builder
        .configure(config)
        .thompson(limit)
        .build(pattern)
        .ok()
}

/// The states of both automata after some letters; none where it matches, whatever follows.
type States = [Option<StateID>; 2];

/// The combinations of states, by their numbers; the first is the start.
struct Graph {
    /// The letters that lead on, and where.
    next: Vec<Vec<(u8, usize)>>,
    /// Whether a text may end here.
    ends: Vec<bool>,
}

impl Graph {
    fn new(automata: [&Dfa; 2]) -> Option<Self> {
        let config = start::Config::new().anchored(Anchored::No);
        let [one, two] = automata.map(|dfa| dfa.start_state(&config).ok());
        let mut all: Vec<States> = vec![[Some(one?), Some(two?)]];
        let mut numbers: HashMap<States, usize> = HashMap::from([(all[0], 0)]);
        let (mut next, mut ends) = (Vec::new(), Vec::new());
        while let Some(states) = all.get(next.len()).copied() {
            let mut ended = automata.iter().zip(states);
            ends.push(ended.all(|(dfa, state)| {
                state.is_none_or(|state| dfa.is_match_state(dfa.next_eoi_state(state)))
            }));
            let mut edges = Vec::new();
            for letter in LETTERS {
                let mut reached = states;
                for (dfa, state) in automata.iter().zip(&mut reached) {
                    let after = state.map(|state| dfa.next_state(state, *letter));
                    *state = after.filter(|state| !dfa.is_match_state(*state));
                }
                let mut reached_by = automata.iter().zip(reached);
                let is_dead = reached_by.any(|(dfa, state)| {
                    state.is_some_and(|it| dfa.is_dead_state(it) || dfa.is_quit_state(it))
                });
                if is_dead {
                    continue;
                }
                let number = *numbers.entry(reached).or_insert_with(|| {
                    all.push(reached);
                    all.len() - 1
                });
                edges.push((*letter, number));
            }
            next.push(edges);
            if all.len() > STATES {
                return None;
            }
        }
        Some(Self { next, ends })
    }

    /// Returns the first text that is accepted, the shortest first.
    fn find(
        &self,
        (least, most): (usize, usize),
        is_accepted: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let targets: Vec<Vec<usize>> = self
            .next
            .iter()
            .map(|edges| {
                let mut targets: Vec<_> = edges.iter().map(|(_, target)| *target).collect();
                targets.sort_unstable();
                targets.dedup();
                targets
            })
            .collect();
        // From where a text may end after so many letters.
        let mut after = vec![self.ends.clone()];
        let mut tries = TRIES;
        let most = most.min(LONGEST).min(least.saturating_add(LONGER));
        for length in 0..=most {
            let leading = &after[length];
            if length >= least && leading[0] {
                let mut text = String::with_capacity(length);
                if self.write(0, &after[..length], &mut text, &mut tries, is_accepted) {
                    return Some(text);
                }
                if tries == 0 {
                    return None;
                }
            }
            let leads = |targets: &Vec<usize>| targets.iter().any(|target| leading[*target]);
            let before = targets.iter().map(leads).collect();
            after.push(before);
        }
        None
    }

    /// Writes the letters that are left, as many as `after` has; returns whether the text is accepted.
    fn write(
        &self,
        state: usize,
        after: &[Vec<bool>],
        text: &mut String,
        tries: &mut usize,
        is_accepted: &dyn Fn(&str) -> bool,
    ) -> bool {
        let Some((last, rest)) = after.split_last() else {
            *tries = tries.saturating_sub(1);
            return is_accepted(text);
        };
        for (letter, target) in &self.next[state] {
            if *tries == 0 {
                return false;
            }
            if !last[*target] {
                continue;
            }
            text.push(char::from(*letter));
            if self.write(*target, rest, text, tries, is_accepted) {
                return true;
            }
            text.pop();
        }
        false
    }
}
