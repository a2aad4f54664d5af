//! The command that runs a kept schedule again.

use std::{
    env,
    path::{Path, PathBuf},
    thread,
};

/// Returns the command: of the test program and the test that run now, as far as they are known.
pub(crate) fn replay(file: &Path) -> String {
    let program = env::current_exe().unwrap_or_default();
    let package = env::var("CARGO_PKG_NAME").ok();
    let test = thread::current().name().map(str::to_owned);
    command(file, package.as_deref(), &program, test.as_deref())
}

fn command(file: &Path, package: Option<&str>, program: &Path, test: Option<&str>) -> String {
    let mut words = vec![format!("SIMULATE_REPLAY={}", file.display())];
    words.push("cargo test".to_owned());
    if let Some(package) = package {
        words.push(format!("-p {package}"));
        if let Some(name) = test_program(program) {
            let is_library = name == package.replace('-', "_");
            words.push(if is_library {
                "--lib".to_owned()
            } else {
                format!("--test {name}")
            });
        }
    }
    // Threads of tests have the name of the test.
    words.extend(test.filter(|name| *name != "main").map(str::to_owned));
    words.join(" ")
}

/// Returns the name of a test program, whose file has a hash at its end.
fn test_program(program: &Path) -> Option<String> {
    let stem = PathBuf::from(program.file_stem()?);
    let (name, hash) = stem.to_str()?.rsplit_once('-')?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_package_program_and_test() {
        let of = |program: &str, test| {
            let program = format!("/target/debug/deps/{program}");
            command(
                "a.json".as_ref(),
                Some("my-operator"),
                program.as_ref(),
                test,
            )
        };
        assert_eq!(
            of("simulate-0123456789abcdef", Some("no_fault")),
            "SIMULATE_REPLAY=a.json cargo test -p my-operator --test simulate no_fault"
        );
        assert_eq!(
            of("my_operator-0123456789abcdef", Some("main")),
            "SIMULATE_REPLAY=a.json cargo test -p my-operator --lib"
        );
    }
}
