//! Generates the types of a batch of random kinds, and a function that reads and writes an object of each kind; and the types and
//! converters of kinds with two versions.
//!
//! The batch is deterministic; `KUBE_CODEGEN_PROPERTIES_SEED=<number>` selects another one.
use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::source::Source;
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the tests use it through the library"
)]
#[path = "src/schema/mod.rs"]
mod schema;

#[allow(unreachable_pub, reason = "the tests use it through the library")]
#[path = "src/versions.rs"]
mod versions;

const SEED: &str = "KUBE_CODEGEN_PROPERTIES_SEED";
const KINDS: usize = 40;
const PAIRS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={SEED}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/schema");
    println!("cargo::rerun-if-changed=src/versions.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let seed: u64 = env::var(SEED).map_or(Ok(0), |text| text.parse())?;
    let schemas = random("Kind", KINDS, &schema::root(3), seed)?;
    let pairs = random("Pair", PAIRS, &versions::pair(2), seed)?;
    let mut text = String::new();
    let mut arms = String::new();
    for (kind, schema) in &schemas {
        writeln!(text, "---\n{}", schema::manifest(kind, schema))?;
        writeln!(
            arms,
            "        {kind:?} => round_trip::<generated::example_com::v1::{kind}>(text),"
        )?;
    }
    for (kind, (old, new)) in &pairs {
        let manifest = schema::manifest_of(kind, &[("v2", new), ("v1", old)]);
        writeln!(text, "---\n{manifest}")?;
    }
    let source = Source::new("random.yaml", text);
    let mut options = Options::default();
    options.emit = vec![kube_codegen::Emitter::Conversion];
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
    fs::write(out.join("pairs.json"), serde_json::to_string(&pairs)?)?;
    let is_conversion = |file: &&pipeline::File| file.path.ends_with("/v2/conversion.rs");
    let conversion = output.files.iter().find(is_conversion);
    let conversion = conversion.ok_or("no conversion is generated")?;
    fs::write(out.join("conversions.rs"), converters(&conversion.text)?)?;
    Ok(())
}

/// Returns decisions for all traits of a file, which copy all values, and a function with the converter of each kind.
fn converters(file: &str) -> Result<String, Box<dyn Error>> {
    let mut text = String::from(
        "use super::generated::example_com::{v1, v2};\n#[allow(unused_imports)]\nuse kube_codegen_record::conversion::{Converter, IfAbsent, Mapping, Narrowing};\n\n/// Copies all values.\npub struct Copying;\n",
    );
    let code: String = file
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    for item in code.split("\npub trait ").skip(1) {
        let (name, methods) = item.split_once(" {").ok_or("a trait has no methods")?;
        let (methods, _) = methods.split_once("\n}").ok_or("a trait has no end")?;
        writeln!(text, "\nimpl v2::conversion::{name} for Copying {{")?;
        for method in methods
            .split(';')
            .map(str::trim)
            .filter(|it| !it.is_empty())
        {
            let (_, ty) = method.split_once("-> ").ok_or("a method has no type")?;
            let (ty, _) = ty.split_once('<').ok_or("a type has no arguments")?;
            let copy = if ty == "IfAbsent" { "absent" } else { "copy" };
            writeln!(text, "    {method} {{ {ty}::{copy}() }}")?;
        }
        text.push_str("}\n");
    }
    text.push_str("\n/// Returns the converter of a kind.\npub fn converter(kind: &str) -> Option<Converter> {\n    Some(match kind {\n");
    for number in 0..PAIRS {
        let function = format!("pair{number}_converter(");
        let (_, parameters) = code.split_once(&function).ok_or("a converter is missing")?;
        let argument = if parameters.starts_with(')') {
            ""
        } else {
            "&Copying"
        };
        writeln!(
            text,
            "        \"Pair{number}\" => v2::conversion::{function}{argument}),"
        )?;
    }
    text.push_str("        _ => return None,\n    })\n}\n");
    Ok(text)
}

/// Returns kinds, each with a random value, such as its schema.
fn random<T: std::fmt::Debug>(
    prefix: &str,
    count: usize,
    values: &BoxedStrategy<T>,
    seed: u64,
) -> Result<Vec<(String, T)>, Box<dyn Error>> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..count)
        .map(|index| {
            Ok((
                format!("{prefix}{index}"),
                values
                    .new_tree(&mut runner)
                    .map_err(|reason| reason.message().to_owned())?
                    .current(),
            ))
        })
        .collect()
}
