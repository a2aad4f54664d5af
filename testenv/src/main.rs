//! In: `build` or `up`. Out: a control plane's programs and where they are, or one that runs until Ctrl-C. Never anything of it left afterwards.

use std::{env, process::ExitCode};

use kube_codegen_testenv::{ControlPlane, Error, build};

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<_> = env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["build"] => build().map(|program| println!("{}", program.display())),
        ["up"] => up().await,
        _ => {
            eprintln!("usage: control-plane build|up");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn up() -> Result<(), Error> {
    let plane = ControlPlane::start().await?;
    println!("export KUBECONFIG={}", plane.kubeconfig().display());
    eprintln!("The control plane runs; Ctrl-C ends it.");
    tokio::signal::ctrl_c().await.map_err(|source| Error::Io {
        what: "Ctrl-C".to_owned(),
        source,
    })?;
    plane.stop().await
}
