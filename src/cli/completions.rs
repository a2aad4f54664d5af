//! `completions`: writes a completion script.
use super::Cli;
use super::console::Console;
use clap::CommandFactory;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: Args, console: &mut Console) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kube-codegen", &mut script);
    console.text(&String::from_utf8_lossy(&script));
}
