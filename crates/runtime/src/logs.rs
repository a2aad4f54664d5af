//! The logs of a program: where they go, in which format, and from which level on, which can change while it runs.
use std::{
    io::{IsTerminal as _, stderr},
    sync::OnceLock,
};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::Targets, layer::SubscriberExt as _, reload,
    util::SubscriberInitExt as _,
};

/// The format of the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum LogFormat {
    /// One line of text per event.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
    /// Several lines of text per event, for eyes.
    Pretty,
}

/// A layer that gets spans and events.
pub(crate) type Spans = Box<dyn Layer<Registry> + Send + Sync>;

/// Changes the filter of the logs; the parameter of its type is what the filter belongs to.
type Handle = Box<dyn Fn(Option<EnvFilter>) -> Result<String, String> + Send + Sync>;

static HANDLE: OnceLock<Handle> = OnceLock::new();

/// Writes logs to stderr, and spans to a layer.
///
/// # Panics
/// If the program has already set up its logs.
pub(crate) fn init(level: Option<&str>, format: LogFormat, spans: Option<Spans>) {
    let filter = match level {
        Some(level) => EnvFilter::new(level),
        None => EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info")),
    };
    // The spans of this crate have the level `trace`: they are in traces, and not in each line of the logs.
    let own = Targets::new()
        .with_default(LevelFilter::INFO)
        .with_target(env!("CARGO_CRATE_NAME"), LevelFilter::TRACE);
    let registry = tracing_subscriber::registry().with(spans.map(|it| it.with_filter(own)));
    let (filter, handle) = reload::Layer::new(filter);
    let logs = tracing_subscriber::fmt::layer()
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    let logs = match format {
        LogFormat::Text => logs.boxed(),
        LogFormat::Json => logs.json().boxed(),
        LogFormat::Pretty => logs.pretty().boxed(),
    };
    registry.with(logs.with_filter(filter)).init();
    let change = move |new: Option<EnvFilter>| {
        let failed = |error: reload::Error| error.to_string();
        if let Some(new) = new {
            handle.reload(new).map_err(failed)?;
        }
        handle.with_current(ToString::to_string).map_err(failed)
    };
    // `init` has succeeded once.
    HANDLE.set(Box::new(change)).ok();
}

/// Changes what is logged, if directives are given, and returns what is logged; `None` if the program has logs of its own.
pub(crate) fn level(directives: Option<&str>) -> Option<Result<String, String>> {
    let handle = HANDLE.get()?;
    let new = match directives.map(filter).transpose() {
        Ok(new) => new,
        Err(problem) => return Some(Err(problem)),
    };
    Some(handle(new))
}

/// Reads a level or directives.
pub(crate) fn filter(text: &str) -> Result<EnvFilter, String> {
    let levels = ["off", "error", "warn", "info", "debug", "trace"];
    let is_level = |directive: &str| levels.contains(&directive.to_lowercase().as_str());
    // The filter would take a misspelt level for the name of a crate.
    if !text
        .split(',')
        .all(|one| is_level(one) || one.contains('='))
    {
        return Err(format!(
            "expected one of {}, or CRATE=LEVEL",
            levels.join(", ")
        ));
    }
    EnvFilter::try_new(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use tracing::{Level, enabled};

    use super::{LogFormat, init, level};

    #[test]
    fn the_level_changes_while_the_program_runs() {
        assert_eq!(level(None), None, "the program has logs of its own");
        init(Some("warn"), LogFormat::Text, None);
        assert_eq!(level(None), Some(Ok("warn".to_owned())));
        assert!(!enabled!(Level::INFO));
        let problem = level(Some("loud")).unwrap().unwrap_err();
        assert!(
            problem.starts_with("expected one of off, error"),
            "{problem}"
        );
        assert_eq!(level(Some("info")), Some(Ok("info".to_owned())));
        assert!(enabled!(Level::INFO));
        assert_eq!(level(Some("off")), Some(Ok("off".to_owned())));
    }
}
