//! Renders the crate of an operator: all its files except the generated modules.
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

use kube_codegen_schema::Extent;
use minijinja::{Value, context};

use super::{
    DeployScope, Feature, Package, Parameters,
    controlled::{Controlled, Owned, check_scope, controlled_kinds},
    no_kind,
    templates::{self, Origin, Templates, webhooks_module},
};
use crate::{
    base::options::Kubernetes,
    model::ir::{Model, Scope},
    output::render::File,
};

/// The directory of the generated modules in the crate.
pub(crate) const GENERATED: &str = "src/generated";

/// The file with the CRDs in the crate.
pub(crate) const DEFINITIONS: &str = "deploy/crd.yaml";

/// The page of a crate that takes over a running operator: what is left to do, and the commands of the change.
pub(crate) const TAKEOVER: &str = "TAKEOVER.md";

/// The options of `kube-codegen generate` in the crate.
pub(crate) const CONFIG: &str = "kube-codegen.toml";

/// The program of the crate.
pub(crate) const PROGRAM: &str = "src/main.rs";

/// A sample of each kind of a CRD.
pub(crate) const SAMPLE: &str = "deploy/sample.yaml";

/// An operator to create or to update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator<'a> {
    /// What it is made from.
    pub(crate) parameters: &'a Parameters,
    /// The kinds of CRDs.
    pub(crate) model: &'a Model,
    /// The files of the generated modules, whose decisions the webhooks take.
    pub(crate) generated: &'a [File],
}

/// The rendered files of an operator.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// All files except the CRDs and the generated modules.
    pub(crate) files: Vec<File>,
    /// The parameters, with the modules of all controllers.
    pub(crate) parameters: Parameters,
}

