//! `kube-codegen deploy chart`: with its default values, the chart has the objects of the manifests.
use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{deploy::scaffold, files, succeed};

/// Evaluates the templates of a chart. Knows exactly what the charts of kube-codegen use.
struct Renderer {
    values: Value,
    namespace: &'static str,
}

impl Renderer {
    fn look_up(&self, path: &str) -> Value {
        if path == ".Release.Namespace" {
            return json!(self.namespace);
        }
        let path = path
            .strip_prefix(".Values.")
            .unwrap_or_else(|| panic!("{path}"));
        let pointer = format!("/{}", path.replace('.', "/"));
        let value = self.values.pointer(&pointer);
        value
            .unwrap_or_else(|| panic!("the chart has no value {path}"))
            .clone()
    }

    fn expression(&self, text: &str) -> String {
        if text == "\"{{\"" {
            return "{{".to_owned();
        }
        match text.strip_prefix("toJson ") {
            Some(path) => self.look_up(path).to_string(),
            None => self.look_up(text).as_str().unwrap().to_owned(),
        }
    }

    fn render(&self, template: &str) -> String {
        let (mut out, mut conditions) = (String::new(), Vec::new());
        for line in template.lines() {
            if let Some(condition) = line.strip_prefix("{{- if ") {
                let condition = condition.strip_suffix(" }}").unwrap();
                let operands = condition.strip_prefix("and ").unwrap_or(condition);
                let holds = operands
                    .split(' ')
                    .all(|it| self.look_up(it) == json!(true));
                conditions.push(holds);
            } else if line == "{{- end }}" {
                conditions.pop().unwrap();
            } else if conditions.iter().all(|holds| *holds) {
                let mut rest = line;
                while let Some((before, after)) = rest.split_once("{{ ") {
                    let (expression, after) = after.split_once(" }}").unwrap();
                    out.push_str(before);
                    out.push_str(&self.expression(expression));
                    rest = after;
                }
                out.push_str(rest);
                out.push('\n');
            }
        }
        assert!(conditions.is_empty());
        out
    }
}

/// Returns the objects of YAML texts by kind and name, without empty maps and lists, which mean the same as none.
pub(super) fn objects<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeMap<String, Value> {
    let mut objects = BTreeMap::new();
    for text in texts {
        for document in serde_yaml::Deserializer::from_str(text) {
            let mut object = Value::deserialize(document).unwrap();
            if !object.is_null() {
                prune(&mut object);
                let name = format!("{} {}", object["kind"], object["metadata"]["name"]);
                assert!(objects.insert(name, object).is_none());
            }
        }
    }
    objects
}

fn prune(value: &mut Value) {
    let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(prune);
            fields.retain(|_, value| !is_empty(value));
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// Renders the chart of a package; `adjust` changes its values.
fn rendered(
    package: &Path,
    namespace: &'static str,
    adjust: impl Fn(&mut Value),
) -> BTreeMap<String, Value> {
    succeed(package, &["deploy", "chart", "-q"]);
    let chart = files(&package.join("dist/chart"));
    let mut values = serde_yaml::from_str(&chart["values.yaml"]).unwrap();
    adjust(&mut values);
    let renderer = Renderer { values, namespace };
    let templates = chart
        .iter()
        .filter(|(path, _)| path.starts_with("templates/"));
    let texts: Vec<String> = templates.map(|(_, text)| renderer.render(text)).collect();
    objects(texts.iter().map(String::as_str))
}

#[test]
fn the_chart_and_the_manifests_have_the_same_objects() {
    for args in [&[][..], &["--scope=namespace"]] {
        let (_directory, package) = scaffold(args);
        // Braces are text, not a template.
        let crd = package.join("deploy/crd.yaml");
        let text = fs::read_to_string(&crd).unwrap();
        let text = text.replacen("scope: Namespaced", "scope: Namespaced # {{ x }}", 1);
        let text = text.replacen("description: ", "description: \"{{ .Values.x }} {{\" #", 1);
        fs::write(&crd, text).unwrap();
        let files = files(&package.join("deploy"));
        let is_part =
            |path: &str| !["kustomization.yaml", "sample.yaml", "dashboard.json"].contains(&path);
        let manifests = objects(
            files
                .iter()
                .filter(|(path, _)| is_part(path))
                .map(|(_, text)| text.as_str()),
        );
        assert!(manifests.len() > 15, "{manifests:?}");
        let everything = |values: &mut Value| {
            for (_, installed) in values["install"].as_object_mut().unwrap() {
                *installed = json!(true);
            }
            values["namespace"]["create"] = json!(true);
            values["crds"]["keep"] = json!(false);
        };
        assert_eq!(rendered(&package, "test-operator", everything), manifests);

        // By default, those that the kustomization lists.
        let listed: Value = serde_yaml::from_str(&files["kustomization.yaml"]).unwrap();
        let listed = listed["resources"].as_array().unwrap();
        let listed = listed
            .iter()
            .map(|file| files[file.as_str().unwrap()].as_str());
        let mut listed = objects(listed);
        listed.retain(|_, object| object["kind"] != "Namespace");
        let mut default = rendered(&package, "test-operator", |_| ());
        for object in default.values_mut() {
            if object["kind"] == "CustomResourceDefinition" {
                let annotations = object["metadata"]
                    .as_object_mut()
                    .unwrap()
                    .remove("annotations");
                assert_eq!(annotations.unwrap()["helm.sh/resource-policy"], "keep");
            }
        }
        assert_eq!(default, listed);
    }
}

#[test]
fn values_and_the_namespace_of_the_release_reach_the_objects() {
    let (_directory, package) = scaffold(&[]);
    let objects = rendered(&package, "elsewhere", |values| {
        values["image"] = json!("registry/x:v2");
        values["replicas"] = json!(3);
        values["nodeSelector"] = json!({"disk": "ssd"});
        values["install"]["prometheus"] = json!(true);
    });
    let deployment = &objects["\"Deployment\" \"test-operator\""];
    assert_eq!(deployment["metadata"]["namespace"], "elsewhere");
    assert_eq!(deployment["spec"]["replicas"], 3);
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["containers"][0]["image"], "registry/x:v2");
    assert_eq!(pod["nodeSelector"], json!({"disk": "ssd"}));
    let binding = &objects["\"ClusterRoleBinding\" \"test-operator\""];
    assert_eq!(binding["subjects"][0]["namespace"], "elsewhere");
    let monitor = &objects["\"ServiceMonitor\" \"test-operator\""];
    let server = &monitor["spec"]["endpoints"][0]["tlsConfig"]["serverName"];
    assert_eq!(server, "test-operator-metrics.elsewhere.svc");
}
