//! Splits a text into lines as YAML does: at `\n`, `\r\n` and `\r`.

use memchr::memchr2;

/// Returns each line with its offset and without its line break; a final line break starts no further line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let length = memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let (line, after) = rest.split_at(length);
        at += length + if after.starts_with("\r\n") { 2 } else { 1 };
        Some((start, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_as_in_yaml() {
        let all = |text| lines(text).collect::<Vec<_>>();
        assert_eq!(
            all("a\r\nb\rc\n\nd"),
            [(0, "a"), (3, "b"), (5, "c"), (7, ""), (8, "d")]
        );
        assert_eq!(all("a\n"), [(0, "a")]);
        assert_eq!(all("\r\r"), [(0, ""), (1, "")]);
        assert!(all("").is_empty());
    }
}
