//! Writes the page of a new crate that says what was taken over, and what is left to do by hand.
use std::{collections::BTreeMap, fmt::Write};

use super::{Project, facts::GoFile};
use crate::{
    operator::scaffold::{self, Takeover},
    output::render::File,
};

/// Returns the page. `controllers` are the modules of the crate by the name of a CRD or a kind of Kubernetes.
pub(super) fn report(
    project: &Project,
    name: &str,
    takeover: &Takeover,
    controllers: &BTreeMap<String, String>,
) -> File {
    let mut text = format!(
        "# Take over from the Go operator\n\n\
         This crate has the CRDs of the Go project, byte for byte unless `{name}` converts their versions, and these names of its installation:\n\n\
         | what | value | found in |\n|---|---|---|\n"
    );
    let findings = &project.findings;
    for (what, value, place) in &findings.values {
        _ = writeln!(text, "| {what} | `{}` | {} |", cell(value), cell(place));
    }
    if takeover.field_manager.is_none() {
        _ = writeln!(
            text,
            "| field manager | `{name}` | the name of this crate |"
        );
    }
    for (id, metrics) in &takeover.metrics_names {
        _ = writeln!(
            text,
            "| controller of `{}` in metrics | `{}` | `Named` |",
            cell(id),
            cell(metrics)
        );
    }
    for (owner, owned) in &project.owns {
        let owned: Vec<&str> = owned.iter().map(String::as_str).collect();
        _ = writeln!(
            text,
            "| children of `{}` | `{}` | `Owns` |",
            cell(owner),
            cell(&owned.join("`, `"))
        );
    }
    let mut reports = String::new();
    for (place, what) in &findings.by_hand {
        _ = writeln!(reports, "| {} | {} |", cell(place), cell(what));
    }
    text.push_str("\n## What to move\n\nNo Go code is translated. Each file, and where its code belongs:\n\n| Go file | here |\n|---|---|\n");
    let mut replaced = Vec::new();
    for file in &findings.files {
        if is_replaced(project, file) {
            replaced.push(format!("`{}`", file.path));
            continue;
        }
        let place = place(project, file, controllers);
        _ = writeln!(text, "| {} | {} |", cell(&file.path), cell(&place));
    }
    if !replaced.is_empty() {
        let replaced = replaced.join(", ");
        _ = writeln!(
            text,
            "\n`src/generated/` takes the place of these, which need nothing unless they have functions of yours: {replaced}"
        );
    }
    if !reports.is_empty() {
        text.push_str("\nWhat the scaffold of this crate does not have:\n\n| found in | by hand |\n|---|---|\n");
        text.push_str(&reports);
    }
    if !findings.rights.is_empty() {
        text.push_str("\nOther rights of the Go operator. `make rbac` grants those that your tests use:\n\n| resource | verbs |\n|---|---|\n");
        for (resource, verbs) in &findings.rights {
            let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
            _ = writeln!(
                text,
                "| `{}` | {} |",
                cell(resource),
                cell(&verbs.join(", "))
            );
        }
    }
    text.push_str(&change_over(project, name, takeover));
    File {
        path: scaffold::TAKEOVER.to_owned(),
        text: text.into(),
    }
}

/// Returns the commands that replace the running operator.
fn change_over(project: &Project, name: &str, takeover: &Takeover) -> String {
    let findings = &project.findings;
    let namespace = takeover.namespace.as_deref().unwrap_or(name);
    let mut text = String::from(
        "\n## Change over\n\nNever run `make undeploy` or `make uninstall` of the Go project: they delete the CRDs, and with them all objects.\n\n\
         ```sh\nmake rbac test                       # the tests simulate the take-over, if you add the old state to them\n\
         kube-codegen add roles metrics network-policy chart   # as far as you use those of config/ and dist/chart\n\
         make docker-build docker-push deploy IMG=registry.example.com/",
    );
    _ = writeln!(text, "{name}:v1");
    for deployment in &findings.deployments {
        _ = writeln!(
            text,
            "kubectl -n {namespace} delete deployment {deployment}"
        );
    }
    if !findings.obsolete.is_empty() {
        let obsolete = findings.obsolete.join(" ");
        _ = writeln!(
            text,
            "kubectl -n {namespace} delete --ignore-not-found {obsolete}"
        );
    }
    if !findings.former_rights.is_empty() {
        let rights = findings.former_rights.join(" ");
        _ = writeln!(
            text,
            "kubectl -n {namespace} delete --ignore-not-found {rights}   # its account and rights, once no rollback is wanted"
        );
    }
    _ = writeln!(
        text,
        "kubectl label namespace {namespace} pod-security.kubernetes.io/enforce=restricted   # at the end, too"
    );
    for crd in &findings.injected {
        _ = writeln!(
            text,
            "kubectl annotate crd {crd} cert-manager.io/inject-ca-from-   # this operator writes its own CA"
        );
    }
    text.push_str("```\n\n");
    text.push_str(
        "Both operators may run at the same time: they use the same Lease, so the new one waits until the old one has released it, or 15 seconds after it ended. ",
    );
    let former = &takeover.former_managers;
    let former: Vec<String> = former.iter().map(|it| format!("{it:?}")).collect();
    let former = former.join(", ");
    _ = writeln!(
        text,
        "The namespace has no level of Pod security until the last command: the new Pods meet `restricted`, but those of the Go operator may not, and the API server would \
         reject them while it still has to run, and in a rollback.\n\n\
         Children keep their names and owners. They get the label `kube-codegen.dev/owner`, and `app.kubernetes.io/managed-by` with the name of the field manager, in place of a value \
         that they have. Fields that the Go operator wrote by `Create` and `Update` belong to its field manager: `manager`, unless it names another or sets its user agent. \
         `take_over_from([{former}])`, where the children are made, takes them over, so that a field which you no longer set is removed."
    );
    if !findings.injected.is_empty() {
        text.push_str(
            "\nFrom the change of a CRD until the new operator has written its CA into it, conversions fail: seconds, in which the API server rejects requests for the other versions.\n",
        );
    }
    text
}

