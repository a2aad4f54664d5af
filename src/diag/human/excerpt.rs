//! A line and a position in it come in, the line goes out as it is shown: cut to the room that it has, safe to print.
use super::safe::steers;
use crate::diag::Position;
use unicode_width::UnicodeWidthChar;

/// A line to be shown, and where the carets go below it.
pub(super) struct Excerpt {
    pub(super) text: String,
    /// Columns before the first caret.
    pub(super) indent: usize,
    /// How many carets, at least one.
    pub(super) carets: usize,
}

/// What a tab takes.
const TAB: usize = 4;
/// Put where a line is cut.
const CUT: &str = "…";
/// The least that is shown of a line, whatever the terminal.
const MIN_ROOM: usize = 40;

/// The line as it is shown; none if it is empty.
pub(super) fn excerpt(line: &str, at: Position, room: usize) -> Option<Excerpt> {
    let line = line.trim_end();
    if line.is_empty() {
        return None;
    }
    let cells: Vec<(char, usize)> = line.chars().map(|one| (one, width(one))).collect();
    let columns = |range: &[(char, usize)]| range.iter().map(|(_, width)| width).sum::<usize>();
    let first = at.column.saturating_sub(1).min(cells.len());
    let last = (first + at.length.max(1)).min(cells.len()).max(first);
    let room = room.max(MIN_ROOM);

    // Cut in front until what is meant begins in the first half, behind where the room ends.
    let mut start = 0;
    if columns(&cells) > room {
        let mut before = 0;
        let fits = |(_, width): &&(char, usize)| {
            before += width;
            before <= room / 2
        };
        start = first - cells[..first].iter().rev().take_while(fits).count();
    }
    let mut shown = String::new();
    let mut taken = 0;
    if start > 0 {
        shown.push_str(CUT);
        taken += 1;
    }
    let indent = taken + columns(&cells[start..first]);
    for (index, (character, width)) in cells.iter().enumerate().skip(start) {
        let more = usize::from(index + 1 < cells.len());
        if taken + width + more > room {
            shown.push_str(CUT);
            break;
        }
        match character {
            '\t' => shown.push_str(&" ".repeat(TAB)),
            steering if steers(*steering) => shown.push(char::REPLACEMENT_CHARACTER),
            other => shown.push(*other),
        }
        taken += width;
    }
    Some(Excerpt {
        text: shown,
        indent,
        carets: columns(&cells[first..last]).clamp(1, room.saturating_sub(indent).max(1)),
    })
}

fn width(character: char) -> usize {
    match character {
        '\t' => TAB,
        steering if steers(steering) => 1,
        other => other.width().unwrap_or(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, column: usize, length: usize) -> String {
        let at = Position {
            line: 1,
            column,
            length,
        };
        let excerpt = excerpt(text, at, MIN_ROOM).expect("a line");
        format!(
            "{}\n{}{}",
            excerpt.text,
            " ".repeat(excerpt.indent),
            "^".repeat(excerpt.carets)
        )
    }

    #[test]
    fn carets_stand_below_what_is_meant() {
        assert_eq!(show("name: v1", 7, 2), "name: v1\n      ^^");
        assert_eq!(show("\tname", 2, 4), "    name\n    ^^^^");
        assert_eq!(show("名前: x", 5, 1), "名前: x\n      ^");
        assert_eq!(show("a: \u{1b}[31mx", 4, 1), "a: \u{fffd}[31mx\n   ^");
    }

    #[test]
    fn carets_behind_the_line_and_none_at_all() {
        assert_eq!(show("a:", 9, 3), "a:\n  ^");
        assert_eq!(show("a:", 0, 0), "a:\n^");
        assert!(excerpt("  ", Position::default(), 80).is_none());
    }

    #[test]
    fn long_lines_are_cut_on_both_sides() {
        let line = "x".repeat(100) + "HERE" + &"y".repeat(100);
        let shown = show(&line, 101, 4);
        let cut = format!(
            "…{}HERE{}…\n{}^^^^",
            "x".repeat(20),
            "y".repeat(14),
            " ".repeat(21)
        );
        assert_eq!(shown, cut);
    }
}
