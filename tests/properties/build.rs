//! Generates the types of a batch of random kinds, and a function that reads and writes an object of each kind.
//!
//! The batch is deterministic; `KUBE_CODEGEN_PROPERTIES_SEED=<number>` selects another one.
use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::source::Source;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the tests use it through the library"
)]
#[path = "src/schema.rs"]
mod schema;

const SEED: &str = "KUBE_CODEGEN_PROPERTIES_SEED";
const KINDS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={SEED}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/schema.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let seed: u64 = env::var(SEED).map_or(Ok(0), |text| text.parse())?;
    let schemas = schemas(seed)?;
    let mut text = String::new();
    let mut arms = String::new();
    for (kind, schema) in &schemas {
        writeln!(text, "---\n{}", schema::manifest(kind, schema))?;
        writeln!(
            arms,
            "        {kind:?} => round_trip::<generated::example_com::v1::{kind}>(text),"
        )?;
    }
    let source = Source {
        name: "random.yaml".to_owned(),
        path: None,
        text,
    };
    let options = Options {
        emit: vec![kube_codegen::Emitter::Types],
        ..Options::default()
    };
    let output = pipeline::run(&[source], &options);
    if output.diagnostics.has_errors() {
        return Err(format!("seed {seed}: {:#?}", output.diagnostics).into());
    }
    for file in &output.files {
        let path = out.join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, &*file.text)?;
    }
    let table = format!(
        "/// The seed of the batch.\npub const SEED: u64 = {seed};\n\n/// Reads an object as its kind, and writes it.\n///\n/// # Errors\n/// If the object does not fit the type.\npub fn read_and_write(kind: &str, text: &str) -> Result<String, String> {{\n    match kind {{\n{arms}        other => Err(format!(\"no kind {{other}}\")),\n    }}\n}}\n"
    );
    fs::write(out.join("table.rs"), table)?;
    fs::write(out.join("schemas.json"), serde_json::to_string(&schemas)?)?;
    Ok(())
}

/// Returns the kinds of the batch with their schemas.
fn schemas(seed: u64) -> Result<Vec<(String, Value)>, Box<dyn Error>> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let roots = schema::root(3);
    (0..KINDS)
        .map(|index| {
            Ok((
                format!("Kind{index}"),
                roots
                    .new_tree(&mut runner)
                    .map_err(|reason| reason.message().to_owned())?
                    .current(),
            ))
        })
        .collect()
}
