//! Resolves the conversions that the config declares.
use serde_json::Number;

use super::Pair;
use crate::base::diag::{Code, Diagnostics};
use crate::base::options::{Conversion, Options};
use crate::input::crd::Schema;
use crate::model::evolution::{self, Class, priority};
use crate::model::ir::{ConversionStep, Decision, Kind, SchemaPath, Strategy};

/// The declarations that may concern a spoke and the hub.
pub(super) struct Declared<'a> {
    /// The paths that are compared with each other, in the spoke and in the hub.
    pub(super) pairs: Vec<(SchemaPath, SchemaPath)>,
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    index: usize,
    declaration: &'a Conversion,
    /// The path in the spoke, and that in the hub.
    paths: (SchemaPath, SchemaPath),
    /// Whether the older version is the spoke.
    is_forward: bool,
}

/// Returns whether a declaration names a kind.
pub(super) fn is_of(entry: &Conversion, kind: &Kind) -> bool {
    match entry.kind.rsplit_once('/') {
        Some((group, name)) => group == kind.group && name == kind.kind,
        None => entry.kind == kind.kind,
    }
}

impl<'a> Declared<'a> {
    pub(super) fn read(
        pair: &Pair<'_>,
        from: &Schema,
        to: &Schema,
        options: &'a Options,
        matched: &mut [bool],
    ) -> Self {
        let (spoke, hub) = (&*pair.spoke.version, &*pair.hub.version);
        let mut declared = Self {
            pairs: Vec::new(),
            entries: Vec::new(),
        };
        for (index, entry) in options.conversions.iter().enumerate() {
            let is_spoke_older = match (entry.from.as_deref(), entry.to.as_deref()) {
                (None, None) => priority::of(spoke) > priority::of(hub),
                (from, to) => from == Some(spoke) || to == Some(hub),
            };
            let versions = if is_spoke_older {
                (spoke, hub)
            } else {
                (hub, spoke)
            };
            let is_version = |wanted: &Option<String>, version: &str| {
                wanted.as_deref().is_none_or(|it| it == version)
            };
            if !is_of(entry, pair.hub)
                || !is_version(&entry.from, versions.0)
                || !is_version(&entry.to, versions.1)
            {
                continue;
            }
            let (older, newer) = if is_spoke_older {
                (from, to)
            } else {
                (to, from)
            };
            let texts = match (&entry.rename, &entry.path) {
                (Some(rename), _) => rename.split_once("->").map(|(a, b)| (a.trim(), b.trim())),
                (None, Some(path)) => Some((path.as_str(), path.as_str())),
                (None, None) => None,
            };
            let Some((a, b)) = texts else {
                continue;
            };
            let (a, b) = (
                evolution::parse_path(older, a),
                evolution::parse_path(newer, b),
            );
            // A path that only one version has is declared by its name there.
            let (a, b) = if entry.rename.is_some() {
                (a, b)
            } else {
                (a.clone().or(b.clone()), b.or(a))
            };
            let (Some(a), Some(b)) = (a, b) else {
                continue;
            };
            let paths = if is_spoke_older { (a, b) } else { (b, a) };
            if entry.rename.is_some() && evolution::same_items(&paths.0, &paths.1, &declared.pairs)
            {
                declared.pairs.push(paths.clone());
                if let Some(matched) = matched.get_mut(index) {
                    *matched = true;
                }
            }
            declared.entries.push(Entry {
                index,
                declaration: entry,
                paths,
                is_forward: is_spoke_older,
            });
        }
        declared
    }

    /// Replaces the decisions that are declared.
    pub(super) fn apply(
        &mut self,
        pair: &Pair<'_>,
        steps: &mut Vec<ConversionStep>,
        matched: &mut [bool],
        diagnostics: &mut Diagnostics,
    ) {
        for Entry {
            index,
            declaration: entry,
            paths,
            is_forward,
        } in &self.entries
        {
            let is_at = |step: &&mut ConversionStep| {
                let change = &step.change;
                let is_spoke = change.from.as_ref().is_none_or(|path| *path == paths.0);
                is_spoke && change.to.as_ref().is_none_or(|path| *path == paths.1)
            };
            let mut found = false;
            for step in steps.iter_mut().filter(is_at) {
                if matches!(step.decision, Decision::Automatic) {
                    continue;
                }
                match strategy(entry, *is_forward, step.change.class) {
                    Ok(Some(strategy)) => {
                        found = true;
                        step.decision = Decision::Declared(strategy);
                    }
                    Ok(None) => {}
                    Err(reason) => {
                        found = true;
                        let path = &paths.0;
                        let place = path.place(&pair.spoke.place, &pair.spoke.schema_pointer);
                        diagnostics
                            .report(
                                Code::ConversionInvalid,
                                place,
                                format!("the conversion of `{path}` of `{}` {reason}", entry.kind),
                            )
                            .hint("see `kube-codegen explain KC0505`");
                    }
                }
            }
            if found && let Some(matched) = matched.get_mut(*index) {
                *matched = true;
            }
        }
        // What a declared pair converts as a whole needs no decision of its own.
        let whole: Vec<_> = steps
            .iter()
            .filter(|step| {
                step.change.class == Class::Declared
                    && matches!(&step.decision, Decision::Declared(it) if !matches!(it, Strategy::Copy))
            })
            .map(|step| (step.change.from.clone(), step.change.to.clone()))
            .collect();
        steps.retain(|step| {
            let is_value = !matches!(
                step.change.class,
                Class::Declared | Class::NowRequired | Class::NowOptional
            );
            !(is_value
                && whole
                    .iter()
                    .any(|(from, to)| step.change.from == *from && step.change.to == *to))
        });
    }
}

/// Returns the strategy of a declaration for a change; none if it declares nothing about it.
fn strategy(
    entry: &Conversion,
    is_forward: bool,
    class: Class,
) -> Result<Option<Strategy>, String> {
    let chosen = [
        !entry.values.is_empty(),
        entry.list,
        entry.scale.is_some(),
        entry.value.is_some(),
        entry.keep,
    ];
    if chosen.iter().filter(|is| **is).count() > 1 {
        return Err("has several of `values`, `list`, `scale`, `value` and `keep`".to_owned());
    }
    let is_single = matches!(
        class,
        Class::Added | Class::Removed | Class::NowRequired | Class::NowOptional
    );
    if is_single {
        return Ok(match (&entry.value, entry.keep) {
            (Some(value), _) => Some(Strategy::IfAbsent(Some(value.clone()))),
            (None, true) => Some(Strategy::IfAbsent(None)),
            (None, false) => None,
        });
    }
    if !entry.values.is_empty() {
        let pairs = entry
            .values
            .iter()
            .map(|(old, new)| (old.clone(), new.clone()));
        let pairs = pairs.map(|(old, new)| if is_forward { (old, new) } else { (new, old) });
        return Ok(Some(Strategy::Values(pairs.collect())));
    }
    if let Some(factor) = &entry.scale {
        if factor.as_f64().is_none_or(|it| it == 0.0) {
            return Err("has the scale 0".to_owned());
        }
        let scaled: fn(Number) -> Strategy = if is_forward {
            Strategy::Multiplied
        } else {
            Strategy::Divided
        };
        return Ok(Some(scaled(factor.clone())));
    }
    if entry.list {
        return Ok(Some(if is_forward {
            Strategy::ListInHub
        } else {
            Strategy::ListInSpoke
        }));
    }
    if entry.value.is_some() {
        return Err("has a `value`, although both versions have the field".to_owned());
    }
    Ok((entry.keep || class == Class::Declared).then_some(Strategy::Copy))
}
