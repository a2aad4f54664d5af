//! Draws bars. (The plotters of crates.io write colors into the picture; these follow the light and dark of the reader.)
use std::fmt::Write as _;

use serde::Deserialize;

use super::escape;

/// Results to compare.
#[derive(Deserialize)]
pub(super) struct Plot {
    pub(super) name: String,
    title: String,
    unit: String,
    about: String,
    source: String,
    /// A label, a value, and `own` or `peer`.
    pub(super) bars: Vec<(String, f64, String)>,
}

const WIDTH: f64 = 720.0;
const LABELS: f64 = 250.0;
const VALUES: f64 = 110.0;
const ROW: usize = 30;
const TOP: usize = 58;

impl Plot {
    pub(super) fn draw(&self) -> String {
        let height = TOP + ROW * self.bars.len() + 30;
        let most = self.bars.iter().map(|(_, value, _)| *value);
        let most = most.fold(f64::MIN_POSITIVE, f64::max);
        let values: Vec<String> = self
            .bars
            .iter()
            .map(|(label, value, _)| format!("{label} {value} {}", self.unit))
            .collect();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"title about\" font-family=\"system-ui, sans-serif\">
<title id=\"title\">{}</title>
<desc id=\"about\">{}</desc>
<style>
text {{ fill: #1f2328; font-size: 14px; }}
.title {{ font-size: 17px; font-weight: 600; }}
.about {{ fill: #57606a; font-size: 12px; }}
.label {{ text-anchor: end; }}
.own {{ fill: #0969da; }}
.peer {{ fill: #8c959f; }}
@media (prefers-color-scheme: dark) {{ svg {{ background: #0d1117; }} text {{ fill: #e6edf3; }} .about {{ fill: #9198a1; }} .own {{ fill: #4493f8; }} .peer {{ fill: #6e7681; }} }}
</style>
<text class=\"title\" x=\"10\" y=\"24\">{}</text>
<text class=\"about\" x=\"10\" y=\"43\">{}</text>
",
            escape(&self.title),
            escape(&values.join(", ")),
            escape(&self.title),
            escape(&self.about),
        );
        for (index, (label, value, class)) in self.bars.iter().enumerate() {
            let y = TOP + ROW * index;
            let long = value / most * (WIDTH - LABELS - VALUES);
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "<text class=\"label\" x=\"{}\" y=\"{}\">{}</text><rect class=\"{}\" x=\"{LABELS}\" y=\"{}\" width=\"{long:.1}\" height=\"20\" rx=\"2\"/><text x=\"{:.1}\" y=\"{}\">{} {}</text>",
                LABELS - 10.0,
                y + 15,
                escape(label),
                if class == "own" { "own" } else { "peer" },
                y,
                LABELS + long + 8.0,
                y + 15,
                thousands(*value),
                escape(&self.unit),
            );
        }
        let _ = writeln!(
            out,
            "<text class=\"about\" x=\"10\" y=\"{}\">{}</text>\n</svg>",
            height - 10,
            escape(&self.source)
        );
        out
    }
}

/// Writes a number with a comma between thousands.
fn thousands(value: f64) -> String {
    let text = value.to_string();
    let (whole, rest) = text.find('.').map_or((&*text, ""), |at| text.split_at(at));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}
