//! Ready-made changes of an object before it is stored.
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Drops `metadata.managedFields`, which take about as much memory as all the rest of a small object and which few controllers read.
pub fn strip_managed_fields(meta: &mut ObjectMeta) {
    meta.managed_fields = None;
}
