//! Finds the names of an installation in calls: which finalizers, field managers and reporters a file has, and which kinds it reconciles.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use syn::{Expr, Ident, Lit};

use super::DerivedCrate;

/// What makes a controller.
const CONTROLLERS: [&str; 3] = [
    "Controller :: new",
    "Controller :: for_stream",
    "Controller :: for_shared_stream",
];

/// The texts of constants by their names. The same name may have another value in another file, or for another type.
#[derive(Debug, Default)]
pub(super) struct Constants(BTreeMap<String, BTreeMap<PathBuf, BTreeSet<String>>>);

impl Constants {
    /// Adds a constant if its value is a text.
    pub(super) fn add(&mut self, file: &Path, name: &Ident, value: &Expr) {
        if let Expr::Lit(value) = value
            && let Lit::Str(text) = &value.lit
        {
            let files = self.0.entry(name.to_string()).or_default();
            files
                .entry(file.to_owned())
                .or_default()
                .insert(text.value());
        }
    }

    /// Returns the text that starts an argument: a literal, or a constant of the file or else of another one, if that is unambiguous.
    fn text(&self, argument: &str, file: &Path) -> Option<String> {
        let argument = argument.trim().trim_start_matches("& ");
        if let Some(literal) = argument.strip_prefix('"') {
            return Some(literal.split('"').next()?.to_owned());
        }
        let path = argument
            .split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | ':' | ' ')))
            .next()?;
        let files = self.0.get(path.trim().rsplit([' ', ':']).next()?)?;
        let values: BTreeSet<&String> = match files.get(file) {
            Some(own) => own.iter().collect(),
            None => files.values().flatten().collect(),
        };
        let only = values.first().filter(|_| values.len() == 1)?;
        Some((*only).clone())
    }
}

impl DerivedCrate {
    /// Finds controllers, finalizers, field managers and reporters in the text of a file, whose tokens have spaces between them.
    pub(super) fn calls(&mut self, text: &str, file: &Path, constants: &Constants) {
        let reconciled = self.reconciled(text);
        if CONTROLLERS.iter().any(|it| text.contains(it)) {
            self.controllers.insert(file.to_owned(), reconciled.clone());
        }
        let second = |arguments: &str| {
            let second = second_argument(arguments)?;
            // A function of this name has types as parameters.
            let is_value = !second.contains(" : ");
            is_value.then(|| constants.text(second, file)).flatten()
        };
        let finalizers = after(text, "finalizer (").filter_map(second);
        let by_hand = after(text, "\"finalizers\" : [");
        let by_hand = by_hand.filter_map(|it| constants.text(it, file));
        for finalizer in finalizers.chain(by_hand) {
            let kinds = self.finalizers.entry(finalizer).or_default();
            kinds.extend(reconciled.iter().cloned());
        }
        let managers =
            after(text, "PatchParams :: apply (").chain(after(text, "field_manager : Some ("));
        for manager in managers.filter_map(|it| constants.text(it, file)) {
            *self.field_managers.entry(manager).or_default() += 1;
        }
        let reporters = after(text, "Recorder :: new (").filter_map(second);
        let fields = after(text, "reporter :").chain(after(text, "Reporter { controller :"));
        let fields = fields.filter_map(|it| constants.text(it, file));
        self.reporters.extend(reporters.chain(fields));
    }

    /// Returns the names of the types that functions of a file have in an `Arc`, as a reconcile does.
    fn reconciled(&self, text: &str) -> BTreeSet<String> {
        let arguments = after(text, "Arc <").filter_map(|it| it.split('>').next());
        let names = arguments.filter_map(|it| it.trim().rsplit([' ', ':']).next());
        let names: BTreeSet<&str> = names.collect();
        let roots = self.types.iter().map(|it| &it.root);
        roots
            .filter(|it| names.contains(it.as_str()))
            .cloned()
            .collect()
    }
}

/// Returns the second of the arguments with which a text starts. Those of calls among them are not separated.
fn second_argument(arguments: &str) -> Option<&str> {
    let (mut depth, mut is_text, mut start) = (0_usize, false, None);
    for (at, letter) in arguments.char_indices() {
        match letter {
            '"' => is_text = !is_text,
            _ if is_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ')' | ']' | '}' => return Some(&arguments[start?..at]),
            ',' if depth == 0 => match start {
                Some(start) => return Some(&arguments[start..at]),
                None => start = Some(at + 1),
            },
            _ => {}
        }
    }
    None
}

/// Returns what follows each occurrence of `start`, where no longer name ends with it.
fn after<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(start).filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let is_part = before.is_some_and(|it| it.is_alphanumeric() || it == '_');
        (!is_part).then(|| &text[at + start.len()..])
    })
}
