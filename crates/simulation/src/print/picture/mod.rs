//! Draws a violation: a page in one file that opens anywhere, with the run that failed beside the run without faults.
mod align;
mod lanes;

use std::{
    fmt::{self, Write as _},
    hash::Hasher as _,
};

use fnv::FnvHasher;
use kube_codegen_look::{CSS, Escaped, SCRIPT};

use super::{Found, is_minor, pattern};
use crate::timeline::Entry;
use lanes::Lanes;

const STYLE: &str = include_str!("picture.css");
const STEPS: &str = include_str!("picture.js");

/// Rows before the first fault, at most.
const BEFORE: usize = 80;
/// Rows after the last one of the run that failed, at most.
const AFTER: usize = 20;
/// Rows at most.
const ROWS: usize = 600;

/// Returns the page of a violation. `text` is its report.
pub(crate) fn picture(found: &Found, text: &str) -> String {
    let mut page = String::new();
    // Cannot fail: it writes to a string.
    _ = write(&mut page, found, text);
    page
}

fn write(page: &mut String, found: &Found, text: &str) -> fmt::Result {
    let title = format!("{}: {}", found.name, found.message);
    let title = Escaped(&title);
    // Whatever text would get past the escapes has no nonce, so that the browser runs none of it.
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    let nonce = format!("n{:016x}", hasher.finish());
    write!(
        page,
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>{title}</title>
<style nonce=\"{nonce}\">{CSS}{STYLE}</style>
<script nonce=\"{nonce}\">{SCRIPT}{STEPS}</script>
</head>
<body>
<main>
<header>
<p class=\"muted\">Simulation of {}</p>
<h1>{}</h1>
<p>What must hold: {}.</p>
</header>
",
        Escaped(&found.name),
        Escaped(&sentence(&found.message)),
        Escaped(&found.oracle.to_string()),
    )?;
    facts(page, found)?;
    differences(page, found)?;
    timeline(page, found)?;
    write!(
        page,
        "<details class=\"report\"><summary>The report as text</summary>
<p><button class=\"scripted-only\" data-copy-from=\"#report\">Copy</button></p>
<pre id=\"report\" tabindex=\"0\">{}</pre></details>
</main>
</body>
</html>
",
        Escaped(text)
    )
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
        page.push_str("<li>The run has no fault: the order of events alone leads there.</li>\n");
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
        "<p class=\"muted\">Workload {}, seed {}.</p></section>",
        Escaped(&format!("{:?}", schedule.workload)),
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

fn timeline(page: &mut String, found: &Found) -> fmt::Result {
    let shown = |log: &[Entry]| -> Vec<Entry> {
        log.iter()
            .filter(|it| it.fault || !is_minor(it))
            .cloned()
            .collect()
    };
    let (log, calm) = (shown(&found.log), shown(&found.calm));
    let lanes = Lanes::of(log.iter().chain(&calm));
    let rows = align::rows(&log, &calm);
    let parting = rows.iter().position(|row| row.parts);
    let fault = rows
        .iter()
        .position(|row| row.left.is_some_and(|at| log[at].fault));
    let first = fault.into_iter().chain(parting).min().unwrap_or(0);
    let from = first.saturating_sub(BEFORE);
    // What the run without faults does after the failure says little.
    let last = rows.iter().rposition(|row| row.left.is_some()).unwrap_or(0);
    let to = rows.len().min(from + ROWS).min(last + AFTER);
    let (stale, calm_stale) = (lanes::stale(&log), lanes::stale(&calm));
    let has_calm = !calm.is_empty();
    writeln!(
        page,
        "<section aria-labelledby=\"runs\"><h2 id=\"runs\">The runs, step by step</h2>
<p class=\"keys scripted-only no-print\"><kbd>↓</kbd> <kbd>↑</kbd> next and previous step, <kbd>f</kbd> the fault{}</p>",
        if has_calm { ", <kbd>p</kbd> where the runs part, <kbd>c</kbd> with or without the run without faults" } else { "" }
    )?;
    Lanes::legend(page);
    let class = if has_calm { "two" } else { "one" };
    writeln!(page, "<div class=\"runs {class}\">")?;
    writeln!(
        page,
        "<div class=\"heads\" aria-hidden=\"true\"><span></span>{}<b>With {}</b>{}</div>",
        lanes.heads(),
        if found.schedule.decisions.is_empty() {
            "this order of events"
        } else {
            "the fault"
        },
        if has_calm {
            format!("{}<b>Without faults</b>", lanes.heads())
        } else {
            String::new()
        }
    )?;
    page.push_str("<ol class=\"steps\">\n");
    if from > 0 {
        writeln!(page, "<li class=\"cut muted\">{from} steps before</li>")?;
    }
    let mut last = String::new();
    for (index, row) in rows.iter().enumerate().take(to).skip(from) {
        let (left, right) = (row.left.map(|at| &log[at]), row.right.map(|at| &calm[at]));
        let mut class = String::from("step");
        for (name, is) in [
            ("fault", left.is_some_and(|it| it.fault)),
            ("parting", parting == Some(index) && has_calm),
            ("phase", left.or(right).is_some_and(lanes::is_phase)),
            ("other", has_calm && row.parts),
        ] {
            if is {
                class.push(' ');
                class.push_str(name);
            }
        }
        let at = left.or(right).map_or(0.0, |it| it.at.as_secs_f64());
        let time = format!("{at:.3}");
        write!(
            page,
            "<li class=\"{class}\" tabindex=\"-1\"><time>{}</time>",
            if time == last { "" } else { &time }
        )?;
        last = time;
        let is_stale = |side: Option<usize>, stale: &[Vec<lanes::Stale>]| {
            side.map(|at| stale[at].clone()).unwrap_or_default()
        };
        lanes.side(page, left, &is_stale(row.left, &stale), "left")?;
        if has_calm {
            lanes.side(page, right, &is_stale(row.right, &calm_stale), "right")?;
        }
        page.push_str("</li>\n");
    }
    if to < rows.len() {
        writeln!(
            page,
            "<li class=\"cut muted\">{} steps after</li>",
            rows.len() - to
        )?;
    }
    page.push_str("</ol></div></section>\n");
    Ok(())
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

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests;
