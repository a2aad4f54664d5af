//! Draws the pictures of the book: plots of recorded results, a trace, and recordings of a terminal.
mod plot;
mod recording;
mod trace;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::root;

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Run `docs/plots/recording.sh` for each example, and record what it prints; without this, the recordings are drawn as they are
    #[arg(long)]
    record: bool,
}

/// Writes the pictures.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let directory = root().join("docs/plots");
    if arguments.record {
        for example in recording::EXAMPLES {
            let lines = recording::record(&directory.join("recording.sh"), example)?;
            fs::write(directory.join(format!("recordings/{example}.json")), lines)?;
        }
    }
    for (path, text) in pictures(&directory)? {
        println!("{}", path.display());
        fs::write(path, text)?;
    }
    Ok(true)
}

/// Returns the paths and the texts of all pictures.
fn pictures(directory: &Path) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let read = |name: &str| fs::read_to_string(directory.join(name));
    let plots: Vec<plot::Plot> = serde_json::from_str(&read("results.json")?)?;
    let mut pictures: Vec<(PathBuf, String)> = plots
        .iter()
        .map(|plot| (directory.join(format!("{}.svg", plot.name)), plot.draw()))
        .collect();
    for example in recording::EXAMPLES {
        let name = format!("recordings/{example}");
        let lines: Vec<(f64, String)> = serde_json::from_str(&read(&format!("{name}.json"))?)?;
        let picture = directory.join(format!("{name}.svg"));
        pictures.push((picture, recording::draw(&lines)));
    }
    let spans: Vec<trace::Span> = serde_json::from_str(&read("trace.json")?)?;
    pictures.push((directory.join("trace.svg"), trace::draw(&spans)));
    Ok(pictures)
}

/// Escapes a text for SVG.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_those_of_the_recorded_results() {
        for (path, text) in pictures(&root().join("docs/plots")).unwrap() {
            let path = path.display();
            let found = fs::read_to_string(path.to_string()).unwrap_or_default();
            assert!(found == text, "{path}: run `cargo xtask bench-book`");
        }
    }

    /// The figures of informers have their table in docs/memory.md.
    #[test]
    fn plots_have_the_figures_of_the_tables() {
        let docs = root().join("docs");
        let memory = fs::read_to_string(docs.join("memory.md")).unwrap();
        let results = fs::read_to_string(docs.join("plots/results.json")).unwrap();
        let plots: Vec<plot::Plot> = serde_json::from_str(&results).unwrap();
        for (plot, column) in [("memory", 6), ("sync", 2), ("updates", 9)] {
            let plot = plots.iter().find(|it| it.name == plot).unwrap();
            for (label, value, _) in &plot.bars {
                let row = match label.as_str() {
                    "informer" => "typed",
                    "kube's reflector" => "kube",
                    other => other.trim_start_matches("informer, "),
                };
                let line = memory
                    .lines()
                    .find(|line| line.starts_with(&format!("| {row} |")))
                    .unwrap();
                let cell: f64 = line.split('|').nth(column).unwrap().trim().parse().unwrap();
                assert!((cell - value).abs() < 1e-9, "{label} of {}", plot.name);
            }
        }
    }
}
