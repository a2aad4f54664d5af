//! `kube-codegen new`: creates the crate of an operator. Files that exist already are kept.
mod summary;
mod wanted;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
    slice,
};

use super::{
    CommandError,
    changes::ChangeArgs,
    config::{self, OptionArgs},
    console::Console,
    generate::{generate, regenerate, rejected},
    layer::Layer,
    lock,
    owns::{self, Owns},
};
use crate::{
    base::{
        diag::Diagnostics,
        options::{Emitter, Settings},
        source::Source,
    },
    input::yaml,
    model::ir::Model,
    operator::scaffold::{
        self, Baseline, CoreKind, DeployScope, Location, Operator, PackageName, Parameters,
        RuntimeArgs, WebhookType,
    },
    output::{
        render::File,
        write::{self, Plan, Root},
    },
    pipeline::Output,
    run::Run,
};
use wanted::Wanted;

/// Create the crate of an operator
///
/// The crate builds out of the box and logs the objects it would reconcile: of the kinds in your CRDs (--file), of built-in kinds
/// (--watch), or of both. `kube-codegen generate` rewrites the modules in src/generated; all other files are yours. kube-codegen.toml in
/// the crate keeps the options you give here.
///
/// The crate starts small. `kube-codegen add` adds CI, a dashboard, a Helm chart and more when you need them.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output", |it| it.help("Directory of the crate [default: its name]")))]
#[command(mut_arg("config", |it| it.help("Read options from this file; its `output` is ignored [default: kube-codegen.toml, without --file, --watch and --from-kubebuilder]")))]
#[command(mut_arg("feature_gates", |it| it.hide(true)))]
#[command(mut_arg("keep_going", |it| it.hide(true)))]
pub(super) struct Args {
    /// Name of the package [default with --from-kubebuilder: the project's name with `-rs` appended]
    #[arg(required_unless_present_any = ["from_kubebuilder", "from_kube_derive"])]
    name: Option<PackageName>,

