//! The page of an operator's permissions, for reviewers: each with its place and a sentence on its use.
use std::{collections::BTreeSet, fmt::Write};

use serde_json::Value;

use super::{
    Manifest, Tree,
    rights::{Needs, Right},
    role::{Rule, roles},
};

/// Returns a page in Markdown with the permissions that the roles of a tree grant.
pub(crate) fn page(tree: &Tree, needs: &Needs) -> String {
    let mut text = String::from(
        "# Permissions\n\n<!-- `make rbac` writes this page: what `deploy/rbac.yaml` grants, and why, by the requests of the tests. -->\n\n\
         | resource | where | verbs | why |\n|---|---|---|---|\n",
    );
    for role in roles(tree) {
        let place = place(tree, role);
        for value in role.list("/rules") {
            let rule = Rule::read(value);
            let verbs = code(rule.verbs.iter());
            if rule.urls {
                let urls = value["nonResourceURLs"].as_array().into_iter().flatten();
                let urls = code(urls.filter_map(Value::as_str));
                _ = writeln!(
                    text,
                    "| {urls} | {place} | {verbs} | Paths of the API server. Not measured. |"
                );
                continue;
            }
            let rights = rule.rights();
            // The rights on one resource follow each other.
            for rights in rights.chunk_by(|a, b| (&a.group, &a.resource) == (&b.group, &b.resource))
            {
                let names = if rule.names.is_empty() {
                    String::new()
                } else {
                    format!(", only {}", code(rule.names.iter()))
                };
                let resource = rights[0].resource_name();
                let why = why(rights, &rule.names, needs);
                _ = writeln!(text, "| `{resource}`{names} | {place} | {verbs} | {why} |");
            }
        }
    }
    text
}

/// Returns items as code, with commas between them. A bar would end the cell.
fn code(items: impl Iterator<Item = impl AsRef<str>>) -> String {
    let items = items.map(|item| format!("`{}`", item.as_ref().replace('|', "\\|")));
    items.collect::<Vec<_>>().join(", ")
}

/// Returns where a role grants its rights: what binds it decides.
fn place(tree: &Tree, role: &Manifest) -> String {
    let binds = |binding: &&Manifest| tree.binds(binding, role);
    if tree.of("ClusterRoleBinding").any(|it| binds(&it)) {
        return "the cluster".to_owned();
    }
    let bindings = tree.of("RoleBinding").filter(binds);
    let namespaces: Vec<&str> = bindings.map(|it| tree.namespace(it)).collect();
    match &namespaces[..] {
        [] => "nowhere: nothing binds the role".to_owned(),
        all if all.contains(&"") => "the namespace that it is installed in".to_owned(),
        all => format!("namespace {}", code(all.iter())),
    }
}

/// Returns a sentence on what the rights on one resource are for.
fn why(rights: &[Right], names: &[String], needs: &Needs) -> String {
    let Some(right) = rights.first() else {
        return String::new();
    };
    let names: BTreeSet<String> = names.iter().cloned().collect();
    let reasons: Vec<_> = rights
        .iter()
        .filter_map(|it| needs.infrastructure.get(it))
        .filter(|reason| reason.names == names)
        .collect();
    if let Some(reason) = reasons.first()
        && reasons.len() == rights.len()
    {
        return sentence(&format!("{} them", reason.why));
    }
    if right.resource.ends_with("/finalizers") {
        return "The owner references of its children need them.".to_owned();
    }
    if right.resource == "events" {
        return "Reports its actions as Events.".to_owned();
    }
    let uses = |verbs: &[&str]| {
        let mut used = rights.iter().filter(|it| needs.used.contains_key(it));
        used.any(|it| verbs.contains(&it.verb.as_str()))
    };
    let mut parts = Vec::new();
    for (verbs, part) in [
        (&["list", "watch"][..], "caches all objects"),
        (&["get"], "reads single objects"),
        (&["create"], "creates"),
        (&["update", "patch"], "changes"),
        (&["delete", "deletecollection"], "deletes"),
    ] {
        if uses(verbs) {
            parts.push(part);
        }
    }
    let object = match parts.last() {
        Some(&"changes") if right.resource.ends_with("/status") => " the status of objects",
        Some(&("creates" | "changes" | "deletes")) => " objects",
        _ => "",
    };
    let mut sentence = match &parts[..] {
        [] => return "No recorded request uses it.".to_owned(),
        [one] => sentence(&format!("{one}{object}")),
        [first @ .., last] => sentence(&format!("{} and {last}{object}", first.join(", "))),
    };
    if right.group.is_empty() && right.resource == "secrets" && uses(&["get", "list", "watch"]) {
        sentence.push_str(" **The operator can read the contents of Secrets.**");
    }
    sentence
}

/// Returns a sentence of words.
fn sentence(words: &str) -> String {
    let mut sentence = format!("{words}.");
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}
