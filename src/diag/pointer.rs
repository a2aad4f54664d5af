//! JSON pointers (RFC 6901) as text: steps are added and read; nothing is looked up.

/// Adds a step by name.
pub fn push(pointer: &mut String, name: &str) {
    pointer.push('/');
    for character in name.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Adds a step into a list.
pub fn push_index(pointer: &mut String, index: usize) {
    pointer.push('/');
    pointer.push_str(&index.to_string());
}

/// The name of the last step.
pub fn last(pointer: &str) -> String {
    unescape(pointer.rsplit('/').next().unwrap_or_default())
}

/// The names of all steps.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(unescape)
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_as_they_were_added() {
        let mut pointer = String::new();
        push(&mut pointer, "a/b~1");
        push_index(&mut pointer, 3);
        assert_eq!(pointer, "/a~1b~01/3");
        assert_eq!(last("/a~1b~01"), "a/b~1");
        assert_eq!(steps("").count(), 0);
        assert_eq!(steps(&pointer).collect::<Vec<_>>(), ["a/b~1", "3"]);
    }
}
