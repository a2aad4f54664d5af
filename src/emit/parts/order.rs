//! The order in which rustfmt sorts names: runs of digits count as numbers, `_` comes before all else.
use std::cmp::Ordering;

/// Compares two names as the style edition of 2024 does.
pub(crate) fn version(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (first, second) = match (left.chars().next(), right.chars().next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(first), Some(second)) => (first, second),
        };
        if first.is_ascii_digit() && second.is_ascii_digit() {
            let (number, other) = (digits(left), digits(right));
            let order = value(number).cmp(&value(other));
            if order.is_ne() {
                return order;
            }
            left = &left[number.len()..];
            right = &right[other.len()..];
        } else if first == second {
            left = &left[first.len_utf8()..];
            right = &right[second.len_utf8()..];
        } else {
            return rank(first).cmp(&rank(second));
        }
    }
}

fn digits(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()]
}

/// Length first: no number is too long to compare.
fn value(digits: &str) -> (usize, &str) {
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
}

fn rank(c: char) -> (bool, char) {
    (c != '_', c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count() {
        let mut names = ["v10", "v2", "v1", "v1beta1", "v1alpha1", "v1_2"];
        names.sort_by(|a, b| version(a, b));
        assert_eq!(names, ["v1", "v1_2", "v1alpha1", "v1beta1", "v2", "v10"]);
    }
}
