//! Finds the kinds that a change of the CRDs renamed, and the lines that still have the old names.
//!
//! The last run left the definitions among the generated modules. A CRD of today is one of those under another name if it has the same name
//! (only its kind changed), or if it has the kind, the plural or most of the fields of a CRD that is gone. Its controller, its children and
//! what it took over are recorded by the name of the CRD, and go along. The old names to look for are those that the modules had and no longer have, and those
//! of the CRD itself. Whole words are compared: an old name in a comment is found as well, and whether it matters is for the user to say.
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use serde_json::{Value, json};

use super::{CommandError, console::Console, count};
use crate::{
    base::options::Options,
    model::ir::Model,
    operator::scaffold::{self, Parameters},
    output::render::File,
    pipeline::{self, Output},
    run,
};

/// The number of files that are searched.
const MAX_FILES: usize = 5_000;

/// The number of lines that are shown.
const MAX_SHOWN: usize = 20;

/// The names of a CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Names {
    crd: String,
    group: String,
    kind: String,
    list_kind: String,
    plural: String,
    /// The storage version.
    storage: String,
    /// The paths of its fields, in all versions.
    fields: BTreeSet<String>,
}

impl Names {
    fn of(crd: &str, definition: &Value) -> Self {
        let text = |pointer| {
            let found = definition.pointer(pointer).and_then(Value::as_str);
            found.unwrap_or_default().to_owned()
        };
        let kind = text("/spec/names/kind");
        let list_kind = match text("/spec/names/listKind") {
            it if it.is_empty() => format!("{kind}List"),
            it => it,
        };
        Self {
            crd: crd.to_owned(),
            group: text("/spec/group"),
            kind,
            list_kind,
            plural: text("/spec/names/plural"),
            storage: storage(definition),
            fields: fields(definition),
        }
    }

    /// How much two CRDs have in common; 0 if they are not the same one.
    fn likeness(&self, other: &Self) -> usize {
        let (group, kind, plural) = (
            self.group == other.group,
            self.kind == other.kind,
            self.plural == other.plural,
        );
        let common = self.fields.intersection(&other.fields).count();
        let fields = 2 * common > self.fields.union(&other.fields).count();
        let is_same = kind || plural || group && fields;
        if !is_same {
            return 0;
        }
        [group, kind, plural, fields]
            .iter()
            .filter(|it| **it)
            .count()
    }

    fn has_names_of(&self, other: &Self) -> bool {
        let names = |it: &Self| (it.crd.clone(), it.kind.clone(), it.list_kind.clone());
        names(self) == names(other)
    }
}

/// A CRD before and after a change of its names; none after it if the CRD is gone.
struct Rename {
    before: Names,
    after: Option<Names>,
}

/// The CRDs with other names than in the last run.
#[derive(Default)]
pub(super) struct Renames {
    all: Vec<Rename>,
    /// The CRDs that are stored as another version, with both versions.
    stored: Vec<[String; 3]>,
    /// The names that nothing has any more.
    gone: BTreeSet<String>,
}

/// Where an old name is.
struct Found {
    path: String,
    line: usize,
    column: usize,
    name: String,
}

/// The lines that still have old names.
#[derive(Default)]
pub(super) struct Leftovers {
    found: Vec<Found>,
    /// Whether there are more files than the budget allows.
    is_partial: bool,
}

impl Renames {
    /// Compares the definitions of the last run, which are among the modules, with those of today.
    pub(super) fn find(modules: &Path, options: &Options, today: &Model) -> Self {
        let before = run::last_definitions(modules, &Output::default());
        let (names, sources): (Vec<_>, Vec<_>) = before.into_iter().unzip();
        let before = names.iter().zip(&sources).filter_map(|(name, source)| {
            let definition = serde_json::from_str(&source.text).ok()?;
            Some(Names::of(name, &definition))
        });
        let before: Vec<Names> = before.collect();
        let today_names: BTreeMap<String, Names> = (today.kinds.iter())
            .map(|kind| {
                let crd = kind.crd_name();
                let names = Names::of(&crd, &kind.definition());
                (crd, names)
            })
            .collect();
        let stored = stored(&before, &today_names);
        let all = pairs(before, today_names);
        if all.is_empty() {
            return Self {
                stored,
                ..Self::default()
            };
        }
        let mut old = pipeline::run(&sources, options).model;
        if old.kinds.is_empty() {
            // Overrides and conversions that suit the new names alone.
            old = pipeline::run(&sources, &Options::default()).model;
        }
        let mut gone: BTreeSet<String> = identifiers(&old);
        let of_crds = all.iter().map(|it| &it.before);
        gone.extend(
            of_crds.flat_map(|it| [it.kind.clone(), it.list_kind.clone(), it.plural.clone()]),
        );
        let kept = today
            .kinds
            .iter()
            .flat_map(|it| [&it.kind, &it.list_kind, &it.plural]);
        let mut kept: BTreeSet<String> = kept.cloned().collect();
        kept.extend(identifiers(today));
        gone.retain(|name| !kept.contains(name));
        Self { all, stored, gone }
    }

