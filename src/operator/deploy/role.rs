//! The rules of Roles: what they grant, and their text with other permissions.
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Manifest, Tree,
    rights::{Needs, Right, VERBS},
};
use crate::{
    base::{
        diag::{Code, Diagnostics, Place},
        source::Source,
    },
    operator::manifests::Manifests,
    output::yaml,
};

/// A rule of a Role or `ClusterRole`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    groups: Vec<String>,
    resources: Vec<String>,
    pub(super) verbs: Vec<String>,
    pub(super) names: Vec<String>,
    /// Rules on URLs are not about resources.
    pub(super) urls: bool,
}

impl Rule {
    pub(super) fn read(rule: &Value) -> Self {
        let list = |key: &str| {
            let items = rule[key].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            groups: list("apiGroups"),
            resources: list("resources"),
            verbs: list("verbs"),
            names: list("resourceNames"),
            urls: rule.get("nonResourceURLs").is_some(),
        }
    }

    fn one(group: &str, resource: &str, verbs: BTreeSet<String>) -> Self {
        Self {
            groups: vec![group.to_owned()],
            resources: vec![resource.to_owned()],
            verbs: sorted(verbs),
            names: Vec::new(),
            urls: false,
        }
    }

    /// Returns the rights, one for each combination.
    pub(super) fn rights(&self) -> Vec<Right> {
        let mut rights = Vec::new();
        for group in &self.groups {
            for resource in &self.resources {
                rights.extend(self.verbs.iter().map(|verb| Right {
                    group: group.clone(),
                    resource: resource.clone(),
                    verb: verb.clone(),
                }));
            }
        }
        rights
    }

    /// Returns whether the rule grants a right on objects of all these names.
    fn grants(&self, right: &Right, names: &BTreeSet<String>) -> bool {
        let has = |list: &[String], item: &str| list.iter().any(|it| it == "*" || it == item);
        has(&self.groups, &right.group)
            && has(&self.resources, &right.resource)
            && has(&self.verbs, &right.verb)
            && (self.names.is_empty() || names.iter().all(|name| self.names.contains(name)))
    }

    /// The rule as a value, if it is about resources.
    fn value(&self) -> Value {
        let mut value = json!({
            "apiGroups": self.groups,
            "resources": self.resources,
            "verbs": self.verbs,
        });
        if !self.names.is_empty() {
            value["resourceNames"] = self.names.clone().into();
        }
        value
    }

    /// Formats the rule as an item of a list.
    fn lines(&self, indent: &str) -> Vec<String> {
        let list = |items: &[String]| {
            let quoted = |item: &String| match yaml::string(item) {
                plain if plain == *item => format!("\"{item}\""),
                quoted => quoted,
            };
            items.iter().map(quoted).collect::<Vec<_>>().join(", ")
        };
        let mut lines = vec![
            format!("{indent}- apiGroups: [{}]", list(&self.groups)),
            format!("{indent}  resources: [{}]", list(&self.resources)),
        ];
        if !self.names.is_empty() {
            lines.push(format!("{indent}  resourceNames: [{}]", list(&self.names)));
        }
        lines.push(format!("{indent}  verbs: [{}]", list(&self.verbs)));
        lines
    }
}

/// Returns verbs in the usual order.
fn sorted(verbs: BTreeSet<String>) -> Vec<String> {
    let mut verbs: Vec<String> = verbs.into_iter().collect();
    let place = |verb: &String| {
        VERBS
            .iter()
            .position(|it| it == verb)
            .unwrap_or(VERBS.len())
    };
    verbs.sort_by_key(|verb| (place(verb), verb.clone()));
    verbs
}

/// Returns the roles of a tree.
pub(super) fn roles(tree: &Tree) -> impl Iterator<Item = &Manifest> {
    tree.of("ClusterRole").chain(tree.of("Role"))
}

/// Reports rights that are missing in the roles of a tree, and those that nothing uses.
pub(crate) fn check(tree: &Tree, needs: &Needs, diagnostics: &mut Diagnostics) {
    check_missing(tree, needs, |_| true, diagnostics);
    check_unused(tree, needs, diagnostics);
}

/// Reports the rights for owner references that are missing in the roles of a tree.
pub(crate) fn check_owners(tree: &Tree, needs: &Needs, diagnostics: &mut Diagnostics) {
    let is_of_owner = |right: &Right| right.resource.ends_with("/finalizers");
    check_missing(tree, needs, is_of_owner, diagnostics);
}

