//! Changes real CRDs at random, and searches for objects that disprove what `kube-codegen diff` calls compatible.
mod mutate;
mod rust;

use crate::corpus::{input, slice};
use clap::Args;
use fastrand::Rng;
use kube_codegen::diag::Severity;
use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::private::compat::{Verdict, verdicts};
use kube_codegen::source::Source;
use kube_codegen_schema::{Schema, validate_metadata};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of the task.
///
/// A pair is a CRD before and after one to three random changes of its schema that the generator accepts. A pair of which nothing is a
/// risk or breaking must accept every random object that it accepted before. With `--compile`, a program compiles with the second state
/// exactly if the comparison names no break, or with the entries of the config file that it names.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directory with `crds/<repository>/*.yaml`, or any directory of CRDs
    folder: PathBuf,

    /// Compare with the CRDs of this folder, which have the same names, in place of random changes
    #[arg(long, value_name = "FOLDER")]
    release: Option<PathBuf>,

    /// Use only repositories whose name contains this text; can be repeated
    #[arg(long, value_name = "REPOSITORY")]
    only: Vec<String>,

    /// Number of pairs
    #[arg(long, default_value_t = 500, value_name = "N")]
    pairs: usize,

    /// Number of pairs to leave out, so that a run goes on where another one ended: each pair has random numbers of its own
    #[arg(long, default_value_t = 0, value_name = "N")]
    skip: usize,

    /// Number of random objects for a pair that is called compatible
    #[arg(long, default_value_t = 200, value_name = "N")]
    objects: u64,

    /// Other random changes and objects
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,

    /// Number of pairs whose generated code is compiled, with a program that uses all of the first state
    #[arg(long, default_value_t = 0, value_name = "N")]
    compile: usize,

    /// Print the changes called breaking that no object proves
    #[arg(long)]
    unproved: bool,

    /// Write the objects that prove changes to this file, for `kube-codegen-conformance witnesses`
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Size of the slice in KiB of CRDs
    #[arg(long, default_value_t = 100_000, value_name = "KIB")]
    slice: u64,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the task and returns whether no object disproved a verdict.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let crds = read(&arguments.folder, arguments)?;
    let release = arguments.release.as_ref();
    let release = release.map(|folder| read(folder, arguments)).transpose()?;
    let mut lines = Vec::new();
    let (mut compatible, mut disproved) = (0, 0);
    // By rule: how many there were, and how many of them an object proved.
    let mut rules: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut compiled = rust::Pairs::default();
    let mut pairs = 0;
    for index in arguments.skip..arguments.skip + arguments.pairs {
        let pair = match &release {
            Some(release) => released(&crds, release, index),
            None => pair(&crds, arguments.seed, index),
        };
        let Some((old, new, version, what)) = pair else {
            continue;
        };
        pairs += 1;
        if compiled.len() < arguments.compile {
            compiled.add(old, &new, &what.join(", "));
        }
        let found = verdicts(old, &new);
        for verdict in &found {
            if let (Some(witness), Some(_)) = (&verdict.witness, &arguments.write) {
                let line = json!({"old": old, "new": new, "version": version, "rule": verdict.rule, "path": verdict.path, "witness": witness});
                lines.push(line.to_string());
            }
            let of_rule = rules.entry(verdict.rule).or_default();
            of_rule.0 += 1;
            of_rule.1 += usize::from(verdict.witness.is_some());
        }
        if arguments.unproved {
            let all = found
                .iter()
                .filter(|it| it.level == "breaking" && it.witness.is_none());
            for verdict in all {
                let what = what.join(", ");
                println!(
                    "{} {} of {}: {what}",
                    verdict.rule, verdict.path, old["metadata"]["name"]
                );
            }
        }
        if found.iter().all(|it| it.level == "compatible") {
            compatible += 1;
            if let Some(object) = search(old, &new, version, arguments) {
                disproved += 1;
                print_failure(old, &what, &found, &object);
            }
        }
        if pairs % 100 == 0 {
            eprintln!(
                "next: --skip {}; {pairs} pairs, {compatible} called compatible, {disproved} disproved",
                index + 1
            );
        }
    }
    if let Some(file) = &arguments.write {
        fs::write(file, lines.join("\n") + "\n")?;
    }
    println!("{:<40} {:>8}", "pairs", pairs);
    println!("{:<40} {:>8}", "called compatible", compatible);
    println!("{:<40} {:>8}", "disproved", disproved);
    for (rule, (all, proved)) in rules {
        println!("{rule:<40} {all:>8}, {proved} with an object that proves it");
    }
    let wrong = if arguments.compile > 0 {
        compiled.check()?
    } else {
        0
    };
    Ok(disproved + wrong == 0)
}

