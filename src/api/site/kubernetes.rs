//! Links to the reference of Kubernetes' own types.
use crate::base::options::Kubernetes;

/// The metadata of an object, by its path in k8s-openapi.
pub(super) const OBJECT_META: &str = "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta";

/// Returns the name of a type, by its path in k8s-openapi.
pub(super) fn name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Returns the address of a type in Kubernetes' documentation, by its path in k8s-openapi.
pub(super) fn link(path: &str) -> Option<String> {
    let mut parts = path.rsplit("::");
    let (name, version, group) = (parts.next()?, parts.next()?, parts.next()?);
    let is_version =
        version.starts_with('v') && version[1..].starts_with(|c: char| c.is_ascii_digit());
    let newest = Kubernetes::ALL.last()?.to_string();
    let at = format!("{name}-{version}-{group}").to_lowercase();
    is_version.then(|| {
        format!("https://kubernetes.io/docs/reference/generated/kubernetes-api/v{newest}/#{at}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_group_have_a_link() {
        let container = link("k8s_openapi::api::core::v1::Container").unwrap();
        assert!(container.ends_with("/#container-v1-core"), "{container}");
        assert!(link(OBJECT_META).unwrap().ends_with("/#objectmeta-v1-meta"));
        assert_eq!(
            link("k8s_openapi::apimachinery::pkg::api::resource::Quantity"),
            None
        );
    }
}
