//! The objects of the comparison: as type, as kube-codegen generates it, and as JSON, as an API server sends it.
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use k8s_openapi::{
    NamespaceResourceScope,
    apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta},
};

/// The annotation with the time at which the server sent the object, in nanoseconds since 1970.
const SENT: &str = "bench.example.com/sent";

/// Number of namespaces among which the objects are distributed.
const NAMESPACES: usize = 50;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Widget {
    pub metadata: ObjectMeta,
    pub spec: WidgetSpec,
    pub status: Option<WidgetStatus>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct WidgetSpec {
    pub image: Option<String>,
    pub node_selector: Option<BTreeMap<String, String>>,
    pub replicas: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct WidgetStatus {
    pub conditions: Option<Vec<Condition>>,
    pub ready_replicas: Option<i64>,
}

kube_codegen_record::records! {
    Widget {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        metadata unless_blank,
        spec,
        status,
    }
    WidgetSpec {
        image,
        node_selector = "nodeSelector",
        replicas,
    }
    WidgetStatus {
        conditions,
        ready_replicas = "readyReplicas",
    }
}

impl k8s_openapi::Resource for Widget {
    const API_VERSION: &'static str = "example.com/v1";
    const GROUP: &'static str = "example.com";
    const KIND: &'static str = "Widget";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "widgets";
    type Scope = NamespaceResourceScope;
}

impl k8s_openapi::Metadata for Widget {
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Returns the time since 1970 in nanoseconds.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// Returns the time at which the server sent an object; zero in the initial list.
pub fn sent(meta: &ObjectMeta) -> u64 {
    let annotations = meta.annotations.as_ref();
    let sent = annotations.and_then(|all| all.get(SENT));
    sent.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Returns namespace and name of one object.
pub fn key(index: usize) -> (String, String) {
    (
        format!("team-{:02}", index % NAMESPACES),
        format!("widget-{index:06}"),
    )
}

/// Appends one object as JSON: 1.8 kB, 1,036 B without `managedFields`. With `metadata_only`, as `PartialObjectMetadata`.
pub fn write_json(out: &mut String, metadata_only: bool, index: usize, version: u64, sent: u64) {
    let (namespace, name) = key(index);
    // Digits as random as those of real uids, which decides how well objects compress.
    let random = fastrand::Rng::with_seed(index as u64 + 1).u128(..);
    let digits = format!("{random:032x}");
    let uid = format!(
        "{}-{}-4{}-8{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[12..15],
        &digits[15..18],
        &digits[18..30]
    );
    let (zone, tier, minute) = (index % 3, index % 5, index % 60);
    let replicas = index % 7;
    let (api_version, kind) = if metadata_only {
        ("meta.k8s.io/v1", "PartialObjectMetadata")
    } else {
        ("example.com/v1", "Widget")
    };
    let _ = write!(
        out,
        r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"annotations":{{"{SENT}":"{sent:019}","example.com/last-deployed-by":"pipeline-{tier} of the team that owns this widget, after the review of the change and of its tests, in stage {tier} of five"}},"creationTimestamp":"2026-03-01T10:{minute:02}:00Z","finalizers":["widgets.example.com/cleanup"],"generation":3,"labels":{{"app.kubernetes.io/instance":"{name}","app.kubernetes.io/managed-by":"widget-operator","app.kubernetes.io/name":"widget","example.com/tier":"tier-{tier}"}},"managedFields":[{MANAGED_FIELDS}],"name":"{name}","namespace":"{namespace}","resourceVersion":"{version}","uid":"{uid}"}}"#,
    );
    if metadata_only {
        return out.push('}');
    }
    let _ = write!(
        out,
        r#","spec":{{"image":"registry.example.com/widgets/server:v1.{minute}.{tier}","nodeSelector":{{"kubernetes.io/os":"linux","topology.kubernetes.io/zone":"zone-{zone}"}},"replicas":{replicas}}},"status":{{"conditions":[{{"lastTransitionTime":"2026-03-01T10:{minute:02}:07Z","message":"{replicas} of {replicas} replicas are ready","observedGeneration":3,"reason":"MinimumReplicasAvailable","status":"True","type":"Available"}}],"readyReplicas":{replicas}}}}}"#,
    );
}

const MANAGED_FIELDS: &str = r#"{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:example.com/last-deployed-by":{}},"f:finalizers":{".":{},"v:\"widgets.example.com/cleanup\"":{}},"f:labels":{".":{},"f:app.kubernetes.io/instance":{},"f:app.kubernetes.io/name":{}}},"f:spec":{"f:image":{},"f:nodeSelector":{},"f:replicas":{}}},"manager":"kubectl-client-side-apply","operation":"Update","time":"2026-03-01T10:00:00Z"},{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{".":{},"f:conditions":{".":{},"k:{\"type\":\"Available\"}":{".":{},"f:status":{}}},"f:readyReplicas":{}}},"manager":"widget-operator","operation":"Update","subresource":"status","time":"2026-03-01T10:00:07Z"}"#;
