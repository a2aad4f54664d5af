//! Named health checks, answered as Kubernetes' own servers do.
use std::{
    convert::Infallible,
    error::Error,
    fmt,
    fmt::Write as _,
    future::{Future, Ready, ready},
    net::SocketAddr,
    path::PathBuf,
    time::Duration,
};

use futures::future::{BoxFuture, join_all};
use http::StatusCode;
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};
use tracing::warn;
use x509_parser::{parse_x509_certificate, time::ASN1Time};

use crate::{
    chain::{BoxError, Chain},
    informer::{InformerFactory, NotSynced},
    leader_election::Term,
};

/// How long a check may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long a process may run on after its term.
const OVERDUE: Duration = Duration::from_secs(20);

/// A health check: an async function that returns the reason for a failure, as an error or a string.
///
/// ```
/// use kube_codegen_runtime::server::Server;
///
/// let server = Server::plain(":8081").readyz("disk", async || std::fs::metadata("/").map(drop));
/// ```
pub trait Check: Send + Sync + 'static {
    /// Runs the check.
    fn run(&self) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>>;
}

impl<F, Running, E> Check for F
where
    F: Fn() -> Running + Send + Sync + 'static,
    Running: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    fn run(&self) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>> {
        let running = self();
        Box::pin(async { running.await.map_err(Into::into) })
    }
}

/// Always succeeds, which shows that the program responds.
pub fn ping() -> Ready<Result<(), Infallible>> {
    ready(Ok(()))
}

/// Fails until every informer of the factory has its first list. Kinds that the server does not serve are ignored. Does not keep the
/// informers alive.
pub fn caches(factory: &InformerFactory) -> impl Check + use<> {
    let status = factory.weak_status();
    move || {
        let kinds: Vec<_> = status()
            .into_iter()
            .filter(|one| one.stopped || !one.synced && one.not_served_seconds.is_none())
            .map(|one| one.kind_and_group())
            .collect();
        ready(if kinds.is_empty() {
            Ok(())
        } else {
            Err(NotSynced { kinds })
        })
    }
}

/// Fails unless `address` accepts connections. Use it for a server of this program, such as webhooks.
pub fn listening(address: SocketAddr) -> impl Check {
    move || async move {
        let connected = TcpStream::connect(address).await;
        let rejected = |error| Failed::new(format!("cannot connect to {address}"), error);
        connected.map(drop).map_err(rejected)
    }
}

/// Fails unless the PEM file contains a certificate that is valid right now. Use it for a server whose clients verify its certificate,
/// such as webhooks.
///
/// ```
/// use kube_codegen_runtime::server::{Server, checks};
///
/// let server = Server::plain(":8081").readyz("certificate", checks::certificate("/tmp/certs/tls.crt"));
/// ```
pub fn certificate(file: impl Into<PathBuf>) -> impl Check {
    let file = file.into();
    move || {
        let file = file.clone();
        async move {
            let unusable = |cause: BoxError| Failed::new(file.display().to_string(), cause);
            let pem = tokio::fs::read(&file).await;
            let pem = pem.map_err(|error| unusable(error.into()))?;
            valid(&pem).map_err(unusable)
        }
    }
}

/// Returns why a certificate is not valid at this moment.
fn valid(pem: &[u8]) -> Result<(), BoxError> {
    let der = CertificateDer::from_pem_slice(pem)?;
    let parsed = parse_x509_certificate(&der);
    let (_, parsed) = parsed.map_err(|error| error.to_string())?;
    let (now, dates) = (ASN1Time::now(), parsed.validity());
    let (from, until) = (dates.not_before, dates.not_after);
    if now < from {
        return Err(format!("the certificate is valid from {from} on").into());
    }
    if now > until {
        return Err(format!("the certificate expired on {until}").into());
    }
    Ok(())
}

/// A check that failed because something else did.
#[derive(Debug)]
struct Failed {
    what: String,
    cause: BoxError,
}

impl Failed {
    fn new(what: String, cause: impl Into<BoxError>) -> Self {
        let cause = cause.into();
        Self { what, cause }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for Failed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.cause)
    }
}