/// Reads the CRDs of a folder, each with its storage version.
fn read(folder: &Path, arguments: &Arguments) -> Result<Vec<(Value, String)>> {
    let real = folder.join("crds");
    let folder = if real.is_dir() { &real } else { folder };
    let manifests = input::find(folder, &arguments.only)?;
    let manifests = slice::select(manifests, Some(arguments.seed), arguments.slice << 10);
    let mut crds = Vec::new();
    for manifest in manifests {
        let output = pipeline::run(&[manifest.source], &Options::default());
        let kinds = output.model.kinds.iter().filter(|kind| kind.storage);
        crds.extend(kinds.map(|kind| (kind.definition(), kind.version.clone())));
    }
    if crds.is_empty() {
        return Err(format!("no CRD in {}", folder.display()).into());
    }
    Ok(crds)
}

type Pair<'a> = (&'a Value, Value, &'a str, Vec<String>);

/// Returns a CRD and what it is in another release.
fn released<'a>(
    crds: &'a [(Value, String)],
    release: &[(Value, String)],
    index: usize,
) -> Option<Pair<'a>> {
    let (old, version) = crds.get(index)?;
    let name = |crd: &Value| crd["metadata"]["name"].clone();
    let (new, _) = release.iter().find(|(new, _)| name(new) == name(old))?;
    (new != old).then(|| {
        (
            old,
            new.clone(),
            version.as_str(),
            vec!["a release".to_owned()],
        )
    })
}

/// Returns a CRD and its random change, the version that changed, and what changed; `None` if the generator refuses the changes that were
/// tried.
fn pair(crds: &[(Value, String)], seed: u64, index: usize) -> Option<Pair<'_>> {
    /// How many changes are tried.
    const TRIES: usize = 20;
    let mut random = Rng::with_seed(seed);
    // Neighbours of a seed have other numbers.
    let index = u64::try_from(index).ok()?;
    let mut random = Rng::with_seed(random.u64(..) ^ Rng::with_seed(index).u64(..));
    (0..TRIES).find_map(|_| {
        let (old, version) = random.choice(crds)?;
        let mut new = old.clone();
        let count = random.usize(1..=3);
        let what: Vec<String> = (0..count)
            .filter_map(|_| mutate::change(schema_mut(&mut new, version)?, &mut random))
            .collect();
        let is_pair = !what.is_empty() && new != *old && generates(&new);
        is_pair.then_some((old, new, version.as_str(), what))
    })
}

fn schema_mut<'a>(crd: &'a mut Value, version: &str) -> Option<&'a mut Value> {
    let versions = crd.pointer_mut("/spec/versions")?.as_array_mut()?;
    let version = versions.iter_mut().find(|it| it["name"] == version)?;
    version.pointer_mut("/schema/openAPIV3Schema")
}

fn generates(crd: &Value) -> bool {
    let source = Source::new("changed.yaml", crd.to_string());
    let output = pipeline::run(&[source], &Options::default());
    let mut all = output.diagnostics.iter();
    // What the API server refuses is at least a warning.
    !all.any(|it| it.severity >= Severity::Warning && it.code.as_str() < "KC0400")
}

/// Searches for a random object that the API server accepted before and refuses now.
fn search(old: &Value, new: &Value, version: &str, arguments: &Arguments) -> Option<Value> {
    let before = Schema::new(schema_mut(&mut old.clone(), version)?).ok()?;
    let after = before.other(schema_mut(&mut new.clone(), version)?).ok()?;
    let text = |pointer: &str| old.pointer(pointer).and_then(Value::as_str);
    let head = json!({
        "apiVersion": format!("{}/{version}", text("/spec/group")?),
        "kind": text("/spec/names/kind")?,
        "metadata": {"name": "example"},
    });
    let accepts = |schema: &Schema, object: &Value| {
        let mut object = object.clone();
        schema.prune(&mut object);
        schema.apply_defaults(&mut object);
        let mut causes = validate_metadata(&object);
        causes.extend(schema.validate(&object));
        causes.iter().all(|cause| !cause.is_violation())
    };
    let objects = (0..arguments.objects).map(|index| {
        before
            .random(arguments.seed.wrapping_add(1_000_000 + index), &head)
            .0
    });
    let mut objects = objects.filter(|object| before.prune(&mut object.clone()).is_empty());
    objects.find(|object| accepts(&before, object) && !accepts(&after, object))
}

fn print_failure(old: &Value, what: &[String], found: &[Verdict], object: &Value) {
    println!("{}: {}", old["metadata"]["name"], what.join(", "));
    for verdict in found {
        println!("  {} {}: {}", verdict.level, verdict.rule, verdict.path);
    }
    println!("  refused: {object}");
}
