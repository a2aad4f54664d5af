//! Finds the places of manifests that hold the namespace or the name of the operator, and lets them follow the release.
//!
//! A namespace is a word like any other, and often the same word as the operator's name, so its place decides: under a key such
//! as `namespace`, in the value of a flag or a variable of that name, in the DNS name of a Service (`NAME.NAMESPACE.svc`), in a user name
//! of a `ServiceAccount`, and in the selectors and annotations that Kubernetes and cert-manager define. A word is only ever replaced whole.
//!
//! Of the names, only those follow `fullnameOverride` that no program knows: those of roles, bindings, accounts, the Deployment and so
//! on. The operator finds its webhook configurations, the Service of its webhooks, Secrets and Leases by the names in its code.
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::template::{Line, TemplateNode, Text, quoted};
use crate::operator::deploy::{Manifest, Tree, bundle::webhooks};

const RELEASE_NAMESPACE: &str = ".Release.Namespace";

/// Kinds whose objects may have another name.
const RENAMED: [&str; 14] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "Deployment",
    "HorizontalPodAutoscaler",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "PodMonitor",
    "PriorityClass",
    "PrometheusRule",
    "Role",
    "RoleBinding",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
];

/// Labels that hold the name of a program by convention.
const LABELS: [&str; 3] = ["app.kubernetes.io/name", "app", "k8s-app"];

/// The label of each namespace with its name.
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// What precedes a namespace in a string.
const BEFORE: [&str; 9] = [
    "namespace=",
    "namespaces=",
    "-ns=",
    "namespace=\"",
    "namespace=~\"",
    "namespace='",
    "/namespaces/",
    "system:serviceaccount:",
    "system:serviceaccounts:",
];

/// The names of an operator's objects.
pub(super) struct Places {
    /// The name of the Deployment.
    name: String,
    /// The namespace of the manifests, empty if they have none.
    namespace: String,
    /// The value of the labels that select its Pods.
    label: Option<String>,
    /// The objects that may have another name.
    renamed: BTreeSet<(String, String)>,
    services: BTreeSet<String>,
    /// Names of objects in the namespace.
    objects: BTreeSet<String>,
}

/// Where a string is.
#[derive(Clone, Copy)]
struct At<'a> {
    /// The keys above, from the root.
    path: &'a [&'a str],
    /// The key of the string, or of its list.
    key: &'a str,
    /// The fields beside the key.
    siblings: &'a Map<String, Value>,
    /// The item before, in a list.
    previous: Option<&'a str>,
}

impl Places {
    pub(super) fn of(tree: &Tree, deployment: &Manifest) -> Self {
        let name = deployment.name().to_owned();
        let namespace = tree.namespace(deployment);
        let own = |it: &&Manifest| ["", namespace].contains(&it.text("/metadata/namespace"));
        let is_renamed = |it: &&Manifest| {
            RENAMED.contains(&it.kind())
                && suffix(it.name(), &name).is_some()
                && !webhooks::is_service(tree, it)
                && !is_known(tree, it)
        };
        let renamed = tree.manifests.iter().filter(own).filter(is_renamed);
        let selector = deployment.get("/spec/selector/matchLabels");
        let labels = LABELS.iter().filter_map(|label| selector[*label].as_str());
        let services = tree.of("Service").filter(own);
        let objects = tree.manifests.iter().filter(own);
        Self {
            renamed: renamed
                .map(|it| (it.kind().to_owned(), it.name().to_owned()))
                .collect(),
            label: labels.into_iter().next().map(str::to_owned),
            services: services.map(|it| it.name().to_owned()).collect(),
            objects: objects.map(|it| it.name().to_owned()).collect(),
            namespace: namespace.to_owned(),
            name,
        }
    }

    /// The value of the labels that select the Pods: what `nameOverride` replaces.
    pub(super) fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// The expression of the operator's name in labels.
    fn label_expression(&self) -> String {
        format!("include {} $", quoted(&format!("{}.name", self.name)))
    }

    /// The expression of what the names of objects start with.
    fn name_expression(&self) -> String {
        format!("include {} $", quoted(&format!("{}.fullname", self.name)))
    }

