//! Draws runs as space-time diagrams: lanes for who takes part, arrows for what they send, and a row for each step. The page is one file that opens
//! anywhere.
//!
//! The simulation draws its failures with it, `kube-codegen dev` what it has seen, and `kube-codegen-testenv` failed tests.
//!
//! ```
//! use std::time::Duration;
//! use kube_codegen_look::picture::{Lane, Look, Picture, Row, Sign, Step};
//!
//! let step = Step {
//!     who: "operator".to_owned(),
//!     text: "create pods default/a: 201".to_owned(),
//!     sign: Sign::Arrow { from: 0, to: 1, look: Look::Good, answered: true },
//!     ..Step::default()
//! };
//! let picture = Picture {
//!     title: "A run".to_owned(),
//!     lanes: vec![Lane::new("operator", "The operator"), Lane::new("server", "The API server")],
//!     heads: vec!["What happened".to_owned()],
//!     rows: vec![Row { at: Duration::from_millis(5), left: Some(step), ..Row::default() }],
//!     ..Picture::default()
//! };
//! let html = picture.html();
//! assert!(html.contains("create pods default/a: 201"));
//! ```

mod lanes;
mod parties;

use std::{
    fmt::{self, Write as _},
    hash::{DefaultHasher, Hasher as _},
    time::Duration,
};

use crate::{CSS, Escaped, SCRIPT};
pub use parties::{Parties, legend};

const STYLE: &str = include_str!("picture.css");
const STEPS: &str = include_str!("picture.js");

/// A page that shows one run, or two beside each other.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// What the page is of, above its title, such as "Simulation of foo".
    pub about: String,
    /// The title.
    pub title: String,
    /// A sentence below the title; empty for none.
    pub lead: String,
    /// Sections between the title and the steps: HTML, in which each text of others is [`Escaped`].
    pub sections: String,
    /// Who takes part, from left to right.
    pub lanes: Vec<Lane>,
    /// What the signs say.
    pub legend: Vec<(Mark, String)>,
    /// The names of the runs: one, or two that are shown beside each other.
    pub heads: Vec<String>,
    /// The steps.
    pub rows: Vec<Row>,
    /// How many steps before the first row are left out.
    pub before: usize,
    /// How many steps after the last row are left out.
    pub after: usize,
    /// The same as text, to copy; empty for none.
    pub text: String,
}

/// A participant of a run, such as the operator or the API server.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// What it is, in a few words.
    pub about: String,
}

impl Lane {
    /// Returns a lane.
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
        }
    }
}

/// A row: a step of each run, or of one.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The time since the start of the run.
    pub at: Duration,
    /// The step of the first run.
    pub left: Option<Step>,
    /// The step of the second run.
    pub right: Option<Step>,
    /// Whether the runs differ here.
    pub differs: bool,
    /// Whether the runs part here.
    pub parts: bool,
    /// Whether something new begins here.
    pub begins: bool,
}

/// What happened.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Who did it.
    pub who: String,
    /// What happened.
    pub text: String,
    /// Whether a key leads here: an injected fault, or something that failed.
    pub fault: bool,
    /// What the step is on the lanes.
    pub sign: Sign,
    /// Lanes that are shaded at this step.
    pub shades: Vec<(usize, Shade)>,
    /// What else is true at this step, such as what a cache lacks.
    pub remarks: Vec<String>,
}

/// What a step is on the lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// From one lane to another, and back if there is an answer.
    Arrow {
        /// The lane that sends.
        from: usize,
        /// The lane that receives.
        to: usize,
        /// The color.
        look: Look,
        /// Whether an answer comes back.
        answered: bool,
    },
    /// A dot at one lane.
    Dot {
        /// The lane.
        at: usize,
        /// The color.
        look: Look,
    },
    /// A bolt at one lane.
    Bolt {
        /// The lane.
        at: usize,
    },
    /// Nothing.
    #[default]
    None,
}

/// The meaning of a sign, which decides its color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Something of the operator that succeeds.
    #[default]
    Good,
    /// Something that fails.
    Bad,
    /// An event of a watch.
    Event,
    /// A change by the user.
    User,
    /// A change by a controller of the cluster.
    Cluster,
    /// A remark.
    Note,
}

/// Why a lane is shaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// A cache lacks something.
    Stale,
    /// Something is in progress.
    Busy,
    /// It does not take part: stopped, or without a network.
    Away,
}

/// A sign of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An arrow.
    Arrow(Look),
    /// A shaded lane.
    Shade(Shade),
}

impl Picture {
    /// Returns the page.
    #[must_use]
    pub fn html(&self) -> String {
        let mut page = String::new();
        // Cannot fail: it writes to a string.
        _ = self.write(&mut page);
        page
    }

