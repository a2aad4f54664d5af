//! `kube-codegen rbac`: compares the permissions of an operator with the requests that it made.
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{
    CommandError,
    changes::ChangeArgs,
    console::Console,
    count, lock,
    manifests::{add_owners, package_name, read},
    report::report,
};
use crate::{
    base::{diag::Diagnostics, source::SourceId},
    operator::deploy::{
        Tree,
        rights::Needs,
        rights_page,
        role::{check, rewrite},
    },
    output::{
        render::File,
        write::{self, Root},
    },
};

/// Write or check the minimal RBAC rules, from recorded requests
///
/// The environment variable `KUBE_CODEGEN_REQUESTS` names the file in which the API server in memory records requests:
/// `KUBE_CODEGEN_REQUESTS=requests.jsonl cargo test`. Permissions for leader election, metrics and webhooks follow from the flags of the
/// operator's container, in the Deployment next to the roles; if there are several, in the one named like the package. Without --check and
/// --write, prints the file.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File with the Role or `ClusterRole`
    #[arg(default_value = "deploy/rbac.yaml")]
    roles: PathBuf,

    /// Files of recorded requests; can be repeated
    #[arg(long, value_name = "FILE", default_value = "target/requests.jsonl")]
    requests: Vec<PathBuf>,

    /// Write nothing; exit with code 1 if a permission is missing or unused
    #[arg(long, conflicts_with = "write")]
    check: bool,

    /// Change the rules in the file; rules that stay keep their lines and comments
    #[arg(long)]
    write: bool,

    /// Markdown page that explains each permission: --write writes it, --check compares it if it exists
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    if args.page.is_some() && !args.write && !args.check {
        return Err("--page needs --write or --check".to_owned().into());
    }
    let mut needs = Needs::default();
    for path in &args.requests {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| {
            format!(
                "cannot read `{name}`: {error}; `make rbac` in the operator, or `KUBE_CODEGEN_REQUESTS={name} cargo test`, records the requests"
            )
        })?;
        needs
            .read(&text)
            .map_err(|(line, error)| format!("{name}:{line}: {error}"))?;
    }
    let directory = parent(&args.roles);
    let roots = [&args.roles].into_iter().chain(&args.page);
    let roots: Vec<Root> = roots.map(|file| Root::new(parent(file))).collect();
    let _lock = lock(&roots, console)?;
    let tree = read(directory, console)?;
    needs.resolve(&tree, &package_name(directory)?)?;
    add_owners(&mut needs, directory)?;
    if needs.used.is_empty() {
        let message = "no requests were recorded, so the operator would get no permissions";
        return Err(message.to_owned().into());
    }
    let tree = only(tree, &args.roles)?;
    if args.check {
        let mut diagnostics = Diagnostics::new();
        check(&tree, &needs, &mut diagnostics);
        let permissions = count(needs.used.len() + needs.infrastructure.len(), "permission");
        report(
            &diagnostics,
            &tree.sources,
            &[],
            &permissions,
            None,
            console,
        )?;
        return match &args.page {
            Some(page) => check_page(page, &rights_page(&tree, &needs), console),
            None => Ok(()),
        };
    }
    let source = tree
        .sources
        .iter()
        .find(|it| it.path.as_deref() == Some(&args.roles));
    let source = source.ok_or_else(|| no_file(&args.roles))?;
    let text = rewrite(source, &tree, &needs)
        .map_err(|error| format!("`{}`: {error}", args.roles.display()))?;
    if !args.write {
        console.file(&text);
        return Ok(());
    }
    let plan = one(&args.roles, text)?;
    if let Some(totals) = ChangeArgs::apply(false).process(&[&plan], "rbac", console)? {
        console.line(&format!("{}: {}", args.roles.display(), totals.text()));
    }
    if let Some(page) = &args.page {
        // What the file grants now.
        let tree = only(read(directory, console)?, &args.roles)?;
        one(page, rights_page(&tree, &needs))?.apply()?;
    }
    Ok(())
}

/// Plans the change of one file.
fn one(path: &Path, text: String) -> Result<write::Plan, write::Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = File {
        path: name.into_owned(),
        text: text.into(),
    };
    write::plan_update(parent(path), &[file], &[])
}

/// The directory of a file.
fn parent(file: &Path) -> &Path {
    let directory = file.parent().filter(|it| !it.as_os_str().is_empty());
    directory.unwrap_or(Path::new("."))
}

/// Compares the page. An operator without one has no need of it.
fn check_page(path: &Path, text: &str, console: &mut Console) -> Result<(), CommandError> {
    match fs::read_to_string(path) {
        Ok(page) if page != text => {
            console.error(&format!(
                "`{}` is out of date; run `kube-codegen rbac --write --page {0}`",
                path.display()
            ));
            Err(CommandError::Reported)
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("cannot read `{}`: {error}", path.display()).into())
        }
        _ => Ok(()),
    }
}

/// Keeps the objects of one file.
fn only(mut tree: Tree, path: &Path) -> Result<Tree, String> {
    let is_it = |name: &Path| name == path || Path::new(".").join(path) == name;
    let index = tree
        .sources
        .iter()
        .position(|it| it.path.as_deref().is_some_and(is_it));
    let index = index.ok_or_else(|| no_file(path))?;
    tree.sources[index].path = Some(path.to_owned());
    tree.only = Some(SourceId(index));
    tree.manifests.retain(|it| it.source.0 == index);
    Ok(tree)
}

fn no_file(path: &Path) -> String {
    format!("there is no YAML file `{}`", path.display())
}
