//! The command line: `build` builds the programs, `up` runs a control plane until Ctrl-C or the end of input. What follows `--` are arguments of
//! kube-apiserver, such as `--feature-gates=CoordinatedLeaderElection=true`.

use std::{env, io, process::ExitCode, thread};

use kube_codegen_testenv::{ControlPlane, Error, build};
use tokio::sync::oneshot;

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<_> = env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["build"] => build().map(|program| println!("{}", program.display())),
        ["up"] => up(false, &[]).await,
        ["up", "--", ref args @ ..] => up(false, args).await,
        ["up", "--until-eof"] => up(true, &[]).await,
        ["up", "--until-eof", "--", ref args @ ..] => up(true, args).await,
        _ => {
            eprintln!("usage: control-plane build | up [--until-eof] [-- ARGS]");
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

/// Runs until Ctrl-C or, with `until_eof`, until standard input ends, so that it never outlives the program that started it.
async fn up(until_eof: bool, args: &[&str]) -> Result<(), Error> {
    let add = |builder: kube_codegen_testenv::Builder, arg: &&str| builder.api_server_arg(*arg);
    let builder = args.iter().fold(ControlPlane::builder(), add);
    let plane = builder.start().await?;
    println!("export KUBECONFIG={}", plane.kubeconfig().display());
    eprintln!("The control plane is running; press Ctrl-C to stop it.");
    let (sender, end_of_input) = oneshot::channel();
    if until_eof {
        thread::spawn(move || sender.send(io::copy(&mut io::stdin(), &mut io::sink()).is_ok()));
    }
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted.map_err(|cause| Error::Io {
            what: "Ctrl-C".to_owned(),
            cause,
        })?,
        Ok(_) = end_of_input, if until_eof => {}
    }
    plane.stop().await
}
