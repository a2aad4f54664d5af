//! Draws what has happened: a page in one file that opens anywhere, with lanes for the user, each replica with its cache, the server and the
//! controllers of the cluster.

use std::{collections::HashMap, time::Duration};

use kube_codegen_look::picture::{Look, Parties, Picture, Row, Shade, Sign, Step, legend};

use crate::{
    cluster::AGENT,
    follow::OF_THE_CLUSTER,
    history::{Entry, Fact, History, Topic},
};

/// Rows at most: the newest.
const ROWS: usize = 2_000;

/// Returns the page.
pub(crate) fn picture(history: &History) -> String {
    let (mut entries, replicas) = history.entries();
    entries.sort_by_key(|(at, _)| *at);
    let replicas = replicas.max(1);
    let name = |number| match replicas {
        1 => "operator".to_owned(),
        _ => format!("replica {number}"),
    };
    let names: Vec<String> = (1..=replicas).map(name).collect();
    let mut drawing = Drawing {
        parties: Parties::new(names.clone(), true),
        names,
        written: HashMap::new(),
        busy: vec![0; replicas],
        away: vec![false; replicas],
    };
    let entries = folded(entries);
    let mut rows: Vec<Row> = entries.iter().filter_map(|it| drawing.row(it)).collect();
    let before = rows.len().saturating_sub(ROWS);
    rows.drain(..before);
    let mut picture = Picture {
        about: "kube-codegen dev".to_owned(),
        title: match replicas {
            1 => "What the operator did".to_owned(),
            _ => format!("What {replicas} replicas of the operator did"),
        },
        lanes: drawing.parties.lanes(),
        legend: legend(&[Shade::Busy, Shade::Away]),
        heads: vec![String::new()],
        before,
        rows,
        ..Picture::default()
    };
    picture.sections = picture.failures();
    picture.html()
}

/// What is remembered from row to row.
struct Drawing {
    parties: Parties,
    names: Vec<String>,
    /// How many writes of the operator to each object have succeeded, without the changes that they were.
    written: HashMap<String, usize>,
    /// For each replica, when its last reconcile so far ends.
    busy: Vec<u64>,
    /// The replicas that take no part.
    away: Vec<bool>,
}

impl Drawing {
    /// Returns the row of an entry, unless it says nothing new.
    fn row(&mut self, (at, entry): &(u64, Entry)) -> Option<Row> {
        let index = entry.replica.clamp(1, self.names.len()) - 1;
        let server = self.parties.server();
        let (operator, cache) = (self.parties.operator(index), self.parties.cache(index));
        let arrow = |from, to, look| Sign::Arrow {
            from,
            to,
            look,
            answered: false,
        };
        if let Fact::Process { takes_part, .. } = entry.fact {
            self.away[index] = !takes_part;
        }
        let mut who = self.names[index].clone();
        let look = if entry.failed { Look::Bad } else { Look::Good };
        let sign = match entry.topic {
            Topic::Dev => {
                "dev".clone_into(&mut who);
                let look = if entry.failed { Look::Bad } else { Look::User };
                let at = self.parties.user();
                Sign::Dot { at, look }
            }
            Topic::Event => {
                "Event".clone_into(&mut who);
                let look = if entry.failed {
                    Look::Note
                } else {
                    Look::Cluster
                };
                Sign::Dot { at: server, look }
            }
            // Its lines are too many; each failure is one of them.
            Topic::Log if !entry.failed => return None,
            Topic::Simulation => return None,
            Topic::Log | Topic::Process => Sign::Dot { at: operator, look },
            Topic::Object => match entry.by.as_str() {
                by if by == AGENT || by.starts_with("kubectl") => {
                    if by == AGENT { "dev" } else { "user" }.clone_into(&mut who);
                    arrow(self.parties.user(), server, Look::User)
                }
                by if is_of_the_cluster(by) => {
                    "cluster".clone_into(&mut who);
                    arrow(self.parties.cluster(), server, Look::Cluster)
                }
                _ => {
                    // The request of the operator says it already.
                    let written = self.written.get_mut(&entry.object).filter(|it| **it > 0);
                    if let Some(written) = written {
                        *written -= 1;
                        return None;
                    }
                    "server".clone_into(&mut who);
                    let look = Look::Note;
                    Sign::Dot { at: server, look }
                }
            },
            Topic::Reconcile => {
                self.busy[index] = self.busy[index].max(at + entry.took.unwrap_or(0));
                Sign::Dot { at: operator, look }
            }
            Topic::Request => {
                let (status, written) = match entry.fact {
                    Fact::Request { status, written } => (status, written),
                    _ => (None, false),
                };
                // A read of what is not there yet has not failed.
                let look = match (entry.failed, status) {
                    (true, _) => Look::Bad,
                    (false, Some(404)) => Look::Note,
                    (false, _) => Look::Good,
                };
                if written {
                    *self.written.entry(entry.object.clone()).or_default() += 1;
                }
                Sign::Arrow {
                    from: operator,
                    to: server,
                    look,
                    answered: status.is_some(),
                }
            }
            Topic::Watch if entry.failed => arrow(server, cache, Look::Bad),
            Topic::Watch => arrow(server, cache, Look::Event),
        };
        let busy = (0..self.names.len()).filter(|it| self.busy[*it] > *at);
        let away = (0..self.names.len()).filter(|it| self.away[*it]);
        let shades = busy
            .map(|it| (self.parties.operator(it), Shade::Busy))
            .chain(away.map(|it| (self.parties.operator(it), Shade::Away)));
        Some(Row {
            at: Duration::from_micros(*at),
            left: Some(Step {
                who,
                text: text(entry),
                fault: entry.failed,
                sign,
                shades: shades.collect(),
                remarks: Vec::new(),
            }),
            begins: matches!(entry.fact, Fact::Process { starts: true, .. }),
            ..Row::default()
        })
    }
}

