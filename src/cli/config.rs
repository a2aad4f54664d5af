//! Reads `kube-codegen.toml`; an unknown key is an error with its location and the most similar known key.
use std::{
    fs,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

use super::{CommandError, console::Console, layer::Layer};
use crate::{
    base::{
        diag::nearest,
        options::{Override, Settings},
    },
    operator::scaffold,
};

/// The name of the config file in the working directory.
pub(super) const FILE: &str = "kube-codegen.toml";

/// The keys: options, and the tables of `diff` and `lint`.
const KEYS: &[&str] = &{
    let mut keys = ["diff"; Settings::KEYS.len() + 2];
    keys[Settings::KEYS.len()] = "lint";
    let mut index = 0;
    while index < Settings::KEYS.len() {
        keys[index] = Settings::KEYS[index];
        index += 1;
    }
    keys
};

/// Options from flags, and where to find the config file.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct OptionArgs {
    #[command(flatten)]
    pub(super) flags: Layer,

    /// Read options from this file, even with --file [default: kube-codegen.toml, only without --file]
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

impl OptionArgs {
    /// Reads the config file and merges it below the flags.
    pub(super) fn read(&self, console: &mut Console) -> Result<Layer, CommandError> {
        merge(self.flags.clone(), self.config.as_deref(), console)
    }
}

/// Warns that the options of the config file have no effect.
pub(super) fn warn_ignored(console: &mut Console) {
    console.warning(&format!(
        "`{FILE}` is ignored because of --file; use its options with `--config {FILE}`"
    ));
}

/// Merges a config file below flags: the named one or, unless a flag names inputs, the one in the working directory.
pub(super) fn merge(
    flags: Layer,
    file: Option<&Path>,
    console: &mut Console,
) -> Result<Layer, CommandError> {
    let file = match file.or(default()) {
        Some(_) if file.is_none() && flags.file.is_some() => {
            warn_ignored(console);
            return Ok(flags);
        }
        Some(file) => file,
        None if flags.file.is_some() => return Ok(flags),
        None => return Err(format!("no input; use --file or create {FILE}").into()),
    };
    Ok(flags.over(read(file)?))
}

/// Returns the config file in the working directory, if there is one.
pub(super) fn default() -> Option<&'static Path> {
    Some(Path::new(FILE)).filter(|file| file.exists())
}

/// Reads a config file. Its relative paths start at its directory.
pub(super) fn read(path: &Path) -> Result<Layer, String> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let mut layer = parse(&path.display().to_string(), &text)?;
    layer.rebase(path.parent().unwrap_or(Path::new("")));
    Ok(layer)
}

/// The directory of the generated modules of an operator: that of its config file, or the usual one.
pub(super) fn modules(operator: &Path) -> Result<PathBuf, CommandError> {
    let file = operator.join(FILE);
    if file.exists() {
        return Ok(read(&file)?.settings()?.output);
    }
    Ok(operator.join(scaffold::GENERATED))
}

fn parse(name: &str, text: &str) -> Result<Layer, String> {
    let invalid = |error: toml::de::Error| format!("{name}: {}", error.to_string().trim_end());
    let table = DeTable::parse(text).map_err(invalid)?;
    let mut unknown = Vec::new();
    check(table.get_ref(), KEYS, &mut unknown);
    if let Some((_, value)) = table
        .get_ref()
        .iter()
        .find(|(key, _)| key.get_ref() == "override")
        && let DeValue::Array(entries) = value.get_ref()
    {
        for entry in entries {
            if let DeValue::Table(entry) = entry.get_ref() {
                check(entry, Override::KEYS, &mut unknown);
            }
        }
    }
    if unknown.is_empty() {
        return toml::from_str(text).map_err(invalid);
    }
    unknown.sort_by_key(|key| key.at);
    let lines: Vec<_> = unknown.iter().map(|key| key.message(name, text)).collect();
    Err(lines.join("\n"))
}

struct Unknown<'a> {
    key: &'a str,
    at: usize,
    known: &'static [&'static str],
}

impl Unknown<'_> {
    fn message(&self, name: &str, text: &str) -> String {
        let before = text.get(..self.at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let nearest = match nearest(self.key, self.known.iter().copied()).first() {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("known keys: {}", self.known.join(", ")),
        };
        format!(
            "{name}:{line}:{column}: unknown key `{}`; {nearest}",
            self.key.escape_debug()
        )
    }
}

fn check<'a>(
    table: &'a DeTable<'_>,
    known: &'static [&'static str],
    unknown: &mut Vec<Unknown<'a>>,
) {
    let is_unknown = |key: &&'a Spanned<DeString<'_>>| !known.contains(&key.get_ref().as_ref());
    unknown.extend(table.keys().filter(is_unknown).map(|key| Unknown {
        key: key.get_ref(),
        at: key.span().start,
        known,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_errors_with_a_suggestion() {
        let text = "emitt = []\n\n[[override]]\npath = 'K.a'\ntypename = 'B'\nzzzzzzzz = 1\n";
        assert_eq!(
            parse("k.toml", text).unwrap_err(),
            "k.toml:1:1: unknown key `emitt`; did you mean `emit`?\n\
             k.toml:5:1: unknown key `typename`; did you mean `type-name`?\n\
             k.toml:6:1: unknown key `zzzzzzzz`; known keys: path, type-name, field-name, rust-type, skip, boxed, no-choice, derives"
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_is_an_error_with_its_location() {
        let error = parse("k.toml", "output = 3\n").unwrap_err();
        assert!(error.contains("line 1, column 10"), "{error}");
        let error = parse("k.toml", "file = [\n").unwrap_err();
        assert!(error.starts_with("k.toml: TOML parse error"), "{error}");
    }
}
