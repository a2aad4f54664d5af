//! Describes a crate of types and clients: for its README and for the documentation of its root module.
use std::{collections::BTreeSet, fmt::Write};

use super::{super::dependencies, ClientCrateRequest};
use crate::model::ir::{Kind, Model, Module, Scope};

/// The number of groups that are listed by name.
const NAMED: usize = 3;

/// Describes the crate in one sentence, without the full stop.
pub(super) fn about(model: &Model) -> String {
    let groups: BTreeSet<&str> = model.modules.iter().map(|it| it.group.as_str()).collect();
    let mut names: Vec<String> = groups.iter().take(NAMED).map(|it| word(it)).collect();
    match groups.len().saturating_sub(NAMED) {
        0 => {}
        1 => names.push("one more".to_owned()),
        more => names.push(format!("{more} more")),
    }
    let last = names.pop().unwrap_or_default();
    let first = names.join(", ");
    let and = if first.is_empty() { "" } else { " and " };
    let plural = if groups.len() == 1 { "" } else { "s" };
    format!("Types and typed clients of the Kubernetes API group{plural} {first}{and}{last}")
}

/// Renders the generated part of the README.
pub(super) fn readme(request: &ClientCrateRequest<'_>) -> String {
    let mut text = String::from("\n## Usage\n\n");
    let example = Example::of(request);
    let feature = example
        .as_ref()
        .map_or_else(|| "full".to_owned(), |example| example.module.feature());
    let (k8s, kube) = (dependencies::K8S_OPENAPI, dependencies::KUBE);
    let version = request.package.kubernetes.feature();
    let name = request.package.name;
    _ = write!(
        text,
        "```sh\ncargo add {name} --features {feature}\n\
         cargo add k8s-openapi@{k8s} --features {version}    # the version is up to your program\n\
         cargo add kube@{kube} --no-default-features --features client,ring,rustls-tls\n```\n\n"
    );
    if let Some(example) = example {
        _ = writeln!(text, "```rust\n{}```\n", example.code());
    }
    text.push_str(
        "## Features\n\nNo feature is enabled by default; `full` enables all of them.\n\n",
    );
    text.push_str(&table(request.package.model));
    text.push('\n');
    text
}

/// Renders the documentation of the root module. Its example compiles without any feature.
pub(super) fn root(request: &ClientCrateRequest<'_>) -> String {
    let mut text = format!(
        "{}.\n\nEach group and version has its own feature. None is enabled by default; `full` enables all of them.\n\n",
        about(request.package.model)
    );
    if let Some(example) = Example::of(request) {
        let feature = example.module.feature();
        _ = write!(
            text,
            "```no_run\n# #[cfg(feature = \"{feature}\")]\n\
             # async fn example() -> Result<(), Box<dyn std::error::Error>> {{\n{}# Ok(())\n# }}\n# fn main() {{}}\n```\n\n",
            example.code()
        );
    }
    text.push_str(&table(request.package.model));
    text.lines()
        .map(|line| format!("//! {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// Renders a table of features with their modules and kinds.
fn table(model: &Model) -> String {
    let mut text = String::from("| feature | module | kinds |\n|---|---|---|\n");
    for module in &model.modules {
        let kinds: Vec<String> = model
            .kinds_of(module)
            .map(|kind| {
                let deprecated = if kind.deprecated.is_some() {
                    " (deprecated)"
                } else {
                    ""
                };
                format!("`{}`{deprecated}", word(&kind.kind))
            })
            .collect();
        _ = writeln!(
            text,
            "| `{}` | `{}::{}` | {} |",
            module.feature(),
            module.names().group,
            module.names().version,
            kinds.join(", ")
        );
    }
    text
}

/// The kind of the example: the first one that is not deprecated.
struct Example<'a> {
    request: &'a ClientCrateRequest<'a>,
    module: &'a Module,
    kind: &'a Kind,
}

impl<'a> Example<'a> {
    fn of(request: &'a ClientCrateRequest<'a>) -> Option<Self> {
        let model = request.package.model;
        let all = || {
            model.modules.iter().flat_map(|module| {
                let kinds = model.kinds_of(module);
                kinds.map(move |kind| (module, kind))
            })
        };
        let (module, kind) = all()
            .find(|(_, kind)| kind.deprecated.is_none())
            .or_else(|| all().next())?;
        Some(Self {
            request,
            module,
            kind,
        })
    }

    /// Returns the body of an asynchronous function that compiles with the generated code.
    fn code(&self) -> String {
        let name = self.request.package.name.ident();
        let names = self.module.names();
        let (group, version) = (&names.group, &names.version);
        let ty = self.request.package.model.types[self.kind.root].name();
        if !self.request.has_clients {
            return format!(
                "use {name}::{group}::{version}::{ty};\n\n\
                 let object: {ty} = serde_json::from_reader(std::io::stdin())?;\n"
            );
        }
        let namespace = match self.kind.scope {
            Scope::Namespaced => "\"default\"",
            Scope::Cluster => "",
        };
        let (client, method) = (&names.method, &self.kind.names().method);
        format!(
            "use {name}::Clientset;\n\n\
             let client = kube::Client::try_default().await?;\n\
             let objects = Clientset::new(client).{client}().{method}({namespace});\n\
             for object in objects.list(&Default::default()).await? {{\n    println!(\"{{:?}}\", object.metadata.name);\n}}\n"
        )
    }
}

/// Returns a Kubernetes name; parsing has already restricted it to these characters.
fn word(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        .collect()
}
