//! The command line: parses arguments, runs one command, and returns its exit code.
mod add;
mod bases;
mod changes;
mod client_crate;
mod config;
mod console;
mod crd;
mod crds;
mod deploy;
mod dev;
mod diff;
mod docs;
mod explain;
mod generate;
mod layer;
mod levels;
mod lint;
mod manifests;
mod new;
mod owns;
mod policy;
mod rbac;
mod renames;
mod report;
mod sample;
mod schema;
mod steps;
mod update;
mod validate;
mod values;
mod versions;

use std::{
    ffi::OsString,
    fmt::Write as _,
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{
    CommandFactory, FromArgMatches, Parser,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind as UsageError},
};
use clap_complete::Shell;
use serde_json::json;

use crate::{
    base::{options::Emitter, source},
    output::{
        render::File,
        write::{self, Lock, Root},
    },
};
use console::{Console, Messages};

/// Generates Rust code from Kubernetes CustomResourceDefinitions: types, typed clients, listers, informers, printer
/// columns, and complete crates.
#[derive(Debug, Parser)]
#[command(name = "kube-codegen", version, propagate_version = true, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    messages: Messages,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  the input has errors or denied diagnostics, or --check found files that are out of date
  2  usage or I/O error";

/// The groups of commands in `--help`.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Generate", &["generate", "crate", "dump", "emitters"]),
    (
        "Operators",
        &["new", "add", "update", "dev", "rbac", "deploy"],
    ),
    (
        "APIs",
        &[
            "validate", "lint", "diff", "versions", "explain", "sample", "docs", "schema",
            "policy", "crd",
        ],
    ),
    ("Tools", &["completions", "man", "help"]),
];

