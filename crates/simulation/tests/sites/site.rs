//! The kind of the tests, and its CRD.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use kube::Resource;
use kube_codegen_simulation::Workload;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A web site: a Deployment, a `ConfigMap` for each colour, and an account elsewhere.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Site {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: SiteSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<SiteStatus>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct SiteSpec {
    pub(crate) replicas: i32,
    pub(crate) text: String,
    pub(crate) color: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SiteStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) observed_generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reconciles: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) conditions: Vec<Condition>,
}

impl Resource for Site {
    type DynamicType = ();
    type Scope = k8s_openapi::NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Site".into()
    }
    fn group((): &()) -> Cow<'_, str> {
        "example.com".into()
    }
    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }
    fn plural((): &()) -> Cow<'_, str> {
        "sites".into()
    }
    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

pub(crate) fn crd() -> Value {
    let preserved = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "sites.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Site", "plural": "sites", "singular": "site", "listKind": "SiteList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {
                "type": "object", "required": ["spec"], "properties": {
                    "spec": {"type": "object", "required": ["replicas", "text", "color"], "properties": {
                        "replicas": {"type": "integer", "minimum": 1, "maximum": 5},
                        "text": {"type": "string"},
                        "color": {"type": "string", "enum": ["red", "blue"]},
                    }},
                    "status": preserved,
                },
            }}}],
        },
    })
}

/// Returns a workload of one site: it is created and deleted.
pub(crate) fn one() -> Workload {
    let sites = "/apis/example.com/v1/namespaces/default/sites";
    let site = json!({
        "apiVersion": "example.com/v1", "kind": "Site", "metadata": {"name": "a", "namespace": "default"},
        "spec": {"replicas": 1, "text": "one", "color": "red"},
    });
    Workload::new("one site")
        .create(sites, site)
        .phase("delete")
        .delete(&format!("{sites}/a"))
        .leaves_nothing()
}