fn check_missing(
    tree: &Tree,
    needs: &Needs,
    is_checked: impl Fn(&Right) -> bool,
    diagnostics: &mut Diagnostics,
) {
    let operator = operator(tree, needs);
    let rules: Vec<Rule> = roles(tree)
        .flat_map(|it| it.list("/rules"))
        .map(Rule::read)
        .collect();
    for (right, names, why) in all(needs) {
        if !is_checked(right) || rules.iter().any(|rule| rule.grants(right, &names)) {
            continue;
        }
        let (verb, resource) = (&right.verb, right.resource_name());
        if let Some(role) = operator {
            let name = role.name().escape_debug();
            let message = format!("`{name}` does not grant `{verb}` on `{resource}`, which {why}");
            diagnostics.report(Code::MissingRight, role.at("/rules"), message);
            continue;
        }
        // A role that others use, or whatever the file begins with: the new role can go there.
        let near = roles(tree).next().or_else(|| tree.manifests.first());
        let place = near.map_or_else(|| file(tree), |it| it.at(""));
        let message =
            format!("no role for the operator grants `{verb}` on `{resource}`, which {why}");
        diagnostics
            .report(Code::MissingRight, place, message)
            .hint(NO_ROLE);
    }
}

/// What to do if there is no role to write permissions to.
const NO_ROLE: &str = "add a ClusterRole with `rules: []`, and a ClusterRoleBinding; `kube-codegen rbac --write` fills it";

/// The file whose roles count, if it has no object.
fn file(tree: &Tree) -> Place {
    Place {
        source: tree.only,
        ..Place::default()
    }
}

fn check_unused(tree: &Tree, needs: &Needs, diagnostics: &mut Diagnostics) {
    for role in roles(tree) {
        for (index, rule) in role.list("/rules").iter().enumerate() {
            let rule = Rule::read(rule);
            if rule.urls {
                continue;
            }
            for right in rule.rights() {
                if needs.justifies(&right) {
                    continue;
                }
                let place = role.at(format!("/rules/{index}/verbs"));
                let message = format!(
                    "`{}` grants `{}` on `{}`, which no recorded request uses",
                    role.name(),
                    right.verb,
                    right.resource_name()
                );
                diagnostics.report(Code::UnusedRight, place, message);
            }
        }
    }
}

/// Returns all rights that are needed, with the reason.
fn all(needs: &Needs) -> impl Iterator<Item = (&Right, BTreeSet<String>, String)> {
    let used = needs.used.iter().map(|(right, names)| {
        let example = names.iter().find(|name| !name.is_empty());
        let object = example.map_or_else(String::new, |name| {
            format!(" for the object `{}`", name.escape_debug())
        });
        (
            right,
            names.clone(),
            format!("a recorded request{object} uses"),
        )
    });
    let infrastructure = needs.infrastructure.iter().map(|right| {
        let (right, reason) = right;
        (right, reason.names.clone(), reason.why.to_owned())
    });
    used.chain(infrastructure)
}

/// Returns the role for the operator's own requests: the first one that is bound, and grants more than leader election and metrics need, or
/// nothing yet.
fn operator<'a>(tree: &'a Tree, needs: &Needs) -> Option<&'a Manifest> {
    let is_infrastructure = |role: &&Manifest| {
        let rules: Vec<Rule> = role.list("/rules").iter().map(Rule::read).collect();
        let mut rights = rules.iter().flat_map(Rule::rights);
        !rules.is_empty() && rights.all(|right| needs.infrastructure.contains_key(&right))
    };
    // Roles of users are for others to bind.
    let is_bound = |role: &&Manifest| {
        let mut bindings = tree.of("ClusterRoleBinding").chain(tree.of("RoleBinding"));
        bindings.any(|it| tree.binds(it, role))
    };
    let candidates = || roles(tree).filter(|role| !is_infrastructure(role));
    let has_only_urls = |role: &&Manifest| {
        let mut rules = role.list("/rules").iter().map(Rule::read);
        rules.all(|rule| rule.urls)
    };
    let found = candidates().find(is_bound).or_else(|| candidates().next());
    found.or_else(|| roles(tree).find(has_only_urls))
}

