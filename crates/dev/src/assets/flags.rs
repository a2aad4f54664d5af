//! Flags as the programs of Kubernetes take them.

use std::collections::BTreeMap;

/// The flags of a call, by name.
#[derive(Debug)]
pub(super) struct Flags(BTreeMap<String, String>);

impl Flags {
    /// Reads `--name=value`, `--name value` and `--name`; one dash is enough, as in Go.
    pub(super) fn parse(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut flags = BTreeMap::new();
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            let name = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
            let Some(name) = name else {
                return Err(format!("unexpected argument {arg:?}: flags begin with --"));
            };
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                None => (
                    name,
                    args.next_if(|it| !it.starts_with('-')).unwrap_or_default(),
                ),
            };
            flags.insert(name.to_owned(), value);
        }
        Ok(Self(flags))
    }

    /// Returns the value of a flag, if it is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|it| !it.is_empty())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Prints the flags that have an effect, as envtest asks for, and returns whether that was asked for.
    pub(super) fn help(&self, about: &str, used: &[&str]) -> bool {
        let is_asked = self.has("help") || self.has("h");
        if is_asked {
            println!("{about}\n\nFlags:");
            for name in used {
                println!("      --{name}");
            }
        }
        is_asked
    }

    /// Returns the flags that are in none of these lists.
    pub(super) fn others(&self, known: &[&[&str]]) -> Vec<&str> {
        let names = self.0.keys().map(String::as_str);
        names
            .filter(|name| !known.iter().any(|list| list.contains(name)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Flags;

    fn parse(args: &[&str]) -> Result<Flags, String> {
        Flags::parse(args.iter().map(ToString::to_string))
    }

    #[test]
    fn values_follow_or_are_joined() {
        let flags = parse(&["--a=1=2", "--b", "3", "--c", "--d=", "-e=4"]).unwrap();
        let get = |name| flags.get(name);
        assert_eq!(
            (get("a"), get("b"), get("c"), get("d"), get("e")),
            (Some("1=2"), Some("3"), None, None, Some("4"))
        );
        assert!(flags.has("c") && flags.has("d") && !flags.has("f"));
        assert_eq!(flags.others(&[&["a", "b"], &["c", "e"]]), ["d"]);
    }

    #[test]
    fn arguments_without_a_flag_are_rejected() {
        let error = parse(&["a"]).unwrap_err();
        assert_eq!(error, "unexpected argument \"a\": flags begin with --");
    }
}
