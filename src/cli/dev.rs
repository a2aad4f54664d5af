//! `kube-codegen dev`: runs the program `kube-codegen-dev`, which is installed by itself since it needs a client, TLS and an async runtime.

use std::{
    ffi::OsString,
    io::{self, ErrorKind},
    process::Command,
};

use super::{CommandError, console::Console};
use crate::base::source::cluster::{PROGRAM, how_to_install, program};

/// Run an operator against an API server in memory, and show what happens
///
/// This is the program kube-codegen-dev, with the same arguments; `kube-codegen dev --help` prints its help.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(super) struct Args {
    /// The arguments of kube-codegen-dev
    #[arg(
        value_name = "ARGUMENTS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<OsString>,
}

pub(super) fn run(args: &Args, console: &Console) -> Result<(), CommandError> {
    let mut command = Command::new(program());
    command.args(console.flags()).args(&args.arguments);
    let code = run_in_place(&mut command).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!(
            "`dev` needs the program kube-codegen-dev, which is not installed; {}",
            how_to_install()
        ),
        _ => format!("cannot run {PROGRAM}: {error}"),
    })?;
    match code {
        0 => Ok(()),
        code => Err(CommandError::Ended(code)),
    }
}

/// Replaces this process by the command, so that signals reach it. Returns only if that fails.
#[cfg(unix)]
fn run_in_place(command: &mut Command) -> io::Result<u8> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

/// Runs the command and returns its exit code.
#[cfg(not(unix))]
fn run_in_place(command: &mut Command) -> io::Result<u8> {
    let code = command.status()?.code();
    Ok(code.and_then(|code| code.try_into().ok()).unwrap_or(2))
}
