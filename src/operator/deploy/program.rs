//! Finds the operator in its manifests: its Deployment among several, and its container beside sidecars.
//!
//! An operator is recognized by what its author wrote down, not by its position: first by the annotation that names the default
//! container, then by names, by images, and last by the flags of our runtime and of controller-runtime. The first of these rules that
//! exactly one container satisfies decides. A guess would put the operator's image into a proxy, so an open question is an error.
use serde_json::Value;

use super::{Manifest, Tree, flags::flag};

/// The annotation by which `kubectl logs` chooses a container, too.
pub(super) const ANNOTATION: &str = "kubectl.kubernetes.io/default-container";

/// What scaffolds call the container of an operator: ours, and those of kubebuilder and the Operator SDK.
const NAMES: [&str; 2] = ["operator", "manager"];

/// Flags that only an operator has.
const FLAGS: [&str; 4] = [
    "--leader-elect",
    "--health-probe-bind-address",
    "--metrics-bind-address",
    "--webhook-port",
];

/// The operator among the manifests.
pub(super) struct Program<'a> {
    /// Its Deployment.
    pub(super) deployment: &'a Manifest,
    /// The number of its container.
    pub(super) index: usize,
}

impl<'a> Program<'a> {
    /// Finds the operator of a package; `image` is the one that it will have.
    ///
    /// # Errors
    /// If there is none, or if several could be it.
    pub(super) fn of(tree: &'a Tree, package: &str, image: Option<&str>) -> Result<Self, String> {
        let all: Vec<&Manifest> = tree.of("Deployment").collect();
        let found = match all.as_slice() {
            [] => return Err("the directory has no Deployment".to_owned()),
            [one] => {
                let index = container(one, package, image)?;
                return Ok(Self {
                    deployment: one,
                    index,
                });
            }
            several => several.iter().filter_map(|deployment| {
                let index = container(deployment, package, image).ok()?;
                Some(Self { deployment, index })
            }),
        };
        let found: Vec<Self> = found.collect();
        let has_flag = |it: &&Self| {
            FLAGS
                .iter()
                .any(|name| flag(it.container(), name).is_some())
        };
        let of_package = |it: &&Self| it.deployment.name() == package;
        let chosen =
            only(found.iter().filter(of_package)).or_else(|| only(found.iter().filter(has_flag)));
        let chosen = chosen.or_else(|| only(found.iter()));
        let names = || {
            all.iter()
                .map(|it| it.name())
                .collect::<Vec<_>>()
                .join("`, `")
        };
        let chosen = chosen.ok_or_else(|| {
            format!(
                "the operator is one of the Deployments `{}`; give its Deployment the name of the package, `{package}`",
                names().escape_debug()
            )
        })?;
        Ok(Self { ..*chosen })
    }

    /// The container of the operator.
    pub(super) fn container(&self) -> &'a Value {
        &containers(self.deployment)[self.index]
    }

    /// Where its container is in the Deployment.
    pub(super) fn pointer(&self) -> String {
        format!("/spec/template/spec/containers/{}", self.index)
    }
}

fn containers(deployment: &Manifest) -> &[Value] {
    deployment.list("/spec/template/spec/containers")
}

type Rule<'a> = Box<dyn Fn(&Value) -> bool + 'a>;

/// Returns the number of the operator's container.
fn container(deployment: &Manifest, package: &str, image: Option<&str>) -> Result<usize, String> {
    let name = deployment.name();
    let escaped = name.escape_debug();
    let containers = containers(deployment);
    let is_valid = |it: &Value| it["name"].is_string();
    if containers.is_empty() || !containers.iter().all(is_valid) {
        return Err(format!(
            "the Deployment `{escaped}` has no list of containers with names"
        ));
    }
    let position = |rule: &dyn Fn(&Value) -> bool| {
        only((0..containers.len()).filter(|index| rule(&containers[*index])))
    };
    let annotations = deployment.get("/spec/template/metadata/annotations");
    if let Some(wanted) = annotations[ANNOTATION].as_str() {
        return position(&|it| it["name"] == wanted).ok_or_else(|| {
            let wanted = wanted.escape_debug();
            format!("the Deployment `{escaped}` has no container `{wanted}`, which its annotation {ANNOTATION} names")
        });
    }
    let mut rules: Vec<Rule<'_>> = Vec::new();
    for wanted in [name, package].into_iter().chain(NAMES) {
        rules.push(Box::new(move |it| it["name"] == wanted));
    }
    if let Some(image) = image {
        rules.push(Box::new(move |it| repository(it) == of_image(image)));
    }
    for wanted in [package, name] {
        rules.push(Box::new(move |it| {
            repository(it).rsplit('/').next() == Some(wanted)
        }));
    }
    rules.push(Box::new(|it| {
        FLAGS.iter().any(|name| flag(it, name).is_some())
    }));
    rules.push(Box::new(|_| true));
    rules.iter().find_map(|rule| position(rule)).ok_or_else(|| {
        let names: Vec<_> = containers.iter().filter_map(|it| it["name"].as_str()).collect();
        format!(
            "the operator is one of the containers `{}` of the Deployment `{escaped}`; call it `{}`, or name it in the annotation {ANNOTATION} of the Pod template",
            names.join("`, `").escape_debug(),
            NAMES[0],
        )
    })
}

