//! Generates trees of modules from files of CRDs: one per repository, or several if CRDs conflict.
use super::Problem;
use super::input::Manifest;
use super::rejections::Rejections;
use kube_codegen::diag::{Code, Diagnostic, Diagnostics, Severity};
use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::pipeline::File;
use kube_codegen::private::crd::{self, Additional, Crd, Items, Schema};
use kube_codegen::private::ir::Counts;
use kube_codegen::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// The generated trees and statistics on the input.
#[derive(Default)]
pub(crate) struct Corpus {
    /// The trees, sorted by repository.
    pub(crate) trees: Vec<Tree>,
    /// The files and samples that were read, relative to the directory of the corpus.
    pub(crate) inputs: BTreeSet<String>,
    /// Files of CRDs that were read.
    pub(crate) files: usize,
    /// CRDs in them; a file without a readable CRD counts as one.
    pub(crate) crds: usize,
    /// Files that were rejected because of errors in them.
    pub(crate) rejected: usize,
    /// The errors in files and samples.
    pub(crate) rejections: Rejections,
    /// Diagnostics by code.
    pub(crate) diagnostics: BTreeMap<Code, usize>,
}

/// One tree of modules.
pub(crate) struct Tree {
    /// The directory of the CRDs.
    pub(crate) repository: String,
    /// Name of its Rust module.
    pub(crate) module: String,
    /// The generated files, relative to the module's directory.
    pub(crate) files: Vec<File>,
    /// The CRDs, by name, each with its modules as `group/version`.
    pub(crate) crds: BTreeMap<String, BTreeSet<String>>,
    /// The Rust path of each root type below the tree's module, by `apiVersion` and `kind`.
    pub(crate) roots: BTreeMap<(String, String), String>,
    /// Inline objects in the schemas of all versions.
    pub(crate) inline: usize,
    /// Counts of the generated types.
    pub(crate) counts: Counts,
}

/// Files that are generated together.
#[derive(Default)]
struct Group {
    repository: String,
    sources: Vec<Source>,
    taken: BTreeSet<(String, String)>,
}

/// Generates everything; a file with an error is reported and omitted from its tree.
pub(crate) fn generate(
    manifests: Vec<Manifest>,
    options: &Options,
    failures: &mut Vec<Problem>,
) -> Corpus {
    let mut corpus = Corpus::default();
    let mut groups: Vec<Group> = Vec::new();
    for manifest in manifests {
        if let Some(taken) = alone(&manifest, options, &mut corpus) {
            let free = groups.iter().position(|group| {
                group.repository == manifest.repository && group.taken.is_disjoint(&taken)
            });
            let at = free.unwrap_or(groups.len());
            if at == groups.len() {
                groups.push(Group {
                    repository: manifest.repository,
                    ..Group::default()
                });
            }
            groups[at].taken.extend(taken);
            groups[at].sources.push(manifest.source);
        }
    }
    let mut modules = BTreeSet::new();
    for group in groups {
        let module = module(&group.repository, &mut modules);
        corpus.trees.extend(tree(group, module, options, failures));
    }
    corpus
}

/// Generates one file on its own to attribute diagnostics to it; returns the names that no other file of its tree may define.
fn alone(
    manifest: &Manifest,
    options: &Options,
    corpus: &mut Corpus,
) -> Option<BTreeSet<(String, String)>> {
    let sources = std::slice::from_ref(&manifest.source);
    let crds = crd::parse(sources, &mut Diagnostics::new());
    let output = pipeline::run(sources, options);
    corpus.files += 1;
    corpus.inputs.insert(manifest.input.clone());
    corpus.crds += crds.len().max(1);
    for diagnostic in output.diagnostics.iter() {
        *corpus.diagnostics.entry(diagnostic.code).or_default() += 1;
    }
    if output.diagnostics.has_errors() {
        corpus.rejected += 1;
        for error in errors(&output.diagnostics) {
            let key = (manifest.input.clone(), error.code.as_str().to_owned());
            corpus
                .rejections
                .entry(key)
                .or_insert_with(|| message(error));
        }
        return None;
    }
    Some(names(&crds))
}

