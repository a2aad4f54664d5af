//! Renders templates. A value must be a plain word or pass through the filter of the language it is inserted into.
use std::{collections::BTreeMap, fs, path::Path};

use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, syntax::SyntaxConfig};

use super::feature::Feature;
use crate::output::{
    render::File,
    template::{check_names, message},
    yaml,
};

/// A template, and the file that is rendered from it.
#[derive(Debug)]
pub(super) struct Template {
    /// The name in the directory of templates.
    pub(super) name: &'static str,
    /// The path of the file. If it contains the placeholder of an [`Origin`], there is one file per kind of it.
    pub(super) path: &'static str,
    /// The feature that the file belongs to; without one, each operator has it.
    pub(super) feature: Option<Feature>,
    text: &'static str,
}

/// Where a kind is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// In a CRD.
    Crd,
    /// In Kubernetes itself.
    Kubernetes,
}

impl Origin {
    /// Returns what the module of the controller replaces in the path of a template.
    pub(super) fn placeholder(self) -> &'static str {
        match self {
            Self::Crd => "CRD_KIND",
            Self::Kubernetes => "CORE_KIND",
        }
    }
}

impl Template {
    /// Returns the kinds that have a file of this template each; `None` if there is one file.
    pub(super) fn origin(&self) -> Option<Origin> {
        [Origin::Crd, Origin::Kubernetes]
            .into_iter()
            .find(|origin| self.path.contains(origin.placeholder()))
    }

    /// Returns whether the file is only for operators with webhooks.
    pub(super) fn is_of_webhooks(&self) -> bool {
        self.name.starts_with("webhooks")
    }

    /// Returns the path of the file for a kind.
    pub(super) fn path_for(&self, origin: Origin, controller: &str) -> String {
        if self.is_of_webhooks() {
            return format!("src/{}.rs", webhooks_module(controller));
        }
        self.path.replace(origin.placeholder(), controller)
    }
}

/// Returns the module of the webhooks of a kind, by that of its controller.
pub(crate) fn webhooks_module(controller: &str) -> String {
    match controller.strip_suffix("controller") {
        Some(prefix) => format!("{prefix}webhooks"),
        None => format!("{controller}_webhooks"),
    }
}

macro_rules! feature {
    () => {
        None
    };
    ($feature:ident) => {
        Some(Feature::$feature)
    };
}

macro_rules! templates {
    ($(#[$doc:meta])* $all:ident in $directory:literal: $($name:literal => $path:literal $(of $feature:ident)?;)*) => {
        $(#[$doc])*
        pub(super) const $all: &[Template] = &[$(Template {
            name: $name,
            path: $path,
            feature: feature!($($feature)?),
            text: include_str!(concat!("../../../templates/", $directory, "/", $name)),
        },)*];
    };
}

templates! {
    /// The templates of a crate of types and clients.
    CLIENT_CRATE in "client-crate":
    "Cargo.toml.j2" => "Cargo.toml";
    "README.md.j2" => "README.md";
    "gitignore.j2" => ".gitignore";
    "config.toml.j2" => ".cargo/config.toml";
}

templates! {
    /// A CRD to start from.
    CRD in "crd":
    "crd.yaml.j2" => "crd.yaml";
}

templates! {
    /// The templates of an operator.
    OPERATOR in "operator":
    "Cargo.toml.j2" => "Cargo.toml";
    "README.md.j2" => "README.md";
    "Makefile.j2" => "Makefile";
    "Dockerfile.j2" => "Dockerfile";
    "gitignore.j2" => ".gitignore";
    "ci.yml.j2" => ".github/workflows/ci.yml" of Ci;
    "image.yml.j2" => ".github/workflows/image.yml" of Release;
    "docs.yml.j2" => ".github/workflows/docs.yml" of Docs;
    "api-changes.yml.j2" => ".github/workflows/api-changes.yml" of ApiChanges;
    "dependabot.yml.j2" => ".github/dependabot.yml" of Dependabot;
    "kube-codegen.toml.j2" => "kube-codegen.toml";
    "kustomization.yaml.j2" => "deploy/kustomization.yaml";
    "deployment.yaml.j2" => "deploy/deployment.yaml";
    "availability.yaml.j2" => "deploy/availability.yaml" of Availability;
    "metrics.yaml.j2" => "deploy/metrics.yaml" of Metrics;
    "prometheus.yaml.j2" => "deploy/prometheus.yaml" of Metrics;
    "dashboard.json.j2" => "deploy/dashboard.json" of Dashboard;
    "network-policy.yaml.j2" => "deploy/network-policy.yaml" of NetworkPolicy;
    "webhooks.yaml.j2" => "deploy/webhooks.yaml";
    "rbac.yaml.j2" => "deploy/rbac.yaml";
    "roles.yaml.j2" => "deploy/roles.yaml" of Roles;
    "lib.rs.j2" => "src/lib.rs";
    "main.rs.j2" => "src/main.rs";
    "controller.rs.j2" => "src/CRD_KIND.rs";
    "core-controller.rs.j2" => "src/CORE_KIND.rs";
    "webhooks.rs.j2" => "src/CRD_KIND.webhooks.rs";
    "test.rs.j2" => "tests/CRD_KIND.rs";
    "core-test.rs.j2" => "tests/CORE_KIND.rs";
    "webhooks-test.rs.j2" => "tests/webhooks.rs";
    "simulate.rs.j2" => "tests/simulate.rs";
    "upgrade.toml.j2" => "upgrade/Cargo.toml" of Upgrade;
    "upgrade.rs.j2" => "upgrade/upgrade.rs" of Upgrade;
}

/// The paths of the files of a feature.
pub(crate) fn files_of(feature: Feature) -> impl Iterator<Item = &'static str> {
    let all = OPERATOR
        .iter()
        .filter(move |it| it.feature == Some(feature));
    all.map(|it| it.path)
}

/// Parsed templates.
#[derive(Debug)]
pub(super) struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    /// Parses the templates; those in the directory `overrides` replace built-in ones of the same name.
    pub(super) fn new(all: &[Template], overrides: Option<&Path>) -> Result<Self, String> {
        if let Some(directory) = overrides {
            let names: Vec<&str> = all.iter().map(|template| template.name).collect();
            check_names(directory, &names)?;
        }
        let mut environment = environment().map_err(|error| message(&error))?;
        for template in all {
            let path = overrides.map(|directory| directory.join(template.name));
            let added = match path.filter(|path| path.exists()) {
                None => environment.add_template(template.name, template.text),
                Some(path) => {
                    let text = fs::read_to_string(&path)
                        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
                    environment.add_template_owned(template.name, text)
                }
            };
            added.map_err(|error| message(&error))?;
        }
        Ok(Self { environment })
    }

    /// Renders a file.
    pub(super) fn render(
        &self,
        template: &Template,
        path: String,
        variables: &BTreeMap<&'static str, Value>,
    ) -> Result<File, String> {
        let template = self.environment.get_template(template.name);
        let text = template.and_then(|template| template.render(variables));
        let text = text.map_err(|error| message(&error))?.into();
        Ok(File { path, text })
    }
}

