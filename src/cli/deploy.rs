//! `kube-codegen deploy`: checks the manifests of an operator, and derives a Helm chart and a bundle for OLM from them.
use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    CommandError,
    changes::ChangeArgs,
    config,
    console::Console,
    count,
    layer::Layer,
    lock,
    manifests::{add_owners, package, package_name, read, valid},
    report::report,
    validate,
};
use crate::{
    base::{
        diag::Diagnostics,
        options::{Kubernetes, Settings},
    },
    operator::deploy::{self, About, BundleSettings, Tree, rights::Needs, role::check_owners},
    output::write::{self, Root},
};

/// Check the manifests of an operator, or turn them into a Helm chart or an OLM bundle
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    Check(CheckArgs),
    Chart(ChartArgs),
    Bundle(BundleArgs),
}

/// Check that manifests fit together
///
/// Probes, Services, network policies and monitors must name ports that the containers and the operator's flags open; selectors must select
/// Pods; roles, accounts, priority classes, namespaces and listed files must exist, in the manifests or in every cluster. Needs no cluster.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Directory of the manifests
    #[arg(default_value = "deploy")]
    directory: PathBuf,
}

/// Make a Helm chart from manifests
///
/// The chart has the same objects, in the namespace of the release. Image, replicas, arguments, variables, resources, scheduling,
/// annotations, labels, volumes and names are values, whose defaults come from the manifests; so are switches for the files, on for those
/// that kustomization.yaml lists. Change the manifests, not the chart.
#[derive(Debug, clap::Args)]
pub(super) struct ChartArgs {
    /// Directory of the manifests
    #[arg(default_value = "deploy")]
    directory: PathBuf,

    /// Directory of the chart
    #[arg(short, long, value_name = "DIR", default_value = "dist/chart")]
    output: PathBuf,

    /// Image of the operator [default: that of the Deployment]
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,

    #[command(flatten)]
    changes: ChangeArgs,
}

/// Make a bundle for the Operator Lifecycle Manager (OLM) from manifests
///
/// Name, image, permissions, webhooks and CRDs come from the manifests; version, description and maintainers from Cargo.toml in the parent
/// directory; and the examples, which are validated, from sample.yaml. Change these files, not the bundle.
#[derive(Debug, clap::Args)]
pub(super) struct BundleArgs {
    /// Directory of the manifests
    #[arg(default_value = "deploy")]
    directory: PathBuf,

    /// Directory of the bundle
    #[arg(short, long, value_name = "DIR", default_value = "dist/bundle")]
    output: PathBuf,

    /// Image of the operator [default: that of the Deployment]
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,

    /// The bundle that this one replaces
    #[arg(long, value_name = "NAME.vVERSION")]
    replaces: Option<String>,

    /// The versions that may be updated to this one at once, such as `>=0.1.0 <0.3.0`
    #[arg(long, value_name = "RANGE")]
    skip_range: Option<String>,

    /// Channels, the default one first
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "candidate"
    )]
    channels: Vec<String>,

    /// Who provides the operator [default: the first author]
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,

    /// Icon: an SVG, PNG, JPEG or GIF file
    #[arg(long, value_name = "FILE")]
    icon: Option<PathBuf>,

    /// The oldest version of Kubernetes [default: that of kube-codegen.toml in the directory above]
    #[arg(long, value_name = "VERSION")]
    kubernetes: Option<Kubernetes>,

    #[command(flatten)]
    changes: ChangeArgs,
}

pub(super) fn run(command: &Command, console: &mut Console) -> Result<(), CommandError> {
    match command {
        Command::Check(args) => check(args, console),
        Command::Chart(args) => chart(args, console),
        Command::Bundle(args) => bundle(args, console),
    }
}

fn check(args: &CheckArgs, console: &mut Console) -> Result<(), CommandError> {
    let mut diagnostics = Diagnostics::new();
    let tree = Tree::read(&args.directory, &mut diagnostics)?;
    let name = package_name(&args.directory)?;
    deploy::check(&tree, &name, &mut diagnostics);
    let mut needs = Needs::default();
    // Only owner references are checked here. Without a known container, the message may name the role of the leader election.
    _ = needs.resolve(&tree, &name);
    add_owners(&mut needs, &args.directory)?;
    check_owners(&tree, &needs, &mut diagnostics);
    let objects = count(tree.manifests.len(), "object");
    report(&diagnostics, &tree.sources, &[], &objects, None, console)
}

