//! Hand-written types in the form of generated ones.
#![allow(unreachable_pub)]
use std::collections::BTreeMap;

use k8s_openapi::{
    api::core::v1::PodTemplateSpec,
    apimachinery::pkg::apis::meta::v1::{Condition, MicroTime, ObjectMeta, Time},
};
use kube_codegen_record::{
    Nullable,
    walk::{Column, ColumnType, Columns},
};

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
    CrdKind { "apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", metadata, spec, status }
    CrdKindSpec { any, choice, list, map, maybe, paused, pod, replicas, share }
    Item { x }
    CrdKindStatus { beat, conditions, since, when, .. rest }
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
