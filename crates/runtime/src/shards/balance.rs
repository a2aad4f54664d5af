//! How many ranges each replica should hold, and which ones one replica gives up or takes: decisions from one view of the Leases.
//!
//! No replica tells another one what to do. Each computes the same shares from the same Leases, gives up what it holds beyond its share, and takes what is
//! free, so a share moves by two independent decisions with a free Lease between them. Views may differ for a moment; the Leases decide then.
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
        let numbered = |n: usize| u16::try_from(n).ok();
        // A Lease that this replica took without learning of it, since the response was lost, is of no use until it is taken again.
        let taken = self.holders.iter().enumerate().filter_map(|(n, holder)| {
            let is_own = holder.as_deref() == Some(own);
            numbered(n).filter(|number| is_own && !held.contains(number))
        });
        let mut moves = Moves {
            give: held.iter().copied().skip(share).collect(),
            take: taken.collect(),
        };
        // Each replica begins elsewhere, so that they seldom want the same range at the same time.
        let start = rank * ranges / replicas;
        let free = (0..ranges).map(|n| (start + n) % ranges).filter_map(|n| {
            let holder = self.holders[n].as_ref();
            let is_free =
                holder.is_none_or(|holder| holder != own && !self.replicas.contains(holder));
            numbered(n).filter(|number| is_free && !held.contains(number))
        });
        let missing = share.saturating_sub(held.len() + moves.take.len());
        moves.take.extend(free.take(missing));
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

    #[test]
    fn a_range_that_was_taken_unawares_is_taken_again() {
        let mut view = View::default();
        view.replicas.extend(["a", "b"].map(str::to_owned));
        view.holders = ["a", "b", "a"].map(|holder| Some(holder.to_owned())).into();
        // Its share is two ranges or one; it has both and does not know of the last one.
        let moves = view.moves("a", &BTreeSet::from([0]));
        assert_eq!((moves.give, moves.take), (vec![], vec![2]));
        view.holders.push(Some("a".to_owned()));
        let moves = view.moves("a", &BTreeSet::from([0, 2]));
        assert_eq!((moves.give, moves.take), (vec![], vec![3]));
    }
}