fn chart(args: &ChartArgs, console: &mut Console) -> Result<(), CommandError> {
    let root = Root::new(&args.output);
    let _lock = lock([&root], console)?;
    let tree = read(&args.directory, console)?;
    let about = about(&args.directory, console)?;
    let samples = samples(&args.directory, console)?;
    let files = deploy::chart(&tree, &about, &samples, args.image.as_deref())
        .map_err(|error| format!("`{}`: {error}", args.directory.display()))?;
    let plan = write::plan(&root, &files, args.changes.force)?;
    if let Some(totals) = args.changes.process(&[&plan], "deploy chart", console)? {
        let path = args.output.display().to_string();
        console.object(&json!({"type": "summary", "outcome": "chart", "path": path}));
        console.line(&format!("chart in {path}: {}", totals.text()));
    }
    Ok(())
}

fn bundle(args: &BundleArgs, console: &mut Console) -> Result<(), CommandError> {
    let root = Root::new(&args.output);
    let _lock = lock([&root], console)?;
    let tree = read(&args.directory, console)?;
    check_samples(&args.directory, &tree, console)?;
    let file = package(&args.directory)?.join(config::FILE);
    let options = match args.kubernetes {
        None if file.exists() => config::read(&file)?,
        _ => Layer::default(),
    };
    let kubernetes = args.kubernetes.or(options.kubernetes).unwrap_or_default();
    let settings = BundleSettings {
        about: about(&args.directory, console)?,
        image: args.image.clone(),
        replaces: args.replaces.clone(),
        skip_range: args.skip_range.clone(),
        channels: args.channels.clone(),
        provider: args.provider.clone(),
        icon: args.icon.as_deref().map(icon).transpose()?,
        samples: samples(&args.directory, console)?,
        minimum: format!("{}.0", kubernetes.as_str()),
    };
    let bundle = deploy::bundle(&tree, &settings)
        .map_err(|error| format!("`{}`: {error}", args.directory.display()))?;
    for warning in &bundle.warnings {
        console.warning(warning);
    }
    let plan = write::plan(&root, &bundle.files, args.changes.force)?;
    if let Some(totals) = args.changes.process(&[&plan], "deploy bundle", console)? {
        let path = args.output.display().to_string();
        console.object(&json!({"type": "summary", "outcome": "bundle", "path": path}));
        console.line(&format!("bundle in {path}: {}", totals.text()));
    }
    Ok(())
}

/// Reads the package above a directory of manifests. Manifests may come without one.
fn about(directory: &Path, console: &mut Console) -> Result<About, String> {
    let package = package(directory)?;
    if let Some(about) = About::read(&package)? {
        return Ok(about);
    }
    let version = "0.1.0".to_owned();
    console.warning(&format!(
        "there is no Cargo.toml above `{}`, which has the version and the description; the version is {version}",
        directory.display()
    ));
    Ok(About {
        version,
        ..About::default()
    })
}

/// Returns the objects of the samples beside manifests.
fn samples(directory: &Path, console: &mut Console) -> Result<Vec<Value>, CommandError> {
    let mut diagnostics = Diagnostics::new();
    let tree = Tree::samples(directory, &mut diagnostics)?;
    let tree = valid(tree, &diagnostics, console)?;
    Ok(tree.manifests.into_iter().map(|it| it.value).collect())
}

/// Validates the samples by the CRDs of the manifests.
fn check_samples(directory: &Path, tree: &Tree, console: &mut Console) -> Result<(), CommandError> {
    let sample = directory.join(deploy::SAMPLE);
    let crds = tree.of("CustomResourceDefinition");
    let files = crds.filter_map(|it| tree.sources[it.source.0].path.as_ref());
    let mut file: Vec<_> = files.cloned().collect();
    file.dedup();
    if file.is_empty() || !sample.is_file() {
        return Ok(());
    }
    let settings = Settings {
        file,
        ..Settings::default()
    };
    validate::validate(&[sample.display().to_string()], &settings, console)
}

/// Returns the media type of an icon, and its data in base64.
fn icon(path: &Path) -> Result<(String, String), String> {
    let extension = path
        .extension()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let media = match extension {
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        _ => {
            return Err(format!(
                "`{}` is not an SVG, PNG, JPEG or GIF file: catalogues show no others",
                path.display()
            ));
        }
    };
    let data =
        fs::read(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    Ok((media.to_owned(), STANDARD.encode(data)))
}
