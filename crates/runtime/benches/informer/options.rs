//! The command line, and the clients to compare.
use std::{path::PathBuf, time::Duration};

use clap::Parser;

/// Compares informers with 100,000 objects: memory, CPU time and latency.
#[derive(Parser)]
pub struct Options {
    /// Clients to run; all of them by default.
    pub clients: Vec<String>,
    /// Number of objects.
    #[arg(long, default_value_t = 100_000)]
    pub objects: usize,
    /// Updates per second.
    #[arg(long, default_value_t = 1000)]
    pub rate: u64,
    /// Seconds of updates for each client.
    #[arg(long, default_value_t = 10)]
    pub seconds: u64,
    /// Compares controllers instead: the time and memory until each object has been reconciled once, by a reconcile that does nothing.
    #[arg(long)]
    pub controllers: bool,
    /// Gives each object numbers with fractions and exponents, which a reader of pieces may find cut.
    #[arg(long)]
    pub floats: bool,
    /// Compares the forms of a list on the wire instead, with the API server of a kubeconfig: `docs/memory.md` explains it.
    #[arg(long)]
    pub kubeconfig: Option<PathBuf>,
    /// Runs this client against the server at a port, and prints what it measures. The bench starts itself like this.
    #[arg(long, hide = true)]
    pub run: Option<String>,
    #[arg(long, hide = true, default_value_t = 0)]
    pub port: u16,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What one client does.
pub struct ClientOptions {
    pub kind: &'static Kind,
    /// Whether to run a controller.
    pub controls: bool,
    pub port: u16,
    pub objects: usize,
    pub updates: usize,
    pub seconds: u64,
}

impl ClientOptions {
    /// The longest time for which a client waits for its updates.
    pub fn deadline(&self) -> Duration {
        Duration::from_secs(self.seconds + 30)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    Typed,
    Compact,
    Metadata,
    Protobuf,
    Kube,
    ClientGo,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum List {
    Streaming,
    Paged,
    Whole,
}

/// One line of the table. `one_thread` selects a runtime with one thread, of which stalls can be measured.
pub struct Kind {
    pub name: &'static str,
    pub cache: Cache,
    pub list: List,
    pub one_thread: bool,
}

const fn kind(name: &'static str, cache: Cache, list: List, one_thread: bool) -> Kind {
    Kind {
        name,
        cache,
        list,
        one_thread,
    }
}

pub const KINDS: &[Kind] = &[
    kind("typed", Cache::Typed, List::Streaming, false),
    kind("typed, one thread", Cache::Typed, List::Streaming, true),
    kind("typed, pages", Cache::Typed, List::Paged, true),
    kind("typed, whole list", Cache::Typed, List::Whole, true),
    kind("metadata only", Cache::Metadata, List::Streaming, false),
    kind(
        "metadata only, protobuf",
        Cache::Protobuf,
        List::Streaming,
        false,
    ),
    kind("compact", Cache::Compact, List::Streaming, false),
    kind("compact, one thread", Cache::Compact, List::Streaming, true),
    kind("compact, whole list", Cache::Compact, List::Whole, true),
    kind("kube", Cache::Kube, List::Streaming, false),
    kind("kube, one thread", Cache::Kube, List::Streaming, true),
    kind("kube, pages", Cache::Kube, List::Paged, true),
    kind("client-go", Cache::ClientGo, List::Streaming, false),
    kind("client-go, pages", Cache::ClientGo, List::Paged, false),
];

/// The controllers to compare.
pub const CONTROLLERS: &[Kind] = &[
    kind("typed", Cache::Typed, List::Streaming, false),
    kind("compact", Cache::Compact, List::Streaming, false),
    kind("kube", Cache::Kube, List::Paged, false),
    kind("kube, streaming", Cache::Kube, List::Streaming, false),
    kind(
        "controller-runtime",
        Cache::ClientGo,
        List::Streaming,
        false,
    ),
    kind(
        "controller-runtime, pages",
        Cache::ClientGo,
        List::Paged,
        false,
    ),
];
