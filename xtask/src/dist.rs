//! Builds the archive of a release: the programs, their man pages and completions, in the layout that cargo-binstall looks for.
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use flate2::{Compression, GzBuilder};
use tar::{Builder, Header};

use crate::{cargo, root, target};

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Target triple, which this machine can run [default: that of the compiler]
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,

    /// Directory of the archive [default: `dist` in cargo's target directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Cargo profile
    #[arg(long, default_value = "dist")]
    profile: String,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The name of the program and of its package.
pub(crate) const NAME: &str = "kube-codegen";

/// The program that `kube-codegen dev` runs, and its package.
pub(crate) const DEV: &str = "kube-codegen-dev";

/// The version of all crates.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Files of the repository that are in the archive.
pub(crate) const DOCUMENTS: [&str; 3] = ["CHANGELOG.md", "LICENSE", "README.md"];

/// Shells, and the names of their completion scripts.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "kube-codegen.bash"),
    ("elvish", "kube-codegen.elv"),
    ("fish", "kube-codegen.fish"),
    ("powershell", "_kube-codegen.ps1"),
    ("zsh", "_kube-codegen"),
];

/// A file of the archive.
struct Entry {
    bytes: Vec<u8>,
    is_program: bool,
}

/// Runs the task and prints the path of the archive.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let triple = match &arguments.target {
        Some(triple) => triple.clone(),
        None => host()?,
    };
    let epoch = source_date_epoch()?;
    let programs = build(&triple, &arguments.profile, epoch)?;
    let entries = entries(&programs)?;
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| target().join("dist"));
    fs::create_dir_all(&out)?;
    let path = out.join(format!("{}.tar.gz", stem(&triple)));
    fs::write(&path, archive(&stem(&triple), &entries, epoch)?)?;
    println!("{}", path.display());
    Ok(true)
}

/// Returns the name of the archive without its extension, which is its only directory.
pub(crate) fn stem(triple: &str) -> String {
    format!("{NAME}-v{VERSION}-{triple}")
}

/// Builds the programs so that their bytes depend on neither the directory nor the time of the build. Returns their directory.
fn build(triple: &str, profile: &str, epoch: u64) -> Result<PathBuf> {
    let (mut rust_flags, mut c_flags) = (Vec::new(), Vec::new());
    for (path, name) in build_paths()? {
        let path = path.to_str().ok_or("a path of the build is not UTF-8")?;
        rust_flags.push(format!("--remap-path-prefix={path}={name}"));
        c_flags.push(format!("-ffile-prefix-map={path}={name}"));
    }
    if triple.contains("-musl") {
        rust_flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let status = cargo(&[
        "build",
        "--locked",
        "--bins",
        "--package",
        NAME,
        "--package",
        DEV,
    ])
    .args(["--profile", profile, "--target", triple])
    .env("CARGO_ENCODED_RUSTFLAGS", rust_flags.join("\x1f"))
    .env("CARGO_INCREMENTAL", "0")
    .env("CFLAGS", c_flags.join(" "))
    .env("KUBE_CODEGEN_RELEASE", VERSION)
    .env("SOURCE_DATE_EPOCH", epoch.to_string())
    // Archives of object files on macOS.
    .env("ZERO_AR_DATE", "1")
    .status()?;
    if !status.success() {
        return Err("cargo failed; see its output".into());
    }
    // Cargo's name for the directory of this profile.
    let directory = if profile == "dev" { "debug" } else { profile };
    Ok(target().join(triple).join(directory))
}

/// Returns the directories whose names must not reach the program, and what replaces them. The last that matches a path counts.
fn build_paths() -> Result<Vec<(PathBuf, &'static str)>> {
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
        .ok_or("neither CARGO_HOME nor a home directory is set")?;
    let mut paths = vec![(root(), "/kube-codegen"), (target(), "/target")];
    // One directory for each registry; a mirror has another name.
    for registry in fs::read_dir(cargo_home.join("registry/src"))? {
        paths.push((registry?.path(), "/registry"));
    }
    Ok(paths)
}

/// Returns all files of the archive by their path.
fn entries(programs: &Path) -> Result<BTreeMap<String, Entry>> {
    let mut entries = BTreeMap::new();
    let mut add = |path: String, bytes: Vec<u8>, is_program: bool| {
        entries.insert(path, Entry { bytes, is_program });
    };
    let program = &programs.join(NAME);
    for name in [NAME, DEV] {
        add(name.to_owned(), fs::read(programs.join(name))?, true);
    }
    for name in DOCUMENTS {
        add(name.to_owned(), fs::read(root().join(name))?, false);
    }
    for (shell, file) in COMPLETIONS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        add(format!("completions/{file}"), script, false);
    }
    let directory = tempfile::tempdir()?;
    output(
        Command::new(program)
            .args(["man", "--output"])
            .arg(directory.path()),
    )?;
    for page in fs::read_dir(directory.path())? {
        let page = page?;
        let name = page.file_name().to_string_lossy().into_owned();
        add(format!("man/{name}"), fs::read(page.path())?, false);
    }
    Ok(entries)
}

