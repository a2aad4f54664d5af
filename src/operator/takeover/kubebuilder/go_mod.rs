//! The version of Kubernetes in `go.mod`, whose types controller-gen wrote into the CRDs.
use crate::base::options::Kubernetes;

/// The name of the file.
pub(super) const FILE: &str = "go.mod";

/// Modules of Kubernetes, whose minor version is that of Kubernetes.
const MODULES: [&str; 3] = ["k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go"];

/// Returns the version that a module of Kubernetes has here, as it is written, and the version of the crate: the newest that is not newer, or else the
/// oldest there is.
pub(super) fn kubernetes(text: &str) -> Option<(String, Kubernetes)> {
    MODULES.iter().find_map(|module| version(text, module))
}

fn version(text: &str, module: &str) -> Option<(String, Kubernetes)> {
    let mut found = None;
    let mut block = "";
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if let Some(opened) = line.trim_end().strip_suffix('(') {
            block = opened.trim();
            continue;
        }
        if words.first() == Some(&")") {
            block = "";
        }
        let directive = match words.first() {
            Some(&first @ ("exclude" | "replace" | "require" | "retract")) => {
                words.remove(0);
                first
            }
            _ => block,
        };
        // `replace` comes after `require`, and wins: `k8s.io/api => k8s.io/api v0.36.0`. That by another module says nothing.
        let given = match (directive, &words[..]) {
            ("require", [it, version, ..]) if *it == module => Some(*version),
            ("replace", [it, .., "=>", by, version]) if *it == module && *by == module => {
                Some(*version)
            }
            _ => None,
        };
        found = given.or(found);
    }
    let given = found?;
    let minor: u32 = given.strip_prefix("v0.")?.split('.').next()?.parse().ok()?;
    let is_older = |it: &Kubernetes| {
        let number = it.as_str().strip_prefix("1.");
        number.and_then(|it| it.parse::<u32>().ok()) <= Some(minor)
    };
    let newest = Kubernetes::ALL.into_iter().rfind(is_older);
    Some((
        format!("{module} {given}"),
        newest.unwrap_or(Kubernetes::ALL[0]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Kubernetes> {
        kubernetes(text).map(|(_, it)| it)
    }

    #[test]
    fn the_version_is_that_of_a_module_of_kubernetes() {
        let text = "module a\n\nrequire (\n\tk8s.io/apiextensions-apiserver v0.37.0\n\tk8s.io/api v0.36.2 // indirect\n)\n";
        assert_eq!(
            kubernetes(text),
            Some(("k8s.io/api v0.36.2".to_owned(), Kubernetes::V1_36))
        );
        assert_eq!(
            of("require k8s.io/client-go v0.34.0\n"),
            Some(Kubernetes::V1_34)
        );
    }

    #[test]
    fn a_replacement_wins_with_its_version() {
        let text = "require k8s.io/api v0.36.0\nreplace k8s.io/api => k8s.io/api v0.35.1\n";
        assert_eq!(of(text), Some(Kubernetes::V1_35));
        for other in [
            "replace k8s.io/api => ../api",
            "replace k8s.io/api => example.com/fork v0.1.0",
            "exclude k8s.io/api v0.37.0",
        ] {
            let text = format!("require k8s.io/api v0.36.0\n{other}\n");
            assert_eq!(of(&text), Some(Kubernetes::V1_36), "{other}");
        }
        let text = "require k8s.io/api v0.36.0\nreplace (\n\tk8s.io/api v0.36.0 => k8s.io/api v0.35.1\n)\n";
        assert_eq!(of(text), Some(Kubernetes::V1_35));
    }

    #[test]
    fn unknown_versions_have_the_nearest() {
        assert_eq!(of("require k8s.io/api v0.20.0\n"), Some(Kubernetes::ALL[0]));
        let newest = Kubernetes::ALL.last().copied();
        assert_eq!(of("require k8s.io/api v0.99.0\n"), newest);
        assert_eq!(of("require k8s.io/api latest\n"), None);
        assert_eq!(of("module a\n"), None);
    }
}
