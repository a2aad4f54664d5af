//! Draws a violation: a page in one file that opens anywhere, with the run that failed beside the run without faults.
mod align;
mod lanes;

use std::fmt::{self, Write as _};

use kube_codegen_look::{
    Escaped,
    picture::{Picture, Row, Shade, Step, legend, sentence},
};

use super::{Found, fold::shown, pattern};
use crate::timeline::{Entry, Happening, Note};
use lanes::Lanes;

/// Rows before the first fault, at most.
const BEFORE: usize = 80;
/// Rows after the last one of the run that failed, at most.
const AFTER: usize = 20;
/// Rows at most.
const ROWS: usize = 600;

/// Returns the page of a violation. `text` is its report.
pub(crate) fn picture(found: &Found, text: &str) -> String {
    let mut sections = String::new();
    // Cannot fail: they write to a string.
    _ = facts(&mut sections, found).and_then(|()| differences(&mut sections, found));
    let mut picture = Picture {
        about: format!("Simulation of {}", found.name),
        title: sentence(&found.message),
        lead: format!("What must hold: {}.", found.oracle),
        sections,
        legend: legend(&[Shade::Stale]),
        text: text.to_owned(),
        ..Picture::default()
    };
    timeline(&mut picture, found);
    picture.html()
}

fn facts(page: &mut String, found: &Found) -> fmt::Result {
    let schedule = &found.schedule;
    page.push_str("<section aria-labelledby=\"why\"><h2 id=\"why\">What happened</h2>\n<ul class=\"faults\">\n");
    for decision in &schedule.decisions {
        writeln!(
            page,
            "<li><span class=\"label bad\">fault</span> {}: <code>{}</code></li>",
            Escaped(&sentence(&decision.fault.to_string())),
            Escaped(&decision.at.to_string())
        )?;
    }
    for (phase, time) in &schedule.hurry {
        writeln!(
            page,
            "<li><span class=\"label note\">hurry</span> The user does not wait until the operator is at rest: phase {} begins {time} ms after phase {phase}.</li>",
            phase + 1
        )?;
    }
    if schedule.decisions.is_empty() && schedule.hurry.is_empty() {
        page.push_str("<li>The run has no fault.</li>\n");
    }
    if schedule.from > 0 {
        writeln!(
            page,
            "<li>The run begins with phase {}: the operator starts with the objects that the earlier phases left.</li>",
            schedule.from
        )?;
    }
    page.push_str("</ul>\n");
    if let Some(likely) = pattern::likely(found) {
        writeln!(
            page,
            "<div class=\"callout\"><p><strong>Likely cause.</strong> {}</p></div>",
            code(&likely)
        )?;
    }
    writeln!(
        page,
        "<p class=\"muted\">Workload <code>{}</code>, seed {}.</p></section>",
        Escaped(&schedule.workload),
        schedule.seed
    )
}

fn differences(page: &mut String, found: &Found) -> fmt::Result {
    let differences = &found.failure.differences;
    if differences.is_empty() {
        return Ok(());
    }
    page.push_str(
        "<section aria-labelledby=\"ends\"><h2 id=\"ends\">How the runs end</h2>
<div class=\"scroll\" role=\"region\" aria-labelledby=\"ends\" tabindex=\"0\"><table>
<thead><tr><th scope=\"col\">Object</th><th scope=\"col\">Field</th><th scope=\"col\">Expected</th><th scope=\"col\">Found</th></tr></thead><tbody>\n",
    );
    for difference in differences.iter().take(100) {
        let place = if difference.path.is_empty() {
            "the object"
        } else {
            &difference.path
        };
        let value = |value: &Option<String>| {
            value.as_deref().map_or_else(
                || "<span class=\"muted\">absent</span>".to_owned(),
                |it| format!("<code>{}</code>", Escaped(it)),
            )
        };
        writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td class=\"good\">{}</td><td class=\"bad\">{}</td></tr>",
            Escaped(&difference.object),
            Escaped(place),
            value(&difference.expected),
            value(&difference.found)
        )?;
    }
    page.push_str("</tbody></table></div></section>\n");
    Ok(())
}

fn timeline(picture: &mut Picture, found: &Found) {
    let (mut log, calm) = (shown(&found.log), shown(&found.calm));
    let end = log.len();
    log.push(Entry {
        at: log.last().map(|it| it.at).unwrap_or_default(),
        what: Happening::Simulation(Note::Finds(found.message.clone())),
    });
    let lanes = Lanes::of(log.iter().chain(&calm));
    let rows = align::rows(&log, &calm);
    let parting = rows.iter().position(|row| row.parts);
    let fault = rows
        .iter()
        .position(|row| row.left.is_some_and(|at| log[at].is_fault()));
    let first = fault.into_iter().chain(parting).min().unwrap_or(0);
    picture.before = first.saturating_sub(BEFORE);
    // What the run without faults does after the failure says little.
    let last = rows.iter().rposition(|row| row.left.is_some()).unwrap_or(0);
    let to = rows.len().min(picture.before + ROWS).min(last + AFTER);
    picture.after = rows.len() - to;
    let (stale, calm_stale) = (lanes::stale(&log), lanes::stale(&calm));
    let head = match (&*found.schedule.decisions, found.schedule.hurry.is_empty()) {
        ([], true) => "The run",
        ([], false) => "With a user in a hurry",
        ([_], _) => "With the fault",
        _ => "With the faults",
    };
    picture.heads = vec![head.to_owned()];
    if !calm.is_empty() {
        picture.heads.push("Without faults".to_owned());
    }
    // Beside a second run, that shows where they part.
    let is_failing = |it: &&align::Row| it.left.is_some_and(|at| lanes::is_phase(&log[at]));
    let failing = rows.iter().rev().find(is_failing).and_then(|it| it.left);
    let failing = failing.filter(|_| calm.is_empty());
    for (index, row) in rows.iter().enumerate().take(to).skip(picture.before) {
        let left = row.left.map(|at| (&log[at], &stale[at]));
        let right = row.right.map(|at| (&calm[at], &calm_stale[at]));
        let one = left.or(right).map(|(entry, _)| entry);
        picture.rows.push(Row {
            at: one.map(|it| it.at).unwrap_or_default(),
            left: left.map(|(entry, stale)| Step {
                fault: entry.is_fault()
                    || row.left == Some(end)
                    || failing.is_some() && row.left == failing,
                ..lanes.step(entry, stale)
            }),
            right: right.map(|(entry, stale)| lanes.step(entry, stale)),
            differs: row.parts,
            parts: parting == Some(index),
            begins: one.is_some_and(lanes::is_phase),
        });
    }
    picture.lanes = lanes.names();
}

/// Shows what is between backticks as code.
fn code(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = Escaped(part);
        // Cannot fail: it writes to a string.
        _ = if index % 2 == 1 {
            write!(out, "<code>{part}</code>")
        } else {
            write!(out, "{part}")
        };
    }
    out
}

#[cfg(test)]
mod tests;
