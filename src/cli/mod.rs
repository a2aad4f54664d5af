//! Arguments come in, an exit code goes out: 0 fine, 1 findings, 2 usage or input and output; the work is done elsewhere.
mod completions;
mod config;
mod console;
mod drift;
mod emitters;
mod explain;
mod generate;
mod layer;
mod library;
mod new;

use clap::Parser;
use console::{Console, Face};
use std::io::ErrorKind;
use std::process::ExitCode;

/// Reads CustomResourceDefinitions and writes what an operator in Rust needs: types, typed clients, listers, informers,
/// printer columns, and, with `new` and `crate`, a whole crate around them.
#[derive(Debug, Parser)]
#[command(name = "kube-codegen", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    face: Face,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 fine, 1 findings (invalid input, drift under --check), 2 usage or I/O.";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Generate(generate::Args),
    New(new::Args),
    Crate(library::Args),
    Emitters(emitters::Args),
    Explain(explain::Args),
    Completions(completions::Args),
}

/// Why a command did not do what it was asked for.
#[derive(Debug)]
enum Failure {
    /// What is wrong has been told already.
    Findings,
    /// The arguments, the config file or the file system.
    Usage(String),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are such errors too; a reader that has gone away is no failure.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut console = Console::new(&cli.face);
    let outcome = match cli.command {
        Command::Generate(args) => generate::run(args, &mut console),
        Command::New(args) => new::run(&args, &mut console),
        Command::Crate(args) => library::run(&args, &mut console),
        Command::Emitters(args) => {
            emitters::run(args, &mut console);
            Ok(())
        }
        Command::Explain(args) => explain::run(&args, &mut console),
        Command::Completions(args) => {
            completions::run(args, &mut console);
            Ok(())
        }
    };
    let code = match outcome {
        Ok(()) => 0,
        Err(Failure::Findings) => 1,
        Err(Failure::Usage(message)) => {
            console.error(&message);
            2
        }
    };
    match console.finish() {
        Ok(()) => ExitCode::from(code),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

/// A number and its noun.
fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_well_defined() {
        Cli::command().debug_assert();
    }
}