    /// An object as a template.
    pub(super) fn template(&self, object: &Value) -> TemplateNode {
        let Some(fields) = object.as_object() else {
            return object.into();
        };
        let kind = object["kind"].as_str().unwrap_or_default();
        let is_crd = kind == "CustomResourceDefinition";
        let entries = fields.iter().map(|(key, value)| {
            let node = match key.as_str() {
                // Only two parts of a CRD are about its installation; the rest is the user's API.
                "spec" if is_crd => definition(value, |it| self.node(it, &["spec", "conversion"])),
                _ => self.field(key, value, fields, &[]),
            };
            (key.clone(), node)
        });
        let mut node = TemplateNode::map(entries);
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let other = if kind == "Namespace" && !name.is_empty() && name == self.namespace {
            Some(whole(RELEASE_NAMESPACE))
        } else {
            (self.is_renamed(kind, name)).then(|| self.renamed(name))
        };
        if let Some(other) = other
            && let Some(metadata) = node.get("metadata")
        {
            metadata.set("name", TemplateNode::Text(other));
        }
        node
    }

    /// A value of the chart, in which the places are expressions for `tpl`.
    pub(super) fn value(&self, value: &Value, path: &[&str]) -> Value {
        for_tpl(&self.node(value, path))
    }

    fn node(&self, value: &Value, path: &[&str]) -> TemplateNode {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                let entries = fields.iter();
                TemplateNode::map(
                    entries.map(|(key, it)| (key.clone(), self.field(key, it, fields, path))),
                )
            }
            Value::Array(items) if !items.is_empty() => {
                let (key, above) = path.split_last().unwrap_or((&"", &[]));
                self.field(key, value, &Map::new(), above)
            }
            other => other.into(),
        }
    }

    fn field(
        &self,
        key: &str,
        value: &Value,
        siblings: &Map<String, Value>,
        path: &[&str],
    ) -> TemplateNode {
        let below = [path, &[key]].concat();
        let text = |text: &str, previous| {
            let at = At {
                path,
                key,
                siblings,
                previous,
            };
            self.text(text, at)
        };
        match value {
            Value::String(it) => text(it, None),
            Value::Array(items) if !items.is_empty() => {
                let previous = |index: usize| items.get(index.checked_sub(1)?)?.as_str();
                let item = |(index, item): (usize, &Value)| match item {
                    Value::String(it) => text(it, previous(index)),
                    other => self.node(other, &below),
                };
                TemplateNode::List(items.iter().enumerate().map(item).map(Line::One).collect())
            }
            other => self.node(other, &below),
        }
    }

    fn text(&self, text: &str, at: At<'_>) -> TemplateNode {
        let found = self
            .label_in(text, at)
            .or_else(|| self.name_in(text, at))
            .or_else(|| self.namespaces_in(text, at));
        // The organization of an image may have the name of the namespace.
        if found.is_none() && at.key == "image" {
            return TemplateNode::Value(Value::from(text));
        }
        let found = found.unwrap_or_else(|| self.words_in(text));
        if found.is_template() {
            TemplateNode::Text(found)
        } else {
            TemplateNode::Value(Value::from(text))
        }
    }

    fn label_in(&self, text: &str, at: At<'_>) -> Option<Text> {
        let in_labels = ["labels", "matchLabels", "selector"];
        let is_label = match at.key {
            "values" => is_expression_of(at, &LABELS),
            key => LABELS.contains(&key) && at.path.last().is_some_and(|it| in_labels.contains(it)),
        };
        let is_name = is_label && self.label.as_deref() == Some(text);
        is_name.then(|| whole(&self.label_expression()))
    }

    /// The name of an object, or a reference to it.
    fn name_in(&self, text: &str, at: At<'_>) -> Option<Text> {
        let sibling = |key: &str| at.siblings.get(key).and_then(Value::as_str);
        let kinds: &[&str] = match (at.key, at.path) {
            ("name", [.., "service"]) | ("serviceName" | "dnsNames", _) => &["Service"],
            ("name", _) => &[sibling("kind")?],
            ("serviceAccountName" | "serviceAccount", _) => &["ServiceAccount"],
            ("priorityClassName", _) => &["PriorityClass"],
            _ => return None,
        };
        let own = sibling("namespace").is_none_or(|it| it == self.namespace);
        let is_renamed = |kind: &&str| self.is_renamed(kind, text);
        (own && kinds.iter().any(is_renamed)).then(|| self.renamed(text))
    }

    fn is_renamed(&self, kind: &str, name: &str) -> bool {
        self.renamed.contains(&(kind.to_owned(), name.to_owned()))
    }

    fn renamed(&self, name: &str) -> Text {
        let mut text = whole(&self.name_expression());
        text.literal(name.strip_prefix(self.name.as_str()).unwrap_or_default());
        text
    }

    /// A namespace, or several with commas, at a place for nothing else.
    fn namespaces_in(&self, text: &str, at: At<'_>) -> Option<Text> {
        if self.namespace.is_empty() {
            return None;
        }
        let sibling = |key: &str| at.siblings.get(key).and_then(Value::as_str);
        let holds = match at.key {
            "name" => sibling("kind") == Some("Namespace"),
            "value" => sibling("name").is_some_and(is_namespace_key),
            "args" | "command" => at
                .previous
                .is_some_and(|it| it.starts_with('-') && is_namespace_key(it)),
            "values" => is_expression_of(at, &[NAMESPACE_LABEL]) || in_namespace_selector(at),
            "matchNames" => true,
            "resourceNames" => lists(at.siblings, "resources", "namespaces"),
            key => key == NAMESPACE_LABEL || is_namespace_key(key) || in_namespace_selector(at),
        };
        let mut found = Text::default();
        for (index, word) in text.split(',').enumerate() {
            found.literal(if index > 0 { "," } else { "" });
            if word.trim() == self.namespace {
                let start = word.len() - word.trim_start().len();
                found.literal(&word[..start]);
                found.expression(RELEASE_NAMESPACE);
                found.literal(&word[start + self.namespace.len()..]);
            } else {
                found.literal(word);
            }
        }
        if holds && found.is_template() {
            return Some(found);
        }
        // A reference of cert-manager: `NAMESPACE/NAME`.
        let rest = text
            .strip_prefix(self.namespace.as_str())?
            .strip_prefix('/')?;
        (at.key.starts_with("cert-manager.io/") && !rest.contains('/')).then(|| {
            let mut text = whole(RELEASE_NAMESPACE);
            text.literal(&format!("/{rest}"));
            text
        })
    }

    /// A string with namespaces, recognized by the words around them.
    fn words_in(&self, text: &str) -> Text {
        let mut found = Text::default();
        let mut written = 0;
        for (start, end) in self.occurrences(text) {
            if start < written {
                continue;
            }
            let (before, after) = (&text[..start], &text[end..]);
            let service = before.strip_suffix('.').map(last_word).unwrap_or_default();
            let is_host = !service.is_empty()
                && (is_cluster_name(after)
                    || (self.services.contains(service) && !after.starts_with('.')));
            let at_account = before.ends_with("system:serviceaccount:");
            if !is_host && !self.is_namespace_between(before, after) {
                continue;
            }
            if is_host && self.is_renamed("Service", service) {
                found.literal(&text[written..start - service.len() - 1]);
                found.0.extend(self.renamed(service).0);
                found.literal(".");
            } else {
                found.literal(&text[written..start]);
            }
            found.expression(RELEASE_NAMESPACE);
            written = end;
            let mark = if at_account { ":" } else { "/sa/" };
            let account = after.strip_prefix(mark).map(first_word).unwrap_or_default();
            if self.is_renamed("ServiceAccount", account) {
                found.literal(mark);
                found.0.extend(self.renamed(account).0);
                written += mark.len() + account.len();
            }
        }
        found.literal(&text[written..]);
        found
    }

    /// Where the namespace is a word.
    fn occurrences<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, usize)> + 't {
        let found = text.match_indices(self.namespace.as_str());
        let found = found.map(|(start, it)| (start, start + it.len()));
        found.filter(move |(start, end)| {
            !self.namespace.is_empty()
                && !text[..*start].ends_with(is_letter)
                && !text[*end..].starts_with(is_letter)
        })
    }

    fn is_namespace_between(&self, before: &str, after: &str) -> bool {
        // `--namespaces=a,b`
        let list = before.trim_end_matches(|c| is_letter(c) || c == ',');
        let in_list = before == list || before.ends_with(',');
        let mark = BEFORE.iter().find(|mark| list.ends_with(**mark));
        if in_list && let Some(mark) = mark {
            return match *mark {
                "system:serviceaccount:" => after.starts_with(':'),
                mark if mark.ends_with('=') => !after.starts_with(['.', '/', ':']),
                _ => true,
            };
        }
        // `--webhook-secret=NAMESPACE/NAME`, and SPIFFE's `…/ns/NAMESPACE/sa/NAME`.
        let names_object =
            (after.strip_prefix('/')).is_some_and(|name| self.objects.contains(name));
        let is_reference = before.is_empty() || (before.starts_with("--") && before.ends_with('='));
        (before.ends_with("/ns/") && after.starts_with("/sa/")) || (is_reference && names_object)
    }
}

