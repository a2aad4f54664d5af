//! What a Go file says about its operator: builders of controllers and webhooks, constants, markers. Other code is not read.
use std::collections::{BTreeMap, BTreeSet};

use super::{
    go::{self, Token},
    markers::{Marker, marker},
};
use crate::base::{
    diag::{Code, Diagnostics, Place, Position},
    source::{Source, SourceId},
};

/// A Go file of the project.
#[derive(Debug)]
pub(super) struct GoFile {
    /// Its path in the project, with `/`.
    pub(super) path: String,
    /// Import paths by the name in the file.
    pub(super) imports: BTreeMap<String, String>,
    pub(super) controllers: Vec<Builder>,
    /// The kinds of webhook builders.
    pub(super) webhooks: Vec<Kind>,
    pub(super) markers: Vec<Marker>,
    /// String constants and variables.
    pub(super) constants: BTreeMap<String, String>,
    /// Names and values that `LeaderElectionID` is set to.
    pub(super) leases: Vec<Value>,
    /// Field managers of applies.
    pub(super) field_managers: Vec<Value>,
    /// Where the user agent of clients is set, whose beginning is the field manager of `Create` and `Update`.
    pub(super) user_agents: Vec<Position>,
    /// Finalizers that are added, removed or looked for.
    pub(super) finalizers: Vec<Value>,
    /// Names of metrics.
    pub(super) metrics: BTreeSet<String>,
    /// The group of `+groupName`.
    pub(super) group: Option<String>,
    /// Whether it converts versions.
    pub(super) converts: bool,
    /// Whether it has the function `main`.
    pub(super) is_program: bool,
}

impl GoFile {
    /// Returns the path of its directory.
    pub(super) fn directory(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(it, _)| it)
    }
}

/// A chain of calls that starts with `NewControllerManagedBy`.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) at: Position,
    pub(super) of: Option<Kind>,
    pub(super) owns: Vec<Kind>,
    pub(super) watches: Vec<Kind>,
    pub(super) named: Option<Value>,
    /// Methods that change what a controller does, which are not translated.
    pub(super) settings: Vec<(String, Position)>,
}

/// A Go type, such as `appsv1.Deployment`, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) at: Position,
}

/// A string, or the name of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Name(String),
}

/// Reads a Go file; markers that cannot be read are reported.
pub(super) fn read(source: &Source, id: SourceId, path: String, found: &mut Diagnostics) -> GoFile {
    let lexed = go::lex(&source.text);
    let reader = FactReader {
        text: &source.text,
        tokens: &lexed.tokens,
    };
    let mut file = GoFile {
        path,
        imports: reader.imports(),
        controllers: Vec::new(),
        webhooks: Vec::new(),
        markers: Vec::new(),
        constants: BTreeMap::new(),
        leases: Vec::new(),
        field_managers: Vec::new(),
        user_agents: Vec::new(),
        finalizers: Vec::new(),
        metrics: BTreeSet::new(),
        group: None,
        converts: false,
        is_program: false,
    };
    for (at, comment) in &lexed.comments {
        let text = comment.trim_start();
        let at = at + (comment.len() - text.len());
        if let Some(group) = text.strip_prefix("+groupName=") {
            file.group = Some(group.trim().to_owned());
        }
        match marker(text) {
            None => {}
            Some(Ok(mut read)) => {
                read.at = reader.position(at);
                file.markers.push(read);
            }
            Some(Err((offset, message))) => {
                let place = Place {
                    source: Some(id),
                    position: Some(reader.position(at + offset)),
                    ..Place::default()
                };
                found.report(Code::Marker, place, message);
            }
        }
    }
    for index in 0..reader.tokens.len() {
        reader.token(index, &mut file);
    }
    file
}

/// The methods that name a finalizer.
const FINALIZER_CALLS: [&str; 3] = ["AddFinalizer", "ContainsFinalizer", "RemoveFinalizer"];

/// The methods of a builder that change what a controller does.
const SETTINGS: [&str; 2] = ["WithEventFilter", "WithOptions"];

