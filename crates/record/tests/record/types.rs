//! Hand-written types in the form of generated ones.
#![allow(unreachable_pub)]
use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, LabelSelector, MicroTime, ObjectMeta, Time,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube_codegen_record::{Nullable, Number};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shop {
    pub metadata: ObjectMeta,
    pub spec: Option<ShopSpec>,
    pub status: Option<Box<ShopStatus>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShopSpec {
    pub big: Option<u64>,
    pub blob: Option<serde_json::Value>,
    pub cert: Option<ByteString>,
    pub containers: Option<Vec<Container>>,
    pub cpu: Option<Quantity>,
    pub hook: Hook,
    pub limits: Option<BTreeMap<String, Container>>,
    pub maybe: Option<Nullable<String>>,
    pub must: Option<Nullable<Container>>,
    pub name: String,
    pub open: bool,
    pub policy: Option<Policy>,
    pub port: Option<IntOrString>,
    pub ratio: Option<f32>,
    pub replicas: Option<i32>,
    pub selector: Option<LabelSelector>,
    pub since: Option<Time>,
    pub tags: Option<Vec<Nullable<String>>>,
    pub tick: Option<MicroTime>,
    pub total: Option<i64>,
    pub weight: Option<Number>,
    pub wide: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hook {
    pub url: Option<String>,
    pub retries: u8,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Container {
    pub image: Option<String>,
    pub ports: Option<Vec<Port>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Port {
    pub port: i32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShopStatus {
    pub conditions: Vec<Condition>,
    pub phase: Policy,
    pub rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Policy {
    Always,
    Never,
    Other(String),
}

kube_codegen_record::records! {
    Shop {
        0 = "apiVersion": "example.com/v1",
        1 = "kind": "Shop",
        2 metadata "metadata",
        3 spec "spec",
        4 status "status",
    }
    ShopSpec {
        0 big "big",
        1 blob "blob",
        2 cert "cert",
        3 containers "containers",
        4 cpu "cpu",
        5 hook "hook",
        6 limits "limits",
        7 maybe "maybe",
        8 must "must",
        9 name "name",
        10 open "open",
        11 policy "policy",
        12 port "port",
        13 ratio "ratio",
        14 replicas "replicas",
        15 selector "selector",
        16 since "since",
        17 tags "tags",
        18 tick "tick",
        19 total "total",
        20 weight "weight",
        21 wide "wide",
    }
    Hook { 0 retries "retries", 1 url "url" }
    Container { 0 image "image", 1 ports "ports" }
    Port { 0 port "port" }
    ShopStatus { 0 conditions "conditions", 1 phase "phase", .. rest }
}

kube_codegen_record::text_enums! {
    Policy { Always = "Always", Never = "Never", .. Other }
}

impl Default for ShopStatus {
    fn default() -> Self {
        Self {
            conditions: Vec::new(),
            phase: Policy::Always,
            rest: BTreeMap::new(),
        }
    }
}
