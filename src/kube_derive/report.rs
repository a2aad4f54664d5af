//! What whoever takes over a crate has to know: its types and their successors, its controllers and names.

use std::{collections::BTreeMap, fmt::Write};

use super::DerivedCrate;
use crate::{ir::Model, render::File};

impl DerivedCrate {
    /// Returns the report for the crate. `controllers` are its modules by the name of a CRD.
    pub(crate) fn report(&self, model: &Model, controllers: &BTreeMap<String, String>) -> File {
        let mut text = String::from(
            "# Take over from the crate with derived types\n\nThe CRDs in `deploy/crd.yaml` are those that the derive makes. Each type, and what replaces it; nested types have the names of their \
             places in the schema, unless an override (docs/overrides.md) keeps an old name:\n\n| file | type | here |\n|---|---|---|\n",
        );
        for derived in &self.types {
            let here = model.kinds.iter().find(|kind| {
                kind.group == derived.group
                    && kind.kind == derived.kind
                    && kind.version == derived.version
            });
            let path = here.map(|kind| {
                let module = model.modules.iter().find(|module| {
                    let mut kinds = model.kinds_of(module);
                    kinds.any(|other| other.root == kind.root)
                });
                let module = module.map(|module| {
                    format!(
                        "{}::{}",
                        module.names().group.as_str(),
                        module.names().version.as_str()
                    )
                });
                format!(
                    "crate::generated::{}::{}",
                    module.unwrap_or_default(),
                    model.types[kind.root].name().as_str()
                )
            });
            _ = writeln!(
                text,
                "| {} | `{}` | `{}` |",
                derived.file.display(),
                derived.root,
                path.unwrap_or_default()
            );
        }
        text.push_str("\nThe reconcile is not translated. Files with a controller, and the modules of the new ones:\n\n");
        let modules: Vec<String> = controllers
            .values()
            .map(|it| format!("`src/{it}.rs`"))
            .collect();
        for file in &self.controllers {
            _ = writeln!(text, "- {}: {}", file.display(), modules.join(", "));
        }
        for (what, names) in [
            ("Finalizers", &self.finalizers),
            ("Field managers", &self.field_managers),
        ] {
            let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
            if !names.is_empty() {
                _ = writeln!(
                    text,
                    "\n{what} of the objects in the cluster: {}.",
                    names.join(", ")
                );
            }
        }
        File {
            path: "TAKEOVER.md".to_owned(),
            text: text.into(),
        }
    }
}