    /// The names of CRDs before and after.
    pub(super) fn crds(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.all.iter();
        all.filter_map(|it| Some((it.before.crd.as_str(), it.after.as_ref()?.crd.as_str())))
    }

    /// Records what belongs to a CRD under its new name.
    pub(super) fn carry(&self, parameters: &mut Parameters) {
        let all = self.crds().filter(|(before, after)| before != after);
        for (before, after) in all {
            carry(&mut parameters.controllers, before, after);
            if let Some(owned) = parameters.owns.remove(before) {
                parameters
                    .owns
                    .entry(after.to_owned())
                    .or_default()
                    .extend(owned);
            }
            for owned in parameters.owns.values_mut() {
                if owned.remove(before) {
                    owned.insert(after.to_owned());
                }
            }
            let takeover = &mut parameters.takeover;
            carry(&mut takeover.metrics_names, before, after);
            carry(&mut takeover.finalizers, before, after);
            if let Some(webhooks) = &mut takeover.webhooks {
                carry(webhooks, before, after);
            }
        }
    }

    /// Says what was renamed.
    pub(super) fn print(&self, console: &mut Console) {
        for Rename { before, after } in &self.all {
            let crd = &before.crd;
            let Some(after) = after else {
                console.warning(&format!(
                    "the CRD `{crd}` is gone, and with it the types of `{}`; objects in clusters stay until you delete the CRD there",
                    before.kind
                ));
                continue;
            };
            let mut changes = Vec::new();
            for (what, old, new) in [
                ("kind", &before.kind, &after.kind),
                ("listKind", &before.list_kind, &after.list_kind),
                ("plural", &before.plural, &after.plural),
                ("group", &before.group, &after.group),
            ] {
                if old != new {
                    changes.push(format!("{what} from `{old}` to `{new}`"));
                }
            }
            let changes = changes.join(", ");
            let note = if *crd == after.crd {
                ""
            } else {
                "; in clusters this is another CRD: the old one stays there with its objects until you delete it"
            };
            console.warning(&format!("the CRD `{crd}` changed its {changes}{note}"));
        }
        for [crd, before, after] in &self.stored {
            console.warning(&format!(
                "the storage version of `{crd}` is now `{after}`, not `{before}`: the controller, its test and the sample use `{after}`, and objects in \
                 clusters stay stored as `{before}` until they are written again"
            ));
        }
    }

    /// For programs: the new storage versions.
    pub(super) fn stored_json(&self) -> Value {
        let stored = self.stored.iter();
        stored
            .map(|[crd, before, after]| json!({ "crd": crd, "before": before, "after": after }))
            .collect()
    }

    /// For programs: the new names.
    pub(super) fn json(&self) -> Value {
        let names = |it: &Names| json!({ "crd": it.crd, "kind": it.kind, "listKind": it.list_kind, "plural": it.plural });
        let all = self.all.iter();
        all.map(|it| json!({ "before": names(&it.before), "after": it.after.as_ref().map(names) }))
            .collect()
    }

    /// Finds the old names in the code, the tests and the manifests of a crate, in which `files` have new texts and `removed` are gone.
    pub(super) fn leftovers(
        &self,
        crate_: &Path,
        modules: &Path,
        files: &[File],
        removed: &[String],
    ) -> Leftovers {
        let mut leftovers = Leftovers::default();
        if self.gone.is_empty() {
            return leftovers;
        }
        let mut budget = MAX_FILES;
        let mut pending = vec![crate_.to_owned()];
        let mut paths = Vec::new();
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir() {
                    let is_other = path == modules
                        || path.ends_with("target")
                        || path.join("Cargo.lock").exists();
                    if !is_hidden && !is_other {
                        pending.push(path);
                    }
                } else if is_searched(&path) {
                    if budget == 0 {
                        leftovers.is_partial = true;
                        break;
                    }
                    budget -= 1;
                    paths.push(path);
                }
            }
        }
        paths.sort();
        for path in paths {
            let relative = path.strip_prefix(crate_).unwrap_or(&path);
            let name = relative.display().to_string().replace('\\', "/");
            if removed.contains(&name) {
                continue;
            }
            let new = files.iter().find(|it| it.path == name);
            let Some(text) = new
                .map(|it| it.text.to_string())
                .or_else(|| fs::read_to_string(&path).ok())
            else {
                continue;
            };
            self.search(&name, &text, &mut leftovers.found);
        }
        leftovers
    }

    fn search(&self, path: &str, text: &str, found: &mut Vec<Found>) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        for (index, line) in text.lines().enumerate() {
            let mut start = 0;
            let words = line.split_inclusive(|c| !is_word(c)).find_map(|part| {
                let word = part.trim_end_matches(|c| !is_word(c));
                let at = start;
                start += part.len();
                self.gone.contains(word).then_some((at, word))
            });
            if let Some((at, word)) = words {
                found.push(Found {
                    path: path.to_owned(),
                    line: index + 1,
                    column: line[..at].chars().count() + 1,
                    name: word.to_owned(),
                });
            }
        }
    }
}

