//! Replaces the hints of errors in inputs that are not plain manifests: Helm templates and kustomize patches.
use std::collections::{BTreeMap, BTreeSet};

use super::{Code, Diagnostic, Severity, lines};
use crate::base::source::{Source, SourceId};

const TEMPLATE: &str = "this looks like a Helm template; render it first, for example with \
                        `helm template CHART | kube-codegen generate -f -`";

const PATCH: &str = "this field is required; if this is a kustomize patch, leave the file out with `--exclude`, or generate from \
                     the output of `kubectl kustomize DIR`";

/// Replaces the hints, whose diagnostics have been located.
pub(super) fn add(diagnostics: &mut [Diagnostic], sources: &[Source]) {
    let patches = patches(diagnostics);
    let mut is_template: BTreeMap<SourceId, bool> = BTreeMap::new();
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
        if (is_text
            && *is_template
                .entry(id)
                .or_insert_with(|| has_actions(&source.text)))
            || line.is_some_and(|line| is_templated(&source.text, line))
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

/// Returns whether a line consists of an action of a template, such as `{{- if .Values.crds }}`.
fn has_actions(text: &str) -> bool {
    lines(text).any(|(_, line)| line.trim_start().starts_with("{{"))
}

/// Returns whether a line, counted from 1, contains an action of a template.
fn is_templated(text: &str, line: usize) -> bool {
    let mut lines = lines(text);
    let line = line.checked_sub(1).and_then(|index| lines.nth(index));
    line.is_some_and(|(_, line)| line.contains("{{"))
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
