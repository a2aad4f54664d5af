//! Who takes part in the run of an operator: the user, each replica with its cache, the API server, and the controllers of the cluster.
use super::{Lane, Look, Mark, Shade};

/// The lanes of the run of an operator.
///
/// ```
/// use kube_codegen_look::picture::Parties;
///
/// let parties = Parties::new(["one", "two"].map(str::to_owned).to_vec(), false);
/// assert_eq!((parties.user(), parties.operator(1), parties.cache(1), parties.server()), (0, 3, 4, 5));
/// ```
#[derive(Clone, Debug)]
pub struct Parties {
    replicas: Vec<String>,
    cluster: bool,
}

impl Parties {
    /// Returns the lanes of a user, of these replicas of an operator, and of a server; and of the controllers of a cluster, if they take part.
    pub const fn new(replicas: Vec<String>, cluster: bool) -> Self {
        Self { replicas, cluster }
    }

    /// The user who changes objects.
    pub const fn user(&self) -> usize {
        0
    }

    /// A replica of the operator.
    pub const fn operator(&self, index: usize) -> usize {
        1 + 2 * index
    }

    /// What a replica sees of the objects.
    pub const fn cache(&self, index: usize) -> usize {
        2 + 2 * index
    }

    /// The API server.
    pub const fn server(&self) -> usize {
        1 + 2 * self.replicas.len()
    }

    /// The controllers of the cluster.
    pub const fn cluster(&self) -> usize {
        self.server() + 1
    }

    /// Returns the lanes for a [`Picture`](super::Picture).
    pub fn lanes(&self) -> Vec<Lane> {
        let mut lanes = vec![Lane::new("user", "The user who changes objects")];
        for replica in &self.replicas {
            lanes.push(Lane::new(replica.clone(), "The operator"));
            lanes.push(Lane::new("cache", "What the operator sees of the objects"));
        }
        lanes.push(Lane::new("server", "The API server"));
        if self.cluster {
            lanes.push(Lane::new(
                "cluster",
                "The controllers of children, and the garbage collector",
            ));
        }
        lanes
    }
}

/// Returns what the signs of such a run say; `shades` are those that it has.
pub fn legend(shades: &[Shade]) -> Vec<(Mark, String)> {
    let arrows = [
        (Look::Good, "request that succeeds, with its answer"),
        (Look::Bad, "request that fails"),
        (Look::Event, "event of a watch"),
        (Look::User, "change by the user"),
        (Look::Cluster, "change by controllers"),
    ];
    let arrows = arrows.map(|(look, text)| (Mark::Arrow(look), text.to_owned()));
    let shades = shades.iter().map(|shade| {
        let text = match shade {
            Shade::Stale => "the cache lacks something",
            Shade::Busy => "reconcile",
            Shade::Away => "paused, ended or without a network",
        };
        (Mark::Shade(*shade), text.to_owned())
    });
    arrows.into_iter().chain(shades).collect()
}