    /// Replace the kubebuilder operator in this directory: the crate takes over its kinds, children, webhooks, and the names it is
    /// installed under. TAKEOVER.md in the crate lists what is left to do
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "watch", "owns", "webhooks", "config"])]
    from_kubebuilder: Option<PathBuf>,

    /// Replace the types with `#[derive(CustomResource)]` in the crate in this directory. Pass their CRDs with --file; without it, the
    /// command prints a program that writes them
    #[arg(long, value_name = "DIR", conflicts_with = "from_kubebuilder")]
    from_kube_derive: Option<PathBuf>,

    /// Namespace of the deployed operator [default: its name]
    #[arg(long, value_name = "NAME", value_parser = wanted::namespace)]
    deploy_namespace: Option<String>,

    /// Name of the Lease of the leader election [default: the name of the operator]
    #[arg(long, value_name = "NAME", value_parser = wanted::lease)]
    lease: Option<String>,

    /// Field manager of the operator's writes [default: its name]
    #[arg(long, value_name = "NAME", value_parser = wanted::field_manager)]
    field_manager: Option<String>,

    #[command(flatten)]
    options: OptionArgs,

    /// Built-in kinds to watch, separated by commas, such as `v1/Pod` and `apps/v1/Deployment`
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = scaffold::core_kind)]
    watch: Vec<&'static CoreKind>,

    /// Built-in kinds that your kinds own, such as `apps/v1/Deployment,v1/Service`. A prefix `KIND=` limits them to one of your kinds; can
    /// be repeated
    #[arg(long, value_name = "[KIND=]KINDS", requires = "file")]
    owns: Vec<Owns>,

    /// Add webhook handlers: a file per kind, and their registration
    #[arg(
        long,
        value_enum,
        value_name = "TYPES",
        value_delimiter = ',',
        requires = "file"
    )]
    webhooks: Vec<WebhookType>,

    /// Scope of the deployed operator's permissions [default: cluster, or as in the project of --from-kubebuilder]
    #[arg(long, value_enum)]
    scope: Option<DeployScope>,

    /// Write nothing; list the files that would be created or updated
    #[arg(long, conflicts_with = "force")]
    dry_run: bool,

    /// Overwrite all files, including yours
    #[arg(long)]
    force: bool,

    /// Directory of templates that replace built-in ones of the same name; docs/templates.md describes them
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,

    #[command(flatten)]
    runtime: RuntimeArgs,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    if let Some(directory) = &args.from_kube_derive
        && args.options.flags.file.is_none()
    {
        return example(directory, console);
    }
    let mut options = options(args, console)?;
    let wanted = Wanted::new(args, console)?;
    wanted.add_inputs(&mut options);
    let name = wanted.name.as_str();
    let target = args.options.flags.output.clone();
    let target = target.unwrap_or_else(|| PathBuf::from(name));
    let directory = target.join(scaffold::GENERATED);
    let root = Root::new(&target);
    let modules = root.within(&directory);
    let _lock = lock([&root, &modules], console)?;
    let kubernetes = options.kubernetes.unwrap_or_default();
    for kind in &args.watch {
        kind.check(kubernetes)?;
    }
    owns::check(&args.owns, kubernetes)?;
    let output = if options.file.is_some() {
        let settings = options.clone().settings()?;
        check_emitters(&settings)?;
        let run = generate(&settings, &directory, console)?;
        if wanted.found.has_errors() {
            return Err(rejected(&wanted.found, 0, console));
        }
        Some(with_conversion(run, &wanted, &settings, console)?)
    } else {
        check_options(&options)?;
        None
    };
    let no_model = Model::default();
    let model = output.as_ref().map_or(&no_model, |(it, _)| &it.model);
    let parameters = parameters(args, &wanted, &target, options, model, console)?;
    let operator = Operator {
        parameters: &parameters,
        model,
        generated: output.as_ref().map_or(&[], |(it, _)| &it.files),
    };
    let rendered = operator.render(args.templates.as_deref())?;
    let mut files = rendered.files;
    let kept = write::plan_once(&root, &files, args.force)?;
    let scaffolded = files.iter().filter(|it| !kept.kept().contains(&it.path));
    let taken = wanted.files(model, &rendered.parameters.controllers);
    let controllers: Vec<String> = rendered.parameters.controllers.values().cloned().collect();
    let baseline = Baseline::new(rendered.parameters, scaffolded);
    files.extend(taken);
    if let Some((_, definitions)) = &output
        && !model.kinds.is_empty()
    {
        files.insert(0, definitions.clone());
    }
    let baseline = baseline.to_file()?;
    let record = fs::read_to_string(target.join(scaffold::BASELINE));
    // The record of an earlier run names the parameters of the files that are kept.
    if args.force || record.is_err() || record.is_ok_and(|it| *it == *baseline.text) {
        files.push(baseline);
    }

    warn_if_nested(&target, console)?;
    let own = write::plan_once(&root, &files, args.force)?;
    let generated = match &output {
        Some((output, _)) => write::plan(&modules, &output.files, args.force)?,
        // The modules of an earlier run are not stale: they may be in use.
        None => write::plan_part(&modules, &[], args.force)?,
    };
    check_name(name, &own)?;
    check_definitions(&own, &files)?;
    let changes = ChangeArgs::apply(args.dry_run);
    if let Some(totals) = changes.process(&[&own, &generated], "new", console)? {
        summary::summary(
            args,
            &wanted,
            totals,
            [&own, &generated],
            &files,
            &controllers,
            console,
        );
    }
    Ok(())
}

/// Prints a program that prints the CRDs of a crate with derived types.
fn example(directory: &Path, console: &mut Console) -> Result<(), CommandError> {
    let program = crate::operator::takeover::kube_derive::read(directory)?.example();
    console.text(&program);
    console.warning(
        "no --file: save this program as examples/crds.rs in the crate, run `cargo run --example crds > crds.yaml`, and give `-f crds.yaml`; a program or a file that the crate has already does as well",
    );
    Ok(())
}

