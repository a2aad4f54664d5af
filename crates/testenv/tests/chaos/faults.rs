//! Random faults in the proxies, killed and paused servers, lost history, and leaders without a network.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use kube_codegen_testenv::{ControlPlane, Fault, Proxy, Rule, RuleHandle, TestResult, eventually};
use tokio::time::{Instant, sleep};

use crate::chaos::{LEASE_DURATION, WITHIN, replica::Replica};

/// Faults that wait for a request. Without a limit, each request would have one in the end, and no informer would get a list.
const WAITING: usize = 6;
/// Pause between two faults.
const PAUSE: Duration = Duration::from_millis(300);
/// Time without a network for a replica that does not lead.
const PARTITION: Duration = LEASE_DURATION;
/// Time for which the API server is paused. With the longest delay of a fault, it is less than the lease duration minus the renew deadline.
const SERVER_PAUSE: Duration = Duration::from_secs(2);

pub(crate) struct Chaos<'a> {
    plane: &'a ControlPlane,
    proxies: &'a [Proxy],
    replicas: &'a [Replica],
    random: fastrand::Rng,
    rules: VecDeque<RuleHandle>,
    counts: BTreeMap<&'static str, usize>,
    outages: usize,
    next_outage: Option<Instant>,
}

impl<'a> Chaos<'a> {
    pub(crate) fn new(
        plane: &'a ControlPlane,
        proxies: &'a [Proxy],
        replicas: &'a [Replica],
        random: fastrand::Rng,
    ) -> Self {
        let (rules, counts) = (VecDeque::new(), BTreeMap::new());
        Self {
            plane,
            proxies,
            replicas,
            random,
            rules,
            counts,
            outages: 0,
            next_outage: None,
        }
    }

    /// Causes one fault, or one of five outages per `time`.
    pub(crate) async fn step(&mut self, time: Duration) -> TestResult {
        sleep(PAUSE).await;
        let next = *self
            .next_outage
            .get_or_insert_with(|| Instant::now() + time / 6);
        if Instant::now() >= next {
            self.outage().await?;
            self.next_outage = Some(Instant::now() + time / 6);
            return Ok(());
        }
        let random = &mut self.random;
        let second = Duration::from_secs(1);
        let (name, fault) = match random.u8(..12) {
            0 => (
                "429",
                Fault::TooManyRequests {
                    retry_after: second,
                },
            ),
            1 => ("500", Fault::InternalError),
            2 => ("503", Fault::Unavailable),
            3 => ("410", Fault::Gone),
            4 => ("410 in a watch", Fault::WatchExpired),
            5 => ("refused", Fault::Refuse),
            6 => ("delayed", Fault::Delay(second)),
            7 => (
                "truncated",
                Fault::Cut {
                    after: random.usize(..20_000),
                },
            ),
            8 => (
                "stalled",
                Fault::Stall {
                    after: random.usize(..2000),
                },
            ),
            9 => (
                "black hole",
                Fault::BlackHole {
                    after: random.usize(..2000),
                },
            ),
            10 => (
                "slow",
                Fault::Slow {
                    piece: 2000,
                    pause: Duration::from_millis(5),
                },
            ),
            _ => ("garbled", Fault::Garble),
        };
        let proxy = &self.proxies[random.usize(..self.proxies.len())];
        *self.counts.entry(name).or_default() += 1;
        let watches = Rule::new(fault.clone()).watch(true);
        // Only a watch has such a response.
        let kinds = if fault == Fault::WatchExpired { 1 } else { 3 };
        if self.rules.len() == WAITING
            && let Some(oldest) = self.rules.pop_front()
        {
            oldest.remove();
        }
        self.rules.push_back(proxy.add(match random.u8(..kinds) {
            0 => watches.clone().times(2),
            1 => Rule::new(fault.clone()).path("/configmaps").times(3),
            _ => Rule::new(fault.clone()).times(2),
        }));
        match random.u8(..6) {
            0 => drop(proxy.cut(&watches)),
            1 => drop(proxy.black_hole(&watches)),
            _ => {}
        }
        Ok(())
    }

    /// Returns the number of the replica that leads, which is that of its proxy.
    fn leader(&self) -> Option<usize> {
        self.replicas.iter().position(|one| one.leads().is_some())
    }

    async fn outage(&mut self) -> TestResult {
        let (server, etcd) = (self.plane.api_server()?, self.plane.etcd()?);
        let name = match self.outages % 5 {
            0 => {
                let leader = self.leader();
                let proxy = &self.proxies[leader.unwrap_or(0)];
                let all = Rule::new(Fault::Refuse);
                let rule = proxy.add(all.clone());
                proxy.cut(&all);
                let name = if leader.is_some() {
                    // The faults that wait for the other replica delay it, so that no fixed time is enough.
                    eventually("another replica leads", WITHIN, async || {
                        let next = self.leader().filter(|next| Some(*next) != leader);
                        next.map(drop).ok_or("none leads")
                    })
                    .await?;
                    "leader partitioned"
                } else {
                    sleep(PARTITION).await;
                    "replica partitioned"
                };
                rule.remove();
                name
            }
            1 => {
                server.restart().await?;
                "API server killed"
            }
            2 => {
                server.pause()?;
                sleep(SERVER_PAUSE).await;
                server.resume()?;
                "API server paused"
            }
            3 => {
                server.kill();
                etcd.restart().await?;
                server.restart().await?;
                "etcd killed"
            }
            _ => {
                self.plane.compact().await?;
                server.restart().await?;
                "history lost"
            }
        };
        self.outages += 1;
        *self.counts.entry(name).or_default() += 1;
        Ok(())
    }

    /// Removes all rules, and breaks what they keep open.
    pub(crate) fn end(&mut self) {
        self.rules.drain(..).for_each(|rule| rule.remove());
        for proxy in self.proxies {
            proxy.cut(&Rule::new(Fault::Refuse));
        }
    }

    pub(crate) fn summary(&self) -> String {
        format!("{:?}", self.counts)
    }
}
