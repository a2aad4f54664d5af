//! Groups properties of which each excludes each other.

/// The most groups of an object. More of them are no choice, but conditions between single properties.
const MOST_GROUPS: usize = 4;

/// Returns the largest groups of several that all exclude each other, those with the most members first.
pub(super) fn find(count: usize, excludes: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut near = vec![0_u64; count];
    for a in 0..count {
        for b in a + 1..count {
            if excludes(a, b) {
                near[a] |= 1 << b;
                near[b] |= 1 << a;
            }
        }
    }
    let mut groups = Vec::new();
    let all = (0..count).filter(|at| near[*at] != 0);
    let all = all.fold(0, |set, at| set | 1 << at);
    extend(0, all, 0, &near, &mut groups);
    groups.sort_by_key(|group: &u64| (u32::MAX - group.count_ones(), group.trailing_zeros()));
    if groups.len() > MOST_GROUPS {
        // Where properties that belong to no other group exclude each other, that is a choice still.
        let shared =
            |group: u64, groups: &[u64]| groups.iter().any(|it| *it != group && it & group != 0);
        let all = groups.clone();
        groups.retain(|group| !shared(*group, &all));
        groups.truncate(MOST_GROUPS);
    }
    let groups = groups.into_iter();
    groups.map(|group| members(group).collect()).collect()
}

/// Extends a group by each candidate (Bron and Kerbosch). What was a candidate before belongs to a group that was found already.
fn extend(group: u64, mut candidates: u64, mut before: u64, near: &[u64], found: &mut Vec<u64>) {
    /// The most groups that are looked at.
    const MOST: usize = 256;
    if found.len() >= MOST {
        return;
    }
    if candidates == 0 && before == 0 && group.count_ones() > 1 {
        found.push(group);
    }
    // A group without the pivot has a member that the pivot does not exclude: the others need no branch of their own. Without this, the
    // subsets of a large group are tried.
    let pivot = members(candidates | before).max_by_key(|at| (candidates & near[*at]).count_ones());
    let Some(pivot) = pivot else {
        return;
    };
    for at in members(candidates & !near[pivot]) {
        let bit = 1 << at;
        extend(
            group | bit,
            candidates & near[at],
            before & near[at],
            near,
            found,
        );
        candidates &= !bit;
        before |= bit;
    }
}

fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |at| set & (1 << at) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_group_is_found_at_once() {
        let all: Vec<usize> = (0..64).collect();
        assert_eq!(find(64, |_, _| true), vec![all]);
    }

    #[test]
    fn groups_that_share_a_member_are_found() {
        let excludes = |a, b| matches!((a, b), (0, 1 | 2) | (1, 2) | (2, 3));
        assert_eq!(find(5, excludes), vec![vec![0, 1, 2], vec![2, 3]]);
    }
}