/// Returns an environment without the built-in filters, some of which would mark any text as safe.
fn environment() -> Result<Environment<'static>, Error> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(syntax);
    environment.set_formatter(|out, _, value| {
        if is_safe(value) {
            write!(out, "{value}").map_err(Error::from)
        } else {
            let message =
                format!("{value:?} is not a plain word; use the filter `yaml`, `toml` or `rust`");
            Err(Error::new(ErrorKind::InvalidOperation, message))
        }
    });
    environment.add_filter("yaml", |text: String| {
        Value::from_safe_string(yaml::string(&text))
    });
    environment.add_filter("toml", |text: String| {
        Value::from_safe_string(toml::Value::from(text).to_string())
    });
    environment.add_filter("rust", |text: String| {
        Value::from_safe_string(format!("{text:?}"))
    });
    Ok(environment)
}

/// Returns whether a value is a plain word, which is the same in every language, or the output of a filter.
fn is_safe(value: &Value) -> bool {
    value.is_safe()
        || value.as_str().is_some_and(|text| {
            let text = text.strip_prefix("r#").unwrap_or(text);
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::context;

    fn render(text: &str, value: &str) -> Result<String, String> {
        environment()
            .unwrap()
            .render_str(text, context! { value })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn filters_escape_text_and_unfiltered_text_is_an_error() {
        let evil = "x\"\n}; fn main() { panic!() } //'#{}$(rm)";
        assert!(
            render("{{ value }}", evil)
                .unwrap_err()
                .contains("is not a plain word")
        );
        assert_eq!(
            render("{{ value }}", "crdkind-operator").unwrap(),
            "crdkind-operator"
        );
        for (filter, read) in [
            (
                "yaml",
                (|text| serde_yaml::from_str(text).unwrap()) as fn(&str) -> String,
            ),
            ("toml", |text| {
                toml::from_str::<toml::Table>(&format!("a = {text}")).unwrap()["a"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            }),
            ("rust", |text| {
                syn::parse_str::<syn::LitStr>(text).unwrap().value()
            }),
        ] {
            let text = render(&format!("{{{{ value|{filter} }}}}"), evil).unwrap();
            assert_eq!(read(&text), evil, "{filter}");
        }
    }

    #[test]
    fn unknown_variables_and_filters_are_errors() {
        assert!(render("{{ nothing }}", "").is_err());
        assert!(render("{{ value|safe }}", "x y").is_err());
    }
}
