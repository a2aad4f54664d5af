//! Compares names of fields by their words.

/// How two different names are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same letters and digits, in another case or with other separators: `podIP` and `podIp`.
    SameLetters,
    /// All words are the same but one, which has another spelling: `replica` and `replicas`.
    OtherSpelling,
    /// One has the words of the other one, and more at one end: `timeout` and `timeoutSeconds`.
    MoreWords,
}

/// Returns how two names are alike, if they are. Letters alone decide nothing: `minSize` and `maxSize` have most of them in common.
pub(super) fn relation(a: &str, b: &str) -> Option<Relation> {
    let (a, b) = (words(a), words(b));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    if a.concat() == b.concat() {
        return Some(Relation::SameLetters);
    }
    if a.len() == b.len() {
        let mut differing = a.iter().zip(&b).filter(|(a, b)| a != b);
        let (Some((a, b)), None) = (differing.next(), differing.next()) else {
            return None;
        };
        return is_spelling(a, b).then_some(Relation::OtherSpelling);
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let is_end = long.starts_with(&short) || long.ends_with(&short);
    is_end.then_some(Relation::MoreWords)
}

/// Returns whether two words are spellings of one. Short words, and those with digits, are other words if they differ.
fn is_spelling(a: &str, b: &str) -> bool {
    let is_word = |word: &str| word.chars().count() >= 4 && word.chars().all(char::is_alphabetic);
    is_word(a) && is_word(b) && strsim::normalized_damerau_levenshtein(a, b) >= 0.8
}

/// What a letter is for the words of a name.
#[derive(Clone, Copy, PartialEq)]
enum Letter {
    Lower,
    Upper,
    Digit,
    None,
}

/// Returns the words of a name in lower case: they begin with a capital, and digits are words of their own.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<(char, Letter)> = name
        .chars()
        .map(|c| {
            let letter = match c {
                c if c.is_numeric() => Letter::Digit,
                c if c.is_uppercase() => Letter::Upper,
                c if c.is_alphabetic() => Letter::Lower,
                _ => Letter::None,
            };
            (c, letter)
        })
        .collect();
    let mut words: Vec<String> = Vec::new();
    let mut before = Letter::None;
    for (index, (c, letter)) in letters.iter().enumerate() {
        let next = letters.get(index + 1).map(|it| it.1);
        let begins = match (before, *letter) {
            (_, Letter::None) => false,
            (Letter::None, _)
            | (Letter::Digit, Letter::Lower | Letter::Upper)
            | (Letter::Lower | Letter::Upper, Letter::Digit)
            | (Letter::Lower, Letter::Upper) => true,
            // The last capital begins the next word: `HTTPPort`. The `s` of `podIPs` is part of the acronym.
            (Letter::Upper, Letter::Upper) => {
                next == Some(Letter::Lower) && !is_plural(&letters, index + 1)
            }
            _ => false,
        };
        if begins {
            words.push(String::new());
        }
        if let (Some(word), true) = (words.last_mut(), *letter != Letter::None) {
            word.extend(c.to_lowercase());
        }
        before = *letter;
    }
    words
}

fn is_plural(letters: &[(char, Letter)], at: usize) -> bool {
    let next = letters.get(at + 1).map(|it| it.1);
    letters.get(at).is_some_and(|it| it.0 == 's') && next != Some(Letter::Lower)
}

#[cfg(test)]
mod tests {
    use super::{Relation, relation, words};

    #[test]
    fn names_have_words() {
        for (name, expected) in [
            ("podIPs", &["pod", "ips"][..]),
            ("HTTPPort", &["http", "port"]),
            ("max_size-2", &["max", "size", "2"]),
            ("ipv4Address", &["ipv", "4", "address"]),
            ("_", &[]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn names_are_alike_by_their_words() {
        use Relation::{MoreWords, OtherSpelling, SameLetters};
        for (a, b, expected) in [
            ("Workers", "workers", Some(SameLetters)),
            ("podIP", "podIp", Some(SameLetters)),
            ("resourcepool", "resourcePool", Some(SameLetters)),
            ("max_size", "maxSize", Some(SameLetters)),
            ("replica", "replicas", Some(OtherSpelling)),
            ("adressPool", "addressPool", Some(OtherSpelling)),
            ("timeout", "timeoutSeconds", Some(MoreWords)),
            ("secretName", "name", Some(MoreWords)),
            ("minSize", "maxSize", None),
            ("minimum", "maximum", None),
            ("internalPort", "externalPort", None),
            ("readTimeout", "writeTimeout", None),
            ("s3Storage", "gcsStorage", None),
            ("ipv4", "ipv6", None),
            ("zone1", "zone2", None),
            ("hostA", "hostB", None),
            ("name", "namespace", None),
            ("import", "export", None),
            ("a", "ab", None),
            ("_", "-", None),
        ] {
            assert_eq!(relation(a, b), expected, "{a} and {b}");
            assert_eq!(relation(b, a), expected, "{b} and {a}");
        }
    }
}
