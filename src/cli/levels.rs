//! Levels that users give to rules, by flags and in the config file.
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::ValueEnum;

use super::config;

/// Parses `RULE=LEVEL`, such as `example`; `levels` says which there are.
pub(super) fn parse<Rule, Level>(
    text: &str,
    example: &str,
    levels: &str,
) -> Result<(Rule, Level), String>
where
    Rule: FromStr<Err = String>,
    Level: ValueEnum,
{
    let (rule, level) = text
        .split_once('=')
        .ok_or_else(|| format!("expected RULE=LEVEL, such as `{example}`"))?;
    let rule = rule.parse()?;
    let level = Level::from_str(level, false).map_err(|_| format!("a level is {levels}"))?;
    Ok((rule, level))
}

/// Returns the config file of a flag, or the default one if it exists.
pub(super) fn file(flag: Option<&Path>) -> Option<PathBuf> {
    let default = || Some(PathBuf::from(config::FILE)).filter(|file| file.exists());
    flag.map(Path::to_path_buf).or_else(default)
}

/// Parses the names of rules in a table of the config file.
pub(super) fn configured<'a, Rule, Level>(
    levels: impl Iterator<Item = (&'a str, &'a Level)>,
    table: &str,
    file: &Path,
) -> Result<BTreeMap<Rule, Level>, String>
where
    Rule: FromStr<Err = String> + Ord,
    Level: Copy + 'a,
{
    let levels = levels.map(|(rule, level)| {
        let rule = rule.parse();
        let rule = rule.map_err(|error| format!("{}: [{table}]: {error}", file.display()))?;
        Ok((rule, *level))
    });
    levels.collect()
}