    /// Returns a section that lists what failed, each text once, for [`Picture::sections`]; without a failure it says so.
    #[must_use]
    pub fn failures(&self) -> String {
        /// Texts that are listed.
        const LISTED: usize = 20;
        let mut all: Vec<(&Row, &Step, usize)> = Vec::new();
        for row in &self.rows {
            let Some(step) = row.left.as_ref().filter(|step| step.fault) else {
                continue;
            };
            match all
                .iter_mut()
                .find(|(_, known, _)| (&known.who, &known.text) == (&step.who, &step.text))
            {
                Some((_, _, times)) => *times += 1,
                None => all.push((row, step, 1)),
            }
        }
        let start = "<section aria-labelledby=\"why\"><h2 id=\"why\">What failed</h2>\n";
        if all.is_empty() {
            return format!("{start}<p>No failures.</p></section>\n");
        }
        let mut html = format!("{start}<ul class=\"faults\">\n");
        // Cannot fail: it writes to a string.
        for (row, step, times) in all.iter().take(LISTED) {
            _ = write!(
                html,
                "<li><span class=\"label bad\">{:.2} s</span> <b>{}</b> {}",
                row.at.as_secs_f64(),
                Escaped(&step.who),
                Escaped(&step.text)
            );
            if *times > 1 {
                _ = write!(html, " <span class=\"muted\">{times} times</span>");
            }
            html.push_str("</li>\n");
        }
        if all.len() > LISTED {
            _ = writeln!(
                html,
                "<li class=\"muted\">and {} more</li>",
                all.len() - LISTED
            );
        }
        html + "</ul></section>\n"
    }

    fn write(&self, page: &mut String) -> fmt::Result {
        // Whatever text would get past the escapes has no nonce, so that the browser runs none of it.
        let mut hasher = DefaultHasher::new();
        hasher.write(self.title.as_bytes());
        hasher.write(self.text.as_bytes());
        for step in self.rows.iter().filter_map(|row| row.left.as_ref()) {
            hasher.write(step.text.as_bytes());
        }
        let nonce = format!("n{:016x}", hasher.finish());
        write!(
            page,
            "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>{}</title>
<style nonce=\"{nonce}\">{CSS}{STYLE}</style>
<script nonce=\"{nonce}\">{SCRIPT}{STEPS}</script>
</head>
<body>
<main>
<header>
<p class=\"muted\">{}</p>
<h1>{}</h1>
",
            Escaped(&self.title),
            Escaped(&self.about),
            Escaped(&self.title),
        )?;
        if !self.lead.is_empty() {
            writeln!(page, "<p>{}</p>", Escaped(&self.lead))?;
        }
        page.push_str("</header>\n");
        page.push_str(&self.sections);
        self.steps(page)?;
        if !self.text.is_empty() {
            write!(
                page,
                "<details class=\"report\"><summary>The report as text</summary>
<p><button class=\"scripted-only\" data-copy-from=\"#report\">Copy</button></p>
<pre id=\"report\" tabindex=\"0\">{}</pre></details>
",
                Escaped(&self.text)
            )?;
        }
        page.push_str("</main>\n</body>\n</html>\n");
        Ok(())
    }

    fn steps(&self, page: &mut String) -> fmt::Result {
        let two = self.heads.len() > 1;
        let title = if two { "The runs" } else { "The run" };
        let steps = self.rows.iter().filter_map(|row| row.left.as_ref());
        let fault = if steps
            .clone()
            .any(|step| matches!(step.sign, Sign::Bolt { .. }))
        {
            "the fault"
        } else {
            "what failed"
        };
        writeln!(
            page,
            "<section aria-labelledby=\"runs\"><h2 id=\"runs\">{title}, step by step</h2>
<p class=\"keys scripted-only no-print\"><kbd>↓</kbd> <kbd>↑</kbd> next and previous step, <kbd>f</kbd> {fault}{}</p>",
            if two { ", <kbd>p</kbd> where the runs diverge, <kbd>c</kbd> with or without the second run" } else { "" }
        )?;
        lanes::legend(page, &self.legend)?;
        writeln!(
            page,
            "<div class=\"runs {}\">\n<div class=\"heads\" aria-hidden=\"true\"><span></span>",
            if two { "two" } else { "one" }
        )?;
        for head in &self.heads {
            lanes::heads(page, &self.lanes)?;
            write!(page, "<b>{}</b>", Escaped(head))?;
        }
        page.push_str("</div>\n<ol class=\"steps\">\n");
        if self.before > 0 {
            writeln!(
                page,
                "<li class=\"cut muted\">{} steps before</li>",
                self.before
            )?;
        }
        let mut last = String::new();
        for row in &self.rows {
            page.push_str("<li class=\"step");
            for (name, is) in [
                ("fault", row.left.as_ref().is_some_and(|it| it.fault)),
                ("parting", row.parts && two),
                ("phase", row.begins),
                ("other", row.differs && two),
            ] {
                if is {
                    write!(page, " {name}")?;
                }
            }
            let time = format!("{:.3}", row.at.as_secs_f64());
            write!(
                page,
                "\" tabindex=\"-1\"><time>{}</time>",
                if time == last { "" } else { &time }
            )?;
            last = time;
            lanes::side(page, self.lanes.len(), row.left.as_ref(), "left")?;
            if two {
                lanes::side(page, self.lanes.len(), row.right.as_ref(), "right")?;
            }
            page.push_str("</li>\n");
        }
        if self.after > 0 {
            writeln!(
                page,
                "<li class=\"cut muted\">{} steps after</li>",
                self.after
            )?;
        }
        page.push_str("</ol></div></section>\n");
        Ok(())
    }
}

/// Returns a text with its first letter in upper case, unless it begins with a name such as `apps/Deployment`.
#[must_use]
pub fn sentence(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    if word.contains('/') {
        return text.to_owned();
    }
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
