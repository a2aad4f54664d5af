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
    let members = |group: u64| {
        (0..count)
            .filter(move |at| group & (1 << at) != 0)
            .collect()
    };
    groups.into_iter().map(members).collect()
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
    while candidates != 0 {
        let at = candidates.trailing_zeros() as usize;
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
