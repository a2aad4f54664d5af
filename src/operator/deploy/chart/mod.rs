//! Derives a Helm chart from manifests: the same objects, with some values to choose.
mod places;
mod template;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use kube_codegen_formats::names;
use serde_json::{Map, Value, json};

use super::{About, Manifest, Tree, hub, program::Program};
use crate::output::{
    render::{File, MARK},
    yaml,
};
use places::Places;
use template::{Line, TemplateNode, quoted};

/// The annotation by which Helm keeps an object.
const POLICY: &str = "helm.sh/resource-policy";

/// Objects of the user.
const EXTRA_OBJECTS: &str = "\
{{- range .Values.extraObjects }}
---
{{ if kindIs \"string\" . }}{{ tpl . $ }}{{ else }}{{ tpl (toYaml .) $ }}{{ end }}
{{- end }}
";

/// A chart under construction.
struct Chart<'a> {
    program: Program<'a>,
    places: Places,
    /// The values, with what `values.yaml` says about them.
    values: BTreeMap<&'static str, Value>,
    /// The image in place of that of the Deployment.
    image: Option<&'a str>,
}

/// Returns the files of the chart of a tree; `image` replaces that of the Deployment, and the samples are shown as examples.
///
/// # Errors
/// If the tree has no Deployment, or an object is not what Kubernetes accepts.
pub(crate) fn chart(
    tree: &Tree,
    about: &About,
    samples: &[Value],
    image: Option<&str>,
) -> Result<Vec<File>, String> {
    let program = Program::of(tree, &about.name, image)?;
    let name = program.deployment.name();
    if let Some(problem) = names::dns_1123_subdomain(name).first() {
        return Err(format!(
            "the name of the Deployment, `{}`: {problem}",
            name.escape_debug()
        ));
    }
    let mut chart = Chart {
        places: Places::of(tree, program.deployment),
        program,
        values: BTreeMap::new(),
        image,
    };
    let mut switches = Switches::default();
    let mut templates: BTreeMap<String, String> = BTreeMap::new();
    for manifest in &tree.manifests {
        let file = tree.file(manifest);
        let switch = switches.of(file, tree.lists(manifest));
        let document = chart.template(manifest)?.document();
        let condition = condition(manifest, &switch);
        let text = templates
            .entry(template_name(file))
            .or_insert_with(|| format!("# {MARK}\n"));
        _ = write!(text, "{condition}---\n{document}{{{{- end }}}}\n");
    }
    let mut extra = "extra-objects.yaml".to_owned();
    while templates.contains_key(&extra) {
        extra.insert(0, 'x');
    }
    templates.insert(extra, format!("# {MARK}\n{EXTRA_OBJECTS}"));
    templates.insert(
        "_helpers.tpl".to_owned(),
        helpers(name, chart.places.label()),
    );
    chart.values.extend([
        ("install", switches.install.into()),
        ("namespace", json!({"create": false})),
        ("nameOverride", "".into()),
        ("fullnameOverride", "".into()),
        ("extraObjects", json!([])),
    ]);
    if tree.of("CustomResourceDefinition").next().is_some() {
        let crds = json!({"keep": true, "annotations": {}});
        chart.values.insert("crds", crds);
    }
    let described = hub::chart(tree, name, about, samples, &chart.values["image"]);
    let mut files = vec![
        File {
            path: "Chart.yaml".to_owned(),
            text: format!("# {MARK}\n{}", yaml::document(&described)).into(),
        },
        File {
            path: "values.yaml".to_owned(),
            text: values(&chart.values).into(),
        },
    ];
    if !about.authors.is_empty() {
        let text = yaml::document(&hub::repository(about));
        files.push(File {
            path: "artifacthub-repo.yml".to_owned(),
            text: format!("# {MARK}\n{text}").into(),
        });
    }
    files.extend(templates.into_iter().map(|(file, text)| File {
        path: format!("templates/{file}"),
        text: text.into(),
    }));
    Ok(files)
}

/// What `values.yaml` says about each value, in its order.
const ABOUT: [(&str, &str); 21] = [
    ("image", "The image of the operator."),
    (
        "replicas",
        "The number of Pods. One of them works and the others stand by, unless the operator uses shards.",
    ),
    (
        "args",
        "The arguments of the operator. A list in your values replaces this one.",
    ),
    (
        "env",
        "The variables of the operator. A list in your values replaces this one; `extraEnv` adds to it.",
    ),
    ("extraEnv", "More variables of the operator."),
    ("resources", "The resources of the operator."),
    ("podAnnotations", "Annotations of the Pods."),
    (
        "podLabels",
        "Labels of the Pods, besides those that select them.",
    ),
    (
        "serviceAccount",
        "Annotations of the operator's ServiceAccount, such as the cloud role it has.",
    ),
    ("extraVolumes", "More volumes of the Pods."),
    ("extraVolumeMounts", "More volume mounts of the operator."),
    ("nodeSelector", "Where the Pods run."),
    ("tolerations", ""),
    ("affinity", ""),
    ("imagePullSecrets", "Secrets to pull the image with."),
    ("install", "Which files of the manifests are installed."),
    (
        "namespace",
        "`create` is for `helm template`; `helm install --create-namespace` does the same.",
    ),
    (
        "crds",
        "`keep` keeps the CRDs, and with them all their objects, when the release is uninstalled. `annotations` are added to the CRDs.",
    ),
    (
        "nameOverride",
        "Replaces the operator's name in labels and selectors. The selector of a Deployment cannot change: choose it before you install.",
    ),
    (
        "fullnameOverride",
        "Replaces the operator's name at the beginning of the names of roles, bindings, accounts, the Deployment and so on. Webhook configurations, \
         Services of webhooks, Secrets and ConfigMaps keep the names that the operator knows.",
    ),
    ("extraObjects", "Manifests to install with the operator."),
];

const VALUES: &str = "\
# Strings in lists and maps may contain expressions, such as {{ .Release.Namespace }}; write {{ `{{` }} for literal braces.
";

/// Writes `values.yaml`.
fn values(values: &BTreeMap<&'static str, Value>) -> String {
    let mut text = format!("# {MARK}\n{VALUES}");
    for (key, about) in ABOUT {
        let Some(value) = values.get(key) else {
            continue;
        };
        if !about.is_empty() {
            _ = write!(text, "\n# {about}\n");
        }
        text.push_str(&yaml::document(&json!({key: value})));
    }
    text
}

/// Writes the names that templates include.
fn helpers(name: &str, label: &str) -> String {
    let mut text = format!("{{{{- /* {MARK} */}}}}\n");
    for (suffix, key, default) in [
        ("name", "nameOverride", label),
        ("fullname", "fullnameOverride", name),
    ] {
        let define = quoted(&format!("{name}.{suffix}"));
        let default = quoted(default);
        _ = writeln!(
            text,
            "{{{{- define {define} }}}}{{{{ .Values.{key} | default {default} }}}}{{{{- end }}}}"
        );
    }
    text
}

/// Returns the line that starts the template of an object.
fn condition(manifest: &Manifest, switch: &str) -> String {
    let install = format!("(.Values.install).{switch}");
    if manifest.kind() == "Namespace" {
        format!("{{{{- if and {install} (.Values.namespace).create }}}}\n")
    } else {
        format!("{{{{- if {install} }}}}\n")
    }
}

impl Chart<'_> {
    /// Returns an object as a template.
    fn template(&mut self, manifest: &Manifest) -> Result<TemplateNode, String> {
        let mut node = self.places.template(&manifest.value);
        if std::ptr::eq(manifest, self.program.deployment) {
            self.operator(&mut node, manifest)?;
        } else if manifest.kind() == "CustomResourceDefinition" {
            keep(&mut node, manifest)?;
        } else if manifest.kind() == "ServiceAccount"
            && manifest.name() == self.program.deployment.account()
        {
            let metadata = part(&mut node, manifest, &["metadata"])?;
            let path = "(.Values.serviceAccount).annotations";
            metadata.set_if(path, "annotations", TemplateNode::Chosen(path.to_owned()));
            let own = self.own(
                manifest.get("/metadata/annotations"),
                &["metadata", "annotations"],
                json!({}),
            );
            self.values
                .insert("serviceAccount", json!({"annotations": own}));
        }
        Ok(node)
    }

    /// A value of the manifests as the default of a value of the chart.
    fn own(&self, value: &Value, path: &[&str], default: Value) -> Value {
        match self.places.value(value, path) {
            Value::Null => default,
            value => value,
        }
    }

    /// Makes the usual settings of a Deployment values.
    fn operator(&mut self, node: &mut TemplateNode, manifest: &Manifest) -> Result<(), String> {
        let spec = part(node, manifest, &["spec"])?;
        spec.set(
            "replicas",
            TemplateNode::Json(".Values.replicas".to_owned()),
        );
        let replicas = match manifest.get("/spec/replicas") {
            Value::Null => Value::from(1),
            replicas => replicas.clone(),
        };
        self.values.insert("replicas", replicas);
        self.metadata(part(node, manifest, &["spec", "template"])?, manifest)?;
        let path = ["spec", "template", "spec"];
        let pod = part(node, manifest, &path)?;
        for (field, default) in [
            ("nodeSelector", json!({})),
            ("tolerations", json!([])),
            ("affinity", json!({})),
            ("imagePullSecrets", json!([])),
        ] {
            let value = manifest.get(&format!("/spec/template/spec/{field}"));
            let value = self.own(value, &[&path[..], &[field]].concat(), default);
            self.value(pod, field, value);
        }
        self.more(pod, "volumes", "extraVolumes");
        let container = match pod.get("containers") {
            Some(TemplateNode::List(items)) => items.get_mut(self.program.index),
            _ => None,
        };
        let Some(Line::One(container)) = container else {
            return Err("the Deployment has no containers".to_owned());
        };
        let own = self.program.container();
        let path = [&path[..], &["containers"]].concat();
        let image = self.image.map_or_else(|| own["image"].clone(), Value::from);
        self.values.insert("image", image);
        container.set("image", TemplateNode::Json(".Values.image".to_owned()));
        for (field, default) in [
            ("args", json!([])),
            ("env", json!([])),
            ("resources", json!({})),
        ] {
            let value = self.own(&own[field], &[&path[..], &[field]].concat(), default);
            self.value(container, field, value);
        }
        self.values.insert("extraEnv", json!([]));
        let all = "(concat (default list .Values.env) (default list .Values.extraEnv))";
        container.set_if(
            "or .Values.env .Values.extraEnv",
            "env",
            TemplateNode::Chosen(all.to_owned()),
        );
        self.more(container, "volumeMounts", "extraVolumeMounts");
        Ok(())
    }

    /// Makes the labels and annotations of the Pods values, except for the labels that select them.
    fn metadata(&mut self, template: &mut TemplateNode, manifest: &Manifest) -> Result<(), String> {
        let (labels, annotations) = (
            "/spec/template/metadata/labels",
            "/spec/template/metadata/annotations",
        );
        let Some(metadata) = template.get("metadata") else {
            return Err("the Pods of the Deployment have no labels".to_owned());
        };
        let path = ["spec", "template", "metadata", "annotations"];
        let own = self.own(map(manifest, annotations)?, &path, json!({}));
        self.values.insert("podAnnotations", own);
        let value = TemplateNode::Chosen(".Values.podAnnotations".to_owned());
        metadata.set_if(".Values.podAnnotations", "annotations", value);

        let selector = map(manifest, "/spec/selector/matchLabels")?;
        let selects = |key: &str| !selector[key].is_null();
        let own = map(manifest, labels)?.as_object().into_iter().flatten();
        let own = own.filter(|(key, _)| !selects(key));
        let own: Map<String, Value> = own
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let own = self.own(
            &own.into(),
            &["spec", "template", "metadata", "labels"],
            json!({}),
        );
        self.values.insert("podLabels", own);
        if let Some(TemplateNode::Map(labels)) = metadata.get("labels") {
            labels.retain(|it| it.key().is_some_and(selects));
            let keys = labels.iter().filter_map(Line::key);
            let others = without(".Values.podLabels", keys);
            labels.push(Line::With(others));
        }
        Ok(())
    }

    /// Replaces a field by a value of the chart of the same name.
    fn value(&mut self, object: &mut TemplateNode, field: &'static str, value: Value) {
        let path = format!(".Values.{field}");
        object.set_if(&path, field, TemplateNode::Chosen(path.clone()));
        self.values.insert(field, value);
    }

    /// Adds the items of a value to a list.
    fn more(&mut self, object: &mut TemplateNode, field: &str, name: &'static str) {
        let path = format!(".Values.{name}");
        if let Some(TemplateNode::List(items)) = object.get(field) {
            items.push(Line::With(path));
        } else {
            object.set_if(&path, field, TemplateNode::Chosen(path.clone()));
        }
        self.values.insert(name, json!([]));
    }
}

