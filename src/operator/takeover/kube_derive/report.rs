//! What whoever takes over a crate has to know: its types and their successors, its controllers and names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use super::DerivedCrate;
use crate::{
    model::ir::{self, Model},
    operator::scaffold::TAKEOVER,
    output::render::File,
};

impl DerivedCrate {
    /// Returns the report for the crate `name`. `controllers` are its modules by the name of a CRD.
    pub(crate) fn report(
        &self,
        name: &str,
        model: &Model,
        controllers: &BTreeMap<String, String>,
    ) -> File {
        let mut text = String::from(
            "# Take over from the crate with derived types\n\nThe CRDs in `deploy/crd.yaml` are those that the derive makes. Each type, and what replaces it; nested types have the names of their \
             places in the schema, unless an override (docs/overrides.md) keeps an old name:\n\n| file | type | here |\n|---|---|---|\n",
        );
        for derived in &self.types {
            let here = match derived.find(model) {
                Some(kind) => format!("`crate::generated::{}`", rust_path(kind, model)),
                None => {
                    "none: no CRD of `--file` has it. Keep the type if it is of another project"
                        .to_owned()
                }
            };
            let file = derived.file.display();
            _ = writeln!(text, "| {file} | `{}` | {here} |", derived.root);
        }
        text.push_str("\nThe reconcile is not translated. Files with a controller, and the modules of the new ones:\n\n");
        for (file, roots) in &self.controllers {
            let modules = self.modules(roots, model, controllers);
            _ = writeln!(text, "- {}: {}", file.display(), modules.join(", "));
        }
        self.names(&mut text, model, controllers);
        text.push_str(&change_over(name));
        File {
            path: TAKEOVER.to_owned(),
            text: text.into(),
        }
    }

    /// Returns the modules of the controllers of the kinds with these types, or of all if none is known.
    fn modules(
        &self,
        roots: &BTreeSet<String>,
        model: &Model,
        controllers: &BTreeMap<String, String>,
    ) -> Vec<String> {
        let known = self.types.iter().filter(|it| roots.contains(&it.root));
        let crds: BTreeSet<String> = known
            .filter_map(|it| it.find(model))
            .map(ir::Kind::crd_name)
            .collect();
        let of_kinds = controllers
            .iter()
            .filter(|(crd, _)| crds.is_empty() || crds.contains(*crd));
        of_kinds.map(|(_, it)| format!("`src/{it}.rs`")).collect()
    }

    /// Writes the names that objects in the cluster carry, and what becomes of each.
    fn names(&self, text: &mut String, model: &Model, controllers: &BTreeMap<String, String>) {
        text.push_str("\n## Names in the cluster\n\n| what | value | here |\n|---|---|---|\n");
        let kept = self.finalizers(model);
        for (finalizer, kinds) in self.finalizers_by_kind(model) {
            let is_kept = |kind: &&ir::Kind| kept.get(&kind.crd_name()) == Some(finalizer);
            let crds: BTreeSet<String> = kinds
                .into_iter()
                .filter(is_kept)
                .map(ir::Kind::crd_name)
                .collect();
            let modules = crds.iter().filter_map(|crd| controllers.get(crd));
            let modules: Vec<String> = modules
                .map(|it| format!("`FINALIZER` in `src/{it}.rs`"))
                .collect();
            let here = if modules.is_empty() {
                "by hand: which kind has it was not found; `finalize` has to get this name, or these objects can never be deleted".to_owned()
            } else {
                modules.join(", ")
            };
            _ = writeln!(text, "| finalizer | `{finalizer}` | {here} |");
        }
        if self.finalizers.is_empty() {
            text.push_str("| finalizer | | none was found. If the objects in the cluster have one, give its name to `finalize`, or they can never be deleted |\n");
        }
        for manager in self.field_managers.keys() {
            let here = if self.field_manager() == Some(manager) {
                "`FIELD_MANAGER` in `src/lib.rs`, unless `--field-manager` has named another"
            } else {
                "by hand: `with_field_manager` of clients and children, for what was applied with it"
            };
            _ = writeln!(text, "| field manager | `{manager}` | {here} |");
        }
        if self.field_managers.is_empty() {
            text.push_str("| field manager | | none was found; `managedFields` of the objects show it, and `--field-manager` names it |\n");
        }
        for reporter in &self.reporters {
            _ = writeln!(
                text,
                "| reporter of Events | `{reporter}` | `REPORTER` in `src/lib.rs`, unless it is equal; who selects Events by `reportingController` has to know |"
            );
        }
    }
}

/// Returns the path of the type of a kind in the generated module.
fn rust_path(kind: &ir::Kind, model: &Model) -> String {
    let module = model.modules.iter().find(|module| {
        let mut kinds = model.kinds_of(module);
        kinds.any(|other| other.root == kind.root)
    });
    let module = module.map(|module| {
        let names = module.names();
        format!("{}::{}", names.group.as_str(), names.version.as_str())
    });
    let name = model.types[kind.root].name().as_str();
    format!("{}::{name}", module.unwrap_or_default())
}

/// Returns the commands that replace the running operator.
fn change_over(name: &str) -> String {
    format!(
        "\n## Change over\n\nNever delete the CRDs, nor uninstall a chart that has them: all objects would go with them.\n\n\
         kube's `Controller` elects no leader, so both operators would work at the same time: the old one ends first. Here, `OLD` is its Deployment, in `NAMESPACE`, whose selector is `app=OLD`. Objects of \
         the old installation must have other names than those in `deploy/`, such as the ClusterRole `{name}`; another name of this crate avoids that.\n\n\
         ```sh\n\
         make rbac test   # what only the role of the old operator grants is not needed, or not tested yet\n\
         make docker-build docker-push IMG=registry.example.com/{name}:v1\n\
         kubectl -n NAMESPACE scale deployment OLD --replicas=0\n\
         kubectl -n NAMESPACE wait --for=delete pod -l app=OLD\n\
         kubectl apply --server-side --force-conflicts -f deploy/crd.yaml   # the CRD has another manager, such as `helm`\n\
         make deploy IMG=registry.example.com/{name}:v1\n\
         kubectl -n {name} rollout status deployment {name}\n\
         ```\n\n\
         To go back, scale `{name}` to 0, and `OLD` to what it was. When all is well, delete `OLD` with its ServiceAccount, roles and bindings by name.\n"
    )
}
