//! Levels that users give to rules by flags.
use std::str::FromStr;

use clap::ValueEnum;

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