/// Returns whether a file has the types of the API, or is generated from them.
fn is_replaced(project: &Project, file: &GoFile) -> bool {
    let findings = &project.findings;
    let has_place = |all: &BTreeMap<String, Vec<String>>| all.contains_key(&file.path);
    if has_place(&findings.controllers) || has_place(&findings.webhooks) {
        return false;
    }
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let is_generated = name.starts_with("zz_generated") || file.path.contains("applyconfiguration");
    let mut others = findings.files.iter();
    let is_api = others.any(|it| it.group.is_some() && it.directory() == file.directory());
    !file.converts && !file.is_program && (is_generated || is_api)
}

/// Returns where the code of a file belongs.
fn place(project: &Project, file: &GoFile, controllers: &BTreeMap<String, String>) -> String {
    let findings = &project.findings;
    let module = |id: &String| controllers.get(id);
    let mut places = Vec::new();
    for id in findings.controllers.get(&file.path).into_iter().flatten() {
        places.push(match module(id) {
            Some(module) => format!("`reconcile` in `src/{module}.rs`"),
            None => format!("a controller of `{id}`, by hand"),
        });
    }
    for id in findings.webhooks.get(&file.path).into_iter().flatten() {
        let is_crd = findings.crds.iter().any(|crd| crd.name == *id);
        places.push(match module(id).filter(|_| is_crd) {
            Some(module) => format!(
                "`src/{}.rs`",
                crate::operator::scaffold::webhooks_module(module)
            ),
            None => format!("a webhook of `{id}`, by hand"),
        });
    }
    if !places.is_empty() {
        places.dedup();
        return places.join(", ");
    }
    if file.converts {
        return "`Conversion` in the module of the webhooks; what is only renamed, in `kube-codegen.toml` (docs/conversion.md)".to_owned();
    }
    if file.is_program {
        return "`src/main.rs`: the flags are there; your own go into `Args`".to_owned();
    }
    let directory = file.directory();
    let beside = findings
        .controllers
        .iter()
        .filter(|(path, _)| path.rsplit_once('/').is_some_and(|(it, _)| it == directory));
    let beside = beside.flat_map(|(_, ids)| ids).filter_map(module);
    let mut beside: Vec<String> = beside.map(|it| format!("`src/{it}.rs`")).collect();
    beside.sort();
    beside.dedup();
    if beside.is_empty() {
        let module = module_of(&file.path, &findings.files);
        return format!("`src/{module}.rs`, if the reconcile needs it");
    }
    format!("helpers of {}", beside.join(", "))
}

/// Returns a name for the module of a Go file that no other file of the project gets: its own, with as many of its directories as that takes.
fn module_of(path: &str, files: &[GoFile]) -> String {
    let parts = |path: &str| {
        let path = path.trim_end_matches(".go").replace(['-', '.'], "_");
        let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
        // `scheme/scheme.go` is the module `scheme`.
        parts.dedup();
        parts
    };
    let own = parts(path);
    let last = |parts: &[String], count: usize| {
        let from = parts.len().saturating_sub(count);
        parts[from..].join("_")
    };
    let is_taken = |name: &str, count: usize| {
        let mut others = files.iter().filter(|it| it.path != path);
        others.any(|it| last(&parts(&it.path), count) == name)
    };
    let names = (1..=own.len()).map(|count| (last(&own, count), count));
    let mut free = names.filter(|(name, count)| !is_taken(name, *count));
    free.next().map_or_else(|| own.join("_"), |(name, _)| name)
}

/// Escapes a text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
