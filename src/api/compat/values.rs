//! Makes values near the bounds of two schemas of one place, and of all types.
use serde_json::{Map, Value, json};

use super::{
    language, lists,
    part::{MOST_ITEMS, Part, layers, literals},
};

/// How long a text gets at most.
const LONGEST: usize = 70_000;

/// Letters of each class that patterns tell apart.
const LETTERS: &str = "anzANZ059-_. /:@é";

/// Texts that formats and patterns tell apart.
const TEXTS: [&str; 23] = [
    "",
    "a",
    "A",
    "1",
    "0",
    "-",
    "a_b",
    "a.b",
    "a b",
    "a\nb",
    "a/b",
    "é",
    "10s",
    "1Gi",
    "100m",
    "example.com",
    "https://example.com",
    "192.0.2.1",
    "192.0.2.0/24",
    "2001:db8::1",
    "2001-02-03T04:05:06Z",
    "2001-02-03",
    "3fa85f64-5717-4562-b3fc-2c963f66afa6",
];

/// Returns values that the combinators of an object tell apart in its fields.
fn of_fields<'a>(part: &Part<'a>) -> Vec<(&'a String, Value)> {
    let mut found = Vec::new();
    for layer in part.layers().into_iter().skip(1) {
        for (name, demand) in layer["properties"].as_object().into_iter().flatten() {
            let place = &part.definition["properties"][name.as_str()];
            for demand in layers(demand) {
                let values = demand["enum"].as_array().into_iter().flatten().cloned();
                found.extend(values.map(|it| (name, it)));
                if let Some(pattern) = demand["pattern"].as_str() {
                    let texts = matched(pattern, place["pattern"].as_str()).into_iter();
                    found.extend(texts.map(|it| (name, it.into())));
                }
                for keyword in ["minimum", "maximum"] {
                    if let Some(bound) = demand[keyword].as_i64() {
                        let near = [bound, bound.saturating_sub(1), bound.saturating_add(1)];
                        found.extend(near.map(|it| (name, it.into())));
                    }
                }
            }
        }
    }
    found
}

/// Returns texts that a pattern matches, and another one, if there is one.
fn matched(pattern: &str, other: Option<&str>) -> Vec<String> {
    const MOST: usize = 20;
    let found = language::common(pattern, other.unwrap_or_default(), MOST);
    found.map(|it| it.texts).unwrap_or_default()
}

/// Returns whether a schema with an enum accepts nothing that another one rejects.
pub(super) fn includes_enum(old: &Part<'_>, new: &Part<'_>) -> bool {
    let Some(values) = old.definition["enum"].as_array() else {
        return false;
    };
    // Whether null is accepted is a change of its own.
    let mut accepted = values.iter().filter(|it| !it.is_null() && old.accepts(it));
    accepted.all(|value| new.accepts(value))
}

/// Returns values near the bounds of both schemas, and of all types; `samples` are some that the first one accepts.
pub(super) fn of(old: &Part<'_>, new: &Part<'_>, samples: Vec<Value>) -> Vec<Value> {
    let mut found = Vec::new();
    for layer in old.layers().into_iter().chain(new.layers()) {
        found.extend(layer["enum"].as_array().into_iter().flatten().cloned());
    }
    found.extend(numbers(old, new));
    found.extend(texts(old, new, &samples));
    found.extend(lists::of(old, new, &samples));
    for sample in &samples {
        if let Value::Object(fields) = sample {
            for (name, value) in of_fields(old).into_iter().chain(of_fields(new)) {
                let mut other = fields.clone();
                other.insert(name.clone(), value);
                found.push(other.into());
            }
            for name in fields.keys() {
                let mut less = fields.clone();
                less.remove(name);
                found.push(less.into());
            }
            let declared = new.definition["properties"].as_object();
            let names = declared.into_iter().flat_map(|it| it.keys());
            let absent = names.filter(|name| !fields.contains_key(*name));
            for name in absent.map(String::as_str).chain(["unknownField"]) {
                for value in [json!("a"), json!(1), json!({"a": 1})] {
                    let mut more = fields.clone();
                    more.insert(name.to_owned(), value);
                    found.push(more.into());
                }
            }
        }
    }
    found.extend(maps(old, new));
    found.extend(samples);
    found.extend([
        Value::Null,
        true.into(),
        false.into(),
        json!({}),
        json!([]),
        json!({"a": "b"}),
        json!(["a"]),
    ]);
    found
}