impl Leftovers {
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn json(&self) -> Value {
        let found = self.found.iter();
        found
            .map(|it| json!({ "path": it.path, "line": it.line, "column": it.column, "name": it.name }))
            .collect()
    }

    /// # Errors
    /// If there are any.
    pub(super) fn report(&self, console: &mut Console) -> Result<(), CommandError> {
        if self.is_partial {
            console.warning(&format!(
                "only {} were searched for old names",
                count(MAX_FILES, "file")
            ));
        }
        if self.found.is_empty() {
            return Ok(());
        }
        let mut message = match self.found.len() {
            1 => "1 line still has an old name; change it, and run cargo test:".to_owned(),
            many => {
                format!("{many} lines still have an old name; change them, and run cargo test:")
            }
        };
        for Found {
            path,
            line,
            column,
            name,
        } in self.found.iter().take(MAX_SHOWN)
        {
            _ = write!(message, "\n  {path}:{line}:{column} `{name}`");
        }
        if let Some(more) = self.found.len().checked_sub(MAX_SHOWN).filter(|it| *it > 0) {
            _ = write!(message, "\n  … {more} more");
        }
        console.summary_error(&message);
        Err(CommandError::Reported)
    }
}

/// Pairs the CRDs of which a name differs; the most alike first.
fn pairs(before: Vec<Names>, mut new: BTreeMap<String, Names>) -> Vec<Rename> {
    let mut all = Vec::new();
    let mut gone = Vec::new();
    for names in before {
        match new.remove(&names.crd) {
            Some(after) if names.has_names_of(&after) => {}
            Some(after) => all.push(Rename {
                before: names,
                after: Some(after),
            }),
            None => gone.push(names),
        }
    }
    loop {
        let candidates = gone.iter().enumerate().flat_map(|(index, before)| {
            let new = new.values();
            new.map(move |after| (before.likeness(after), index, after.crd.clone()))
        });
        let best = candidates.filter(|it| it.0 > 0);
        let Some((_, index, crd)) = best.max_by_key(|(likeness, ..)| *likeness) else {
            break;
        };
        let after = new.remove(&crd);
        all.push(Rename {
            before: gone.remove(index),
            after,
        });
    }
    all.extend(gone.into_iter().map(|before| Rename {
        before,
        after: None,
    }));
    all
}

/// The CRDs with the same name and another storage version.
fn stored(before: &[Names], today: &BTreeMap<String, Names>) -> Vec<[String; 3]> {
    let pairs = before
        .iter()
        .filter_map(|it| Some((it, today.get(&it.crd)?)));
    let changed = pairs.filter(|(before, after)| {
        before.storage != after.storage && !before.storage.is_empty() && !after.storage.is_empty()
    });
    changed
        .map(|(before, after)| [&before.crd, &before.storage, &after.storage].map(Clone::clone))
        .collect()
}

fn storage(definition: &Value) -> String {
    let versions = definition
        .pointer("/spec/versions")
        .and_then(Value::as_array);
    let mut versions = versions.into_iter().flatten();
    let storage = versions.find(|it| it["storage"] == true);
    let name = storage.and_then(|it| it["name"].as_str());
    name.unwrap_or_default().to_owned()
}

/// The paths of the properties in the schemas of a CRD.
fn fields(definition: &Value) -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    let versions = definition
        .pointer("/spec/versions")
        .and_then(Value::as_array);
    for version in versions.into_iter().flatten() {
        let mut pending = vec![(String::new(), &version["schema"]["openAPIV3Schema"])];
        while let Some((path, schema)) = pending.pop() {
            for inner in ["items", "additionalProperties"] {
                if schema[inner].is_object() {
                    pending.push((path.clone(), &schema[inner]));
                }
            }
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                let path = format!("{path}.{name}");
                fields.insert(path.clone());
                pending.push((path, schema));
            }
        }
    }
    fields
}

/// The names of what is generated for a model, except those of fields.
fn identifiers(model: &Model) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    found.extend(
        model
            .types
            .iter()
            .map(|(_, def)| def.name().as_str().to_owned()),
    );
    for kind in &model.kinds {
        let names = kind.names();
        let of_kind = [&names.list, &names.lister, &names.method, &names.method_all];
        found.extend(of_kind.map(|it| it.as_str().to_owned()));
    }
    for module in &model.modules {
        let names = module.names();
        let of_module = [
            &names.group,
            &names.version,
            &names.method,
            &names.client,
            &names.informers,
        ];
        found.extend(of_module.map(|it| it.as_str().to_owned()));
    }
    found
}

fn carry<T>(all: &mut BTreeMap<String, T>, before: &str, after: &str) {
    if let Some(value) = all.remove(before) {
        all.entry(after.to_owned()).or_insert(value);
    }
}

/// Whether a file has names that somebody has to change: code and manifests, but not the CRDs.
fn is_searched(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str());
    extension.is_some_and(|it| ["rs", "yaml", "yml"].contains(&it))
        && !path.ends_with(scaffold::DEFINITIONS)
}
