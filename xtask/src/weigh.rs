//! Measures what the types of CRDs cost whoever compiles and uses them, beside those of kopium for the same CRDs.
use crate::corpus::input;
use crate::{root, target};
use clap::Args;
use kube_codegen::options::{Emitter, Kubernetes, Options};
use kube_codegen::pipeline;
use kube_codegen::private::ir::Kind;
use kube_codegen_schema::{Extent, Schema};
use serde_json::json;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Arguments of the task.
///
/// One program per generator reads, clones, compares, prints and writes an object of each kind. Only the compilation of that program
/// counts, not that of its dependencies. Run it on an idle machine with Linux.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directory of CRDs
    folder: PathBuf,

    /// The program of kopium (`cargo install kopium`); without it, only kube-codegen is measured
    #[arg(long, value_name = "PATH")]
    kopium: Option<PathBuf>,

    /// How often each object is read and written
    #[arg(long, default_value_t = 2000, value_name = "N")]
    times: u32,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What one program costs.
struct Weight {
    /// CPU seconds of a debug and of a release build.
    build: [f64; 2],
    /// Size of the stripped release build.
    bytes: u64,
    /// Microseconds to read and to write each object once.
    run: [f64; 2],
}

/// Runs the task.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let manifests = input::find(&arguments.folder, &[])?;
    let files: Vec<PathBuf> = manifests
        .iter()
        .filter_map(|it| it.source.path.clone())
        .collect();
    let sources: Vec<_> = manifests.into_iter().map(|it| it.source).collect();
    let mut options = Options::default();
    options.emit.push(Emitter::Types);
    let output = pipeline::run(&sources, &options);
    if output.diagnostics.has_errors() {
        return Err("a CRD has errors: run `kube-codegen generate` on them".into());
    }
    let kinds: Vec<&Kind> = output.model.kinds.iter().filter(|it| it.storage).collect();
    let out = target().join("weigh");
    let mut samples = Vec::new();
    for kind in &kinds {
        samples.push(sample(kind)?);
    }
    fs::create_dir_all(&out)?;
    fs::write(out.join("samples.json"), serde_json::to_string(&samples)?)?;

    let ours = out.join("kube-codegen");
    start(&ours)?;
    for file in &output.files {
        put(&ours.join("src/generated").join(&file.path), &file.text)?;
    }
    let types = kinds.iter().map(|kind| {
        let group = kind.group.replace(['.', '-'], "_");
        format!("generated::{group}::{}::{}", kind.version, kind.kind)
    });
    let record = root().join("crates/record");
    let record = format!(
        "kube-codegen-record = {{ path = {:?} }}\n",
        record.display().to_string()
    );
    package(&ours, "mod generated;\n", types, &record)?;
    let ours = measure(&ours, arguments.times)?;

    let theirs = match &arguments.kopium {
        Some(program) => {
            let theirs = out.join("kopium");
            start(&theirs)?;
            let mut modules = String::new();
            for (index, file) in files.iter().enumerate() {
                let text = kopium(program, file)?;
                put(&theirs.join(format!("src/k{index}.rs")), &text)?;
                _ = writeln!(modules, "mod k{index};");
            }
            let types = kinds.iter().map(|kind| {
                let name = format!("{}.{}.", kind.plural, kind.group);
                let at = files.iter().position(|file| {
                    file.file_name()
                        .is_some_and(|it| it.to_string_lossy().starts_with(&name))
                });
                format!("k{}::{}", at.unwrap_or_default(), kind.kind)
            });
            let kube =
                "kube = { version = \"5\", default-features = false, features = [\"derive\"] }\n";
            package(&theirs, &modules, types, kube)?;
            Some(measure(&theirs, arguments.times)?)
        }
        None => None,
    };
    print(&ours, theirs.as_ref());
    Ok(true)
}

fn sample(kind: &Kind) -> Result<serde_json::Value> {
    let crd = kind.definition();
    let versions = crd["spec"]["versions"]
        .as_array()
        .ok_or("a CRD without versions")?;
    let version = versions.iter().find(|it| it["name"] == *kind.version);
    let schema = version.ok_or("a version without definition")?;
    let schema = Schema::new(&schema["schema"]["openAPIV3Schema"])?;
    let api_version = format!("{}/{}", kind.group, kind.version);
    let object = json!({"apiVersion": api_version, "kind": kind.kind, "metadata": {"name": "a"}});
    Ok(schema.sample(Extent::Full, &object).0)
}

/// Starts an empty package.
fn start(folder: &Path) -> Result<()> {
    if folder.join("src").exists() {
        fs::remove_dir_all(folder.join("src"))?;
    }
    Ok(fs::create_dir_all(folder.join("src"))?)
}

fn put(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, text)?)
}