/// Makes one entry of manifests that were applied one after the other, without the changes that they are.
fn folded(entries: Vec<(u64, Entry)>) -> Vec<(u64, Entry)> {
    let mut folded: Vec<(u64, Entry)> = Vec::new();
    let mut has_started = false;
    for (at, entry) in entries {
        has_started |= matches!(entry.fact, Fact::Process { starts: true, .. });
        if entry.topic == Topic::Object && entry.by == AGENT && !has_started {
            continue;
        }
        let last = folded.last_mut().map(|(_, it)| &mut it.fact);
        if let (Some(Fact::Applied(all)), Fact::Applied(one)) = (last, &entry.fact) {
            all.extend_from_slice(one);
        } else {
            folded.push((at, entry));
        }
    }
    folded
}

fn text(entry: &Entry) -> String {
    let (text, object) = (&entry.text, &entry.object);
    match entry.topic {
        Topic::Object => format!("{object} {text}"),
        Topic::Event => format!("{object}: {text}"),
        Topic::Watch => format!("event {text}: {object}"),
        Topic::Reconcile => {
            let took = Duration::from_micros(entry.took.unwrap_or(0));
            let why = match entry.why.as_str() {
                "" => String::new(),
                why => format!(": {why}"),
            };
            format!("reconcile of {object} {text} after {took:.1?}{why}")
        }
        Topic::Request => match entry.took.map(Duration::from_micros) {
            Some(took) => format!("{text} ({took:.1?})"),
            None => text.clone(),
        },
        // The lane says whose line it is.
        Topic::Process => text.trim_start_matches("the operator ").to_owned(),
        Topic::Dev | Topic::Log | Topic::Simulation => match &entry.fact {
            Fact::Applied(all) if all.len() > 1 => {
                format!("applied {} objects: {}", all.len(), all.join(", "))
            }
            _ => text.clone(),
        },
    }
}

/// Whether a field manager belongs to a controller of the cluster.
fn is_of_the_cluster(manager: &str) -> bool {
    // `controllers` is the program of kube-codegen-testenv; the others are Kubernetes' own.
    const REAL: [&str; 5] = [
        "controllers",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kubelet",
    ];
    OF_THE_CLUSTER.contains(&manager) || REAL.contains(&manager)
}