/// The expression as a whole string.
fn whole(expression: &str) -> Text {
    let mut text = Text::default();
    text.expression(expression);
    text
}

/// The spec of a CRD, with its conversion as a template.
fn definition(spec: &Value, conversion: impl Fn(&Value) -> TemplateNode) -> TemplateNode {
    let mut node = TemplateNode::from(spec);
    if let Some(place) = node.get("conversion") {
        *place = conversion(&spec["conversion"]);
    }
    node
}

/// What follows the operator's name in the name of an object.
fn suffix<'a>(name: &'a str, operator: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(operator)?;
    (rest.is_empty() || rest.starts_with(['-', '.', ':'])).then_some(rest)
}

/// Whether a role names an object, which the operator therefore knows by name.
fn is_known(tree: &Tree, object: &Manifest) -> bool {
    let Some(plural) = tree.plural(object.group(), object.kind()) else {
        return false;
    };
    let rules = tree.of("Role").chain(tree.of("ClusterRole"));
    let mut rules = rules.flat_map(|it| it.list("/rules"));
    rules.any(|rule| {
        rule.as_object().is_some_and(|rule| {
            lists(rule, "resources", plural) && lists(rule, "resourceNames", object.name())
        })
    })
}

fn lists(object: &Map<String, Value>, key: &str, item: &str) -> bool {
    let items = object.get(key).and_then(Value::as_array);
    items.is_some_and(|items| items.iter().any(|it| it == item))
}