#[derive(Debug, clap::Subcommand)]
enum Command {
    Generate(generate::Args),
    New(new::Args),
    Add(add::Args),
    Update(update::Args),
    Crate(client_crate::Args),
    Rbac(rbac::Args),
    #[command(subcommand)]
    Deploy(deploy::Command),
    Validate(validate::Args),
    Lint(lint::Args),
    Sample(sample::Args),
    Docs(docs::Args),
    Schema(schema::Args),
    Dev(dev::Args),
    Diff(diff::Args),
    Versions(versions::Args),
    Policy(policy::Args),
    #[command(subcommand)]
    Crd(crd::Command),
    /// List the emitters that --emit accepts
    #[command(hide = true)]
    Emitters,
    Explain(explain::Args),
    /// Print the model that code is generated from, for bug reports and tests
    ///
    /// The model has the names, types and constraints of all kinds after all decisions. Nothing is written.
    #[command(hide = true)]
    Dump(config::OptionArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write a man page for each command
    Man {
        /// Directory, which is created if it does not exist
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
}

/// Why a command failed.
#[derive(Debug)]
enum CommandError {
    /// Invalid input, denied diagnostics or drift; already printed. Exit code 1.
    Reported,
    /// An error in the arguments, the config file or the file system, not printed yet. Exit code 2.
    Usage(String),
    /// Another program that did the work ended with this exit code, and has printed why.
    Ended(u8),
}

impl From<String> for CommandError {
    fn from(message: String) -> Self {
        Self::Usage(message)
    }
}

impl From<source::Error> for CommandError {
    fn from(error: source::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<write::Error> for CommandError {
    fn from(error: write::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

/// Returns the command line.
pub fn command() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    let (header, literal) = (
        *command.get_styles().get_header(),
        *command.get_styles().get_literal(),
    );
    let width = |name: &str| name.chars().count();
    let widest = command
        .get_subcommands()
        .map(|it| width(it.get_name()))
        .max();
    let mut help = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (group, names) in GROUPS {
        _ = write!(help, "\n{header}{group}:{header:#}\n");
        let found = names
            .iter()
            .filter_map(|name| command.find_subcommand(name));
        for found in found.filter(|it| !it.is_hide_set()) {
            let name = found.get_name();
            let about = found
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let space = widest.unwrap_or_default() - width(name);
            _ = writeln!(help, "  {literal}{name}{literal:#}{:space$}  {about}", "");
        }
    }
    _ = write!(
        help,
        "\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    Cli::command().help_template(help)
}

/// Commands of kubebuilder and of the Operator SDK, and what to use here.
const ELSEWHERE: [(&str, &str); 9] = [
    (
        "init",
        "`kube-codegen crd init` writes a CRD to start from, and `kube-codegen new NAME -f CRD` an operator for it",
    ),
    (
        "create api",
        "`kube-codegen crd init` writes a CRD; `kube-codegen new NAME -f CRD` or, in an operator, `kube-codegen add -f CRD` adds its controller",
    ),
    (
        "create webhook",
        "`kube-codegen add --webhooks defaulting,validating,conversion` adds webhooks to an operator",
    ),
    (
        "edit",
        "`kube-codegen add FEATURE` adds a part to an operator, and `kube-codegen update` follows deploy/crd.yaml",
    ),
    ("chart", "`kube-codegen deploy chart` makes a Helm chart"),
    (
        "bundle",
        "`kube-codegen deploy bundle` makes a bundle for OLM",
    ),
    (
        "manifests",
        "you edit deploy/crd.yaml; `kube-codegen update` makes the code and the manifests follow, and `make rbac` the permissions",
    ),
    ("version", "`kube-codegen --version` prints the version"),
    (
        "completion",
        "`kube-codegen completions SHELL` prints a completion script",
    ),
];

/// Replaces the tip of the error about a command that another program has.
fn suggest_command(error: &mut clap::Error, args: &[OsString]) {
    let Some(ContextValue::String(command)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let of = |name: &str| ELSEWHERE.iter().find(|it| it.0 == name);
    let after = args.iter().skip_while(|it| *it != &**command).skip(1);
    let mut after = after.filter_map(|it| it.to_str());
    let found = after.find_map(|next| of(&format!("{command} {next}")));
    // `create` alone, or of what is not known, is of an API.
    let found = found.or_else(|| of(command));
    if let Some((_, tip)) = found.or_else(|| of(&format!("{command} api"))) {
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(*tip)]);
        error.insert(ContextKind::Suggested, tip);
    }
}

/// Runs a command line, whose first word is the name of the program.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args: Vec<OsString> = args.into_iter().collect();
    // All that follows `dev` goes to another program, but clap drops a `--` in front.
    let commands = || GROUPS.iter().flat_map(|(_, names)| *names);
    let is_command = |it: &OsString| commands().any(|name| it == name);
    let escape = args.iter().skip(1).position(is_command).map(|at| at + 2);
    if let Some(escape) = escape
        && args[escape - 1] == "dev"
        && args.get(escape).is_some_and(|it| it == "--")
    {
        args.insert(escape, "--".into());
    }
    // Only help needs the commands in groups, for which all of them are built.
    let matches = Cli::command().try_get_matches_from(&args);
    let matches = matches.or_else(|_| command().try_get_matches_from(&args));
    let cli = match matches.and_then(|it| Cli::from_arg_matches(&it)) {
        Ok(cli) => cli,
        Err(mut error) => {
            suggest_file(&mut error);
            suggest_command(&mut error, &args);
            if error.kind() == UsageError::DisplayVersion {
                // Of all commands, it is that of the program.
                print_version();
                return ExitCode::SUCCESS;
            }
            // Help and version arrive here too; a closed pipe must not turn them into failures.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut console = Console::new(&cli.messages);
    let code = match execute(cli.command, &mut console) {
        Ok(()) => 0,
        Err(CommandError::Reported) => 1,
        Err(CommandError::Ended(code)) => code,
        Err(CommandError::Usage(message)) => {
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

fn print_version() {
    // As below, a closed pipe is no failure.
    let _ = writeln!(io::stdout(), "kube-codegen {}", env!("CARGO_PKG_VERSION"));
}

/// Adds a tip to the error about an input that was given without its flag.
fn suggest_file(error: &mut clap::Error) {
    if error.kind() != UsageError::UnknownArgument {
        return;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    if source::is_url(argument) || Path::new(argument).exists() {
        let tip = format!("inputs follow a flag: `-f {}`", argument.escape_debug());
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tip);
    }
}

fn execute(command: Command, console: &mut Console) -> Result<(), CommandError> {
    match command {
        Command::Generate(args) => generate::run(&args, console)?,
        Command::New(args) => new::run(&args, console)?,
        Command::Add(args) => add::run(&args, console)?,
        Command::Update(args) => update::run(&args, console)?,
        Command::Crate(args) => client_crate::run(&args, console)?,
        Command::Rbac(args) => rbac::run(&args, console)?,
        Command::Deploy(command) => deploy::run(&command, console)?,
        Command::Validate(args) => validate::run(&args, console)?,
        Command::Lint(args) => lint::run(&args, console)?,
        Command::Sample(args) => sample::run(&args, console)?,
        Command::Docs(args) => docs::run(&args, console)?,
        Command::Schema(args) => schema::run(&args, console)?,
        Command::Dev(args) => dev::run(&args, console)?,
        Command::Diff(args) => diff::run(&args, console)?,
        Command::Versions(args) => versions::run(&args, console)?,
        Command::Policy(args) => policy::run(&args, console)?,
        Command::Crd(command) => crd::run(&command, console)?,
        Command::Emitters => list_emitters(console),
        Command::Explain(args) => explain::run(&args, console)?,
        Command::Dump(options) => {
            let settings = options.read(console)?.settings()?;
            let run = generate::generate(&settings, &settings.output, console)?;
            console.text(&run.output.model.dump());
            generate::finish(&run, console)?;
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut self::command(), "kube-codegen", &mut script);
            console.text(&String::from_utf8_lossy(&script));
        }
        Command::Man { output } => write_man_pages(&output, console)?,
    }
    Ok(())
}

fn write_man_pages(directory: &Path, console: &mut Console) -> Result<(), CommandError> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let (mut files, mut pending) = (Vec::new(), vec![command]);
    while let Some(command) = pending.pop() {
        let visible = command.get_subcommands().filter(|it| !it.is_hide_set());
        pending.extend(visible.cloned());
        let page = clap_mangen::Man::new(command);
        let mut text = Vec::new();
        page.render(&mut text).map_err(|error| error.to_string())?;
        files.push(File {
            path: page.get_filename(),
            text: String::from_utf8_lossy(&text).into(),
        });
    }
    let root = Root::new(directory);
    let _lock = lock([&root], console)?;
    write::plan_update(&root, &files, &[])?.apply()?;
    Ok(())
}

fn list_emitters(console: &mut Console) {
    let widths = Emitter::all().map(|emitter| emitter.name().len());
    let width = widths.max().unwrap_or_default();
    for emitter in Emitter::all() {
        let (name, about) = (emitter.name(), emitter.about());
        console.object(&json!({ "type": "emitter", "name": name, "about": about }));
        console.line(&format!("{name:width$}  {about}"));
    }
}

/// Keeps other runs from directories; says at once if it has to wait for one.
fn lock<'r>(
    roots: impl IntoIterator<Item = &'r Root>,
    console: &mut Console,
) -> Result<Lock, write::Error> {
    Lock::of(roots, &mut |directory| {
        console.warning(&format!(
            "waiting for another kube-codegen process, which is writing to `{}`",
            directory.display()
        ));
    })
}

/// Formats a number with its noun, such as `2 files`.
fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_well_defined() {
        command().debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut command = Cli::command();
        command.build();
        let mut found: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        let mut listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    #[test]
    fn commands_of_other_programs_name_ours() {
        let tip = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let mut error = command().try_get_matches_from(&args).unwrap_err();
            suggest_command(&mut error, &args);
            error.to_string()
        };
        for (name, expected) in ELSEWHERE {
            let message = tip(&format!("kube-codegen {name} --group=example.com"));
            assert!(message.contains(&format!("tip: {expected}")), "{message}");
            assert!(!message.contains("similar"), "{message}");
            // The commands that it names exist, with their arguments.
            for named in expected
                .split('`')
                .filter_map(|it| it.strip_prefix("kube-codegen "))
            {
                let name = named.split(' ').next().unwrap_or_default();
                assert!(
                    name == "--version" || command().find_subcommand(name).is_some(),
                    "{named}"
                );
            }
        }
        for line in [
            "kube-codegen create",
            "kube-codegen create widget",
            "kube-codegen create --plugins=go api",
            "kube-codegen -q create api",
        ] {
            assert!(tip(line).contains("crd init"), "{line}");
        }
        assert!(tip("kube-codegen create --plugins go/v4 webhook").contains("--webhooks"));
        assert!(tip("kube-codegen generat").contains("'generate'"));
    }

    #[test]
    fn every_command_knows_the_version() {
        let mut pending = vec![("kube-codegen".to_owned(), command())];
        while let Some((path, command)) = pending.pop() {
            let args = path.split(' ').chain(["--version"]);
            let result = self::command().try_get_matches_from(args);
            let is_passed_on = path == "kube-codegen dev";
            let kind = result.err().map(|it| it.kind());
            let wanted = (!is_passed_on).then_some(UsageError::DisplayVersion);
            assert_eq!(kind, wanted, "{path}");
            let inner = command.get_subcommands();
            pending.extend(inner.map(|it| (format!("{path} {}", it.get_name()), it.clone())));
        }
    }

    #[test]
    fn the_help_has_a_line_for_each_command() {
        let mut command = command();
        let help = command.render_help().to_string();
        for inner in command.get_subcommands() {
            let start = format!("\n  {} ", inner.get_name());
            assert_eq!(help.contains(&start), !inner.is_hide_set(), "{start}{help}");
        }
        let longest = help.lines().map(|it| it.chars().count()).max();
        assert!(longest < Some(101), "{help}");
    }
}
