//! Random texts: words, formats and what a pattern matches.
use super::Objects;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::Value;

/// Keys and texts: plain ones, keywords, other scripts, what is not an identifier, and what YAML or JSON may mistake.
const WORDS: &[&str] = &[
    "name",
    "hostAliases",
    "host_aliases",
    "type",
    "Self",
    "gen",
    "rest",
    "other_fields",
    "$ref",
    "3d",
    "a.b",
    "a-b",
    "a b",
    "_",
    "配置",
    "größe",
    "😀",
    "",
    "\"",
    "\\",
    "null",
    "true",
    "1",
    "0755",
    "1e3",
    "~",
    "2024-01-01",
];

/// What `serde_json` takes for a number where it is the key of a map.
const NUMBER: &str = "$serde_json::private::Number";

/// Texts that the patterns and formats of CRDs often want.
const COMMON: &[&str] = &[
    "a",
    "abc",
    "example.com",
    "example.com/a",
    "https://example.com/a",
    "10.0.0.1",
    "10.0.0.0/8",
    "fe80::1",
    "1",
    "10Mi",
    "100m",
    "30s",
    "1h30m",
    "123e4567-e89b-12d3-a456-426614174000",
    "2024-02-29",
    "2024-02-29T01:02:03Z",
    "aGk=",
    "00:11:22:33:44:55",
    "a@example.com",
];

impl Objects {
    pub(super) fn text(&mut self, schema: &Value, attempt: usize) -> String {
        match schema["format"].as_str().unwrap_or_default() {
            "byte" => return self.base64(),
            "date-time" => return self.time(),
            "duration" => return format!("{}s", self.rng.u16(..)),
            _ => {}
        }
        if let Some(pattern) = schema["pattern"].as_str().filter(|_| attempt % 4 != 3)
            && let Ok(pattern) = regex_syntax::parse(pattern)
        {
            let mut text = String::new();
            self.matching(&pattern, &mut text);
            return text;
        }
        let least = schema["minLength"].as_u64().unwrap_or(0);
        let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
        let mut text = if attempt.is_multiple_of(2) {
            if self.rng.u8(..50) == 0 {
                NUMBER.to_owned()
            } else {
                self.word()
            }
        } else {
            self.rng
                .choice(COMMON)
                .copied()
                .unwrap_or_default()
                .to_owned()
        };
        while (text.chars().count() as u64) < least {
            text.push('x');
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        text.chars().take(most).collect()
    }

    /// Appends a text that the pattern matches, apart from its assertions.
    fn matching(&mut self, pattern: &Hir, text: &mut String) {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(Class::Unicode(class)) => {
                // Mostly the first ranges: those of the others are seldom what a pattern means.
                let range = self.rng.choice(class.ranges());
                text.extend(range.map(|range| {
                    let end = u32::from(range.end()).min(u32::from(range.start()) + 90);
                    let code = self.rng.u32(u32::from(range.start())..=end);
                    char::from_u32(code).unwrap_or(range.start())
                }));
            }
            HirKind::Class(Class::Bytes(class)) => {
                let range = self.rng.choice(class.ranges());
                text.extend(range.map(|range| char::from(range.start())));
            }
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(u32::MAX);
                let count = (repetition.min + self.rng.u32(..4)).min(most);
                for _ in 0..count {
                    self.matching(&repetition.sub, text);
                }
            }
            HirKind::Capture(capture) => self.matching(&capture.sub, text),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.matching(part, text)),
            HirKind::Alternation(branches) => {
                if let Some(branch) = self.rng.choice(branches) {
                    self.matching(branch, text);
                }
            }
        }
    }

    pub(super) fn word(&mut self) -> String {
        if self.rng.bool() {
            let letters = 0..self.rng.usize(1..8);
            letters.map(|_| self.rng.lowercase()).collect()
        } else {
            self.rng
                .choice(WORDS)
                .copied()
                .unwrap_or_default()
                .to_owned()
        }
    }

    fn time(&mut self) -> String {
        let zones: &[&str] = if self.newer {
            &["Z", ".120Z", "+02:00", ".5-11:30"]
        } else {
            &["Z", ".5Z"]
        };
        let zone = self.rng.choice(zones).copied().unwrap_or("Z");
        let rng = &mut self.rng;
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{zone}",
            rng.u32(1970..9999),
            rng.u32(1..13),
            rng.u32(1..29),
            rng.u32(..24),
            rng.u32(..60),
            rng.u32(..60)
        )
    }

    fn base64(&mut self) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digits = 0..self.rng.usize(..5) * 4;
        let digits = digits.map(|_| char::from(DIGITS[self.rng.usize(..DIGITS.len())]));
        let mut text: String = digits.collect();
        text.push_str(self.rng.choice(["", "aA==", "aGk="]).unwrap_or_default());
        text
    }
}
