//! Hand-written types in the form of generated ones.
#![allow(unreachable_pub)]
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, MicroTime, ObjectMeta, Time};
use kube_codegen_record::Nullable;
use kube_codegen_record::walk::{Column, ColumnType, Columns};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdKind {
    pub metadata: ObjectMeta,
    pub spec: Option<CrdKindSpec>,
    pub status: Option<CrdKindStatus>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdKindSpec {
    pub any: Option<serde_json::Value>,
    pub choice: Option<String>,
    pub list: Option<Vec<Item>>,
    pub map: Option<BTreeMap<String, Item>>,
    pub maybe: Option<Nullable<String>>,
    pub paused: Option<bool>,
    pub pod: Option<PodTemplateSpec>,
    pub replicas: Option<i64>,
    pub share: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    pub x: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdKindStatus {
    pub beat: Option<MicroTime>,
    pub conditions: Option<Vec<Condition>>,
    pub since: Option<Time>,
    pub when: Option<String>,
    pub rest: BTreeMap<String, serde_json::Value>,
}

kube_codegen_record::records! {
    CrdKind { 0 = "apiVersion": "iksoon.test.com/v1", 1 = "kind": "CrdKind", 2 metadata "metadata", 3 spec "spec", 4 status "status" }
    CrdKindSpec { 0 any "any", 1 choice "choice", 2 list "list", 3 map "map", 4 maybe "maybe", 5 paused "paused", 6 pod "pod", 7 replicas "replicas", 8 share "share" }
    Item { 0 x "x" }
    CrdKindStatus { 0 beat "beat", 1 conditions "conditions", 2 since "since", 3 when "when", .. rest }
}

impl Columns for CrdKind {
    const COLUMNS: &'static [Column] = &[
        Column {
            name: "DBorWAS",
            type_: ColumnType::String,
            format: None,
            json_path: ".spec.choice",
            priority: 0,
            description: Some("Choose Mysql or Tomcat"),
        },
        Column {
            name: "replicas",
            type_: ColumnType::String,
            format: None,
            json_path: ".spec.replicas",
            priority: 1,
            description: None,
        },
        Column {
            name: "Age",
            type_: ColumnType::Date,
            format: None,
            json_path: ".metadata.creationTimestamp",
            priority: 0,
            description: None,
        },
    ];
}

impl Columns for CrdKindStatus {
    const COLUMNS: &'static [Column] = &[];
}