/// Returns the names that must be unique in a run: the plurals and kinds, each with its group.
pub(crate) fn names(crds: &[crd::Crd]) -> BTreeSet<(String, String)> {
    let names = crds.iter().flat_map(|crd| {
        [
            (crd.group.clone(), format!("plural {}", crd.names.plural)),
            (crd.group.clone(), format!("kind {}", crd.names.kind)),
        ]
    });
    names.collect()
}

fn tree(
    group: Group,
    module: String,
    options: &Options,
    failures: &mut Vec<Problem>,
) -> Option<Tree> {
    let output = pipeline::run(&group.sources, options);
    if output.diagnostics.has_errors() {
        failures.push(failure(&group.repository, &output.diagnostics));
        return None;
    }
    let model = &output.model;
    let mut crds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut inline = 0;
    for found in crd::parse(&group.sources, &mut Diagnostics::new()) {
        inline += inline_objects(&found);
        crds.entry(found.name).or_default();
    }
    let mut roots = BTreeMap::new();
    for module in &model.modules {
        for kind in model.kinds_of(module) {
            let name = model.types[kind.root].name();
            let names = module.names();
            let path = format!("{}::{}::{name}", names.group, names.version);
            roots.insert((module.api_version(), kind.kind.clone()), path);
            let crd = format!("{}.{}", kind.plural, kind.group);
            crds.entry(crd).or_default().insert(module.path());
        }
    }
    Some(Tree {
        repository: group.repository,
        module,
        inline,
        counts: model.counts(),
        files: output.files,
        crds,
        roots,
    })
}

/// Describes the errors of files that have none on their own.
fn failure(subject: &str, diagnostics: &Diagnostics) -> Problem {
    let lines = errors(diagnostics).map(|it| format!("{}: {}", it.code.as_str(), message(it)));
    Problem {
        stage: "generate",
        subject: subject.to_owned(),
        message: lines.collect::<Vec<_>>().join("\n"),
    }
}

fn errors(diagnostics: &Diagnostics) -> impl Iterator<Item = &Diagnostic> {
    let all = diagnostics.iter();
    all.filter(|it| it.severity == Severity::Error)
}

fn message(error: &Diagnostic) -> String {
    format!("{} (at {})", error.message, error.place.pointer)
}

/// Returns a unique module name for a repository.
fn module(repository: &str, taken: &mut BTreeSet<String>) -> String {
    let words = repository.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    let plain = format!("tree_{}", words.join("_"));
    let mut name = plain.clone();
    for number in 2.. {
        if taken.insert(name.clone()) {
            break;
        }
        name = format!("{plain}_{number}");
    }
    name
}

/// Returns the number of inline objects in the served versions: schema nodes with declared properties.
fn inline_objects(crd: &Crd) -> usize {
    let served = crd.versions.iter().filter(|version| version.served);
    served
        .filter_map(|version| version.schema.as_deref())
        .map(objects)
        .sum()
}

fn objects(schema: &Schema) -> usize {
    let properties = schema
        .properties
        .iter()
        .flatten()
        .map(|(_, it)| it.as_ref());
    let items = schema.items.iter().filter_map(|items| match items {
        Items::Schema(schema) => Some(schema.as_ref()),
        Items::Tuple(_) => None,
    });
    let values = schema.additional.iter().filter_map(|values| match values {
        Additional::Schema(schema) => Some(schema.as_ref()),
        Additional::Bool(_) => None,
    });
    let own = schema
        .properties
        .as_ref()
        .is_some_and(|all| !all.is_empty());
    usize::from(own)
        + properties
            .chain(items)
            .chain(values)
            .map(objects)
            .sum::<usize>()
}
