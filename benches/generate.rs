//! Measures generation from many CRDs against parsing their YAML once with the same parser, and prints the ratios.
#![allow(clippy::expect_used, reason = "a bench fails by panicking")]

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use kube_codegen::diag::Diagnostics;
use kube_codegen::options::Options;
use kube_codegen::private::crd;
use kube_codegen::source::{self, Input, Source};
use kube_codegen::{
    pipeline,
    private::{write, yaml},
};
use std::collections::HashSet;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// The allocator of the binary.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion, "fixtures", &root.join("fixtures/*.yaml"));
    let corpus = root.join("../shared/corpus/crds");
    if corpus.is_dir() {
        measure(&mut criterion, "corpus", &corpus);
    } else {
        println!("corpus: skipped, {} does not exist", corpus.display());
    }
    criterion.final_summary();
}

/// Measures each stage for one set of CRDs.
fn measure(criterion: &mut Criterion, name: &str, input: &Path) {
    let sources = compatible(&input.display().to_string());
    let options = Options::default();
    let generate = || pipeline::run(&sources, &options).files;
    let folder = tempfile::tempdir().expect("a folder to write to");
    let unchanged = folder.path().join("unchanged");
    put(&unchanged, &generate());

    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    let parse = time(&mut group, "parse", || {
        for source in &sources {
            black_box(yaml::documents(source, &mut Diagnostics::new()));
        }
    });
    let memory = time(&mut group, "generate", || {
        black_box(generate());
    });
    let fresh = folder.path().join("fresh");
    let disk = time(&mut group, "generate and write", || {
        put(&fresh, &generate());
        std::fs::remove_dir_all(&fresh).expect("the files just written");
    });
    let check = time(&mut group, "check", || {
        let plan = write::plan(&unchanged, &generate(), false).expect("a tree of our own");
        assert!(plan.changes().is_empty());
    });
    group.finish();

    let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    println!(
        "{name}: {} files, {:.1} MB, {} cores\n",
        sources.len(),
        mega(bytes),
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    for (what, time, of, base) in [
        ("generate", memory, "parse", parse),
        ("generate and write", disk, "parse", parse),
        ("check", check, "generate and write", disk),
    ] {
        if let (Some(time), Some(base)) = (time, base) {
            let ratio = time.as_secs_f64() / base.as_secs_f64();
            println!("{name}: {what} takes {ratio:.2} times what {of} takes");
        }
    }
    println!();
}

/// Returns the shortest time of the work, unless the arguments exclude it.
fn time(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, work: impl Fn()) -> Option<Duration> {
    let mut least = None;
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|times| {
            let mut all = Duration::ZERO;
            for _ in 0..times {
                let start = Instant::now();
                work();
                let took = start.elapsed();
                least = Some(least.map_or(took, |least: Duration| least.min(took)));
                all += took;
            }
            all
        });
    });
    least
}

fn put(root: &Path, files: &[kube_codegen::pipeline::File]) {
    write::plan(root, files, false)
        .and_then(|plan| plan.apply())
        .expect("a tree of our own");
}

/// Returns the files that one run accepts together: those without errors, and the largest of those that define the same kind.
fn compatible(argument: &str) -> Vec<Source> {
    let mut sources = source::load(&[Input::parse(argument)]).expect("files that can be read");
    sources.sort_by(|a, b| (b.text.len(), &a.name).cmp(&(a.text.len(), &b.name)));
    let mut taken = HashSet::new();
    sources.retain(|source| {
        let mut diagnostics = Diagnostics::new();
        let crds = crd::parse(std::slice::from_ref(source), &mut diagnostics);
        let names: Vec<_> = crds
            .iter()
            .flat_map(|crd| {
                let plural = (crd.group.clone(), crd.names.plural.clone());
                [plural, (crd.group.clone(), crd.names.kind.clone())]
            })
            .collect();
        let free = !diagnostics.has_errors() && names.iter().all(|name| !taken.contains(name));
        if free {
            taken.extend(names);
        }
        free
    });
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    sources
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