/// Adds the annotation by which Helm keeps a CRD, and those of the values.
fn keep(node: &mut TemplateNode, manifest: &Manifest) -> Result<(), String> {
    const KEEP: &str = "(.Values.crds).keep";
    const ANNOTATIONS: &str = "(.Values.crds).annotations";
    let own = map(manifest, "/metadata/annotations")?;
    let has_entry = manifest.get("/metadata").get("annotations").is_some();
    let metadata = part(node, manifest, &["metadata"])?;
    let mut all = match metadata.get("annotations") {
        Some(TemplateNode::Map(entries)) => std::mem::take(entries),
        _ => Vec::new(),
    };
    let policy = all.iter().position(|it| it.key() == Some(POLICY));
    let keep = (POLICY.to_owned(), TemplateNode::Value("keep".into()));
    if let Some(at) = policy {
        let without = all.remove(at);
        all.push(Line::If(format!("not {KEEP}"), vec![without]));
    }
    all.push(Line::If(KEEP.to_owned(), vec![Line::One(keep)]));
    let keys = own
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str());
    let others = without(ANNOTATIONS, keys.chain([POLICY]));
    all.push(Line::With(others));
    if own.as_object().is_some_and(|own| !own.is_empty()) {
        metadata.set("annotations", TemplateNode::Map(all));
        return Ok(());
    }
    let has_any = format!("or {KEEP} {ANNOTATIONS}");
    metadata.set_if(&has_any, "annotations", TemplateNode::Map(all));
    if has_entry {
        let as_before = ("annotations".to_owned(), TemplateNode::Value(own.clone()));
        let otherwise = Line::If(format!("not ({has_any})"), vec![Line::One(as_before)]);
        metadata.entries().insert(0, otherwise);
    }
    Ok(())
}

