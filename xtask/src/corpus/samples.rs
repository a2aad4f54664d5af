//! Reads the samples that an API server accepts, with the types to read them as.
use super::generate::Corpus;
use super::{Problem, Result};
use kube_codegen::diag::Diagnostics;
use kube_codegen::private::yaml;
use kube_codegen::source::{self, Input};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A custom resource.
pub(crate) struct Sample {
    /// Its file, relative to `samples/`.
    pub(crate) file: String,
    /// The object.
    pub(crate) object: Value,
    /// Trees that have its type, by index, each with the path of the type below the tree's module.
    pub(crate) types: Vec<(usize, String)>,
}

/// Returns the samples of `samples.tsv` whose `check` is `ok` and whose CRD was generated; none without such a table.
pub(crate) fn find(
    directory: &Path,
    corpus: &mut Corpus,
    failures: &mut Vec<Problem>,
) -> Result<Vec<Sample>> {
    let table = directory.join("samples.tsv");
    if !table.is_file() {
        return Ok(Vec::new());
    }
    let table = fs::read_to_string(table)?;
    let mut lines = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let column = |name: &str| {
        let found = head.iter().position(|column| *column == name);
        found.ok_or_else(|| format!("samples.tsv has no column `{name}`"))
    };
    let columns = [
        column("check")?,
        column("apiVersion")?,
        column("kind")?,
        column("file")?,
    ];
    let mut samples = Vec::new();
    for line in lines {
        let [check, api_version, kind, file] =
            columns.map(|at| line.get(at).copied().unwrap_or_default());
        if check != "ok" {
            continue;
        }
        let types = types(corpus, file, &(api_version.to_owned(), kind.to_owned()));
        if types.is_empty() {
            continue;
        }
        let input = format!("samples/{file}");
        corpus.inputs.insert(input.clone());
        match read(&directory.join(&input)) {
            Ok(object) if !metadata_is_valid(&object) => {
                let message = "the API server rejects its metadata".to_owned();
                let key = (input, "metadata".to_owned());
                corpus.rejections.insert(key, message);
            }
            Ok(object) => samples.push(Sample {
                file: file.to_owned(),
                object,
                types,
            }),
            Err(error) => failures.push(Problem {
                stage: "sample",
                subject: file.to_owned(),
                message: error.to_string(),
            }),
        }
    }
    Ok(samples)
}

/// Whether the labels and annotations are strings, which the API server requires for any schema.
fn metadata_is_valid(object: &Value) -> bool {
    ["labels", "annotations"].iter().all(|name| {
        let map = object["metadata"][name].as_object();
        map.is_none_or(|map| map.values().all(|it| it.is_string() || it.is_null()))
    })
}

/// Returns the types of a kind in the trees of the sample's repository.
fn types(corpus: &Corpus, file: &str, kind: &(String, String)) -> Vec<(usize, String)> {
    let repository = file.split('/').next().unwrap_or_default();
    corpus
        .trees
        .iter()
        .enumerate()
        .filter(|(_, tree)| tree.repository == repository)
        .filter_map(|(index, tree)| Some((index, tree.roots.get(kind)?.clone())))
        .collect()
}

fn read(path: &Path) -> Result<Value> {
    let sources = source::load(&[Input::File(path.to_owned())])?;
    let source = sources.first().ok_or("no such file")?;
    let mut diagnostics = Diagnostics::new();
    let object = yaml::documents(source, &mut diagnostics).into_iter().next();
    if let Some(error) = diagnostics.iter().find(|_| diagnostics.has_errors()) {
        return Err(error.message.clone().into());
    }
    object.ok_or_else(|| "no document".into())
}
