//! Formats the outcomes as a Markdown table.
use super::fault::Fault;
use super::{Row, Verdict};
use std::fmt::Write as _;

/// Describes the outcome for a fault.
fn outcome(verdict: &Verdict, fault: &Fault) -> String {
    match verdict {
        Verdict::Noticed => fault.notice.join(", "),
        Verdict::Crashed => format!("{} (crashed)", fault.notice.join(", ")),
        Verdict::Missed(tests) => format!("NOT NOTICED by {}", tests.join(", ")),
        Verdict::NotApplicable(times) => format!("NOT APPLICABLE: its text occurs {times} times"),
        Verdict::DoesNotCompile => "NOT TESTED: the faulty code does not compile".to_owned(),
        Verdict::FailedBefore => "NOT TESTED: its tests fail without it".to_owned(),
    }
}

/// Returns the cells of a row.
fn cells((fault, verdict, took): &Row<'_>) -> [String; 4] {
    [
        fault.name.clone(),
        fault.file.display().to_string(),
        outcome(verdict, fault),
        format!("{:.0}", took.as_secs_f64()),
    ]
}

/// Formats one row, to show progress.
pub(super) fn line(row: &Row<'_>) -> String {
    format!("| {} |\n", cells(row).join(" | "))
}

/// Formats the whole table with a count of the noticed faults.
pub(super) fn table(rows: &[Row<'_>]) -> String {
    let head = ["fault", "file", "noticed by", "seconds"].map(str::to_owned);
    let cells: Vec<_> = std::iter::once(head)
        .chain(rows.iter().map(cells))
        .collect();
    let width = |column: usize| {
        let widths = cells.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: [usize; 4] = std::array::from_fn(width);
    let mut out = String::new();
    for (number, row) in cells.iter().enumerate() {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(out, "| {cell:<width$} ");
        }
        out.push_str("|\n");
        if number == 0 {
            for width in widths {
                let _ = write!(out, "|{:-<1$}", "", width + 2);
            }
            out.push_str("|\n");
        }
    }
    let noticed = rows.iter().filter(|(_, verdict, _)| verdict.is_noticed());
    let _ = writeln!(out, "\n{} of {} noticed", noticed.count(), rows.len());
    out
}