impl Operator<'_> {
    /// Renders the files. A template in the directory `overrides` replaces the built-in one of the same name.
    ///
    /// # Errors
    /// If there is no kind, the kinds do not fit together, or a template is invalid.
    pub(crate) fn render(&self, overrides: Option<&Path>) -> Result<Rendered, String> {
        let name = self.parameters.name.parse()?;
        let package = Package {
            name: &name,
            model: self.model,
            kubernetes: self.parameters.kubernetes()?,
            location: &self.parameters.location,
        };
        let kinds = controlled_kinds(self.model, self.parameters, self.generated)?;
        if kinds.is_empty() {
            return Err(no_kind());
        }
        check_scope(self.parameters.scope, &kinds)?;
        let mut variables = self.variables(&package, &kinds);
        let templates = Templates::new(templates::OPERATOR, overrides)?;
        let mut files = Vec::new();
        for template in templates::OPERATOR {
            match template.origin() {
                None if template.path == CONFIG && !self.has_crds() => {}
                None if template.feature.is_some_and(|it| !self.has(it)) => {}
                _ if template.is_of_webhooks() && self.parameters.webhooks.is_empty() => {}
                None => {
                    let path = template.path.to_owned();
                    files.push(templates.render(template, path, &variables)?);
                }
                Some(origin) => {
                    for (controller, kind) in kinds.iter().filter(|(_, kind)| kind.origin == origin)
                    {
                        if template.is_of_webhooks() && kind.webhooks.is_empty() {
                            continue;
                        }
                        variables.insert("kind", kind.variables.clone());
                        let path = template.path_for(origin, controller);
                        files.push(templates.render(template, path, &variables)?);
                    }
                }
            }
        }
        if self.has_crds() {
            let path = SAMPLE.to_owned();
            let text = self.samples()?.into();
            files.push(File { path, text });
        }
        let mut parameters = self.parameters.clone();
        parameters.controllers = kinds
            .into_iter()
            .map(|(controller, kind)| (kind.id, controller))
            .collect();
        Ok(Rendered { files, parameters })
    }

    /// Returns a sample of each kind of a CRD, in its storage version.
    fn samples(&self) -> Result<String, String> {
        let mut seen = BTreeSet::new();
        let mut documents = Vec::new();
        for kind in &self.model.kinds {
            if !seen.insert((&kind.group, &kind.plural)) {
                continue;
            }
            let crd = kind.definition();
            let versions = crd.pointer("/spec/versions").and_then(|it| it.as_array());
            let version = versions
                .into_iter()
                .flatten()
                .find(|version| version["storage"] == true);
            let null = serde_json::Value::Null;
            let version = version.unwrap_or(&null);
            // Where the operator watches its own namespace alone, it sees no object elsewhere.
            let is_elsewhere = self.parameters.scope == DeployScope::Namespace;
            let namespace = (is_elsewhere && kind.scope == Scope::Namespaced)
                .then(|| self.parameters.namespace());
            let (text, causes) =
                crate::api::sample::sample(&crd, version, namespace, Extent::Full, true)?;
            let mut document = String::new();
            for cause in causes {
                let cause = cause.to_string().replace('\n', " ");
                _ = writeln!(document, "# Rejected: {cause}");
            }
            documents.push(document + &text);
        }
        Ok(documents.join("---\n"))
    }

    fn has_crds(&self) -> bool {
        !self.model.kinds.is_empty()
    }

    /// Whether the operator has a feature. One that is about kinds of CRDs comes with the first of them.
    fn has(&self, feature: Feature) -> bool {
        let is_possible = self.has_crds() || !feature.needs_crds();
        is_possible && self.parameters.features.contains(&feature)
    }

    /// Returns the template variables of all files; docs/templates.md describes them.
    fn variables(
        &self,
        package: &Package<'_>,
        kinds: &BTreeMap<String, Controlled>,
    ) -> BTreeMap<&'static str, Value> {
        let mut variables = package.variables();
        let is_newer = package.kubernetes > Kubernetes::default();
        let options = Value::from_safe_string(self.parameters.options.clone());
        let cluster = self.parameters.scope == DeployScope::Cluster;
        variables.insert("cluster", Value::from(cluster));
        let takeover = &self.parameters.takeover;
        let optional = |text: &Option<String>| Value::from(text.as_deref().unwrap_or_default());
        variables.insert("namespace", Value::from(self.parameters.namespace()));
        variables.insert("lease", optional(&takeover.lease));
        variables.insert("field_manager", optional(&takeover.field_manager));
        let former = takeover.former_managers.iter().map(String::as_str);
        variables.insert("former_managers", former.collect());
        let environment = takeover.environment.iter();
        let environment = environment.map(|(name, value)| context! { name, value });
        variables.insert("environment", environment.collect());
        variables.insert("newer_kubernetes", Value::from(is_newer));
        variables.insert("options", options);
        variables.insert("several", Value::from(kinds.len() > 1));
        let crds = kinds.values().filter(|kind| kind.origin == Origin::Crd);
        let crds = crds.count();
        variables.insert("crds", Value::from(crds > 0));
        variables.insert("several_crds", Value::from(crds > 1));
        let watched: BTreeSet<&str> = kinds.values().map(|kind| kind.id.as_str()).collect();
        let owned: BTreeMap<&str, &Owned> = kinds
            .values()
            .flat_map(|kind| &kind.owns)
            .map(|kind| (kind.id.as_str(), kind))
            .filter(|(id, _)| !watched.contains(id))
            .collect();
        let owned = owned.values().map(|kind| kind.variables());
        variables.insert("owns", owned.collect());
        let mut modules: BTreeSet<String> = kinds.keys().cloned().collect();
        let with_webhooks = kinds.iter().filter(|(_, kind)| !kind.webhooks.is_empty());
        modules.extend(with_webhooks.map(|(controller, _)| webhooks_module(controller)));
        variables.insert("modules", modules.into_iter().collect());
        let features = self.parameters.features.iter();
        let features = features.filter(|it| self.has(**it));
        let features = features.map(|it| Value::from(it.name()));
        variables.insert("features", features.collect());
        let types = self.parameters.webhooks.iter();
        let types = types.map(|it| Value::from(it.as_str()));
        variables.insert("webhooks", types.collect());
        let kinds = kinds.values().map(|kind| kind.variables.clone());
        variables.insert("kinds", kinds.collect());
        variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::{options::Options, source::Source},
        operator::scaffold::{Location, RuntimeArgs, Takeover, WebhookType, core_kind},
        pipeline,
    };

    #[test]
    fn every_template_and_variable_is_documented() {
        let docs = include_str!("../../../docs/templates.md");
        let source = Source::new(
            "crdkind.yaml",
            include_str!("../../../fixtures/crdkind.yaml"),
        );
        let output = pipeline::run(&[source], &Options::default());
        let parameters = Parameters {
            name: "test-operator".to_owned(),
            scope: DeployScope::Cluster,
            kubernetes: Kubernetes::default().to_string(),
            watch: ["v1/Pod".to_owned()].into(),
            owns: BTreeMap::from([(
                "crdplural.iksoon.test.com".to_owned(),
                ["v1/Service".to_owned()].into(),
            )]),
            controllers: BTreeMap::new(),
            webhooks: [WebhookType::Defaulting].into(),
            features: BTreeSet::new(),
            takeover: Takeover::default(),
            options: String::new(),
            templates: None,
            location: Location::of(Path::new("."), &RuntimeArgs::default()).unwrap(),
        };
        let operator = Operator {
            parameters: &parameters,
            model: &output.model,
            generated: &output.files,
        };
        let package = Package {
            name: &"test-operator".parse().unwrap(),
            model: &output.model,
            kubernetes: Kubernetes::default(),
            location: &parameters.location,
        };
        let kinds = controlled_kinds(&output.model, &parameters, &output.files).unwrap();
        let mut all: Vec<String> = vec!["kind".to_owned()];
        let keys = |value: &Value| value.try_iter().unwrap().map(|key| key.to_string());
        for kind in kinds.values() {
            all.extend(keys(&kind.variables).map(|key| format!("kind.{key}")));
        }
        for (name, value) in operator.variables(&package, &kinds) {
            match name {
                "versions" => all.extend(keys(&value).map(|key| format!("versions.{key}"))),
                _ => all.push(name.to_owned()),
            }
        }
        let child = Owned::from(core_kind("v1/Service").unwrap()).variables();
        all.extend(keys(&child).map(|key| format!("child.{key}")));
        all.extend(templates::OPERATOR.iter().map(|it| it.name.to_owned()));
        assert!(all.len() > 30, "{all:?}");
        for name in all {
            assert!(
                docs.contains(&format!("`{name}`")),
                "docs/templates.md lacks {name}"
            );
        }
    }
}
