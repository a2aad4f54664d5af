//! `kube-codegen add`: adds features and kinds to an operator.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    slice,
};

use clap::ValueEnum as _;
use serde_json::json;

use super::{
    CommandError,
    changes::ChangeArgs,
    config,
    console::Console,
    generate::{generate, regenerate, rejected},
    lock,
    owns::{self, Owns},
    update::Update,
};
use crate::{
    base::{
        options::{Options, Settings},
        source::{self, Source},
    },
    model::ir::Model,
    operator::scaffold::{self, Baseline, CoreKind, Feature, Parameters, WebhookType},
    output::{render::File, write::Root},
    pipeline,
    run::Run,
};

/// Add features or kinds to an operator
///
/// Features are optional parts, such as a dashboard. For each new kind in --file or --watch, the operator gets a controller, its
/// registration, permissions, a test and a sample; the CRDs in --file are added to deploy/crd.yaml. As with `kube-codegen update`, the
/// lines you wrote stay.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Features to add. Adding a feature again restores files that you deleted
    #[arg(value_enum, value_name = "FEATURE")]
    features: Vec<Feature>,

    /// CustomResourceDefinitions: files, directories, glob patterns, `git:REVISION:PATH`, `cluster` or `cluster:PATTERN`, or `-` for
    /// standard input; can be repeated
    #[arg(short, long, value_name = "FILE|DIR|GLOB|-")]
    file: Vec<PathBuf>,

    /// Built-in kinds to watch, separated by commas
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = scaffold::core_kind)]
    watch: Vec<&'static CoreKind>,

    /// Built-in kinds that your new kinds own; without --file, that all your kinds own. A prefix `KIND=` limits them to one of your kinds,
    /// new or not; can be repeated
    #[arg(long, value_name = "[KIND=]KINDS")]
    owns: Vec<Owns>,

    /// Webhook handlers to add for all kinds of CRDs
    #[arg(long, value_enum, value_name = "TYPES", value_delimiter = ',')]
    webhooks: Vec<WebhookType>,

    /// Directory of the crate
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,

    /// Write nothing; list the files that would be created or updated
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    args.check()?;
    let root = Root::new(&args.output);
    let modules = root.within(&config::modules(&args.output)?);
    let _lock = lock([&root, &modules], console)?;
    let mut baseline = Baseline::read(&args.output)?;
    let mut parameters = baseline.parameters.clone();
    let adds_feature = add_features(args, &mut parameters, &mut baseline, console);
    if !adds_feature && !args.has_others() {
        console.object(&json!({ "type": "summary", "outcome": "up-to-date" }));
        return Ok(());
    }
    let kubernetes = parameters.kubernetes()?;
    for kind in &args.watch {
        kind.check(kubernetes)?;
    }
    owns::check(&args.owns, kubernetes)?;
    let settings = settings(args, kubernetes)?;
    let present = Present::read(&settings)?;
    let mut all = settings.clone();
    all.file.extend_from_slice(&args.file);
    let directory = &settings.output;
    let mut run = if all.file.is_empty() {
        None
    } else {
        Some(generate(&all, directory, console)?)
    };
    let added = added(run.as_ref(), &present.names);
    if !args.file.is_empty() && added.is_empty() {
        let message = "the operator already has all kinds in --file; to apply changes to deploy/crd.yaml, run `kube-codegen update`";
        return Err(message.to_owned().into());
    }
    let owners = if args.file.is_empty() {
        present.names.iter().collect::<Vec<_>>()
    } else {
        added.iter().map(|(name, _)| name).collect()
    };
    if owners.is_empty() && !args.owns.is_empty() {
        let message = "--owns needs a CRD, but this operator has none; pass one with --file";
        return Err(message.to_owned().into());
    }
    let no_model = Model::default();
    let model = run.as_ref().map_or(&no_model, |run| &run.output.model);
    args.check_features(model)?;
    let owners = owners.into_iter().map(String::as_str);
    for (owner, owned) in owns::by_crd(&args.owns, owners, model)? {
        parameters.owns.entry(owner).or_default().extend(owned);
    }
    let watched = args.watch.iter().map(|kind| kind.name());
    parameters.watch.extend(watched);
    parameters.webhooks.extend(&args.webhooks);
    let sources = run.as_ref().map_or(&[][..], |run| &run.sources);
    let new = sources.get(present.sources.len()..).unwrap_or_default();
    let mut definitions = definitions(args, &present, &added, new)?;
    if parameters.webhooks.contains(&WebhookType::Conversion)
        && let Some(run) = &mut run
    {
        if run.is_partial() {
            let message = "`--webhooks conversion` needs inputs without errors; fix them first";
            return Err(message.to_owned().into());
        }
        let model = &run.output.model;
        let directory = &args.output;
        let edited = with_conversion(
            model,
            definitions.as_ref(),
            present,
            directory,
            &parameters,
            console,
        )?;
        if let Some((file, sources)) = edited {
            regenerate(run, &sources, &settings, console)?;
            definitions = Some(file);
        }
    }
    let run = match run {
        Some(run) => {
            let generated = run.plan(&modules, &run.output.files, false)?;
            Some((run, generated))
        }
        None => None,
    };
    let update = Update {
        directory: &args.output,
        modules: modules.path(),
        options: &settings.options,
        baseline: &baseline,
        parameters: &parameters,
        run,
        definitions,
    };
    let changes = ChangeArgs::apply(args.dry_run);
    update.process(&changes, "add", console)
}