/// Warns if the crate would be in another operator, which is seldom meant.
fn warn_if_nested(target: &Path, console: &mut Console) -> Result<(), String> {
    let target = std::path::absolute(target).map_err(|error| error.to_string())?;
    let mut parents = target.ancestors().skip(1);
    if let Some(operator) = parents.find(|path| path.join(scaffold::BASELINE).exists()) {
        console.warning(&format!(
            "the new crate is inside the operator `{}`; to add kinds to that operator instead, run `kube-codegen add` in it",
            operator.display()
        ));
    }
    Ok(())
}

/// Returns the output and the file of the CRDs. If the operator converts, it is that of CRDs that name the webhook as their conversion.
fn with_conversion(
    mut run: Run,
    wanted: &Wanted,
    settings: &Settings,
    console: &mut Console,
) -> Result<(Output, File), CommandError> {
    let path = scaffold::DEFINITIONS.to_owned();
    let definitions = wanted.definitions(&run.sources, &run.output.model);
    let mut source = Source::new(&path, definitions);
    if wanted.webhooks.contains(&WebhookType::Conversion) {
        let model = &run.output.model;
        let name = wanted.name.as_str();
        let namespace = wanted.takeover.namespace.as_deref().unwrap_or(name);
        source.text = match scaffold::with_conversions(&source, model, name, namespace) {
            Ok(converted) => converted.text,
            Err(diagnostics) => {
                console.diagnostics(&diagnostics, slice::from_ref(&source), &[]);
                return Err(rejected(&diagnostics, 0, console));
            }
        };
        regenerate(&mut run, slice::from_ref(&source), settings, console)?;
    }
    let text = source.text.into();
    Ok((run.output, File { path, text }))
}

/// Returns what the crate is made from.
fn parameters(
    args: &Args,
    wanted: &Wanted,
    target: &Path,
    options: Layer,
    model: &Model,
    console: &mut Console,
) -> Result<Parameters, CommandError> {
    let kubernetes = options.kubernetes.unwrap_or_default();
    let templates = args.templates.as_deref().map(|path| relative(path, target));
    Ok(Parameters {
        name: wanted.name.to_string(),
        scope: wanted.scope,
        kubernetes: kubernetes.to_string(),
        watch: wanted.watch.clone(),
        owns: wanted.owns(args, model)?,
        controllers: BTreeMap::new(),
        webhooks: wanted.webhooks.clone(),
        features: BTreeSet::new(),
        takeover: wanted.takeover(model, console)?,
        options: written(options)?,
        templates: templates.transpose()?,
        location: Location::of(target, &args.runtime)?,
    })
}

/// Returns a directory as a path from the crate. It is absolute unless both are below the working directory.
fn relative(directory: &Path, target: &Path) -> Result<String, String> {
    let depth = target.components().try_fold(0, |depth, part| match part {
        Component::Normal(_) => Some(depth + 1),
        Component::CurDir => Some(depth),
        _ => None,
    });
    let path = match depth {
        Some(depth) if directory.is_relative() => {
            let up: PathBuf = std::iter::repeat_n("..", depth).collect();
            up.join(directory)
        }
        _ => std::path::absolute(directory).map_err(|error| error.to_string())?,
    };
    let text = path
        .to_str()
        .ok_or("the path of the templates is not UTF-8")?;
    Ok(text.replace('\\', "/"))
}

