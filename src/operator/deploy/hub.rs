//! Describes the chart of an operator, for Helm and for Artifact Hub.
use heck::ToTitleCase as _;
use serde_json::{Value, json};

use super::{About, Tree};
use crate::output::yaml;

/// Returns the contents of `Chart.yaml`. Artifact Hub reads lists in annotations as texts in YAML.
pub(super) fn chart(
    tree: &Tree,
    name: &str,
    about: &About,
    samples: &[Value],
    image: &Value,
) -> Value {
    let description = match about.description.as_str() {
        "" => format!("The operator {name}"),
        text => text.to_owned(),
    };
    let mut chart = json!({
        "apiVersion": "v2",
        "name": name,
        "description": description,
        "type": "application",
        "version": about.version,
        "appVersion": about.version,
    });
    if !about.keywords.is_empty() {
        chart["keywords"] = about.keywords.clone().into();
    }
    if !about.repository.is_empty() {
        chart["home"] = about.repository.clone().into();
        chart["sources"] = json!([about.repository]);
    }
    if !about.authors.is_empty() {
        chart["maintainers"] = people(about);
    }
    let mut annotations = json!({
        "artifacthub.io/operator": "true",
        "artifacthub.io/images": yaml::document(&json!([{"name": name, "image": image}])),
    });
    if !about.license.is_empty() {
        annotations["artifacthub.io/license"] = about.license.clone().into();
    }
    let kinds: Vec<_> = tree
        .of("CustomResourceDefinition")
        .flat_map(|crd| {
            let kind = crd.text("/spec/names/kind");
            let served = crd
                .list("/spec/versions")
                .iter()
                .filter(|it| it["served"] == true);
            served.map(move |version| {
                let description = &version["schema"]["openAPIV3Schema"]["description"];
                json!({
                    "kind": kind,
                    "version": version["name"],
                    "name": crd.name(),
                    "displayName": kind.to_title_case(),
                    "description": description.as_str().unwrap_or(kind),
                })
            })
        })
        .collect();
    if !kinds.is_empty() {
        annotations["artifacthub.io/crds"] = yaml::document(&kinds.into()).into();
    }
    if !samples.is_empty() {
        annotations["artifacthub.io/crdsExamples"] = yaml::document(&samples.into()).into();
    }
    chart["annotations"] = annotations;
    chart
}

/// Returns the file that gives a repository of charts its owners in Artifact Hub; it belongs beside `index.yaml`.
pub(super) fn repository(about: &About) -> Value {
    json!({"owners": people(about)})
}

fn people(about: &About) -> Value {
    let people = about.authors.iter();
    people
        .map(|(name, email)| json!({"name": name, "email": email}))
        .collect()
}
