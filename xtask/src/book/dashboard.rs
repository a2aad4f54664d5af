//! Evaluates the queries of an operator's Grafana dashboard with Prometheus, and draws the answers in the layout of the dashboard.
use std::{
    collections::BTreeMap,
    error::Error,
    fmt::Write as _,
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::escape;

/// The dashboard of the example that the recording runs.
pub(super) const FILE: &str = "generated-examples/crdkind-operator/deploy/dashboard.json";

/// Seconds between two values.
const STEP: usize = 15;
/// Seconds that are shown.
const SPAN: usize = 15 * 60;

/// What Prometheus has answered, by query.
#[derive(Deserialize, Serialize)]
pub(super) struct Answers(BTreeMap<String, Vec<Series>>);

#[derive(Deserialize, Serialize)]
struct Series {
    labels: BTreeMap<String, String>,
    /// One for each step; none where there was no answer.
    values: Vec<Option<f64>>,
}

#[derive(Deserialize)]
pub(super) struct Dashboard {
    title: String,
    panels: Vec<Panel>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Panel {
    title: String,
    grid_pos: Place,
    field_config: Value,
    targets: Vec<Target>,
}

/// A place among 24 columns, and in rows.
#[derive(Deserialize)]
struct Place {
    x: u32,
    y: u32,
    w: u32,
    h: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    expr: String,
    legend_format: String,
}

/// Asks a Prometheus for the last minutes.
pub(super) fn evaluate(url: &str, dashboard: &Dashboard) -> Result<Answers, Box<dyn Error>> {
    let ask = |path: &str, parameters: &[String]| -> Result<Value, Box<dyn Error>> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--fail-with-body"]);
        for parameter in parameters {
            curl.args(["--data-urlencode", parameter]);
        }
        let output = curl.arg(format!("{url}/api/v1/{path}")).output()?;
        let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
            format!(
                "{url}: {error}: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        })?;
        match answer["error"].as_str() {
            Some(error) => Err(format!("{parameters:?}: {error}").into()),
            None => Ok(answer["data"]["result"].clone()),
        }
    };
    let end = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let end = usize::try_from(end)?;
    let start = end - SPAN;
    let mut answers = BTreeMap::new();
    for target in dashboard.panels.iter().flat_map(|it| &it.targets) {
        let query = format!("query={}", target.expr);
        let range = [("start", start), ("end", end), ("step", STEP)];
        let range = range.map(|(name, value)| format!("{name}={value}"));
        let found = ask("query_range", &[&[query], &range[..]].concat())?;
        let found: Vec<Value> = serde_json::from_value(found)?;
        let series = found.iter().map(|it| Series::read(it, start));
        let series: Vec<Series> = series.collect::<Result<_, _>>()?;
        if series.is_empty() {
            return Err(format!("no data: {}", target.expr).into());
        }
        answers.insert(target.expr.clone(), series);
    }
    Ok(Answers(answers))
}

impl Series {
    /// Reads what Prometheus has answered, with four digits of each value.
    fn read(answer: &Value, start: usize) -> Result<Self, Box<dyn Error>> {
        let mut values = vec![None; SPAN / STEP + 1];
        let pairs: Vec<(f64, String)> = serde_json::from_value(answer["values"].clone())?;
        for (time, value) in pairs {
            let value: f64 = value.parse()?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "seconds"
            )]
            let index = (time as usize - start) / STEP;
            if value.is_finite() {
                values[index] = Some(format!("{value:.3e}").parse()?);
            }
        }
        let labels = serde_json::from_value(answer["metric"].clone())?;
        Ok(Self { labels, values })
    }

    fn name(&self, format: &str) -> String {
        let mut name = format.to_owned();
        for (label, value) in &self.labels {
            name = name.replace(&format!("{{{{{label}}}}}"), value);
        }
        name
    }

    fn most(&self) -> f64 {
        self.values.iter().flatten().copied().fold(0.0, f64::max)
    }
}

impl Answers {
    /// Returns the recorded text: a line for each series.
    pub(super) fn text(&self) -> Result<String, serde_json::Error> {
        let text = serde_json::to_string(self)?;
        Ok(text
            .replace("{\"labels\"", "\n{\"labels\"")
            .replace("],\"", "],\n\"")
            + "\n")
    }
}

