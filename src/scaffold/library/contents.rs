//! A model comes in, what a reader is told of the crate goes out: once as Markdown, once as the documentation of its root.
use super::super::versions;
use super::LibraryRequest;
use crate::ir::{Kind, Model, Module, Scope};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Groups that are named before the rest is counted.
const NAMED: usize = 3;

/// What the crate is, in one sentence without its full stop.
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

/// The part of the README that follows the kinds.
pub(super) fn readme(request: &LibraryRequest<'_>) -> String {
    let mut text = String::from("\n## Use\n\n");
    let example = Example::of(request);
    let feature = example
        .as_ref()
        .map_or_else(|| "full".to_owned(), |example| example.module.feature());
    let (k8s, kube) = (versions::K8S_OPENAPI, versions::KUBE);
    let version = request.kubernetes.feature();
    let name = request.name;
    _ = write!(
        text,
        "```sh\ncargo add {name} --features {feature}\n\
         cargo add k8s-openapi@{k8s} --features {version}    # the program chooses the version of Kubernetes\n\
         cargo add kube@{kube} --no-default-features --features client,ring,rustls-tls\n```\n\n"
    );
    if let Some(example) = example {
        _ = writeln!(text, "```rust\n{}```\n", example.code());
    }
    text.push_str("## Contents\n\nNo feature is on by default; `full` is all of them.\n\n");
    text.push_str(&table(request.model));
    text.push('\n');
    text
}

/// The documentation of the crate's root, as lines of Rust. Nothing in it needs a feature to be on.
pub(super) fn docs(request: &LibraryRequest<'_>) -> String {
    let mut text = format!(
        "{}.\n\nEach group and version is behind a feature of its name; none is on by default, and `full` is all of them.\n\n",
        about(request.model)
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
    text.push_str(&table(request.model));
    text.lines()
        .map(|line| format!("//! {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// The features, each with its module and its kinds.
fn table(model: &Model) -> String {
    let mut text = String::from("| feature | module | kinds |\n|---|---|---|\n");
    for module in &model.modules {
        let kinds: Vec<String> = model
            .kinds_of(module)
            .map(|kind| {
                let deprecated = if kind.deprecated { " (deprecated)" } else { "" };
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

/// A kind to show the crate by: the first one that is not deprecated.
struct Example<'a> {
    request: &'a LibraryRequest<'a>,
    module: &'a Module,
    kind: &'a Kind,
}

impl<'a> Example<'a> {
    fn of(request: &'a LibraryRequest<'a>) -> Option<Self> {
        let model = request.model;
        let all = || {
            model.modules.iter().flat_map(|module| {
                let kinds = model.kinds_of(module);
                kinds.map(move |kind| (module, kind))
            })
        };
        let (module, kind) = all()
            .find(|(_, kind)| !kind.deprecated)
            .or_else(|| all().next())?;
        Some(Self {
            request,
            module,
            kind,
        })
    }

    /// Lines for the body of an asynchronous function; they compile with what was generated.
    fn code(&self) -> String {
        let name = self.request.name.ident();
        let names = self.module.names();
        let (group, version) = (&names.group, &names.version);
        let ty = self.request.model.types[self.kind.root].name();
        let has = |path: &str| self.request.generated.iter().any(|file| file.path == path);
        if !has("clientset.rs") {
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
            "use {name}::clientset::Clientset;\n\n\
             let client = kube::Client::try_default().await?;\n\
             let objects = Clientset::new(client).{client}().{method}({namespace});\n\
             for object in objects.list(&Default::default()).await? {{\n    println!(\"{{:?}}\", object.metadata.name);\n}}\n"
        )
    }
}

/// A name of Kubernetes, of which the reader let only letters, digits, dots and dashes through.
fn word(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        .collect()
}
