//! Compares informers with 100,000 objects: memory, CPU time and latency, beside kube's reflector and client-go.
//!
//! ```console
//! $ cargo bench -p kube-codegen-runtime --features cli,gzip,protobuf --bench informer
//! $ cargo bench -p kube-codegen-runtime --features cli,gzip,protobuf --bench informer -- --seconds 60 typed kube client-go
//! $ cargo bench -p kube-codegen-runtime --features cli,gzip,protobuf --bench informer -- --controllers
//! ```
//!
//! Each client is a process of its own, against a stub server in this process. docs/memory.md explains the columns.
#![allow(missing_docs, unreachable_pub)]
mod client;
mod controller;
mod measure;
mod options;
mod peer;
mod protobuf;
mod server;
mod widget;
mod wire;

use std::{
    env,
    error::Error,
    io::{BufRead, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
};

use clap::Parser;
use serde::de::DeserializeOwned;

use self::{
    measure::{Synced, Updated},
    options::{CONTROLLERS, Cache, ClientOptions, KINDS, Kind, Options},
    server::Server,
};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    if let Some(kubeconfig) = &options.kubeconfig {
        return wire::run(kubeconfig, &options);
    }
    let updates = options.rate * options.seconds;
    if let Some(name) = &options.run {
        let kind = kinds(&options).iter().find(|kind| kind.name == name);
        return client::run(&ClientOptions {
            controls: options.controllers,
            kind: kind.ok_or("unknown client")?,
            port: options.port,
            objects: options.objects,
            updates: usize::try_from(updates)?,
            seconds: options.seconds,
        });
    }
    let mut json = String::new();
    widget::write_json(&mut json, false, 0, 1, 0);
    println!(
        "{} objects of {} bytes; {} updates per second for {} s",
        options.objects,
        json.len(),
        options.rate,
        options.seconds
    );
    let server = Server::start(options.objects, options.floats)?;
    if options.controllers {
        return controllers(&options, &server);
    }
    println!(
        "| client | sync CPU s | sync s | peak MB | steady MB | B/object | read µs | hot µs | list ms | stall ms | updates CPU s | p50 ms | p99 ms | stall ms |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    let mut collected = Vec::new();
    for kind in selected(&options)? {
        match measure(kind, &options, &server, updates) {
            Ok((synced, changed)) => {
                print(kind, options.objects, &synced, &changed);
                if let Some([resident, heap]) = synced.collected {
                    let resident = per_object(resident.saturating_sub(synced.before), &options);
                    let heap = per_object(heap, &options);
                    collected.push(format!(
                        "{} after a garbage collection: {resident:.0} B/object, of which the heap has {heap:.0}",
                        kind.name
                    ));
                }
            }
            Err(error) => println!("| {} | skipped: {error} |", kind.name),
        }
    }
    for line in collected {
        println!("{line}");
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "of bytes, far below 2^53")]
fn per_object(bytes: u64, options: &Options) -> f64 {
    bytes as f64 / options.objects as f64
}

fn kinds(options: &Options) -> &'static [Kind] {
    if options.controllers {
        CONTROLLERS
    } else {
        KINDS
    }
}

/// Runs the selected controllers, and prints a line for each.
fn controllers(options: &Options, server: &Server) -> Result<(), Failure> {
    println!("| controller | CPU s | s | peak MB |\n|---|---|---|---|");
    for kind in selected(options)? {
        let (mut child, mut lines) = start(kind, options, server, 0)?;
        let synced = next::<Synced>(&mut lines);
        // A controller runs on.
        let _ = child.kill();
        child.wait()?;
        match synced {
            Ok(synced) => println!(
                "| {} | {:.2} | {:.1} | {:.0} |",
                kind.name,
                synced.cpu,
                synced.wall,
                megabytes(synced.peak)
            ),
            Err(error) => println!("| {} | skipped: {error} |", kind.name),
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "of bytes, far below 2^53")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn selected(options: &Options) -> Result<Vec<&'static Kind>, Failure> {
    let kinds = kinds(options);
    if options.clients.is_empty() {
        return Ok(kinds.iter().collect());
    }
    let find = |name: &String| {
        let kind = kinds.iter().find(|kind| kind.name == name);
        kind.ok_or_else(|| {
            let names: Vec<_> = kinds.iter().map(|kind| kind.name).collect();
            format!(
                "unknown client {name:?}; known clients: {:?}",
                names.join("\", \"")
            )
            .into()
        })
    };
    options.clients.iter().map(find).collect()
}

/// Starts one client.
fn start(
    kind: &Kind,
    options: &Options,
    server: &Server,
    updates: u64,
) -> Result<(Child, Lines<BufReader<ChildStdout>>), Failure> {
    let mut command = if kind.cache == Cache::ClientGo {
        let mut command = Command::new(peer::build()?);
        command.args([
            format!("-port={}", server.port),
            format!("-objects={}", options.objects),
            format!("-updates={updates}"),
            format!("-watchlist={}", kind.list == options::List::Streaming),
            format!("-controller={}", options.controllers),
        ]);
        command
    } else {
        let mut command = Command::new(env::current_exe()?);
        command.args(["--run", kind.name]);
        if options.controllers {
            command.arg("--controllers");
        }
        for (option, value) in [
            ("--port", u64::from(server.port)),
            ("--objects", u64::try_from(options.objects)?),
            ("--rate", options.rate),
            ("--seconds", options.seconds),
        ] {
            command.args([option, &value.to_string()]);
        }
        command
    };
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let out = child.stdout.take().ok_or("the client has no output")?;
    Ok((child, BufReader::new(out).lines()))
}

/// Runs one client to its end.
fn measure(
    kind: &Kind,
    options: &Options,
    server: &Server,
    updates: u64,
) -> Result<(Synced, Updated), Failure> {
    let (mut child, mut lines) = start(kind, options, server, updates)?;
    let result = (|| {
        let synced = next(&mut lines)?;
        next::<()>(&mut lines)?;
        server.update(options.rate, updates);
        Ok((synced, next(&mut lines)?))
    })();
    // The client may wait for more updates.
    let _ = child.kill();
    child.wait()?;
    result
}

fn next<T: DeserializeOwned>(lines: &mut Lines<BufReader<ChildStdout>>) -> Result<T, Failure> {
    let line = lines.next().ok_or("the client ended early")??;
    Ok(serde_json::from_str(&line)?)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "of bytes and objects, far below 2^53"
)]
fn print(kind: &Kind, objects: usize, synced: &Synced, updated: &Updated) {
    let optional =
        |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    println!(
        "| {} | {:.2} | {:.1} | {:.0} | {:.0} | {:.0} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {} |",
        kind.name,
        synced.cpu,
        synced.wall,
        megabytes(synced.peak),
        megabytes(synced.steady),
        synced.steady.saturating_sub(synced.before) as f64 / objects as f64,
        optional(synced.read),
        optional(synced.hot),
        optional(synced.scan),
        optional(synced.stall),
        updated.cpu,
        updated.p50,
        updated.p99,
        optional(updated.stall),
    );
}
