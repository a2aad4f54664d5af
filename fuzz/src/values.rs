//! Mutates a tree of values, so that its text stays well-formed.
#![allow(dead_code, reason = "each target uses a part of it")]

use super::words::{KEYS, TRAPS, VALUES};
use serde_json::{Map, Value, json};

/// Changes one to four parts of the value. The same seed makes the same changes.
pub fn change_some(root: &mut Value, chance: &mut Chance) {
    for _ in 0..=chance.below(4) {
        let donor = node(root, chance).clone();
        change(node(root, chance), donor, chance);
    }
}

/// Changes, repeats or removes some bytes.
pub fn change_bytes(request: &mut Vec<u8>, chance: &mut Chance) {
    let (from, to) = (
        chance.below(request.len() + 1),
        chance.below(request.len() + 1),
    );
    let range = from.min(to)..from.max(to).min(from.min(to) + 20);
    match chance.below(4) {
        0 => drop(request.drain(range)),
        1 => {
            let copy = request[range].to_vec();
            request.splice(to..to, copy);
        }
        2 => {
            if let Some(byte) = request.get_mut(from) {
                *byte ^= 1 << chance.below(8);
            }
        }
        _ => drop(request.splice(from..from, chance.of(TRAPS).bytes())),
    }
}

/// Changes a text: as a tree if it is JSON, and as bytes now and then.
pub fn change_text(text: &[u8], chance: &mut Chance) -> Vec<u8> {
    let tree = serde_json::from_slice::<Value>(text).ok();
    if let Some(mut tree) = tree.filter(|_| chance.below(4) > 0) {
        change_some(&mut tree, chance);
        return tree.to_string().into_bytes();
    }
    let mut text = text.to_vec();
    change_bytes(&mut text, chance);
    text
}

/// Random numbers from a seed: `SplitMix64`.
pub struct Chance(pub u64);

impl Chance {
    /// Returns a number below the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound.max(1)).unwrap_or(1);
        usize::try_from((mixed ^ (mixed >> 31)) % bound).unwrap_or(0)
    }

    /// Returns one of the words.
    pub fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// Returns a word that occurs in CRDs, or that should not.
    pub fn word(&mut self) -> &'static str {
        match self.below(3) {
            0 => self.of(KEYS),
            1 => self.of(VALUES),
            _ => self.of(TRAPS),
        }
    }
}

/// Chooses a node of the tree with equal probability.
fn node<'a>(root: &'a mut Value, chance: &mut Chance) -> &'a mut Value {
    let mut left = chance.below(size(root));
    let mut at = root;
    // Descends to the node with that index in depth-first order.
    while left > 0 {
        left -= 1;
        let children: Vec<&mut Value> = match at {
            Value::Object(map) => map.values_mut().collect(),
            Value::Array(list) => list.iter_mut().collect(),
            _ => Vec::new(),
        };
        let mut found = None;
        for child in children {
            let size = size(child);
            if left < size {
                found = Some(child);
                break;
            }
            left -= size;
        }
        at = found.expect("the number is below the size");
    }
    at
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Object(map) => map.values().map(size).sum(),
        Value::Array(list) => list.iter().map(size).sum(),
        _ => 0,
    }
}

fn change(at: &mut Value, donor: Value, chance: &mut Chance) {
    match chance.below(12) {
        0 => *at = donor,
        1 => *at = small(chance),
        2 => *at = wrapped(at.take(), chance),
        _ => match at {
            Value::Object(map) => change_map(map, donor, chance),
            Value::Array(list) => {
                let index = chance.below(list.len());
                match chance.below(3) {
                    0 if !list.is_empty() => {
                        list.remove(index);
                    }
                    1 => list.insert(index, donor),
                    _ => list.insert(index, small(chance)),
                }
            }
            Value::String(text) => match chance.below(3) {
                0 => *text = chance.word().to_owned(),
                1 => text.push_str(chance.of(TRAPS)),
                _ => text.insert_str(0, chance.of(TRAPS)),
            },
            other => *other = small(chance),
        },
    }
}

fn change_map(map: &mut Map<String, Value>, donor: Value, chance: &mut Chance) {
    let index = chance.below(map.len());
    let key = map.keys().nth(index).cloned();
    match (chance.below(5), key) {
        (0, Some(key)) => {
            map.remove(&key);
        }
        (1, Some(key)) => {
            let value = map.remove(&key).unwrap_or_default();
            map.insert(chance.word().to_owned(), value);
        }
        // A name that differs from another in case only.
        (2, Some(key)) => {
            map.insert(key.replace(['-', '_'], "").to_uppercase(), donor);
        }
        (3, _) => {
            map.insert(chance.word().to_owned(), donor);
        }
        _ => {
            map.insert(chance.of(KEYS).to_owned(), small(chance));
        }
    }
}

fn small(chance: &mut Chance) -> Value {
    match chance.below(12) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(0),
        3 => json!(-1),
        4 => json!(u64::MAX),
        5 => json!(1e300),
        6 => json!([]),
        7 => json!({}),
        8 => json!([chance.word(), chance.word(), chance.word()]),
        9 => json!({ "type": chance.of(VALUES) }),
        10 => json!({ chance.word(): { "type": chance.of(VALUES) } }),
        _ => json!(chance.word()),
    }
}

/// Wraps the value in lists or maps.
fn wrapped(value: Value, chance: &mut Chance) -> Value {
    let depth = 1 << chance.below(9);
    (0..depth).fold(value, |inner, _| match chance.below(3) {
        0 => json!([inner]),
        1 => json!({ "type": "array", "items": inner }),
        _ => json!({ "type": "object", "properties": { "a": inner } }),
    })
}