/// The only item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

fn repository(container: &Value) -> &str {
    of_image(container["image"].as_str().unwrap_or_default())
}

/// The image without its tag and its digest; the port of a registry is neither.
fn of_image(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    match image.rsplit_once(':') {
        Some((before, tag)) if !tag.contains('/') => before,
        _ => image,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ANNOTATION, of_image};
    use crate::{
        base::source::SourceId,
        operator::deploy::{Manifest, Tree, program::Program},
    };

    fn deployment(name: &str, annotations: &Value, containers: &Value) -> Manifest {
        Manifest {
            source: SourceId(0),
            document: 0,
            pointer: String::new(),
            value: json!({"kind": "Deployment", "metadata": {"name": name}, "spec": {"template": {
                "metadata": {"annotations": annotations},
                "spec": {"containers": containers},
            }}}),
        }
    }

    fn found(manifests: Vec<Manifest>, image: Option<&str>) -> Result<(String, usize), String> {
        let tree = Tree {
            manifests,
            ..Tree::default()
        };
        let program = Program::of(&tree, "web", image)?;
        Ok((program.deployment.name().to_owned(), program.index))
    }

    #[test]
    fn the_container_is_found_beside_sidecars() {
        let none = json!({});
        let sidecar = json!({"name": "proxy", "image": "quay.io/proxy:v1"});
        for (annotations, containers, image, expected) in [
            (&none, json!([sidecar]), None, 0),
            (
                &none,
                json!([sidecar, {"name": "operator", "image": "x"}]),
                None,
                1,
            ),
            (
                &none,
                json!([sidecar, {"name": "manager", "image": "x"}]),
                None,
                1,
            ),
            (
                &none,
                json!([sidecar, {"name": "web", "image": "x"}]),
                None,
                1,
            ),
            (
                &none,
                json!([sidecar, {"name": "m", "image": "localhost:5000/a/web:v1"}]),
                None,
                1,
            ),
            (
                &none,
                json!([sidecar, {"name": "m", "image": "r/x@sha256:1"}]),
                Some("r/x:v2"),
                1,
            ),
            (
                &none,
                json!([sidecar, {"name": "m", "image": "x", "args": ["--leader-elect"]}]),
                None,
                1,
            ),
            (
                &json!({ANNOTATION: "m"}),
                json!([{"name": "operator"}, {"name": "m"}]),
                None,
                1,
            ),
        ] {
            let deployment = deployment("web", annotations, &containers);
            assert_eq!(
                found(vec![deployment], image),
                Ok(("web".to_owned(), expected)),
                "{containers}"
            );
        }
        for (annotations, containers, message) in [
            (&none, json!([]), "has no list of containers"),
            (&none, json!(["web"]), "has no list of containers"),
            (&none, json!("web"), "has no list of containers"),
            (
                &none,
                json!([{"name": "a"}, {"name": "b"}]),
                "one of the containers `a`, `b`",
            ),
            (
                &json!({ANNOTATION: "c"}),
                json!([{"name": "a"}]),
                "has no container `c`",
            ),
        ] {
            let deployment = deployment("web", annotations, &containers);
            let error = found(vec![deployment], None).unwrap_err();
            assert!(error.contains(message), "{containers}: {error}");
        }
    }

    #[test]
    fn the_deployment_is_found_beside_others() {
        let none = json!({});
        let of =
            |name, args: &Value| deployment(name, &none, &json!([{"name": "a", "args": args}]));
        let flags = json!(["--leader-elect"]);
        let both = |first, second| found(vec![first, second], None);
        assert_eq!(
            both(of("cache", &none), of("web", &none)),
            Ok(("web".to_owned(), 0))
        );
        assert_eq!(
            both(of("cache", &none), of("x", &flags)),
            Ok(("x".to_owned(), 0))
        );
        let error = both(of("cache", &none), of("x", &none)).unwrap_err();
        assert!(
            error.contains("one of the Deployments `cache`, `x`"),
            "{error}"
        );
        assert!(
            found(Vec::new(), None)
                .unwrap_err()
                .contains("no Deployment")
        );
    }

    #[test]
    fn an_image_has_a_repository() {
        for (image, expected) in [
            ("web", "web"),
            ("web:v1", "web"),
            ("r.example:5000/web", "r.example:5000/web"),
            ("r.example:5000/web:v1@sha256:0", "r.example:5000/web"),
        ] {
            assert_eq!(of_image(image), expected);
        }
    }
}
