//! Draws a trace: a bar for each span, below those that it is part of.
use std::fmt::Write as _;

use serde::Deserialize;

use super::escape;

/// A span that a collector has received.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Span {
    /// How many spans it is part of.
    depth: u8,
    name: String,
    /// The object or the end of the path.
    of: String,
    /// Milliseconds since the start of the trace.
    start: f64,
    ms: f64,
    status: Option<u16>,
}

const LABELS: f64 = 330.0;
const BARS: f64 = 560.0;
const ROW: usize = 30;
const TOP: usize = 66;

/// Bars from this width on have their time inside.
const WIDE: f64 = 150.0;

/// What a time beside a bar needs.
const TIME: f64 = 90.0;

/// Draws spans in the order of their start.
pub(super) fn draw(spans: &[Span]) -> String {
    let height = TOP + ROW * spans.len() + 14;
    let total = spans.iter().map(|it| it.start + it.ms);
    let total = total.fold(f64::MIN_POSITIVE, f64::max);
    let times: Vec<String> = spans
        .iter()
        .map(|it| format!("{} {:.1} ms", it.name, it.ms))
        .collect();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 910 {height}\" role=\"img\" aria-labelledby=\"title about\" font-family=\"system-ui, sans-serif\">
<title id=\"title\">The trace of a reconcile, as a collector received it</title>
<desc id=\"about\">{}</desc>
<style>
text {{ fill: #1f2328; font-size: 14px; }}
.title {{ font-size: 17px; font-weight: 600; }}
.about {{ fill: #57606a; font-size: 12px; }}
.time {{ font-size: 12px; }}
.in {{ fill: #ffffff; font-size: 12px; }}
.own {{ fill: #0969da; }}
.request {{ fill: #1a7f37; }}
.missing {{ fill: #9a6700; }}
@media (prefers-color-scheme: dark) {{ svg {{ background: #0d1117; }} text {{ fill: #e6edf3; }} .about {{ fill: #9198a1; }} .own {{ fill: #1f6feb; }} .request {{ fill: #238636; }} .missing {{ fill: #d29922; }} }}
</style>
<text class=\"title\" x=\"10\" y=\"24\">One trace: a new CrdKind, its Deployment and its Service</text>
<text class=\"about\" x=\"10\" y=\"43\">crdkind-operator without optimisation, on a real control plane; the spans as Jaeger's API returns them</text>
",
        escape(&times.join(", "))
    );
    for (index, span) in spans.iter().enumerate() {
        let y = TOP + ROW * index;
        let (x, width) = (LABELS + BARS * span.start / total, BARS * span.ms / total);
        let (class, status) = match span.status {
            None => ("own", String::new()),
            Some(status) if status < 400 => ("request", format!(", {status}")),
            Some(status) => ("missing", format!(", {status}")),
        };
        let is_left = x + width > LABELS + BARS - TIME;
        let (style, at, anchor) = match width {
            wide if wide > WIDE => ("in", x + 6.0, ""),
            _ if is_left => ("time", x - 6.0, " text-anchor=\"end\""),
            _ => ("time", x + width + 6.0, ""),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\">{} <tspan class=\"about\">{}</tspan></text><rect class=\"{class}\" x=\"{x:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"20\" rx=\"2\"/><text class=\"{style}\" x=\"{at:.1}\" y=\"{}\"{anchor}>{:.1} ms{status}</text>",
            10 + 16 * u16::from(span.depth),
            y + 15,
            escape(&span.name),
            escape(&span.of),
            width.max(2.0),
            y + 15,
            span.ms,
        );
    }
    out + "</svg>\n"
}
