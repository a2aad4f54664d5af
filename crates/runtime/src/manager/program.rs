//! A whole program by its flags: logs, traces, and the manager until a signal.
use std::process::ExitCode;

use tracing_subscriber::{Layer, Registry};

use super::{Manager, ManagerArgs, exit};
use crate::logs;
#[cfg(feature = "otlp")]
use crate::{
    client::describe,
    traces::{self, Traces},
};

impl ManagerArgs {
    /// Runs a whole program: sets up the logs, connects, calls `register` to add the controllers, and runs until SIGINT or SIGTERM.
    ///
    /// With the feature `otlp`, traces are exported to the collector in `OTEL_EXPORTER_OTLP_ENDPOINT`, as protobuf over HTTP, and the
    /// reconcile durations in the metrics carry trace ids as exemplars. The other OpenTelemetry [variables] for resources, samplers and
    /// batches apply as well.
    ///
    /// [variables]: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
    ///
    /// ```no_run
    /// use std::process::ExitCode;
    /// use clap::Parser;
    /// use kube_codegen_runtime::manager::{Manager, ManagerArgs};
    ///
    /// #[derive(Parser)]
    /// struct Args {
    ///     #[command(flatten)]
    ///     manager: ManagerArgs,
    /// }
    ///
    /// fn register(manager: &mut Manager) {
    ///     // Add the controllers here.
    /// }
    ///
    /// #[tokio::main]
    /// async fn main() -> ExitCode {
    ///     Args::parse().manager.run("my-operator", register).await
    /// }
    /// ```
    ///
    /// # Panics
    /// If the program has already set up its logs.
    pub async fn run(&self, name: &str, register: impl FnOnce(&mut Manager)) -> ExitCode {
        #[cfg(feature = "otlp")]
        return self.run_traced(name, register).await;
        #[cfg(not(feature = "otlp"))]
        {
            self.init_logs();
            self.run_with_logs(name, register).await
        }
    }

    /// As [`Self::run`]; spans go to the collector that the environment names.
    #[cfg(feature = "otlp")]
    async fn run_traced(&self, name: &str, register: impl FnOnce(&mut Manager)) -> ExitCode {
        let (traces, problem) = match Traces::from_env(name) {
            Ok(traces) => (traces, None),
            Err(problem) => (None, Some(problem)),
        };
        match &traces {
            Some(traces) => self.init_logs_with(traces.layer()),
            None => self.init_logs(),
        }
        if let Some(problem) = problem {
            tracing::warn!("no traces are exported: {}", describe(&*problem));
        }
        let has_traces = traces.is_some();
        let register = |manager: &mut Manager| {
            if has_traces {
                manager.metrics().set_trace_ids(traces::trace_id);
            }
            register(manager);
        };
        let ended = self.run_with_logs(name, register).await;
        if let Some(traces) = traces {
            traces.end().await;
        }
        ended
    }

    /// Like [`Self::run`], for a program that has already set up its logs.
    pub async fn run_with_logs(&self, name: &str, register: impl FnOnce(&mut Manager)) -> ExitCode {
        let run = async {
            let mut manager = self.builder(name).await?.build()?;
            register(&mut manager);
            manager.run_until_signal().await
        };
        exit(run.await)
    }

    /// Writes logs to stderr. The filter is `--log-level`, or `RUST_LOG` if the flag is absent, or the level `info`.
    ///
    /// # Panics
    /// If the program has already set up its logs.
    pub fn init_logs(&self) {
        logs::init(self.log_level.as_deref(), self.log_format, None);
    }

    /// Like [`Self::init_logs`], and also passes spans to a layer, such as tracing-opentelemetry's. The layer receives the spans of watch
    /// events, reconciles, requests and webhooks, and your program's own spans from the level `info` on.
    ///
    /// # Panics
    /// If the program has already set up its logs.
    pub fn init_logs_with(&self, spans: impl Layer<Registry> + Send + Sync + 'static) {
        let spans = Box::new(spans);
        logs::init(self.log_level.as_deref(), self.log_format, Some(spans));
    }
}