impl Args {
    /// Whether there is more to add than features.
    fn has_others(&self) -> bool {
        let has_kinds = !(self.file.is_empty() && self.watch.is_empty() && self.owns.is_empty());
        has_kinds || !self.webhooks.is_empty()
    }

    /// Fails if there is nothing to add.
    fn check(&self) -> Result<(), String> {
        if self.has_others() || !self.features.is_empty() {
            return Ok(());
        }
        let all = Feature::value_variants().iter().map(|it| it.name());
        let all = all.collect::<Vec<_>>().join(", ");
        Err(format!(
            "nothing to add; name a feature ({all}), or pass --file, --watch, --owns or --webhooks"
        ))
    }

    /// Fails if a feature needs kinds of CRDs, and there is none.
    fn check_features(&self, model: &Model) -> Result<(), String> {
        let mut features = self.features.iter();
        match features.find(|it| it.needs_crds()) {
            Some(feature) if model.kinds.is_empty() => Err(format!(
                "`{}` needs a CRD, but this operator has none; pass one with --file",
                feature.name()
            )),
            _ => Ok(()),
        }
    }
}

/// Adds the features to the parameters, and says which ones the operator has. Returns whether there is something to write.
fn add_features(
    args: &Args,
    parameters: &mut Parameters,
    baseline: &mut Baseline,
    console: &mut Console,
) -> bool {
    let mut has_new = false;
    for feature in &args.features {
        let is_new = parameters.features.insert(*feature);
        if is_new || baseline.forget_deleted(*feature, &args.output) {
            has_new = true;
        } else {
            console.line(&format!("the operator has `{}` already", feature.name()));
        }
    }
    has_new
}

/// Returns the settings of the operator's `kube-codegen.toml`, or those that a new one will have.
fn settings(
    args: &Args,
    kubernetes: crate::base::options::Kubernetes,
) -> Result<Settings, CommandError> {
    let file = args.output.join(config::FILE);
    if file.exists() {
        return config::read(&file)?.settings();
    }
    Ok(Settings {
        output: args.output.join(scaffold::GENERATED),
        options: Options {
            kubernetes,
            ..Options::default()
        },
        ..Settings::default()
    })
}

/// What the operator has.
#[derive(Default)]
struct Present {
    sources: Vec<Source>,
    /// The names of its CRDs.
    names: BTreeSet<String>,
}

