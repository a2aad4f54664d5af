//! The `ClusterServiceVersion`, by which OLM describes, installs and updates an operator.
use std::collections::BTreeSet;

use heck::ToTitleCase as _;
use serde_json::{Value, json};

use super::{Settings, descriptors, webhooks};
use crate::operator::deploy::{Manifest, Tree, flags, program::Program};

/// Where OLM mounts the certificate of webhooks.
const CERTIFICATES: &str = "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs";
const CERTIFICATE_FLAG: &str = "--webhook-cert-path";

const BINDINGS: [&str; 2] = ["RoleBinding", "ClusterRoleBinding"];

/// Returns the object. `deployments` are those to install, the operator's among them.
pub(super) fn service_version(
    tree: &Tree,
    program: &Program<'_>,
    deployments: &[&Manifest],
    settings: &Settings,
) -> Result<Value, String> {
    let deployment = program.deployment;
    let name = deployment.name();
    let about = &settings.about;
    let display = name.to_title_case();
    let description = match about.description.as_str() {
        "" => format!("The operator {name}"),
        text => text.to_owned(),
    };
    let owned: Vec<_> = tree
        .of("CustomResourceDefinition")
        .flat_map(descriptors::descriptions)
        .collect();
    let webhooks = webhooks::definitions(tree, name);
    let installed = installed(program, settings, !webhooks.is_empty());
    let image = installed.pointer(&format!("{}/image", program.pointer()));
    let image = image.cloned();
    let modes = modes(tree, program)?;
    let install = install(tree, deployments, deployment, &installed);
    let first_author = about.authors.first().map(|(name, _)| name.as_str());
    let provider = settings
        .provider
        .as_deref()
        .or(first_author)
        .unwrap_or(name);
    let examples =
        serde_json::to_string_pretty(&settings.samples).map_err(|error| error.to_string())?;
    let mut version = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": format!("{name}.v{}", about.version),
            "annotations": {
                "alm-examples": examples,
                "capabilities": "Basic Install",
                "containerImage": image,
                "description": description,
                "operatorframework.io/suggested-namespace": tree.namespace(deployment),
            },
            "labels": {
                "operatorframework.io/arch.amd64": "supported",
                "operatorframework.io/arch.arm64": "supported",
                "operatorframework.io/os.linux": "supported",
            },
        },
        "spec": {
            "displayName": display,
            "description": description,
            "version": about.version,
            "maturity": "alpha",
            "minKubeVersion": settings.minimum,
            "provider": {"name": provider},
            "installModes": modes,
            "install": {"strategy": "deployment", "spec": install},
            "customresourcedefinitions": {"owned": owned},
        },
    });
    let annotations = &mut version["metadata"]["annotations"];
    if !about.repository.is_empty() {
        annotations["repository"] = about.repository.clone().into();
    }
    if let Some(range) = &settings.skip_range {
        annotations["olm.skipRange"] = range.clone().into();
    }
    let spec = &mut version["spec"];
    if !webhooks.is_empty() {
        spec["webhookdefinitions"] = webhooks.into();
    }
    if !about.keywords.is_empty() {
        spec["keywords"] = about.keywords.clone().into();
    }
    if !about.repository.is_empty() {
        spec["links"] = json!([{"name": "Source code", "url": about.repository}]);
        spec["provider"]["url"] = about.repository.clone().into();
    }
    let maintainers = about
        .authors
        .iter()
        .map(|(name, email)| json!({"name": name, "email": email}));
    let maintainers: Vec<_> = maintainers.collect();
    if !maintainers.is_empty() {
        spec["maintainers"] = maintainers.into();
    }
    if let Some((media, data)) = &settings.icon {
        spec["icon"] = json!([{"mediatype": media, "base64data": data}]);
    }
    if let Some(replaces) = &settings.replaces {
        spec["replaces"] = replaces.clone().into();
    }
    Ok(version)
}