/// Fails unless this process leads. Use it for a Service whose requests only the leader should answer.
pub fn leads(term: &Term) -> impl Check + use<> {
    let term = term.clone();
    move || ready(term.check())
}

/// Fails if this process is still running 20 seconds after the deadline of its term: it should have exited, and needs a restart.
/// Kubernetes' own components use the same check.
pub fn leader_election(term: &Term) -> impl Check + use<> {
    let term = term.clone();
    move || {
        let overdue = term.deadline().map(|deadline| deadline.elapsed());
        ready(match overdue {
            Some(time) if time > OVERDUE => {
                Err(format!("the process still runs {time:?} after its term"))
            }
            _ => Ok(()),
        })
    }
}

/// What is known beside a check that succeeds; nothing, usually.
type Note = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The checks of one path.
#[derive(Default)]
pub(super) struct Checks {
    all: Vec<(String, Box<dyn Check>, Note)>,
}

impl Checks {
    pub(super) fn add(&mut self, name: impl Into<String>, check: impl Check) {
        self.add_with_note(name, check, || None);
    }

    /// Like [`add`](Self::add), with a note for people who read that the check succeeds.
    pub(super) fn add_with_note(
        &mut self,
        name: impl Into<String>,
        check: impl Check,
        note: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) {
        self.all
            .push((name.into(), Box::new(check), Box::new(note)));
    }

    /// Returns the answer of all checks, for the path `/name?query`.
    pub(super) async fn answer(&self, name: &str, query: &str) -> (StatusCode, String) {
        let query = || form_urlencoded::parse(query.as_bytes());
        let mut excluded: Vec<_> = query()
            .filter(|(key, _)| key == "exclude")
            .map(|(_, check)| check.into_owned())
            .collect();
        let verbose = query().any(|(key, _)| key == "verbose");
        let results = join_all(self.all.iter().map(|(check, run, _)| {
            let skip = excluded.contains(check);
            async move {
                if skip {
                    None
                } else {
                    Some(limited(&**run).await)
                }
            }
        }))
        .await;
        excluded.retain(|name| !self.all.iter().any(|(check, ..)| check == name));

        // Writing to a string cannot fail. Everyone may read this, so it has no reasons.
        let (mut text, mut failed) = (String::new(), false);
        for ((check, _, note), result) in self.all.iter().zip(results) {
            let _ = match result {
                None => writeln!(text, "[+]{check} excluded: ok"),
                Some(Ok(())) => writeln!(text, "[+]{check} {}", passed(note)),
                Some(Err(reason)) => {
                    warn!(%check, "{name} check failed: {}", Chain(&*reason));
                    failed = true;
                    writeln!(text, "[-]{check} failed: reason withheld")
                }
            };
        }
        if !excluded.is_empty() {
            let names: Vec<_> = excluded.iter().map(|name| format!("{name:?}")).collect();
            let names = names.join(", ");
            let _ = writeln!(
                text,
                "warn: some health checks cannot be excluded: no matches for {names}"
            );
        }
        if failed {
            return (
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("{text}{name} check failed\n"),
            );
        }
        let text = if verbose {
            format!("{text}{name} check passed\n")
        } else {
            "ok".to_owned()
        };
        (StatusCode::OK, text)
    }

    /// Runs one check and returns its result; `None` if no check has this name.
    pub(super) async fn answer_one(&self, check: &str) -> Option<(StatusCode, String)> {
        let (_, check, note) = self.all.iter().find(|(name, ..)| name == check)?;
        Some(match limited(&**check).await {
            Ok(()) => (StatusCode::OK, passed(note)),
            Err(reason) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("internal server error: {}\n", Chain(&*reason)),
            ),
        })
    }
}

fn passed(note: &Note) -> String {
    note().map_or_else(|| "ok".to_owned(), |note| format!("ok ({note})"))
}

async fn limited(check: &dyn Check) -> Result<(), BoxError> {
    let result = timeout(LIMIT, check.run()).await;
    result.unwrap_or_else(|_| Err(format!("no result within {LIMIT:?}").into()))
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.all.iter().map(|(name, ..)| name))
            .finish()
    }
}