/// The entries of a value, without some keys. Somebody may have set it to null.
fn without<'k>(path: &str, keys: impl Iterator<Item = &'k str>) -> String {
    let mut seen = BTreeSet::new();
    let keys = keys.filter(|key| seen.insert(*key));
    let keys: Vec<String> = keys.map(quoted).collect();
    format!("omit (default dict {path}) {}", keys.join(" "))
}

/// A part of an object, which has to be a map.
fn part<'n>(
    node: &'n mut TemplateNode,
    manifest: &Manifest,
    path: &[&str],
) -> Result<&'n mut TemplateNode, String> {
    let mut at = node;
    for key in path {
        let Some(next @ TemplateNode::Map(_)) = at.get(key) else {
            return Err(not_a_map(manifest, &path.join(".")));
        };
        at = next;
    }
    Ok(at)
}

fn not_a_map(manifest: &Manifest, path: &str) -> String {
    let (kind, name) = (manifest.kind(), manifest.name().escape_debug());
    format!("`{path}` of the {kind} `{name}` is not a map")
}

/// A map in a manifest, or null.
fn map<'m>(manifest: &'m Manifest, pointer: &str) -> Result<&'m Value, String> {
    let value = manifest.get(pointer);
    if value.is_object() || value.is_null() {
        return Ok(value);
    }
    let path = pointer.trim_start_matches('/').replace('/', ".");
    Err(not_a_map(manifest, &path))
}