/// Returns the text of a file in which the roles grant what is needed, and nothing else. Rules that stay keep their lines and
/// comments, unless the file is in flow style or JSON.
///
/// # Errors
/// If the file has no role for the operator, or cannot be read.
pub(crate) fn rewrite(source: &Source, tree: &Tree, needs: &Needs) -> Result<String, String> {
    let operator = operator(tree, needs)
        .ok_or("the file has no Role or ClusterRole for the operator's own requests")?;
    let operator = key(operator);
    let mut roles: BTreeMap<(usize, &str), Vec<Item>> = BTreeMap::new();
    for role in self::roles(tree) {
        let items = role.list("/rules").iter().enumerate();
        let items = items.flat_map(|(index, rule)| reduced(index, &Rule::read(rule), needs));
        roles.insert(key(role), items.collect());
    }
    let missing: Vec<(Right, Vec<String>)> = all(needs)
        .filter(|(right, names, _)| {
            let mut granting = roles.values().flatten();
            !granting.any(|item| item.rule.grants(right, names))
        })
        .map(|(right, names, _)| {
            let is_infrastructure = needs.infrastructure.contains_key(right);
            let names = if is_infrastructure {
                names
            } else {
                BTreeSet::new()
            };
            (right.clone(), names.into_iter().collect())
        })
        .collect();
    let items = roles.entry(operator).or_default();
    for (right, names) in missing {
        let (groups, resources) = ([right.group.clone()], [right.resource.clone()]);
        let same = items.iter_mut().find(|item| {
            item.rule.groups == groups
                && item.rule.resources == resources
                && item.rule.names == names
        });
        if let Some(item) = same {
            let verbs = item.rule.verbs.drain(..).chain([right.verb]).collect();
            item.rule.verbs = sorted(verbs);
            item.changed = true;
        } else {
            items.push(Item {
                origin: None,
                rule: Rule {
                    names,
                    ..Rule::one(&right.group, &right.resource, [right.verb].into())
                },
                changed: true,
            });
        }
    }
    let mut manifests =
        Manifests::read(source).map_err(|_| "the file has syntax errors".to_owned())?;
    for role in self::roles(tree) {
        let items = roles.get(&key(role)).map_or(&[][..], Vec::as_slice);
        let present = role.list("/rules");
        let values: Vec<Value> = items.iter().map(|item| item.value(present)).collect();
        if values == present {
            continue;
        }
        let write = |block: &[&str]| rules(block, items);
        manifests.set(role.document, &role.pointer, "rules", values.into(), write);
    }
    Ok(manifests.text())
}

/// Where a role is in its file.
fn key(role: &Manifest) -> (usize, &str) {
    (role.document, &role.pointer)
}

/// A rule to write.
#[derive(Debug)]
struct Item {
    /// The index of the rule whose lines it keeps or replaces.
    origin: Option<usize>,
    rule: Rule,
    changed: bool,
}

impl Item {
    /// The rule as a value; one that stays has all its fields.
    fn value(&self, present: &[Value]) -> Value {
        let own = self.origin.and_then(|index| present.get(index));
        match own {
            Some(own) if !self.changed => own.clone(),
            _ => self.rule.value(),
        }
    }
}

/// Returns what is needed of a rule.
fn reduced(index: usize, rule: &Rule, needs: &Needs) -> Vec<Item> {
    let rights = rule.rights();
    let kept: Vec<&Right> = rights
        .iter()
        .filter(|right| needs.justifies(right))
        .collect();
    if rule.urls || kept.len() == rights.len() {
        return vec![Item {
            origin: Some(index),
            rule: rule.clone(),
            changed: false,
        }];
    }
    let mut verbs: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for right in kept {
        let resource = (right.group.as_str(), right.resource.as_str());
        verbs
            .entry(resource)
            .or_default()
            .insert(right.verb.clone());
    }
    let items = verbs.into_iter().enumerate();
    items
        .map(|(part, ((group, resource), verbs))| Item {
            origin: (part == 0).then_some(index),
            rule: Rule {
                names: rule.names.clone(),
                ..Rule::one(group, resource, verbs)
            },
            changed: true,
        })
        .collect()
}

/// The lines of a rule in a file: the comments before it, and its own.
type Present<'a> = (Vec<&'a str>, Vec<&'a str>);