const WIDTH: f64 = 900.0;
const COLUMN: f64 = (WIDTH - 10.0) / 24.0;
const ROW: f64 = 31.0;
const TOP: f64 = 40.0;
/// The height of a line of a legend.
const LINE: f64 = 15.0;

/// Draws the answers. A query without one is an error.
pub(super) fn draw(dashboard: &Dashboard, answers: &Answers) -> Result<String, Box<dyn Error>> {
    let rows = dashboard
        .panels
        .iter()
        .map(|it| it.grid_pos.y + it.grid_pos.h);
    let height = TOP + ROW * f64::from(rows.max().unwrap_or_default()) + 10.0;
    let title = escape(&dashboard.title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"title\" font-family=\"system-ui, sans-serif\">
<title id=\"title\">The dashboard {title}</title>
<style>
svg {{ background: #f4f5f7; }} text {{ fill: #57606a; font-size: 12px; }} .title {{ fill: #1f2328; font-size: 14px; font-weight: 600; }} .tick {{ font-size: 11px; }} .end {{ text-anchor: end; }}
.panel {{ fill: #fff; stroke: #d0d7de; }} .grid {{ stroke: #eaeef2; }} .line {{ fill: none; stroke-width: 1.6; stroke-linejoin: round; }}
{}
@media (prefers-color-scheme: dark) {{ svg {{ background: #0d1117; }} text {{ fill: #9198a1; }} .title {{ fill: #e6edf3; }} .panel {{ fill: #161b22; stroke: #30363d; }} .grid {{ stroke: #262c36; }} {} }}
</style>
<text class=\"title\" x=\"10\" y=\"26\">{title}</text>
",
        colors(&["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#cf222e", "#7d5600", "#bf3989", "#4d5561"]),
        colors(&["#4493f8", "#f0883e", "#3fb950", "#ab7df8", "#f85149", "#d29922", "#f778ba", "#9198a1"]),
    );
    for panel in &dashboard.panels {
        panel.draw(answers, &mut out)?;
    }
    Ok(out + "</svg>\n")
}

/// Returns rules for lines and for the marks in legends.
fn colors(colors: &[&str]) -> String {
    let rules = colors.iter().enumerate();
    let rules = rules.map(|(index, color)| {
        format!("path.c{index} {{ stroke: {color}; }} rect.c{index} {{ fill: {color}; }}")
    });
    rules.collect::<Vec<_>>().join(" ")
}

impl Panel {
    fn draw(&self, answers: &Answers, out: &mut String) -> Result<(), Box<dyn Error>> {
        let mut lines = Vec::new();
        for target in &self.targets {
            let series = answers.0.get(&target.expr);
            let series = series.ok_or_else(|| format!("no answer is recorded: {}", target.expr))?;
            lines.extend(series.iter().map(|it| (it.name(&target.legend_format), it)));
        }
        let place = &self.grid_pos;
        let (x, y) = (
            5.0 + COLUMN * f64::from(place.x) + 4.0,
            TOP + ROW * f64::from(place.y) + 4.0,
        );
        let (width, height) = (
            COLUMN * f64::from(place.w) - 8.0,
            ROW * f64::from(place.h) - 8.0,
        );
        let legend = Self::legend(&lines, width - 20.0);
        let below = legend.last().map_or(0.0, |(_, y)| y + LINE);
        // The plane of the lines.
        let (left, right) = (x + 58.0, x + width - 12.0);
        let (top, bottom) = (y + 36.0, y + height - 30.0 - below);
        let title = escape(&self.title);
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<rect class=\"panel\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"4\"/><text class=\"title\" x=\"{:.0}\" y=\"{:.0}\">{title}</text>",
            x + 10.0,
            y + 22.0
        );
        let unit = self.field_config["defaults"]["unit"]
            .as_str()
            .unwrap_or_default();
        let (tick, count) = ticks(
            lines.iter().map(|(_, it)| it.most()).fold(0.0, f64::max),
            unit,
        );
        for index in 0..=count {
            let at = bottom - (bottom - top) * f64::from(index) / f64::from(count);
            let label = escape(&written(tick * f64::from(index), unit));
            let _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{left:.0}\" y1=\"{at:.1}\" x2=\"{right:.0}\" y2=\"{at:.1}\"/><text class=\"tick end\" x=\"{:.0}\" y=\"{:.1}\">{label}</text>",
                left - 6.0,
                at + 4.0
            );
        }
        let minutes = SPAN / 60;
        for minute in (0..=minutes).step_by(5) {
            #[expect(clippy::cast_precision_loss, reason = "minutes")]
            let at = left + (right - left) * minute as f64 / minutes as f64;
            let end = if minute == minutes { " end" } else { "" };
            let unit = if minute == 0 { " min" } else { "" };
            let _ = writeln!(
                out,
                "<text class=\"tick{end}\" x=\"{at:.0}\" y=\"{:.1}\">{minute}{unit}</text>",
                bottom + 15.0
            );
        }
        for (index, ((name, series), (from, down))) in lines.iter().zip(legend).enumerate() {
            let color = index % 8;
            let path = series.path(
                left,
                right,
                bottom,
                (bottom - top) / (tick * f64::from(count)),
            );
            let (at, line) = (x + 10.0 + from, bottom + 34.0 + down);
            let _ = writeln!(
                out,
                "<path class=\"line c{color}\" d=\"{path}\"/><rect class=\"c{color}\" x=\"{at:.0}\" y=\"{:.1}\" width=\"10\" height=\"3\"/><text class=\"tick\" x=\"{:.0}\" y=\"{line:.1}\">{}</text>",
                line - 5.0,
                at + 14.0,
                escape(name)
            );
        }
        Ok(())
    }

    /// Returns where each name starts in the legend, from its left upper corner.
    fn legend(lines: &[(String, &Series)], width: f64) -> Vec<(f64, f64)> {
        let (mut x, mut y) = (0.0, 0.0);
        let places = lines.iter().map(|(name, _)| {
            let long =
                30.0 + 6.0 * f64::from(u32::try_from(name.chars().count()).unwrap_or(u32::MAX));
            if x > 0.0 && x + long > width {
                (x, y) = (0.0, y + LINE);
            }
            let place = (x, y);
            x += long;
            place
        });
        places.collect()
    }
}

impl Series {
    fn path(&self, left: f64, right: f64, bottom: f64, scale: f64) -> String {
        let mut path = String::new();
        let mut pen = 'M';
        for (index, value) in self.values.iter().enumerate() {
            let Some(value) = value else {
                pen = 'M';
                continue;
            };
            #[expect(clippy::cast_precision_loss, reason = "some dozens")]
            let x = left + (right - left) * (index * STEP) as f64 / SPAN as f64;
            let _ = write!(path, "{pen}{x:.1} {:.1}", bottom - value * scale);
            pen = 'L';
        }
        path
    }
}

/// Returns the distance of ticks, and how many there are above zero.
fn ticks(most: f64, unit: &str) -> (f64, u32) {
    let most = if most > 0.0 { most } else { 1.0 };
    let base = if unit == "bytes" {
        1024_f64.powf(most.log(1024.0).floor())
    } else {
        1.0
    };
    let size = 10_f64.powf((most / base / 4.0).log10().floor());
    let tick = [1.0, 2.0, 5.0, 10.0].map(|it| it * size * base);
    let tick = tick.into_iter().find(|it| it * 4.0 >= most).unwrap_or(most);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most four"
    )]
    let count = (most / tick).ceil().max(1.0) as u32;
    (tick, count)
}

/// Writes a value as the dashboard does.
fn written(value: f64, unit: &str) -> String {
    let short = |value: f64, unit: &str| {
        format!("{} {unit}", (value * 1e6).round() / 1e6)
            .trim_end()
            .to_owned()
    };
    match unit {
        "s" if value == 0.0 => "0 s".to_owned(),
        "s" if value < 1e-3 => short(value * 1e6, "µs"),
        "s" if value < 1.0 => short(value * 1e3, "ms"),
        "s" => short(value, "s"),
        "bytes" if value < 1_048_576.0 => short(value / 1024.0, "KiB"),
        "bytes" => short(value / 1_048_576.0, "MiB"),
        _ if value >= 1e6 => short(value / 1e6, "M"),
        _ if value >= 1e3 => short(value / 1e3, "k"),
        _ => short(value, ""),
    }
}
