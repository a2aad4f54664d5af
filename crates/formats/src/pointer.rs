//! Builds and splits JSON pointers (RFC 6901).
//!
//! ```
//! use kube_codegen_formats::pointer;
//!
//! let mut place = String::from("/metadata/labels");
//! pointer::push(&mut place, "example.com/team");
//! assert_eq!(place, "/metadata/labels/example.com~1team");
//! assert_eq!(pointer::steps(&place).last().as_deref(), Some("example.com/team"));
//! ```

/// Appends a key.
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

/// Appends a list index.
pub fn push_index(pointer: &mut String, index: usize) {
    pointer.push('/');
    pointer.push_str(&index.to_string());
}

/// Returns all steps.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(unescape)
}

/// Returns a key as a step of a pointer.
pub fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the key that a step of a pointer means.
pub fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_survive_escaping() {
        let mut pointer = String::new();
        push(&mut pointer, "a/b~1");
        push_index(&mut pointer, 3);
        assert_eq!(pointer, "/a~1b~01/3");
        assert_eq!(pointer, format!("/{}/3", escape("a/b~1")));
        assert_eq!(steps("").count(), 0);
        assert_eq!(steps(&pointer).collect::<Vec<_>>(), ["a/b~1", "3"]);
    }
}