/// Whether a string is a value of an expression (`matchExpressions`) about one of these labels.
fn is_expression_of(at: At<'_>, labels: &[&str]) -> bool {
    let key = at.siblings.get("key").and_then(Value::as_str);
    key.is_some_and(|key| labels.contains(&key))
}

fn in_namespace_selector(at: At<'_>) -> bool {
    at.path.contains(&"namespaceSelector")
        && (at.key == "values" || at.path.last() == Some(&"matchLabels"))
}

/// Whether a key, a flag or a variable holds namespaces: `namespace`, `WATCH_NAMESPACE`, `--leader-election-namespace`, `podNamespace`, `ns`.
fn is_namespace_key(key: &str) -> bool {
    let key = key.trim_start_matches('-').to_ascii_lowercase();
    key.ends_with("namespace")
        || key.ends_with("namespaces")
        || key == "ns"
        || key.ends_with("_ns")
        || key.ends_with("-ns")
}

/// Whether the domain of a cluster follows: `.svc`, perhaps with more.
fn is_cluster_name(after: &str) -> bool {
    let rest = after.strip_prefix(".svc");
    rest.is_some_and(|rest| !rest.starts_with(is_letter))
}

/// A letter of a name.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(is_letter).len()..]
}

fn first_word(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(is_letter).len()]
}

fn for_tpl(node: &TemplateNode) -> Value {
    let one = |it: &Line<TemplateNode>| match it {
        Line::One(it) => Some(for_tpl(it)),
        _ => None,
    };
    match node {
        TemplateNode::Text(text) => text.for_tpl().into(),
        TemplateNode::Value(Value::String(text)) => {
            let mut literal = Text::default();
            literal.literal(text);
            literal.for_tpl().into()
        }
        TemplateNode::Value(value) => value.clone(),
        TemplateNode::List(items) => items.iter().filter_map(one).collect(),
        TemplateNode::Map(entries) => {
            let entry = |it: &Line<(String, TemplateNode)>| match it {
                Line::One((key, value)) => Some((key.clone(), for_tpl(value))),
                _ => None,
            };
            Value::Object(entries.iter().filter_map(entry).collect())
        }
        TemplateNode::Json(_) | TemplateNode::Chosen(_) => Value::Null,
    }
}
