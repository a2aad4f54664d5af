//! What reports show of a timeline: what repeats, twice.

use crate::timeline::Entry;

/// The longest group of lines whose repetition is seen.
const LONGEST: usize = 12;
/// How often a group repeats at least where it is folded.
const REPEATS: usize = 4;

/// Returns the lines of a timeline without those about Events, and with a sentence in place of lines that repeat.
pub(super) fn shown(log: &[Entry]) -> Vec<Entry> {
    let shown: Vec<&Entry> = log
        .iter()
        .filter(|entry| entry.fault || !is_minor(entry))
        .collect();
    let texts: Vec<String> = shown.iter().map(|entry| entry.what()).collect();
    let mut folded = Vec::new();
    let mut at = 0;
    while at < shown.len() {
        let groups = (1..=LONGEST).map(|lines| (lines, repeats(&texts[at..], lines)));
        let Some((lines, count)) = { groups }.find(|(_, count)| *count >= REPEATS) else {
            folded.push(shown[at].clone());
            at += 1;
            continue;
        };
        folded.extend(shown[at..at + 2 * lines].iter().copied().cloned());
        at += lines * count;
        let last = shown[at - 1];
        let (more, until) = (count - 2, last.at.as_secs_f64());
        let what = if lines == 1 {
            "the last line".to_owned()
        } else {
            format!("the last {lines} lines")
        };
        let times = if more == 1 { "time" } else { "times" };
        folded.push(Entry {
            at: last.at,
            who: "simulation".to_owned(),
            text: format!("sees {what} {more} more {times}, until {until:.3} s"),
            fault: false,
            answered: None,
        });
    }
    folded
}

/// Returns how often the first lines follow each other, this many at a time.
fn repeats(texts: &[String], lines: usize) -> usize {
    let equal = texts.iter().zip(texts.iter().skip(lines));
    let equal = equal.take_while(|(a, b)| a == b).count();
    1 + equal / lines
}

/// Whether an entry is about an Event, which changes nothing.
fn is_minor(entry: &Entry) -> bool {
    let mut words = entry.text.split(' ');
    words.nth(1) == Some("events") || words.next() == Some("events")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_repeats_is_shown_twice() {
        let log: Vec<Entry> = "x ab ab ab ab ab a ccc dddd"
            .chars()
            .filter(|letter| *letter != ' ')
            .enumerate()
            .map(|(at, letter)| Entry {
                at: Duration::from_millis(at as u64),
                who: "operator".to_owned(),
                text: format!("{letter} (resourceVersion {at})"),
                fault: false,
                answered: None,
            })
            .collect();
        let texts: Vec<String> = shown(&log).iter().map(|it| it.text.clone()).collect();
        let begin = |text: &String| text.split(" (").next().unwrap_or_default().to_owned();
        assert_eq!(
            texts.iter().map(begin).collect::<Vec<_>>(),
            [
                "x",
                "a",
                "b",
                "a",
                "b",
                "sees the last 2 lines 3 more times, until 0.010 s",
                "a",
                "c",
                "c",
                "c",
                "d",
                "d",
                "sees the last line 2 more times, until 0.018 s"
            ]
        );
    }
}
