//! Replaces the hints of errors in inputs that are not plain manifests: Helm templates and kustomize patches.
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Code, Diagnostic, Severity, lines};
use crate::base::source::{Source, SourceId};

const TEMPLATE: &str = "this looks like a Helm template; render it first, for example with \
                        `helm template CHART | kube-codegen generate -f -`";

const PATCH: &str = "this field is required; if this is a kustomize patch, leave the file out with `--exclude`, or generate from \
                     the output of `kubectl kustomize DIR`";

/// Replaces the hints, whose diagnostics have been located.
pub(super) fn add(diagnostics: &mut [Diagnostic], sources: &[Source]) {
    let patches = patches(diagnostics);
    // A text may have an error in each of many lines: each text is read once.
    let mut templates: BTreeMap<SourceId, Template> = BTreeMap::new();
    for diagnostic in diagnostics {
        let place = &diagnostic.place;
        let Some((id, source)) = place.source.and_then(|id| Some((id, id.of(sources)?))) else {
            continue;
        };
        if diagnostic.severity != Severity::Error {
            continue;
        }
        let line = place.position.map(|position| position.line);
        let is_text = diagnostic.code < Code::MissingField;
        let template = templates
            .entry(id)
            .or_insert_with(|| Template::of(&source.text));
        if (is_text && template.has_actions)
            || line.is_some_and(|line| template.lines.contains(&line))
        {
            diagnostic.hint(TEMPLATE);
        } else if diagnostic.code == Code::MissingField
            && patches.contains(&(id, place.document))
            && matches!(place.pointer.as_str(), "/spec" | "/spec/group")
        {
            diagnostic.hint(PATCH);
        }
    }
}

/// What of a text is a template.
struct Template {
    /// Whether a line consists of an action, such as `{{- if .Values.crds }}`.
    has_actions: bool,
    /// The lines that contain an action, counted from 1.
    lines: HashSet<usize>,
}

impl Template {
    fn of(text: &str) -> Self {
        let numbered = || lines(text).enumerate();
        let with = numbered().filter(|(_, (_, line))| line.contains("{{"));
        Self {
            has_actions: numbered().any(|(_, (_, line))| line.trim_start().starts_with("{{")),
            lines: with.map(|(index, _)| index + 1).collect(),
        }
    }
}

/// Returns the documents that lack all that a CRD needs, as patches do.
fn patches(diagnostics: &[Diagnostic]) -> BTreeSet<(SourceId, usize)> {
    let missing = |pointer: &str| -> BTreeSet<(SourceId, usize)> {
        let all = diagnostics
            .iter()
            .filter(|it| it.code == Code::MissingField && it.place.pointer == pointer);
        all.filter_map(|it| Some((it.place.source?, it.place.document)))
            .collect()
    };
    let without_group = missing("/spec/group");
    let without_names = missing("/spec/names");
    let mut patches = missing("/spec");
    patches.extend(without_group.intersection(&without_names));
    patches
}
