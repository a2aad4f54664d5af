//! Puts the lines of two runs beside each other: equal ones into one row.
use std::time::Duration;

use crate::timeline::{Entry, Happening};

/// The most lines of a run that are compared with all of the other one.
const COMPARED: usize = 1500;

/// Lines of both runs that differ share a row if their times differ by no more than this.
const CLOSE: Duration = Duration::from_millis(5);

/// A row: a line of each run, or of one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) left: Option<usize>,
    pub(super) right: Option<usize>,
    /// Whether the lines differ, or only one run has one.
    pub(super) parts: bool,
}

impl Row {
    fn both(left: usize, right: usize) -> Self {
        Self {
            left: Some(left),
            right: Some(right),
            parts: false,
        }
    }
}

/// Returns the rows of two runs, by their longest common subsequence.
pub(super) fn rows(left: &[Entry], right: &[Entry]) -> Vec<Row> {
    let (a, b): (Vec<Happening>, Vec<Happening>) = (
        left.iter().map(Entry::general).collect(),
        right.iter().map(Entry::general).collect(),
    );
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let mut rows: Vec<Row> = (0..same).map(|at| Row::both(at, at)).collect();
    let (height, width) = (
        (a.len() - same).min(COMPARED),
        (b.len() - same).min(COMPARED),
    );
    // How many lines two rests have in common.
    let mut common = vec![0_u16; (height + 1) * (width + 1)];
    let at = |i: usize, j: usize| i * (width + 1) + j;
    for i in (0..height).rev() {
        for j in (0..width).rev() {
            common[at(i, j)] = if a[same + i] == b[same + j] {
                common[at(i + 1, j + 1)] + 1
            } else {
                common[at(i + 1, j)].max(common[at(i, j + 1)])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    // The lines of each run since the last equal ones.
    let (mut here, mut there) = (Vec::new(), Vec::new());
    while i < height || j < width {
        if i < height && j < width && a[same + i] == b[same + j] {
            part(&mut here, &mut there, left, right, &mut rows);
            rows.push(Row::both(same + i, same + j));
            (i, j) = (i + 1, j + 1);
        } else if j == width || i < height && common[at(i + 1, j)] >= common[at(i, j + 1)] {
            here.push(same + i);
            i += 1;
        } else {
            there.push(same + j);
            j += 1;
        }
    }
    here.extend(same + height..a.len());
    there.extend(same + width..b.len());
    part(&mut here, &mut there, left, right, &mut rows);
    rows
}

/// Adds rows of lines that differ, in the order of their times; two of about the same time share a row.
fn part(
    here: &mut Vec<usize>,
    there: &mut Vec<usize>,
    left: &[Entry],
    right: &[Entry],
    rows: &mut Vec<Row>,
) {
    let (mut lefts, mut rights) = (here.drain(..).peekable(), there.drain(..).peekable());
    loop {
        let times = (
            lefts.peek().map(|at| left[*at].at),
            rights.peek().map(|at| right[*at].at),
        );
        let (with_left, with_right) = match times {
            (None, None) => break,
            (Some(_), None) => (true, false),
            (None, Some(_)) => (false, true),
            (Some(a), Some(b)) => (a <= b + CLOSE, b <= a + CLOSE),
        };
        rows.push(Row {
            left: with_left.then(|| lefts.next()).flatten(),
            right: with_right.then(|| rights.next()).flatten(),
            parts: true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        schedule::{Point, Verb},
        timeline::Replica,
    };

    /// Events of these resources, with their versions.
    fn entries(events: &[(&str, &str)]) -> Vec<Entry> {
        let entry = |(resource, version): &(&str, &str)| Entry {
            at: Duration::ZERO,
            what: Happening::Event {
                replica: Replica::Only,
                point: Point::example(Verb::Modified, resource, ""),
                version: (*version).to_owned(),
            },
        };
        events.iter().map(entry).collect()
    }

    #[test]
    fn equal_lines_share_a_row() {
        let left = entries(&[("a", ""), ("b", "3"), ("x", ""), ("c", ""), ("d", "")]);
        let right = entries(&[("a", ""), ("b", "4"), ("d", ""), ("e", "")]);
        let found = rows(&left, &right);
        let shown: Vec<(Option<usize>, Option<usize>)> =
            found.iter().map(|row| (row.left, row.right)).collect();
        let both = |a, b| (Some(a), Some(b));
        assert_eq!(
            shown,
            [
                both(0, 0),
                both(1, 1),
                (Some(2), None),
                (Some(3), None),
                both(4, 2),
                (None, Some(3))
            ]
        );
        assert_eq!(found.iter().position(|row| row.parts), Some(2));
        assert_eq!(rows(&left, &[]).len(), 5);
    }

    #[test]
    fn different_lines_of_one_time_share_a_row() {
        let left = entries(&[("a", ""), ("x", ""), ("y", "")]);
        let mut right = entries(&[("a", ""), ("u", ""), ("v", "")]);
        right[2].at = Duration::from_secs(1);
        let found = rows(&left, &right);
        let shown: Vec<(Option<usize>, Option<usize>)> =
            found.iter().map(|row| (row.left, row.right)).collect();
        assert_eq!(
            shown,
            [
                (Some(0), Some(0)),
                (Some(1), Some(1)),
                (Some(2), None),
                (None, Some(2))
            ]
        );
    }
}
