//! Hand-written types in the form of generated ones.
#![allow(unreachable_pub)]
use std::collections::BTreeMap;

use k8s_openapi::{
    ByteString,
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{Condition, LabelSelector, MicroTime, ObjectMeta, Time},
        util::intstr::IntOrString,
    },
};
use kube_codegen_record::{Nullable, Number};

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
        "apiVersion": "example.com/v1",
        "kind": "Shop",
        metadata,
        spec,
        status,
    }
    ShopSpec {
        big,
        blob,
        cert,
        containers,
        cpu,
        hook,
        limits,
        maybe,
        must,
        name,
        open,
        policy,
        port,
        ratio,
        replicas,
        selector,
        since,
        tags,
        tick,
        total,
        weight,
        wide,
    }
    Hook { retries, url }
    Container { image, ports }
    Port { port }
    ShopStatus { conditions, phase, .. rest }
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
