//! Draws the lanes of a run, and what a step is on them.
use std::fmt::{self, Write as _};

use super::{Lane, Look, Mark, Shade, Sign, Step};
use crate::Escaped;

/// The distance of two lanes, in pixels.
const STEP: usize = 46;
/// The height of a row.
const HEIGHT: usize = 34;

impl Look {
    const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Event => "event",
            Self::User => "user",
            Self::Cluster => "cluster",
            Self::Note => "note",
        }
    }
}

impl Shade {
    const fn class(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Busy => "busy",
            Self::Away => "away",
        }
    }
}

const fn x(lane: usize) -> usize {
    STEP / 2 + lane * STEP
}

/// Writes the heads of the lanes.
pub(super) fn heads(page: &mut String, lanes: &[Lane]) -> fmt::Result {
    let longest = lanes.iter().map(|it| it.name.chars().count()).max();
    // The names rise by 45 degrees, with letters of at most 7 pixels.
    let height = 16 + longest.unwrap_or(0).min(40) * 5;
    write!(
        page,
        "<svg width=\"{}\" height=\"{height}\">",
        lanes.len() * STEP
    )?;
    for (lane, it) in lanes.iter().enumerate() {
        write!(
            page,
            "<text transform=\"translate({} {}) rotate(-45)\">{}<title>{}</title></text>",
            x(lane),
            height - 6,
            Escaped(&it.name),
            Escaped(&it.about)
        )?;
    }
    page.push_str("</svg>");
    Ok(())
}

/// Writes what the signs say.
pub(super) fn legend(page: &mut String, legend: &[(Mark, String)]) -> fmt::Result {
    page.push_str("<ul class=\"legend muted\">");
    for (mark, text) in legend {
        page.push_str("<li>");
        match mark {
            Mark::Arrow(look) => {
                page.push_str("<svg width=\"34\" height=\"12\" aria-hidden=\"true\">");
                arrow(page, (2, 32), 6, look.class(), false)?;
            }
            Mark::Shade(shade) => write!(
                page,
                "<svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"{}\" width=\"14\" height=\"14\"/>",
                shade.class()
            )?,
        }
        write!(page, "</svg> {}</li>", Escaped(text))?;
    }
    page.push_str("</ul>\n");
    Ok(())
}

/// Writes a step of a run: the lanes and the text.
pub(super) fn side(
    page: &mut String,
    lanes: usize,
    step: Option<&Step>,
    side: &str,
) -> fmt::Result {
    write!(
        page,
        "<svg class=\"{side}\" width=\"{}\" aria-hidden=\"true\">",
        lanes * STEP
    )?;
    for lane in 0..lanes {
        let x = x(lane);
        write!(
            page,
            "<line class=\"lane\" x1=\"{x}\" x2=\"{x}\" y1=\"0\" y2=\"100%\"/>"
        )?;
    }
    let Some(step) = step else {
        return write!(page, "</svg><p class=\"{side} nothing\"></p>");
    };
    for (lane, shade) in &step.shades {
        let half = if *shade == Shade::Busy { 5 } else { 9 };
        write!(
            page,
            "<rect class=\"{}\" x=\"{}\" y=\"0\" width=\"{}\" height=\"100%\"/>",
            shade.class(),
            x(*lane) - half,
            2 * half
        )?;
    }
    let middle = HEIGHT / 2;
    match step.sign {
        Sign::Arrow {
            from,
            to,
            look,
            answered,
        } => {
            let (from, to) = (x(from), x(to));
            let y = if answered { middle - 5 } else { middle };
            arrow(page, (from, to), y, look.class(), false)?;
            if answered {
                arrow(page, (to, from), middle + 5, look.class(), true)?;
            }
        }
        Sign::Dot { at, look } => write!(
            page,
            "<circle class=\"{}\" cx=\"{}\" cy=\"{middle}\" r=\"5\"/>",
            look.class(),
            x(at)
        )?,
        Sign::Bolt { at } => write!(
            page,
            "<path class=\"bolt\" d=\"M{} {} l-8 11 h6 l-3 9 l10 -13 h-6 l4 -7z\"/>",
            x(at) + 1,
            middle - 10
        )?,
        Sign::None => {}
    }
    write!(
        page,
        "</svg><p class=\"{side}\"><b>{}</b> {}",
        Escaped(&step.who),
        Escaped(&step.text)
    )?;
    for remark in &step.remarks {
        write!(page, "<span class=\"lacks\">{}</span>", Escaped(remark))?;
    }
    page.push_str("</p>");
    Ok(())
}

/// Draws an arrow; an answer has a dashed line.
fn arrow(
    page: &mut String,
    (from, to): (usize, usize),
    y: usize,
    class: &str,
    answer: bool,
) -> fmt::Result {
    let (start, end) = if from < to {
        (from + 4, to - 4)
    } else {
        (from - 4, to + 4)
    };
    let back = if from < to { end - 6 } else { end + 6 };
    let dashed = if answer { " dashed" } else { "" };
    write!(
        page,
        "<g class=\"{class}{dashed}\"><line x1=\"{start}\" x2=\"{end}\" y1=\"{y}\" y2=\"{y}\"/><path d=\"M{end} {y}L{back} {}V{}z\"/></g>",
        y - 4,
        y + 4
    )
}