fn numbers(old: &Part<'_>, new: &Part<'_>) -> Vec<Value> {
    let mut wanted = vec![0.0, 1.0, -1.0, 2.0, 3.0, 5.0, 1000.0, 0.5];
    for layer in old.layers().into_iter().chain(new.layers()) {
        for keyword in ["minimum", "maximum", "multipleOf"] {
            if let Some(bound) = layer[keyword].as_f64() {
                wanted.extend([bound, bound - 1.0, bound + 1.0, bound - 0.5, bound + 0.5]);
                wanted.extend([bound * 2.0, bound * 3.0]);
            }
        }
    }
    for keyword in ["minimum", "maximum"] {
        let bound = |part: &Part<'_>| part.definition[keyword].as_f64();
        wanted.extend(bound(old).zip(bound(new)).map(|(a, b)| f64::midpoint(a, b)));
    }
    wanted.extend([
        f64::from(i32::MAX) + 1.0,
        f64::from(i32::MIN) - 1.0,
        f64::from(u32::MAX) + 1.0,
        128.0,
        256.0,
        65536.0,
        // The largest whole number that each smaller one is exact below.
        9_007_199_254_740_991.0,
        1e300,
    ]);
    let wanted = wanted.into_iter().map(|number| {
        // A whole number is one in JSON, too.
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0 {
            Value::from(number as i64)
        } else {
            Value::from(number)
        }
    });
    wanted.collect()
}

fn texts(old: &Part<'_>, new: &Part<'_>, samples: &[Value]) -> Vec<Value> {
    let mut texts: Vec<String> = TEXTS.map(str::to_owned).into();
    let pattern = |part: &Part<'_>| part.definition["pattern"].as_str().map(str::to_owned);
    if let (old, Some(new)) = (pattern(old), pattern(new))
        && old.as_ref() != Some(&new)
    {
        let old = old.unwrap_or_default();
        let found = language::difference(&old, &new, 20);
        texts.extend(found.into_iter().flat_map(|it| it.texts));
    }
    // What a combinator forbids, or no longer permits.
    let demanded = old.layers().into_iter().skip(1);
    let demanded = demanded.chain(new.layers().into_iter().skip(1));
    let shortest = old.bounds("minLength").into_iter().max().unwrap_or(0);
    for demanded in demanded.filter_map(|it| it["pattern"].as_str()) {
        for text in matched(demanded, pattern(old).as_deref()) {
            let missing = shortest.min(LONGEST).saturating_sub(text.chars().count());
            if let Some(last) = text.chars().last().filter(|_| missing > 0) {
                texts.push(
                    text.chars()
                        .chain(std::iter::repeat_n(last, missing))
                        .collect(),
                );
                let first: String = std::iter::repeat_n('a', missing).collect();
                texts.push(first + &text);
            }
            texts.push(text);
        }
        let others =
            language::difference(pattern(old).as_deref().unwrap_or_default(), demanded, 20);
        texts.extend(others.into_iter().flat_map(|it| it.texts));
    }
    for text in samples.iter().filter_map(Value::as_str) {
        let letters: Vec<char> = text.chars().collect();
        for more in LETTERS.chars() {
            texts.push(format!("{text}{more}"));
            texts.push(format!("{more}{text}"));
            if let [_, inner @ ..] = letters.as_slice() {
                texts.push([more].iter().chain(inner).collect());
            }
            if let [inner @ .., _] = letters.as_slice() {
                texts.push(inner.iter().chain([&more]).collect());
            }
        }
        let mut shorter: String = text.to_owned();
        shorter.pop();
        texts.push(shorter);
        texts.push(text.to_uppercase());
        texts.push(text.to_owned());
    }
    let mut lengths = vec![63, 64, 253, 254];
    for part in [old, new] {
        for keyword in ["minLength", "maxLength"] {
            for bound in part.bounds(keyword) {
                lengths.extend([bound.saturating_sub(1), bound, bound.saturating_add(1)]);
            }
        }
    }
    for length in lengths.into_iter().filter(|it| *it <= LONGEST) {
        texts.push("a".repeat(length));
        // A longer text of the same pattern, as far as its last letter may be repeated.
        for text in samples.iter().filter_map(Value::as_str) {
            let letters = text.chars().count();
            if let Some(last) = text.chars().last()
                && letters < length
            {
                let more = std::iter::repeat_n(last, length - letters);
                texts.push(text.chars().chain(more).collect());
            }
        }
    }
    texts.into_iter().map(Value::from).collect()
}

fn maps(old: &Part<'_>, new: &Part<'_>) -> Vec<Value> {
    let Some(inner) = old.inside(&old.definition["additionalProperties"]) else {
        return Vec::new();
    };
    let sample = inner.samples(2).next();
    let mut wanted = vec![0, 1, 2];
    for part in [old, new] {
        for keyword in ["minProperties", "maxProperties"] {
            for bound in part.bounds(keyword) {
                wanted.extend([bound.saturating_sub(1), bound, bound.saturating_add(1)]);
            }
        }
    }
    let mut found = Vec::new();
    for count in wanted.into_iter().filter(|it| *it <= MOST_ITEMS) {
        if let Some(value) = &sample {
            let fields: Map<String, Value> = (0..count)
                .map(|index| (format!("key{index}"), value.clone()))
                .collect();
            found.push(fields.into());
        }
    }
    // Keys that rules tell apart.
    let literals = literals(new);
    let literals = literals.iter().map(String::as_str);
    let long = [
        "a".repeat(64),
        "a".repeat(254),
        format!("{}/a", "a".repeat(254)),
    ];
    let keys = TEXTS
        .iter()
        .copied()
        .chain(long.iter().map(String::as_str))
        .chain(literals);
    if let Some(value) = &sample {
        found.extend(keys.map(|key| json!({key: value})));
    }
    found
}
