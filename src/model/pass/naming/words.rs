//! Splits text into words, and joins words in snake case or upper camel case.
//!
//! The word splitting of `heck` does not suffice: it gives `pod_cid_rs` for `podCIDRs`.
use super::letters::{self, Letters};
use std::fmt::Write;

/// Returns the words of a text, in lower case: `podCIDRs` gives `pod`, `cidrs`; `IPv4Address` gives `ipv4`, `address`.
pub(in crate::model::pass) fn words(text: &str) -> Vec<String> {
    let text = letters::composed(text);
    let letters = Letters::of(&text);
    let mut words = Vec::new();
    for part in text.split(|c: char| !letters.has(c)) {
        let chars: Vec<char> = part.chars().collect();
        let mut parts: Vec<&[char]> = Vec::new();
        let mut start = 0;
        for at in 1..chars.len() {
            if starts_word(&chars, start, at) {
                parts.push(&chars[start..at]);
                start = at;
            }
        }
        if start < chars.len() {
            parts.push(&chars[start..]);
        }
        join_letters(&parts, &mut words);
    }
    words
}

/// Appends the words of a part. A single letter is rarely a word: it belongs to the one after it, as in `OAuth`, `eBGP` and `vSphere`,
/// or to a digit or a unit before it, as in `K8S` and `GiB`.
fn join_letters(parts: &[&[char]], words: &mut Vec<String>) {
    let mut prefix = String::new();
    for (index, part) in parts.iter().enumerate() {
        // A part that has been joined is not joined again.
        let before = index
            .checked_sub(1)
            .filter(|_| prefix.is_empty())
            .map(|at| parts[at]);
        let word = std::mem::take(&mut prefix) + &lower(part);
        if let Some(last) = words.last_mut()
            && before.is_some_and(|before| ends_word(before, part))
        {
            last.push_str(&word);
        } else if let (&[letter], Some(next)) = (*part, parts.get(index + 1))
            && begins_word(letter, next)
        {
            prefix = word;
        } else {
            words.push(word);
        }
    }
}

/// Returns whether a part is the end of the word before it.
fn ends_word(before: &[char], part: &[char]) -> bool {
    let (unit, part) = (lower(before), lower(part));
    match part.as_str() {
        "b" if matches!(&*unit, "ki" | "mi" | "gi" | "ti" | "pi" | "ei") => true,
        "bps" if matches!(&*unit, "k" | "m" | "g" | "t") => true,
        "s" if unit == "qo" => true,
        part => part.len() == 1 && unit.ends_with(|c: char| c.is_ascii_digit()),
    }
}

/// Returns whether a single letter is the beginning of the word after it, and neither a word nor the name of a variable.
fn begins_word(letter: char, next: &[char]) -> bool {
    let is_acronym = next.len() > 1 && next.iter().all(|c| !c.is_lowercase());
    let apart = if is_acronym { "x" } else { "aknxyz" };
    letter.is_ascii_alphabetic() && !apart.contains(letter.to_ascii_lowercase())
}

/// Returns the words of a text with its symbols spelled out: `>=` gives `greater`, `equal`.
pub(super) fn spelled(text: &str) -> Vec<String> {
    let text = letters::composed(text);
    let letters = Letters::of(&text);
    let mut all = String::new();
    for c in text.chars() {
        if letters.has(c) {
            all.push(c);
        } else {
            all.push(' ');
            match symbol(c) {
                Some(name) => all.push_str(name),
                None => _ = write!(all, "u{:x}", u32::from(c)),
            }
            all.push(' ');
        }
    }
    words(&all)
}

/// Joins words in upper camel case; adjacent digits of two words are separated.
pub(in crate::model::pass) fn camel(words: &[String]) -> String {
    let mut joined = String::new();
    for word in words {
        if joined.ends_with(|c: char| c.is_ascii_digit())
            && word.starts_with(|c: char| c.is_ascii_digit())
        {
            joined.push('_');
        }
        let mut chars = word.chars();
        joined.extend(chars.next().into_iter().flat_map(capital));
        joined.push_str(chars.as_str());
    }
    joined
}

/// Joins words in snake case.
pub(in crate::model::pass) fn snake(words: &[String]) -> String {
    words.join("_")
}

/// Returns the capital that begins a word in camel case: `Ss` for `ß`.
fn capital(c: char) -> impl Iterator<Item = char> {
    let mut upper = c.to_uppercase();
    let first = upper.next();
    first.into_iter().chain(upper.flat_map(char::to_lowercase))
}

/// Returns whether a new word begins at `at`, where the current one began at `start`.
fn starts_word(chars: &[char], start: usize, at: usize) -> bool {
    let (before, here) = (chars[at - 1], chars[at]);
    if here.is_uppercase() {
        if !before.is_uppercase() {
            return true;
        }
        // The last capital of a run begins the next word: `HTTPRoute`.
        return chars.get(at + 1).is_some_and(|c| c.is_lowercase()) && !ends_acronym(chars, at + 1);
    }
    // `CIDRs` and `IPv4` are one word, but a letter after such an acronym begins another one.
    here.is_lowercase()
        && before == 's'
        && at >= start + 3
        && ends_acronym(chars, at - 1)
        && chars[start..at - 1].iter().all(|c| c.is_uppercase())
}