impl Present {
    fn read(settings: &Settings) -> Result<Self, CommandError> {
        if settings.file.is_empty() {
            return Ok(Self::default());
        }
        let loaded = source::load_except(&settings.inputs(), &settings.exclude);
        source::Error::unless_empty(loaded.problems)?;
        let sources = loaded.sources;
        let output = pipeline::run(&sources, &settings.options);
        let names = names(&output.model);
        Ok(Self { sources, names })
    }

    /// Returns the input that is a file, however the configuration names it: by itself, its directory or a pattern.
    fn input(&self, path: &Path) -> Option<usize> {
        let path = fs::canonicalize(path).ok()?;
        let is_it = |other: &Path| fs::canonicalize(other).is_ok_and(|it| it == path);
        let mut all = self.sources.iter();
        all.position(|it| it.path.as_deref().is_some_and(is_it))
    }
}

fn names(model: &Model) -> BTreeSet<String> {
    let definitions = scaffold::definitions(model).into_iter();
    definitions.map(|(name, _)| name).collect()
}

/// Returns the CRDs that are new, by name.
fn added(run: Option<&Run>, before: &BTreeSet<String>) -> Vec<(String, String)> {
    let all = run.map(|run| scaffold::definitions(&run.output.model));
    let all = all.into_iter().flatten();
    all.filter(|(name, _)| !before.contains(name)).collect()
}

/// Returns the file of the CRDs with the new ones after those of the user.
fn definitions(
    args: &Args,
    present: &Present,
    added: &[(String, String)],
    new: &[Source],
) -> Result<Option<File>, CommandError> {
    if added.is_empty() {
        return Ok(None);
    }
    let path = args.output.join(scaffold::DEFINITIONS);
    let text = if path.exists() {
        if present.input(&path).is_none() {
            let path = path.display();
            return Err(format!(
                "`{path}` is not an input of {}; add the CRDs to an input and run `kube-codegen update`",
                config::FILE
            )
            .into());
        }
        fs::read_to_string(&path)
            .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?
    } else {
        String::new()
    };
    let names: Vec<_> = added.iter().map(|(name, _)| name.as_str()).collect();
    let new = scaffold::as_written(new, &names);
    let new = new.unwrap_or_else(|| scaffold::joined(added.iter().map(|(_, text)| text.as_str())));
    let text = scaffold::joined([text.as_str(), &new]);
    let path = scaffold::DEFINITIONS.to_owned();
    let text = text.into();
    Ok(Some(File { path, text }))
}

/// Lets the CRDs of several versions name the webhook; returns their file and all sources, if that changes them.
fn with_conversion(
    model: &Model,
    definitions: Option<&File>,
    present: Present,
    directory: &Path,
    parameters: &Parameters,
    console: &mut Console,
) -> Result<Option<(File, Vec<Source>)>, CommandError> {
    let path = directory.join(scaffold::DEFINITIONS);
    let before = match definitions {
        Some(file) => file.text.to_string(),
        None => fs::read_to_string(&path)
            .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?,
    };
    let index = present.input(&path);
    let mut source = Source::file(path, before);
    let (name, namespace) = (&parameters.name, parameters.namespace());
    let converted = scaffold::with_conversions(&source, model, name, namespace);
    let converted = converted.map_err(|diagnostics| {
        console.diagnostics(&diagnostics, slice::from_ref(&source), &[]);
        rejected(&diagnostics, 0, console)
    })?;
    if let Some(missing) = converted.missing.first() {
        let message = format!(
            "`--webhooks conversion` changes `{}`, which does not contain `{}`; move the CRD there, as apiextensions.k8s.io/v1",
            source.name,
            missing.escape_debug()
        );
        return Err(message.into());
    }
    if converted.text == source.text {
        return Ok(None);
    }
    let file = File {
        path: scaffold::DEFINITIONS.to_owned(),
        text: converted.text.clone().into(),
    };
    source.text = converted.text;
    let mut sources = present.sources;
    match index {
        Some(index) => sources[index] = source,
        None => sources.push(source),
    }
    Ok(Some((file, sources)))
}
