//! Records what a script prints, and draws it as a terminal in which the lines appear when they did.
use std::{
    error::Error,
    fmt::Write as _,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use super::escape;
use crate::root;

/// The examples with a recording.
pub(super) const EXAMPLES: [&str; 6] = [
    "crdkind-operator",
    "foo-controller",
    "network-controller",
    "pod-watcher",
    "secret-copier",
    "virtualmachine-operator",
];

/// The seconds of the recording.
const SECONDS: f64 = 20.0;
/// The lines of the terminal.
const ROWS: usize = 22;
/// The characters of a line.
const COLUMNS: usize = 118;
const LINE: usize = 19;
const TOP: usize = 38;

/// Runs a script for an example in the root of the repository, and returns its lines with their seconds, as JSON.
pub(super) fn record(script: &Path, example: &str) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = Command::new("sh")
        .arg(script)
        .arg(example)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut out = String::from("[\n");
    let output = child.stdout.take().ok_or("the script has no output")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        // Paths of this machine and the token of the page are of no use to a reader.
        let line = line.replace(&format!("{}/", root().display()), "");
        if out.len() > 2 {
            out.push_str(",\n");
        }
        let seconds = start.elapsed().as_secs_f64();
        write!(out, "[{seconds:.2}, {}]", serde_json::to_string(&line)?)?;
    }
    if !child.wait()?.success() {
        return Err(format!("{} has failed", script.display()).into());
    }
    Ok(out + "\n]\n")
}

/// Draws lines with their seconds.
pub(super) fn draw(lines: &[(f64, String)]) -> String {
    let width = COLUMNS * 8 + 32;
    let height = TOP + ROWS * LINE + 14;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title\">
<title id=\"title\">A terminal: kube-codegen dev starts an API server, installs an operator and its object, and shows each request, object and Event; then the object is changed</title>
<style>
text {{ font: 13.3px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d6dde6; white-space: pre; }}
.command {{ fill: #ffffff; font-weight: 600; }}
.dev {{ fill: #ffffff; }} .request {{ fill: #79b8ff; }} .object {{ fill: #7ee2a8; }} .event {{ fill: #6fd7e0; }} .operator {{ fill: #9aa5b1; }} .error {{ fill: #ff9a91; }}
.scroll {{ animation: scroll {SECONDS}s step-end infinite; transform: translateY(var(--end)); }}
.cover {{ transform-box: fill-box; animation: cover {SECONDS}s step-end infinite; transform: translateY(100%); fill: #12181f; }}
@keyframes scroll {{ ",
    );
    let percent = |seconds: f64| (seconds / SECONDS * 100.0).min(100.0);
    let shift = |shown: usize| shown.saturating_sub(ROWS) * LINE;
    // The command is there from the start. A viewer without animations shows the end.
    let (mut scroll, mut cover) = (
        String::from("0% { transform: translateY(0) }"),
        format!("0% {{ transform: translateY({LINE}px) }}"),
    );
    for (index, (seconds, _)) in lines.iter().enumerate().skip(1) {
        let (at, shown) = (percent(*seconds), index + 1);
        // Writing to a string does not fail.
        let _ = write!(
            scroll,
            " {at:.2}% {{ transform: translateY(-{}px) }}",
            shift(shown)
        );
        let _ = write!(
            cover,
            " {at:.2}% {{ transform: translateY({}px) }}",
            shown * LINE
        );
    }
    let _ = writeln!(
        out,
        "{scroll} }}
@keyframes cover {{ {cover} }}
@media (prefers-reduced-motion: reduce) {{ .scroll {{ animation: none }} .cover {{ animation: none; display: none }} }}
</style>
<rect width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"#12181f\"/>
<circle cx=\"20\" cy=\"18\" r=\"5.5\" fill=\"#ff5f57\"/><circle cx=\"38\" cy=\"18\" r=\"5.5\" fill=\"#febc2e\"/><circle cx=\"56\" cy=\"18\" r=\"5.5\" fill=\"#28c840\"/>
<svg y=\"{TOP}\" width=\"{width}\" height=\"{}\"><g class=\"scroll\" style=\"--end: -{}px\">",
        ROWS * LINE,
        shift(lines.len())
    );
    for (index, (_, line)) in lines.iter().enumerate() {
        let class = if line.starts_with("$ ") {
            "command"
        } else {
            let topic = line.split_whitespace().nth(1).unwrap_or_default();
            let topics = ["dev", "request", "object", "event", "operator", "error"];
            topics
                .into_iter()
                .find(|it| *it == topic)
                .unwrap_or_default()
        };
        let mut text: String = line.chars().take(COLUMNS).collect();
        if text.len() < line.len() {
            text.pop();
            text.push('…');
        }
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"16\" y=\"{}\">{}</text>",
            index * LINE + 14,
            escape(&text)
        );
    }
    let _ = writeln!(
        out,
        "<rect class=\"cover\" width=\"{width}\" height=\"{}\"/></g></svg>\n</svg>",
        lines.len() * LINE
    );
    out
}