/// Returns the lines of the rules of one document. `block` are those below `rules:`.
fn rules(block: &[&str], items: &[Item]) -> Vec<String> {
    if items.is_empty() {
        return vec!["rules: []".to_owned()];
    }
    let mut out = vec!["rules:".to_owned()];
    let first = block
        .iter()
        .find(|line| line.trim_start().starts_with("- "));
    let indent = first.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
    let starts = |line: &str| {
        line.strip_prefix(indent)
            .is_some_and(|rest| rest.starts_with("- "))
    };
    // The lines of each rule, with the comments before it.
    let mut present: Vec<Present<'_>> = Vec::new();
    let mut comments: Vec<&str> = Vec::new();
    for line in block {
        if line.trim_start().starts_with('#') || line.trim().is_empty() {
            comments.push(line);
        } else if starts(line) || present.is_empty() {
            present.push((std::mem::take(&mut comments), vec![line]));
        } else if let Some((_, body)) = present.last_mut() {
            body.append(&mut comments);
            body.push(line);
        }
    }
    for item in items {
        let found = item.origin.and_then(|origin| present.get(origin));
        let (above, body) = found.map_or((&[][..], None), |(above, body)| (above, Some(body)));
        out.extend(above.iter().copied().map(str::to_owned));
        match body {
            Some(body) if !item.changed => out.extend(body.iter().copied().map(str::to_owned)),
            _ => out.extend(item.rule.lines(indent)),
        }
    }
    out.extend(comments.into_iter().map(str::to_owned));
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LOG: &str = r#"{"verb":"list","group":"e.com","resource":"foos","status":200}
{"verb":"delete","group":"","resource":"pods","name":"a","status":200}"#;

    fn read(text: &str) -> (Tree, Source) {
        let source = Source::file(Path::new("rbac.yaml"), text);
        let mut tree = Tree::default();
        let mut diagnostics = Diagnostics::new();
        tree.add(source.clone(), &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{text}");
        (tree, source)
    }

    fn rewritten(text: &str) -> String {
        let (tree, source) = read(text);
        let mut needs = Needs::default();
        needs.read(LOG).unwrap();
        needs.resolve(&tree, "my").unwrap();
        rewrite(&source, &tree, &needs).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn rules_are_written_in_any_layout() {
        let head = "kind: ClusterRole\nmetadata:\n  name: my\n";
        let used = "apiGroups: [e.com]\n  resources: [foos]\n  verbs: [list, get, watch]\n";
        let block = format!("{head}rules:\n# Ours.\n- {used}");
        let indented = format!(
            "{head}rules:\n  # Ours.\n  - {}",
            used.replace("\n  ", "\n    ")
        );
        let list = format!(
            "kind: List\nitems:\n- {}",
            block.trim_end().replace('\n', "\n  ")
        );
        let other = "kind: ConfigMap\nmetadata: {name: rules}\n";
        let flow = "{kind: ClusterRole, metadata: {name: my}, rules: [{nonResourceURLs: [/a], verbs: [get]}]}\n";
        // A text, what stays of it, and how many rules there are.
        for (text, kept, count) in [
            (block.clone(), "# Ours.\n- apiGroups", 2),
            (indented, "  # Ours.\n  - apiGroups", 2),
            (format!("{list}\n"), "  # Ours.\n  - apiGroups", 2),
            (format!("{list}\n- {other}"), "  # Ours.\n  - apiGroups", 2),
            (block.replace('\n', "\r\n"), "# Ours.\r\n- apiGroups", 2),
            (format!("---\n---\n---\n{block}"), "# Ours.\n- apiGroups", 2),
            (
                format!("# A.\n---\n# B.\n--- # C.\n{block}---\n{other}"),
                "# Ours.\n- apiGroups",
                2,
            ),
            (format!("{other}---  \n{block}"), "# Ours.\n- apiGroups", 2),
            (
                block.replace("rules:\n", "rules: # Here.\n"),
                "rules: # Here.\n# Ours.\n- apiGroups",
                2,
            ),
            (
                format!("{head}rules: [] # Here.\n"),
                "rules: # Here.\n- apiGroups",
                2,
            ),
            (
                format!(
                    "{head}rules: [{{apiGroups: [\"a #b\"], resources: [foos], verbs: [get]}}] # Here.\n"
                ),
                "rules: # Here.\n- apiGroups",
                2,
            ),
            (
                block
                    .replace("rules:\n", "rules:   # Here.\n")
                    .replace('\n', "\r\n"),
                "rules: # Here.\r\n# Ours.\r\n",
                2,
            ),
            (
                block.replace("rules:", "\"rules\":"),
                "# Ours.\n- apiGroups",
                2,
            ),
            (format!("{head}# Ours.\n"), "# Ours.\n", 2),
            (format!("{head}# Ours.\n---\n{other}"), "# Ours.\n", 2),
            (format!("{head}rules: []\n# Ours.\n"), "# Ours.\n", 2),
            (format!("{head}rules:\n# Ours.\n"), "# Ours.\n", 2),
            (
                format!("{head}rules: [{{nonResourceURLs: [/a], verbs: [get]}}]\n"),
                "nonResourceURLs:\n",
                3,
            ),
            (
                format!("{head}rules:\n- {{nonResourceURLs: [/a], verbs: [get]}} # Ours.\n"),
                "# Ours.\n",
                3,
            ),
            (flow.to_owned(), "nonResourceURLs:\n", 3),
            (
                r#"{"kind":"ClusterRole","metadata":{"name":"my"},"rules":[]}"#.to_owned(),
                "",
                2,
            ),
        ] {
            let after = rewritten(&text);
            let (tree, _) = read(&after);
            let (before, _) = read(&text);
            assert_eq!(tree.manifests.len(), before.manifests.len(), "{after}");
            let role = roles(&tree).next().unwrap();
            assert_eq!(role.list("/rules").len(), count, "{text}\n=>\n{after}");
            assert!(after.contains(kept), "{text}\n=>\n{after}");
            let mut needs = Needs::default();
            needs.read(LOG).unwrap();
            needs.resolve(&tree, "my").unwrap();
            let mut diagnostics = Diagnostics::new();
            check(&tree, &needs, &mut diagnostics);
            assert_eq!(diagnostics.iter().len(), 0, "{text}\n=>\n{after}");
            assert_eq!(rewritten(&after), after);
        }
    }
}