struct FactReader<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
}

impl FactReader<'_> {
    /// Returns the line and column of an offset.
    fn position(&self, at: usize) -> Position {
        let before = self.text.get(..at).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        Position {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            length: 0,
        }
    }

    fn word(&self, index: usize) -> Option<&str> {
        self.tokens.get(index)?.word()
    }

    fn text(&self, index: usize) -> Option<&str> {
        self.tokens.get(index)?.text()
    }

    fn is_mark(&self, index: usize, mark: char) -> bool {
        self.tokens.get(index).is_some_and(|it| it.is_mark(mark))
    }

    /// Whether a field gets a value here: `name.field = …`, not `==`.
    fn is_assigned(&self, index: usize) -> bool {
        index > 0
            && self.is_mark(index - 1, '.')
            && self.is_mark(index + 1, '=')
            && !self.is_mark(index + 2, '=')
    }

    fn imports(&self) -> BTreeMap<String, String> {
        let mut imports = BTreeMap::new();
        let mut add = |index: usize| {
            let Some(path) = self.text(index) else { return };
            let alias = match index.checked_sub(1).and_then(|before| self.word(before)) {
                Some(alias) if alias != "import" => alias.to_owned(),
                _ => path.rsplit('/').next().unwrap_or(path).to_owned(),
            };
            imports.insert(alias, path.to_owned());
        };
        for index in 0..self.tokens.len() {
            if self.word(index) != Some("import") {
                continue;
            }
            if self.is_mark(index + 1, '(') {
                (index + 2..self.end(index + 1)).for_each(&mut add);
            } else {
                (index + 1..index + 3).for_each(&mut add);
            }
        }
        imports
    }

    /// Returns the index of the bracket that closes the one at `index`, or the end.
    fn end(&self, index: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(index) {
            match token.part {
                go::Part::Mark('(' | '[' | '{') => depth += 1,
                go::Part::Mark(')' | ']' | '}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Returns the first `&package.Kind{` in the arguments whose bracket is at `open`.
    fn kind(&self, open: usize) -> Option<Kind> {
        (open..self.end(open)).find_map(|index| {
            let name = self.word(index)?;
            if !self.is_mark(index + 1, '{') || index < 2 {
                return None;
            }
            let (package, start) = if self.is_mark(index - 1, '.') {
                (self.word(index - 2)?, index.checked_sub(3)?)
            } else {
                ("", index - 1)
            };
            // Up to controller-runtime 0.14, a watch has `&source.Kind{Type: &…}`.
            (self.is_mark(start, '&') && package != "source").then(|| Kind {
                package: package.to_owned(),
                name: name.to_owned(),
                at: self.position(self.tokens[start].at),
            })
        })
    }

    /// Returns the last string or name in arguments.
    fn last(&self, open: usize) -> Option<Value> {
        let last = self.end(open).checked_sub(1)?;
        self.value(last)
    }

    fn value(&self, index: usize) -> Option<Value> {
        match &self.tokens.get(index)?.part {
            go::Part::Text(text) => Some(Value::Text(text.clone())),
            go::Part::Word(name) => Some(Value::Name((*name).to_owned())),
            go::Part::Mark(_) => None,
        }
    }

    fn token(&self, index: usize, file: &mut GoFile) {
        let Some(word) = self.word(index) else {
            return;
        };
        let is_call = self.is_mark(index + 1, '(');
        match word {
            "NewControllerManagedBy" if is_call => file.controllers.push(self.controller(index)),
            "NewWebhookManagedBy" if is_call => file.webhooks.extend(self.webhook(index)),
            "Hub" | "ConvertTo" | "ConvertFrom"
                if is_call && index > 0 && self.is_mark(index - 1, ')') =>
            {
                file.converts = true;
            }
            "main" if is_call && index > 0 && self.word(index - 1) == Some("func") => {
                file.is_program = true;
            }
            "LeaderElectionID" if self.is_mark(index + 1, ':') || self.is_mark(index + 1, '=') => {
                // After `:`, the value of a field; a literal may follow a package.
                let value = if self.is_mark(index + 3, '.') {
                    index + 4
                } else {
                    index + 2
                };
                file.leases.extend(self.value(value));
            }
            "FieldOwner" if is_call => file.field_managers.extend(self.last(index + 1)),
            "FieldManager" if self.is_mark(index + 1, ':') => {
                file.field_managers.extend(self.value(index + 2));
            }
            "UserAgent" if self.is_assigned(index) => {
                file.user_agents.push(self.position(self.tokens[index].at));
            }
            word if is_call && FINALIZER_CALLS.contains(&word) => {
                file.finalizers.extend(self.last(index + 1));
            }
            word if word.ends_with("Opts") && self.is_mark(index + 1, '{') => {
                file.metrics.extend(self.metric(index + 1));
            }
            _ => {}
        }
        // `name = "value"`, with or without a type.
        let equals = if self.is_mark(index + 1, '=') {
            index + 1
        } else {
            index + 2
        };
        let has_type = equals == index + 1 || self.word(index + 1) == Some("string");
        if let Some(text) = self.text(equals + 1)
            && has_type
            && self.is_mark(equals, '=')
        {
            file.constants.insert(word.to_owned(), text.to_owned());
        }
    }

    /// Returns the indexes of the method calls of a chain, up to the end of its function.
    fn chain(&self, index: usize) -> impl Iterator<Item = (usize, &str)> {
        let mut depth = 0_usize;
        let calls = self.tokens.iter().enumerate().skip(index + 1);
        let calls = calls.map_while(move |(at, token)| match token.part {
            go::Part::Mark('(' | '[' | '{') => {
                depth += 1;
                Some(None)
            }
            go::Part::Mark(')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                Some(None)
            }
            go::Part::Word(word) if word.ends_with("ManagedBy") => None,
            go::Part::Word(word) => Some((depth == 0).then_some((at, word))),
            _ => Some(None),
        });
        calls
            .flatten()
            .filter(|(at, _)| self.is_mark(at + 1, '('))
            .filter(|(at, _)| *at > 0 && self.is_mark(at - 1, '.'))
    }

    fn controller(&self, index: usize) -> Builder {
        let mut builder = Builder {
            at: self.position(self.tokens[index].at),
            ..Builder::default()
        };
        for (at, method) in self.chain(index) {
            let inner =
                (at + 1..self.end(at + 1)).filter(|it| self.word(*it) == Some("WithPredicates"));
            let own = SETTINGS.contains(&method).then_some(at);
            for at in own.into_iter().chain(inner) {
                let name = self.word(at).unwrap_or_default().to_owned();
                builder
                    .settings
                    .push((name, self.position(self.tokens[at].at)));
            }
            match method {
                "For" => builder.of = builder.of.take().or_else(|| self.kind(at + 1)),
                "Owns" => builder.owns.extend(self.kind(at + 1)),
                "Named" => builder.named = self.last(at + 1),
                method if method.starts_with("Watches") => {
                    builder.watches.extend(self.kind(at + 1));
                }
                "Complete" | "Build" => break,
                _ => {}
            }
        }
        builder
    }

    fn webhook(&self, index: usize) -> Option<Kind> {
        let mut calls = self.chain(index);
        let of = calls.find(|(_, method)| *method == "For");
        let of = of.and_then(|(at, _)| self.kind(at + 1));
        of.or_else(|| self.kind(index + 1))
    }

    /// Returns the full name of a metric from the fields of its options.
    fn metric(&self, open: usize) -> Option<String> {
        let mut parts: BTreeMap<&str, &str> = BTreeMap::new();
        for index in open..self.end(open) {
            if let (Some(field), Some(text), true) = (
                self.word(index),
                self.text(index + 2),
                self.is_mark(index + 1, ':'),
            ) {
                parts.insert(field, text);
            }
        }
        parts.get("Name")?;
        let names = ["Namespace", "Subsystem", "Name"];
        let names = names.iter().filter_map(|field| parts.get(field).copied());
        Some(names.collect::<Vec<_>>().join("_"))
    }
}