/// Runs kopium with what our types have, too: `Default` and `PartialEq`, and comments.
fn kopium(program: &Path, crd: &Path) -> Result<String> {
    let mut command = Command::new(program);
    command.args(["--docs", "--smart-derive-elision"]);
    command.args(["--derive", "Default", "--derive", "PartialEq", "-f"]);
    let output = command.arg(crd).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("kopium failed on {}", crd.display()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Writes the program and its manifest.
fn package(
    folder: &Path,
    modules: &str,
    types: impl Iterator<Item = String>,
    dependency: &str,
) -> Result<()> {
    let mut uses = String::new();
    for (index, name) in types.enumerate() {
        _ = writeln!(
            uses,
            "    run::<{name}>(&samples[{index}], times, &mut spent);"
        );
    }
    let program = format!("{modules}{PROGRAM}").replace("    // each kind\n", &uses);
    put(&folder.join("src/main.rs"), &program)?;
    let newest = Kubernetes::ALL
        .last()
        .map(|it| it.feature())
        .unwrap_or_default();
    let manifest = format!(
        r#"[package]
name = "weighed"
version = "0.0.0"
edition = "2024"

[workspace]

[profile.dev.package."*"]
debug = false

[profile.release]
strip = true

[dependencies]
k8s-openapi = {{ version = "0.29", features = ["{newest}"] }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
{dependency}"#
    );
    put(&folder.join("Cargo.toml"), &manifest)
}

/// Builds the program alone, after its dependencies, and runs it.
fn measure(folder: &Path, times: u32) -> Result<Weight> {
    let mut build = [0.0; 2];
    for (at, profile) in ["dev", "release"].iter().enumerate() {
        let compile = || -> Result<()> {
            let mut cargo =
                Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args(["build", "--profile", profile, "--manifest-path"]);
            cargo
                .arg(folder.join("Cargo.toml"))
                .arg("--target-dir")
                .arg(folder.join("target"));
            cargo
                .env("CARGO_INCREMENTAL", "0")
                .env("K8S_OPENAPI_ENABLED_VERSION", "");
            // Cargo's output is in the way of the table, unless it fails.
            let output = cargo.env("RUSTFLAGS", "-Awarnings").output()?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into());
            }
            Ok(())
        };
        compile()?;
        let main = folder.join("src/main.rs");
        fs::write(&main, fs::read(&main)?)?;
        let before = children()?;
        compile()?;
        build[at] = children()? - before;
    }
    let program = folder.join("target/release/weighed");
    let samples = folder.with_file_name("samples.json");
    let output = Command::new(&program)
        .arg(samples)
        .arg(times.to_string())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mut run = text.lines().filter_map(|line| line.parse().ok());
    Ok(Weight {
        build,
        bytes: fs::metadata(&program)?.len(),
        run: [run.next(), run.next()].map(Option::unwrap_or_default),
    })
}

/// CPU seconds of all children that have ended, as Linux counts them: in hundredths.
fn children() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after = stat.rsplit_once(')').map_or("", |it| it.1);
    let mut fields = after.split_whitespace().skip(13);
    let (user, system) = (fields.next(), fields.next());
    let ticks: u32 = user.unwrap_or("").parse::<u32>()? + system.unwrap_or("").parse::<u32>()?;
    Ok(f64::from(ticks) / 100.0)
}

fn print(ours: &Weight, theirs: Option<&Weight>) {
    #[expect(
        clippy::cast_precision_loss,
        reason = "programs are smaller than 2^53 bytes"
    )]
    let rows = |it: &Weight| {
        [
            it.build[0],
            it.build[1],
            it.bytes as f64 / 1e6,
            it.run[0],
            it.run[1],
        ]
    };
    let names = [
        "debug build, CPU seconds",
        "release build, CPU seconds",
        "stripped program, MB",
        "read one of each, µs",
        "write one of each, µs",
    ];
    println!("| | kube-codegen | kopium | ratio |\n|---|---|---|---|");
    for (at, name) in names.iter().enumerate() {
        let our = rows(ours)[at];
        match theirs.map(|it| rows(it)[at]) {
            Some(their) => println!("| {name} | {our:.1} | {their:.1} | {:.2} |", our / their),
            None => println!("| {name} | {our:.1} | | |"),
        }
    }
}

const PROGRAM: &str = r#"
use std::time::{Duration, Instant};

fn run<T>(json: &serde_json::Value, times: u32, spent: &mut [Duration; 2])
where
    T: Clone + std::fmt::Debug + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
{
    let text = json.to_string();
    let object: T = serde_json::from_str(&text).unwrap();
    assert!(object.clone() == object && format!("{object:?}").len() > 10);
    let started = Instant::now();
    for _ in 0..times {
        std::hint::black_box(serde_json::from_str::<T>(std::hint::black_box(&text)).unwrap());
    }
    spent[0] += started.elapsed();
    let started = Instant::now();
    for _ in 0..times {
        std::hint::black_box(serde_json::to_string(std::hint::black_box(&object)).unwrap());
    }
    spent[1] += started.elapsed();
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let samples = std::fs::read_to_string(&arguments[1]).unwrap();
    let samples: Vec<serde_json::Value> = serde_json::from_str(&samples).unwrap();
    let times = arguments[2].parse().unwrap();
    let mut spent = [Duration::ZERO; 2];
    // each kind
    for time in spent {
        println!("{}", time.as_secs_f64() * 1e6 / f64::from(times));
    }
}
"#;
