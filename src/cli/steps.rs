//! What to do after `kube-codegen add` or `kube-codegen update`.
use std::{collections::BTreeMap, path::Path};

use crate::operator::scaffold::{self, Parameters};

/// What to do after the command.
pub(super) struct Steps<'a> {
    pub(super) command: &'a str,
    pub(super) directory: &'a Path,
    /// The parameters before the command.
    pub(super) before: &'a Parameters,
    /// The parameters after it.
    pub(super) parameters: &'a Parameters,
    /// The modules of the controllers after it, by kind.
    pub(super) controllers: BTreeMap<String, String>,
}

impl Steps<'_> {
    /// Formats the steps, such as `cd web, edit reconcile in src/foos_controller.rs, then run kube-codegen dev`.
    pub(super) fn text(&self) -> String {
        let mut steps = Vec::new();
        if self.directory != Path::new(".") {
            steps.push(format!("cd {}", self.directory.display()));
        }
        if self.command != "add" {
            steps.push("read the changes, then run make test".to_owned());
            return steps.join(", ");
        }
        let edits = self.edits();
        if !edits.is_empty() {
            steps.extend(edits);
            steps.push("then run kube-codegen dev".to_owned());
        }
        let features = self.parameters.features.difference(&self.before.features);
        for feature in features {
            let next = feature.next().to_owned();
            if !steps.contains(&next) {
                steps.push(next);
            }
        }
        steps.join(", ")
    }

    /// What to edit because of new kinds, children and webhooks.
    fn edits(&self) -> Vec<String> {
        let (now, before) = (self.parameters, self.before);
        let controllers = self.controllers.iter();
        let (new, old): (Vec<_>, Vec<_>) = controllers
            .partition(|(_, module)| !before.controllers.values().any(|it| it == *module));
        let owns_more = old.into_iter().filter(|(id, _)| {
            let owned = now.owns.get(*id);
            let before = before.owns.get(*id);
            owned.is_some_and(|owned| before.is_none_or(|it| !owned.is_subset(it)))
        });
        let is_of_crd = |(id, _): &(&String, &String)| !now.watch.contains(*id);
        let with_webhooks = self.controllers.iter().filter(is_of_crd);
        let with_webhooks = with_webhooks.filter(|_| !now.webhooks.is_subset(&before.webhooks));
        let all = [
            (
                "edit reconcile in",
                files(new.into_iter().map(|it| it.1.clone())),
            ),
            (
                "keep the new children in reconcile of",
                files(owns_more.map(|it| it.1.clone())),
            ),
            (
                "edit the webhooks in",
                files(with_webhooks.map(|it| scaffold::webhooks_module(it.1))),
            ),
        ];
        let all = all.into_iter().filter(|(_, files)| !files.is_empty());
        all.map(|(what, files)| format!("{what} {files}")).collect()
    }
}

fn files(modules: impl Iterator<Item = String>) -> String {
    let files: Vec<_> = modules.map(|it| format!("src/{it}.rs")).collect();
    files.join(", ")
}