/// Reads the options, without those that other commands use.
fn options(args: &Args, console: &mut Console) -> Result<Layer, CommandError> {
    let flags = &args.options.flags;
    let has_other = args.from_kubebuilder.is_some() || !args.watch.is_empty();
    if !has_other
        && flags.file.is_none()
        && args.options.config.is_none()
        && config::default().is_none()
    {
        let message = "no input; pass CRDs with --file, built-in kinds with --watch, or a project with --from-kubebuilder";
        return Err(message.to_owned().into());
    }
    let file = args.options.config.as_deref();
    // Inputs of Kubernetes or of another project are all there is, unless a flag says more.
    let options = if flags.file.is_none() && file.is_none() && has_other {
        flags.clone()
    } else {
        config::merge(flags.clone(), file, console)?
    };
    if options.feature_gates == Some(true) || options.keep_going == Some(true) {
        let message = "`new` supports neither --feature-gates nor --keep-going";
        return Err(message.to_owned().into());
    }
    Ok(options)
}

/// Fails if an option would have no effect, because nothing is generated.
fn check_options(options: &Layer) -> Result<(), String> {
    let used = Layer {
        output: options.output.clone(),
        kubernetes: options.kubernetes,
        ..Layer::default()
    };
    if *options == used {
        return Ok(());
    }
    Err("without --file, no modules are generated, so only --output and --kubernetes have an effect; remove the other generator options, or add --file".to_owned())
}

/// Fails if the code that the operator uses is not generated.
fn check_emitters(settings: &Settings) -> Result<(), String> {
    let chosen: BTreeSet<Emitter> = Emitter::with_needed(&settings.options.emit);
    let needed = [Emitter::Client, Emitter::Informer];
    if needed.iter().all(|emitter| chosen.contains(emitter)) {
        return Ok(());
    }
    Err("an operator uses the emitters `client` and `informer`; add them to --emit".to_owned())
}

/// Formats the options that the template of the config file does not contain.
fn written(mut options: Layer) -> Result<String, String> {
    // The crate has its own copy of the CRDs.
    (options.file, options.exclude, options.output) = (None, None, None);
    options.kubernetes = None;
    toml::to_string(&options).map_err(|error| format!("cannot write the options: {error}"))
}

/// Fails if the crate keeps the manifest of another package, whose name differs from that in the other files.
fn check_name(wanted: &str, own: &Plan) -> Result<(), CommandError> {
    if !own.kept().iter().any(|path| path == scaffold::MANIFEST) {
        return Ok(());
    }
    let path = own.root().join(scaffold::MANIFEST);
    let manifest: toml::Table = fs::read_to_string(&path)
        .map_err(|error| error.to_string())
        .and_then(|text| {
            text.parse()
                .map_err(|error: toml::de::Error| error.to_string())
        })
        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name"));
    let name = name.and_then(toml::Value::as_str).unwrap_or_default();
    if name == wanted {
        return Ok(());
    }
    let (path, name) = (path.display(), name.escape_debug());
    Err(format!(
        "`{path}` belongs to the package `{name}`, not to `{wanted}`; pass `{name}` as the name\nnothing was written"
    )
    .into())
}

/// Fails if the crate keeps other CRDs than those the modules were generated from. `kube-codegen generate` in the crate
/// would otherwise change the modules.
fn check_definitions(own: &Plan, files: &[File]) -> Result<(), CommandError> {
    let mut kept = files.iter().filter(|file| own.kept().contains(&file.path));
    let Some(definitions) = kept.find(|file| file.path == scaffold::DEFINITIONS) else {
        return Ok(());
    };
    let path = own.root().join(&definitions.path);
    let existing = fs::read_to_string(&path).unwrap_or_default();
    if documents(existing) == documents(definitions.text.to_string()) {
        return Ok(());
    }
    let path = path.display();
    Err(format!(
        "`{path}` differs from the CRDs of --file; change it and run `kube-codegen generate` in the crate, or overwrite all \
         files with --force\nnothing was written"
    )
    .into())
}

/// Returns the documents of a YAML text, unless it is invalid.
fn documents(text: String) -> Option<Vec<serde_json::Value>> {
    let name = scaffold::DEFINITIONS.to_owned();
    let source = Source::new(name, text);
    let mut diagnostics = Diagnostics::new();
    let documents = yaml::documents(&source, &mut diagnostics);
    (!diagnostics.has_errors()).then_some(documents)
}
