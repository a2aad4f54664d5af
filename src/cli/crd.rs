//! `kube-codegen crd init`: prints a CRD to start from.
use std::path::PathBuf;

use kube_codegen_formats::names;

use super::{CommandError, console::Console, lock};
use crate::{
    operator::scaffold,
    output::{
        render::File,
        write::{self, Root},
        yaml,
    },
};

/// Work with CustomResourceDefinitions
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    Init(InitArgs),
}

/// Print a CustomResourceDefinition to start from
///
/// It has a spec, a status with conditions, and printer columns, with comments that say what to change.
///
/// With `kube-codegen new` or `kube-codegen add`, which make its controller, this is what kubebuilder calls `create api`.
#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// API group: a domain that you own, such as `apps.example.com`
    #[arg(long, value_parser = group)]
    group: String,

    /// Kind, such as `Website`
    #[arg(long, value_parser = kind)]
    kind: String,

    /// Version
    #[arg(id = "kind_version", long = "kind-version", value_name = "VERSION", default_value = "v1alpha1", value_parser = version)]
    version: String,

    /// Plural, which is part of the URL and never changes [default: the kind in lower case, with an English ending]
    #[arg(long, value_parser = label)]
    plural: Option<String>,

    /// Make the kind cluster-scoped
    #[arg(long)]
    cluster: bool,

    /// Write to this file, which must not exist
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(command: &Command, console: &mut Console) -> Result<(), CommandError> {
    let Command::Init(args) = command;
    let text = scaffold::crd_skeleton(&scaffold::CrdNames {
        group: &args.group,
        version: &args.version,
        kind: &args.kind,
        plural: &args
            .plural
            .clone()
            .unwrap_or_else(|| scaffold::plural(&args.kind)),
        cluster: args.cluster,
    })?;
    let Some(path) = &args.output else {
        console.text(&text);
        return Ok(());
    };
    if path.exists() {
        return Err(format!("`{}` exists already", path.display()).into());
    }
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| format!("`{}` is not the name of a file", path.display()))?;
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
    let file = File {
        path: name.to_owned(),
        text: text.into(),
    };
    let directory = directory.unwrap_or_else(|| std::path::Path::new("."));
    let root = Root::new(directory);
    let _lock = lock([&root], console)?;
    let plan = write::plan_once(&root, &[file], false)?;
    let path = path.display();
    if !plan.kept().is_empty() {
        return Err(format!("`{path}` exists already").into());
    }
    plan.apply()?;
    let quoted = yaml::string(&path.to_string());
    let in_operator = std::path::Path::new(scaffold::BASELINE).exists();
    let next = if in_operator { "add" } else { "new NAME" };
    console.line(&format!(
        "{path} written; next: change its fields, then kube-codegen {next} -f {quoted}"
    ));
    Ok(())
}

fn label(text: &str) -> Result<String, String> {
    if names::dns_1035_label(text).is_empty() {
        return Ok(text.to_owned());
    }
    Err(
        "a plural contains only lowercase letters, digits and dashes, and starts with a letter"
            .to_owned(),
    )
}

fn group(text: &str) -> Result<String, String> {
    for domain in ["k8s.io", "kubernetes.io"] {
        if text
            .strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        {
            return Err(format!(
                "groups under `{domain}` need approval from the Kubernetes community; use a domain that you own"
            ));
        }
    }
    if text.contains('.') && names::dns_1123_subdomain(text).is_empty() {
        return Ok(text.to_owned());
    }
    Err(
        "a group is a domain of lowercase letters, digits and dashes, such as `apps.example.com`"
            .to_owned(),
    )
}

fn kind(text: &str) -> Result<String, String> {
    if text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
        && text.len() <= 63
    {
        return Ok(text.to_owned());
    }
    Err(
        "a kind contains only letters and digits, and starts with an uppercase letter, such as `Website`"
            .to_owned(),
    )
}

fn version(text: &str) -> Result<String, String> {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let rest = text.strip_prefix('v').unwrap_or_default();
    let is_version = digits(rest)
        || ["alpha", "beta"].iter().any(|stage| {
            rest.split_once(stage)
                .is_some_and(|(major, minor)| digits(major) && digits(minor))
        });
    if is_version {
        return Ok(text.to_owned());
    }
    Err("a version is `v1`, `v1beta1` or `v1alpha1`, with other numbers".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_api_server_accepts() {
        assert!(group("apps.example.com").is_ok() && group("example").is_err());
        assert!(group("a..b").is_err() && group("A.b").is_err());
        assert!(group("apps.k8s.io").is_err() && group("my-k8s.io").is_ok());
        assert!(kind("Website").is_ok() && kind("website").is_err() && kind("A-B").is_err());
        for good in ["v1", "v2beta1", "v10alpha3"] {
            assert!(version(good).is_ok(), "{good}");
        }
        for bad in ["1", "v", "v1gamma1", "v1alpha", "alpha1"] {
            assert!(version(bad).is_err(), "{bad}");
        }
        assert!(label("websites").is_ok() && label("1a").is_err() && label("").is_err());
    }
}