/// Returns all Deployments, with the permissions of their accounts.
fn install(tree: &Tree, deployments: &[&Manifest], operator: &Manifest, own: &Value) -> Value {
    let all = deployments.iter().map(|it| {
        if std::ptr::eq(*it, operator) {
            own.clone()
        } else {
            entry(it, it.get("/spec"))
        }
    });
    let all: Vec<Value> = all.collect();
    let permissions = |kind: &str| {
        let mut seen = BTreeSet::new();
        let accounts = deployments.iter().filter(|it| seen.insert(it.account()));
        let all = accounts.filter_map(|it| {
            let rules = granted(tree, it, kind);
            (!rules.is_empty()).then(|| json!({"serviceAccountName": it.account(), "rules": rules}))
        });
        all.collect::<Vec<_>>()
    };
    json!({
        "deployments": all,
        "permissions": permissions("RoleBinding"),
        "clusterPermissions": permissions("ClusterRoleBinding"),
    })
}

/// Returns the Deployment as OLM installs it.
fn installed(program: &Program<'_>, settings: &Settings, has_webhooks: bool) -> Value {
    let deployment = program.deployment;
    let mut spec = deployment.get("/spec").clone();
    let container = &mut spec["template"]["spec"]["containers"][program.index];
    if let Some(image) = &settings.image {
        container["image"] = image.clone().into();
    }
    if has_webhooks && flags::flag(container, CERTIFICATE_FLAG).is_none() {
        let args = container["args"].as_array().cloned().unwrap_or_default();
        container["args"] = args.into_iter().chain([CERTIFICATES.into()]).collect();
    }
    entry(deployment, &spec)
}

fn entry(deployment: &Manifest, spec: &Value) -> Value {
    json!({"name": deployment.name(), "label": deployment.get("/metadata/labels"), "spec": spec})
}

/// Returns which namespaces the operator may watch.
fn modes(tree: &Tree, program: &Program<'_>) -> Result<Value, String> {
    let is_namespaced = flags::flag(program.container(), "--namespace").is_some();
    if is_namespaced && webhooks::converted(tree).next().is_some() {
        return Err("the operator watches its own namespace (--namespace), but OLM installs a conversion webhook only for all namespaces: create it without `--scope namespace`".to_owned());
    }
    let mode = |name: &str, is_supported: bool| json!({"type": name, "supported": is_supported});
    Ok(json!([
        mode("OwnNamespace", is_namespaced),
        mode("SingleNamespace", false),
        mode("MultiNamespace", false),
        mode("AllNamespaces", !is_namespaced),
    ]))
}

/// Returns whether a binding is to the account of a Deployment.
pub(super) fn binds_account(tree: &Tree, binding: &Manifest, deployment: &Manifest) -> bool {
    let own = deployment.text("/metadata/namespace");
    let namespaces = ["", own, tree.namespace(deployment)];
    binding.list("/subjects").iter().any(|it| {
        let namespace = it["namespace"].as_str().unwrap_or_default();
        it["kind"] == "ServiceAccount"
            && it["name"] == deployment.account()
            && namespaces.contains(&namespace)
    })
}

/// Returns the roles that bindings of a kind give to the account of a Deployment.
fn roles<'a>(
    tree: &'a Tree,
    deployment: &'a Manifest,
    kind: &'a str,
) -> impl Iterator<Item = &'a Manifest> {
    let bindings = tree.of(kind);
    let bindings = bindings.filter(move |it| binds_account(tree, it, deployment));
    bindings.flat_map(move |binding| {
        let roles = tree.of(binding.text("/roleRef/kind"));
        roles.filter(move |role| tree.binds(binding, role))
    })
}

fn granted(tree: &Tree, deployment: &Manifest, kind: &str) -> Vec<Value> {
    roles(tree, deployment, kind)
        .flat_map(|it| it.list("/rules"))
        .cloned()
        .collect()
}

/// Returns whether the account of a Deployment has permissions.
pub(super) fn has_rules(tree: &Tree, deployment: &Manifest) -> bool {
    let mut all = BINDINGS.iter();
    all.any(|kind| !granted(tree, deployment, kind).is_empty())
}

/// Returns whether a role is one of those of a Deployment.
pub(super) fn is_granted(tree: &Tree, role: &Manifest, deployment: &Manifest) -> bool {
    let mut all = BINDINGS
        .iter()
        .flat_map(|kind| roles(tree, deployment, kind));
    all.any(|it| std::ptr::eq(it, role))
}
