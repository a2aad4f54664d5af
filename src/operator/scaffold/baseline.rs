//! The record of what was scaffolded, which a crate keeps for `kube-codegen update` and `kube-codegen add`.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::ErrorKind,
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{CoreKind, Feature, Location, core_kind, templates};
use crate::{
    base::options::Kubernetes,
    output::{render::File, write},
};

/// The file in the crate.
pub(crate) const BASELINE: &str = ".kube-codegen/scaffold.json";

/// Which namespaces a deployed operator has rights in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DeployScope {
    /// All namespaces: a `ClusterRole`
    #[default]
    Cluster,
    /// Its own namespace: a `Role`
    Namespace,
}

/// What the webhooks of an operator do.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WebhookType {
    /// Fill in fields that the author of an object left out
    Defaulting,
    /// Reject objects for reasons that a schema cannot express
    Validating,
    /// Convert objects between the versions of their kind
    Conversion,
}

impl WebhookType {
    /// Returns the name on the command line.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validating => "validating",
            Self::Conversion => "conversion",
        }
    }
}

/// What an operator that takes over a running installation has in common with the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Takeover {
    /// The namespace of the operator; by default its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<String>,
    /// The name of the Lease; by default that of the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lease: Option<String>,
    /// The field manager of what the operator writes; by default its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field_manager: Option<String>,
    /// The field managers whose fields of children become those of this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) former_managers: Vec<String>,
    /// The variables of the environment that the operator runs with, in an order in which one may refer to those before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) environment: Vec<(String, String)>,
    /// The names of controllers in metrics, by the name of a CRD or the watched kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) metrics_names: BTreeMap<String, String>,
    /// The finalizers of objects, by the name of a CRD.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) finalizers: BTreeMap<String, String>,
    /// The webhooks by the name of a CRD, if the kinds have different ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) webhooks: Option<BTreeMap<String, BTreeSet<WebhookType>>>,
}

/// What a crate was scaffolded from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The name of the package.
    pub(crate) name: String,
    /// Which namespaces the deployed operator has rights in.
    pub(crate) scope: DeployScope,
    /// The oldest Kubernetes version to support.
    pub(crate) kubernetes: String,
    /// The watched kinds of Kubernetes itself.
    pub(crate) watch: BTreeSet<String>,
    /// The owned kinds by the name of a CRD: those of Kubernetes itself, and the names of CRDs of the operator.
    pub(crate) owns: BTreeMap<String, BTreeSet<String>>,
    /// The modules of the controllers, by the name of a CRD or the watched kind.
    pub(crate) controllers: BTreeMap<String, String>,
    /// What the webhooks of the kinds of CRDs do.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) webhooks: BTreeSet<WebhookType>,
    /// The parts that `kube-codegen add` has added.
    #[serde(default)]
    pub(crate) features: BTreeSet<Feature>,
    /// What is as in the installation that the operator takes over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) takeover: Takeover,
    /// Further lines of `kube-codegen.toml`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) options: String,
    /// The directory of the user's templates, relative to the crate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) templates: Option<String>,
    /// What depends on the directory of the package.
    pub(crate) location: Location,
}

fn is_default(takeover: &Takeover) -> bool {
    *takeover == Takeover::default()
}

impl Parameters {
    /// Returns the namespace of the operator.
    pub(crate) fn namespace(&self) -> &str {
        self.takeover.namespace.as_deref().unwrap_or(&self.name)
    }

    /// Returns the watched kinds.
    pub(crate) fn watched(&self) -> Result<BTreeSet<&'static CoreKind>, String> {
        self.watch.iter().map(|name| core_kind(name)).collect()
    }

    /// Returns the oldest Kubernetes version to support.
    pub(crate) fn kubernetes(&self) -> Result<Kubernetes, String> {
        let found = Kubernetes::ALL
            .iter()
            .find(|it| it.as_str() == self.kubernetes);
        found.copied().ok_or_else(|| {
            let version = self.kubernetes.escape_debug();
            format!("{BASELINE}: Kubernetes `{version}` is unknown")
        })
    }
}

/// What the record knows of the text that a file was scaffolded with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Recorded {
    /// Its hash, which ignores the kind of line endings.
    Hash(String),
    /// Its lines: what records had first.
    Lines(Vec<String>),
}

impl Recorded {
    /// The record of a text.
    pub(crate) fn new(text: &str) -> Self {
        Self::Hash(write::hash(text.as_bytes()))
    }

    /// Whether this is the text.
    pub(crate) fn is(&self, text: &str) -> bool {
        match self {
            Self::Hash(hash) => *hash == write::hash(text.as_bytes()),
            Self::Lines(_) => self.text().is_some_and(|it| it == text),
        }
    }

    /// The text, if the record has it.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Hash(_) => None,
            Self::Lines(lines) => Some(lines.iter().flat_map(|line| [line, "\n"]).collect()),
        }
    }
}

/// The parameters and the hashes of scaffolded files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Baseline {
    /// The version of kube-codegen, and so of its templates.
    pub(crate) version: String,
    /// What the crate was scaffolded from.
    pub(crate) parameters: Parameters,
    /// Each file, as rendered.
    files: BTreeMap<String, Recorded>,
}

impl Baseline {
    /// Returns the record of files.
    pub(crate) fn new<'a>(
        parameters: Parameters,
        files: impl IntoIterator<Item = &'a File>,
    ) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parameters,
            files: (files.into_iter())
                .map(|file| (file.path.clone(), Recorded::new(&file.text)))
                .collect(),
        }
    }

    /// Reads the record of the crate in a directory.
    ///
    /// # Errors
    /// If there is none, or it is invalid.
    pub(crate) fn read(directory: &Path) -> Result<Self, String> {
        let path = directory.join(BASELINE);
        let name = path.display();
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!(
                "cannot read `{name}`: the directory is not a crate that `kube-codegen new` has written, or an older version has"
            ),
            _ => format!("cannot read `{name}`: {error}"),
        })?;
        let mut baseline: Self = serde_json::from_str(&text)
            .map_err(|error| format!("{name}:{}:{}: {error}", error.line(), error.column()))?;
        if baseline.is_of_lines() {
            baseline.parameters.features = baseline.features_of_lines();
        }
        Ok(baseline)
    }

    fn is_of_lines(&self) -> bool {
        let is_of_lines = |it: &Recorded| matches!(it, Recorded::Lines(_));
        self.files.values().any(is_of_lines)
    }

    /// The features of an operator from before there were any: those whose files it was scaffolded with, and those without files.
    fn features_of_lines(&self) -> BTreeSet<Feature> {
        let all = templates::OPERATOR.iter();
        let recorded = all.filter(|it| self.files.contains_key(it.path));
        let features = recorded.filter_map(|it| it.feature);
        features.chain([Feature::Chart, Feature::Bundle]).collect()
    }

    /// Returns the file to write.
    ///
    /// # Errors
    /// Never in practice: all keys are strings.
    pub(crate) fn to_file(&self) -> Result<File, String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        Ok(File {
            path: BASELINE.to_owned(),
            text: (text + "\n").into(),
        })
    }

    /// Returns the paths of the recorded files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// What is recorded of a file.
    pub(crate) fn file(&self, path: &str) -> Option<&Recorded> {
        self.files.get(path)
    }

    /// Forgets the files of a feature that the user has deleted, so that they count as new ones. Returns whether there are any.
    pub(crate) fn forget_deleted(&mut self, feature: Feature, directory: &Path) -> bool {
        let before = self.files.len();
        for path in templates::files_of(feature) {
            if !directory.join(path).exists() {
                self.files.remove(path);
            }
        }
        self.files.len() < before
    }
}
