//! How many ranges each replica should hold, and which ones one replica gives up or takes: decisions from one view of the Leases.
use std::collections::{BTreeMap, BTreeSet};

/// The Leases as one replica sees them.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The identities of the replicas that live.
    pub(super) replicas: BTreeSet<String>,
    /// The holder of each range; `None` if its Lease is free.
    pub(super) holders: Vec<Option<String>>,
}

/// What one replica should do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    /// Ranges to hand over.
    pub(super) give: Vec<u16>,
    /// Ranges to take, unless another replica is faster.
    pub(super) take: Vec<u16>,
}

impl View {
    /// Returns the moves of the replica `own`, which holds the ranges `held`.
    ///
    /// Each replica should hold the same number of ranges, and some one more if the ranges do not divide evenly: those that hold most already,
    /// so that as few ranges as possible move.
    pub(super) fn moves(&self, own: &str, held: &BTreeSet<u16>) -> Moves {
        let mut counts: BTreeMap<&str, usize> =
            self.replicas.iter().map(|one| (&**one, 0)).collect();
        for holder in self.holders.iter().flatten() {
            if let Some(count) = counts.get_mut(&**holder) {
                *count += 1;
            }
        }
        counts.insert(own, held.len());
        let mut ranked: Vec<_> = counts
            .iter()
            .map(|(replica, count)| (usize::MAX - count, *replica))
            .collect();
        ranked.sort_unstable();
        let rank = ranked
            .iter()
            .position(|(_, replica)| *replica == own)
            .unwrap_or(0);
        let (replicas, ranges) = (ranked.len(), self.holders.len());
        let share = ranges / replicas + usize::from(rank < ranges % replicas);
        let mut moves = Moves::default();
        if held.len() > share {
            moves.give = held.iter().copied().skip(share).collect();
            return moves;
        }
        // Each replica begins elsewhere, so that they seldom want the same range at the same time.
        let start = rank * ranges / replicas;
        let free = (0..ranges).map(|n| (start + n) % ranges).filter_map(|n| {
            let number = u16::try_from(n).ok()?;
            let is_free = match &self.holders[n] {
                None => true,
                Some(holder) => holder == own || !self.replicas.contains(holder),
            };
            (is_free && !held.contains(&number)).then_some(number)
        });
        moves.take = free.take(share - held.len()).collect();
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replicas move in turn until none moves any more. Returns how many ranges each holds, and the number of moves.
    fn settle(view: &mut View) -> (Vec<usize>, usize) {
        let mut given = 0;
        loop {
            let mut moves = 0;
            for own in view.replicas.clone() {
                let of = |view: &View, own: &str| -> BTreeSet<u16> {
                    let holders = view.holders.iter().zip(0..);
                    holders
                        .filter(|(holder, _)| holder.as_deref() == Some(own))
                        .map(|(_, n)| n)
                        .collect()
                };
                let next = view.moves(&own, &of(view, &own));
                for range in &next.give {
                    view.holders[usize::from(*range)] = None;
                }
                for range in &next.take {
                    view.holders[usize::from(*range)] = Some(own.clone());
                }
                given += next.give.len();
                moves += next.give.len() + next.take.len();
            }
            assert!(given < 10_000, "the replicas move ranges for ever");
            if moves == 0 {
                let held = |own: &String| {
                    view.holders
                        .iter()
                        .filter(|holder| holder.as_ref() == Some(own))
                        .count()
                };
                return (view.replicas.iter().map(held).collect(), given);
            }
        }
    }

    #[test]
    fn replicas_that_come_and_go_share_all_ranges_with_few_moves() {
        for ranges in [1, 2, 7, 64] {
            let mut view = View {
                holders: vec![None; ranges],
                ..View::default()
            };
            for replica in ["c", "a", "d", "b"] {
                view.replicas.insert(replica.to_owned());
                let (held, given) = settle(&mut view);
                let (most, least) = (held.iter().max().unwrap(), held.iter().min().unwrap());
                assert!(most - least <= 1, "{ranges} ranges: {held:?}");
                // Only what the new replica should have.
                assert!(
                    given <= ranges / view.replicas.len() + 1,
                    "{ranges} ranges: {given} moves"
                );
            }
            view.replicas.remove("a");
            let (held, given) = settle(&mut view);
            assert_eq!(
                (held.iter().sum::<usize>(), given),
                (ranges, 0),
                "a replica that is gone moves nothing else"
            );
            assert!(
                held.iter().max().unwrap() - held.iter().min().unwrap() <= 1,
                "{ranges} ranges: {held:?}"
            );
        }
    }

    #[test]
    fn more_replicas_than_ranges_leave_some_without() {
        let mut view = View {
            holders: vec![None; 2],
            ..View::default()
        };
        view.replicas.extend(["a", "b", "c"].map(str::to_owned));
        let (mut held, _) = settle(&mut view);
        held.sort_unstable();
        assert_eq!(held, [0, 1, 1]);
    }
}
