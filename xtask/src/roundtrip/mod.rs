//! Makes random valid objects from the schemas of real CRDs, reads them as the generated types and compares what is written.
#[expect(unreachable_pub, reason = "the property tests share it as a library")]
#[path = "../../../tests/properties/src/value/mod.rs"]
mod value;

use crate::corpus::generate::{self, Corpus};
use crate::corpus::input::{self, Manifest};
use crate::corpus::samples::Sample;
use crate::corpus::{Problem, Result, batch, compile, listing, round_trip, slice};
use crate::target;
use clap::Args;
use kube_codegen::Emitter;
use kube_codegen::diag::Diagnostics;
use kube_codegen::options::Options;
use kube_codegen::private::crd;
use kube_codegen_schema::Schema;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use value::{GIVEN, Objects};

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directory with `crds/<repository>/*.yaml`, or any directory of CRDs
    folder: PathBuf,

    /// Number that the objects are made from; another one makes others
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    seed: u64,

    /// Number of objects of each version of each CRD
    #[arg(long, default_value_t = 10, value_name = "N")]
    objects: usize,

    /// Use only a slice of this size in KiB of CRDs, selected by the seed
    #[arg(long, value_name = "KIB")]
    slice: Option<u64>,

    /// Use only repositories whose name contains this text; can be repeated
    #[arg(long, value_name = "REPOSITORY")]
    only: Vec<String>,

    /// Approximate number of CRDs per crate
    #[arg(long, default_value_t = 120, value_name = "N")]
    batch: usize,

    /// Directory for the crates and the list of failures [default: roundtrip in cargo's target directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Where a kind is defined: repository, `apiVersion` and `kind`.
type Place = (String, String, String);

/// The stage of kinds without objects; they are listed but do not count as failures.
const WITHOUT: &str = "no object";

/// Runs the task and returns whether every object round-trips.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| target().join("roundtrip"));
    let inputs = input::find(&arguments.folder, &arguments.only)?;
    let seed = arguments.slice.map(|_| arguments.seed);
    let inputs = slice::select(inputs, seed, arguments.slice.unwrap_or_default() << 10);
    let manifests = manifests(&inputs);
    let mut options = Options::default();
    options.emit = vec![Emitter::Types];
    let mut failures = Vec::new();
    let corpus = generate::generate(inputs, &options, &mut failures);
    let samples = samples(arguments, &corpus, &manifests, &mut failures);
    let batches = batch::pack(&corpus, &samples, arguments.batch);
    batch::write(&out, &corpus, &batches, true)?;
    let all: Vec<_> = batches.iter().filter(|it| !it.samples.is_empty()).collect();
    let built = compile::compile(&out, &compile::BUILD, &all, &mut failures)?;
    let mut equal = 0;
    for batch in all {
        let program = built.programs.get(&batch.name).map(PathBuf::as_path);
        let outcome = round_trip::run(&out, batch, program, &mut failures)?;
        equal += outcome.values().filter(|equal| **equal).count();
    }
    failures.sort();
    failures.dedup();
    let report = out.join("failures.txt");
    fs::write(&report, listing(&failures))?;
    let kinds = samples
        .iter()
        .map(|it| it.types.as_slice())
        .collect::<BTreeSet<_>>();
    let count = |stage: &str| failures.iter().filter(|it| it.stage == stage).count();
    println!("CRDs                  {:>8}", corpus.crds);
    println!("kinds with objects    {:>8}", kinds.len());
    println!("kinds without objects {:>8}", count(WITHOUT));
    println!("objects               {:>8}", samples.len());
    println!("objects equal         {equal:>8}");
    println!("failures: {}", report.display());
    // `corpus` reports the rejected CRDs.
    Ok(failures.iter().all(|it| it.stage == WITHOUT) && !samples.is_empty())
}

/// Returns the manifest of each kind; none of those that a repository defines twice.
fn manifests(inputs: &[Manifest]) -> BTreeMap<Place, Option<Value>> {
    let mut manifests = BTreeMap::new();
    for input in inputs {
        let sources = std::slice::from_ref(&input.source);
        for crd in crd::parse(sources, &mut Diagnostics::new()) {
            for version in &crd.versions {
                let api_version = format!("{}/{}", crd.group, version.name);
                let place = (
                    input.repository.clone(),
                    api_version,
                    crd.names.kind.clone(),
                );
                let schema = schema(&crd.manifest, &version.name);
                let entry = manifests.entry(place);
                entry.and_modify(|it| *it = None).or_insert(schema);
            }
        }
    }
    manifests
}

/// Returns the schema of a version, without what the API server does not take from it.
fn schema(manifest: &str, version: &str) -> Option<Value> {
    let mut manifest: Value = serde_json::from_str(manifest).ok()?;
    let versions = manifest["spec"]["versions"].as_array_mut()?;
    let version = versions.iter_mut().find(|it| it["name"] == version)?;
    let mut schema = version["schema"]["openAPIV3Schema"].take();
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| !GIVEN.contains(&name.as_str()));
    }
    Some(schema)
}

/// Makes the objects of all kinds.
fn samples(
    arguments: &Arguments,
    corpus: &Corpus,
    schemas: &BTreeMap<Place, Option<Value>>,
    failures: &mut Vec<Problem>,
) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (index, tree) in corpus.trees.iter().enumerate() {
        for ((api_version, kind), path) in &tree.roots {
            let place = (tree.repository.clone(), api_version.clone(), kind.clone());
            let Some(Some(schema)) = schemas.get(&place) else {
                continue;
            };
            let mut objects = Objects::new(arguments.seed, false);
            let before = samples.len();
            for number in 0..arguments.objects {
                // The first ones are small, so that a failure is easy to read.
                let size = 8 << number.min(6);
                if let Some(object) = objects.object(api_version, kind, schema, size) {
                    samples.push(Sample {
                        file: format!("{} {api_version} {kind} {number}", tree.repository),
                        object,
                        types: vec![(index, path.clone())],
                    });
                }
            }
            if samples.len() == before {
                let schema = Schema::new(schema).map(Schema::without_rules);
                let why: Vec<String> = match schema {
                    Ok(schema) => {
                        let causes = schema.validate(&serde_json::json!({}));
                        causes.iter().map(ToString::to_string).collect()
                    }
                    Err(error) => vec![error.to_string()],
                };
                failures.push(Problem {
                    stage: WITHOUT,
                    subject: format!("{} {api_version} {kind}", tree.repository),
                    message: format!(
                        "no random object fits the schema; of the empty one: {}",
                        why.join("; ")
                    ),
                });
            }
        }
    }
    samples
}