/// The values that choose files.
#[derive(Default)]
struct Switches {
    install: Map<String, Value>,
    /// The keys of files.
    keys: BTreeMap<String, String>,
}

impl Switches {
    /// Returns the key of a file: `networkPolicy` for `network-policy.yaml`.
    fn of(&mut self, file: &str, is_listed: bool) -> String {
        if let Some(key) = self.keys.get(file) {
            return key.clone();
        }
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let mut key = camel(stem);
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
            key = format!("file{key}");
        }
        while self.install.contains_key(&key) {
            key.push('x');
        }
        self.install.insert(key.clone(), is_listed.into());
        self.keys.insert(file.to_owned(), key.clone());
        key
    }
}

/// The name of a file as that of a template. Helm renders no files that start with an underscore or a period.
fn template_name(file: &str) -> String {
    if file.starts_with(['_', '.']) {
        format!("x{file}")
    } else {
        file.to_owned()
    }
}

/// Returns a file name as a key of the values: `network-policy` as `networkPolicy`.
fn camel(name: &str) -> String {
    let mut key = String::new();
    let mut upper = false;
    for letter in name.chars() {
        match letter {
            letter if !letter.is_ascii_alphanumeric() => upper = true,
            letter if std::mem::take(&mut upper) => key.push(letter.to_ascii_uppercase()),
            letter => key.push(letter),
        }
    }
    key
}