/// Returns whether the lower-case letter at `at` belongs to the capitals before it: a plural, or a version as in `IPv4`.
fn ends_acronym(chars: &[char], at: usize) -> bool {
    let next = chars.get(at + 1);
    match chars[at] {
        's' => at >= 2 && chars[at - 2].is_uppercase() && next.is_none_or(|c| !c.is_lowercase()),
        'v' => at >= 2 && next.is_some_and(char::is_ascii_digit),
        _ => false,
    }
}

fn lower(chars: &[char]) -> String {
    chars.iter().flat_map(|c| c.to_lowercase()).collect()
}

fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        ' ' => "space",
        '!' => "not",
        '"' => "quote",
        '#' => "hash",
        '$' => "dollar",
        '%' => "percent",
        '&' => "and",
        '\'' => "apostrophe",
        '(' => "open",
        ')' => "close",
        '*' => "star",
        '+' => "plus",
        ',' => "comma",
        '-' => "minus",
        '.' => "dot",
        '/' => "slash",
        ':' => "colon",
        ';' => "semicolon",
        '<' => "less",
        '=' => "equal",
        '>' => "greater",
        '?' => "question",
        '@' => "at",
        '[' => "left bracket",
        '\\' => "backslash",
        ']' => "right bracket",
        '^' => "caret",
        '_' => "underscore",
        '`' => "backtick",
        '{' => "left brace",
        '|' => "or",
        '}' => "right brace",
        '~' => "tilde",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_into_words() {
        for (text, expected) in [
            ("choice", "choice"),
            ("hostAliases", "host_aliases"),
            ("host_aliases", "host_aliases"),
            ("podCIDRs", "pod_cidrs"),
            ("podCIDRsCount", "pod_cidrs_count"),
            ("podIPs", "pod_ips"),
            ("HTTPRoute", "http_route"),
            ("IPAddressPool", "ip_address_pool"),
            ("IPv4", "ipv4"),
            ("ipv4Address", "ipv4_address"),
            ("podIPv6Address", "pod_ipv6_address"),
            ("DNSServers", "dns_servers"),
            ("DBSize", "db_size"),
            ("x-kubernetes-list", "x_kubernetes_list"),
            ("$ref", "ref"),
            ("app.kubernetes.io/name", "app_kubernetes_io_name"),
            ("k8sName", "k8s_name"),
            ("diskSizeGB", "disk_size_gb"),
            ("AZs", "azs"),
            ("memoryGiBPerVCPU", "memory_gib_per_vcpu"),
            ("rateMBps", "rate_mbps"),
            ("vlanQoS", "vlan_qos"),
            ("qoSClass", "qos_class"),
            ("OAuth2Config", "oauth2_config"),
            ("isOAuth", "is_oauth"),
            ("eBGPMultihop", "ebgp_multihop"),
            ("iBGP", "ibgp"),
            ("uRI", "uri"),
            ("vCPUCount", "vcpu_count"),
            ("vSphere", "vsphere"),
            ("jPath", "jpath"),
            ("localeCType", "locale_ctype"),
            ("k8SLogging", "k8s_logging"),
            ("K8SVersion", "k8s_version"),
            ("e2E", "e2e"),
            ("s3Bucket", "s3_bucket"),
            ("ipv6CIDRBlock", "ipv6_cidr_block"),
            ("twoOfAKind", "two_of_a_kind"),
            ("enableXRateLimit", "enable_x_rate_limit"),
            ("xXSSProtection", "x_xss_protection"),
            ("xAxis", "x_axis"),
            ("nReplicas", "n_replicas"),
            ("größeÄndern", "größe_ändern"),
            ("łódź-中", "łódź_中"),
            ("启用2", "启用2"),
            ("ИмяПоля", "имя_поля"),
            ("Δίσκος", "δίσκος"),
            ("αβ", ""),
            ("Cafe\u{301}", "café"),
            ("名前😀x", "名前_x"),
            // Looks like `ax` in another script, or is rarely seen.
            ("ах", ""),
            ("二", ""),
            ("二级", "二级"),
            // Looks like `o`, and like `ae`.
            ("Σ", ""),
            ("læs", "l_s"),
            ("straße", "straße"),
            ("As", "as"),
            ("US", "us"),
            ("", ""),
        ] {
            assert_eq!(snake(&words(text)), expected, "{text}");
        }
    }

    #[test]
    fn joins_words_and_spells_symbols() {
        assert_eq!(camel(&words("1.2")), "1_2");
        assert_eq!(camel(&words("us-east-1")), "UsEast1");
        assert_eq!(camel(&words("RollingUpdate")), "RollingUpdate");
        assert_eq!(camel(&spelled(">=")), "GreaterEqual");
        assert_eq!(camel(&spelled("é😀")), "ÉU1f600");
        assert_eq!(camel(&words("启用 имя")), "启用Имя");
        assert_eq!(camel(&words("ßx")), "Ssx");
        assert_eq!(snake(&spelled("$ref")), "dollar_ref");
    }
}