/// Returns the bytes of the archive. They depend on nothing but the arguments.
fn archive(stem: &str, entries: &BTreeMap<String, Entry>, epoch: u64) -> Result<Vec<u8>> {
    let encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    let mut builder = Builder::new(encoder);
    for (path, entry) in entries {
        let mut header = Header::new_gnu();
        header.set_size(entry.bytes.len().try_into()?);
        header.set_mode(if entry.is_program { 0o755 } else { 0o644 });
        header.set_mtime(epoch);
        header.set_uid(0);
        header.set_gid(0);
        builder.append_data(&mut header, format!("{stem}/{path}"), &*entry.bytes)?;
    }
    let mut encoder = builder.into_inner()?;
    encoder.flush()?;
    Ok(encoder.finish()?)
}

/// Returns the time of the release in seconds since 1970: `SOURCE_DATE_EPOCH`, or that of the last commit.
fn source_date_epoch() -> Result<u64> {
    let text = if let Ok(text) = std::env::var("SOURCE_DATE_EPOCH") {
        text
    } else {
        let mut git = Command::new("git");
        git.args(["log", "-1", "--format=%ct"]).current_dir(root());
        String::from_utf8(output(&mut git)?)?
    };
    Ok(text.trim().parse()?)
}

/// Returns the target triple of the compiler.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let text = output(Command::new(rustc).args(["--print", "host-tuple"]))?;
    Ok(String::from_utf8(text)?.trim().to_owned())
}

/// Runs a program and returns what it printed.
fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("{command:?} failed: {}", output.status).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> BTreeMap<String, Entry> {
        let entry = |text: &str, is_program| Entry {
            bytes: text.into(),
            is_program,
        };
        BTreeMap::from([
            (NAME.to_owned(), entry("program", true)),
            ("LICENSE".to_owned(), entry("license", false)),
        ])
    }

    /// Returns a template of cargo-binstall with its variables filled in.
    fn filled_in(template: &str, repository: &str) -> String {
        [
            ("{ repo }", repository),
            ("{ name }", NAME),
            ("{ version }", VERSION),
            ("{ target }", "x86_64-unknown-linux-musl"),
            ("{ bin }", NAME),
            ("{ binary-ext }", ""),
        ]
        .iter()
        .fold(template.to_owned(), |text, (variable, value)| {
            text.replace(variable, value)
        })
    }

    #[test]
    fn the_archive_is_where_cargo_binstall_looks_for_it() {
        let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let repository = manifest["workspace"]["package"]["repository"].as_str();
        let binstall = &manifest["package"]["metadata"]["binstall"];
        let of = |key: &str| filled_in(binstall[key].as_str().unwrap(), repository.unwrap());

        let stem = stem("x86_64-unknown-linux-musl");
        let expected = format!(
            "{}/releases/download/v{VERSION}/{stem}.tar.gz",
            repository.unwrap()
        );
        assert_eq!(of("pkg-url"), expected);
        assert_eq!(binstall["pkg-fmt"].as_str(), Some("tgz"));

        let bytes = archive(&stem, &example(), 0).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&*bytes));
        let paths: Vec<String> = (archive.entries().unwrap())
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        assert!(paths.contains(&of("bin-dir")), "{paths:?}");
    }

    #[test]
    fn the_archive_depends_only_on_its_files() {
        let bytes = archive("a", &example(), 1_700_000_000).unwrap();
        assert_eq!(
            archive("a", &example(), 1_700_000_000).unwrap(),
            bytes,
            "twice"
        );
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&*bytes));
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            let is_program = entry.path().unwrap().ends_with(NAME);
            let mode = if is_program { 0o755 } else { 0o644 };
            assert_eq!(header.mode().unwrap(), mode);
            assert_eq!(header.mtime().unwrap(), 1_700_000_000);
            assert_eq!(
                (header.uid().unwrap(), header.gid().unwrap()),
                (0, 0),
                "the root's"
            );
        }
    }
}
