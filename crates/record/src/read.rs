//! Reads any value through its slot, from any deserializer; reports all that does not fit at once.
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
    value::{MapAccessDeserializer, SeqAccessDeserializer},
};

use crate::{
    keys::{EntryOf, IsNumber, Name, NameOf},
    literal::Literal,
    place::{buffered, literal, misplaced, null, resolve},
    report::Report,
    value::{List, Map, Record, Slot, Value},
};

/// Reads a value by the rules of [this crate](crate).
///
/// # Errors
/// The deserializer's error, unchanged; otherwise one error that lists all values of the wrong type, with their paths.
pub fn read<'de, T: Value, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut out = T::blank();
    fill(out.slot(), deserializer)?;
    Ok(out)
}

fn fill<'de, D: Deserializer<'de>>(slot: Slot<'_>, deserializer: D) -> Result<(), D::Error> {
    let mut report = Report::default();
    Fill {
        slot,
        report: &mut report,
    }
    .deserialize(deserializer)?;
    report
        .finish()
        .map_or(Ok(()), |message| Err(D::Error::custom(message)))
}

/// Reads the next value of the document into a slot.
struct Fill<'s, 'r> {
    slot: Slot<'s>,
    report: &'r mut Report,
}

impl<'de> DeserializeSeed<'de> for Fill<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fill<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        literal(self.slot, Literal::Bool(value), self.report);
        Ok(())
    }
    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        literal(self.slot, Literal::Int(value), self.report);
        Ok(())
    }
    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        literal(self.slot, Literal::UInt(value), self.report);
        Ok(())
    }
    fn visit_i128<E: Error>(self, value: i128) -> Result<(), E> {
        self.digits(&value.to_string());
        Ok(())
    }
    fn visit_u128<E: Error>(self, value: u128) -> Result<(), E> {
        self.digits(&value.to_string());
        Ok(())
    }
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        literal(self.slot, Literal::Float(value), self.report);
        Ok(())
    }
    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        literal(self.slot, Literal::Str(value), self.report);
        Ok(())
    }
    fn visit_string<E>(self, value: String) -> Result<(), E> {
        literal(self.slot, Literal::String(value), self.report);
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        if self.report.inside {
            null(self.slot);
        } else {
            literal(self.slot, Literal::Null, self.report);
        }
        Ok(())
    }
    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.report.inside = true;
        match resolve(self.slot) {
            Slot::Record(record) => fields(record, map, self.report),
            Slot::Map(entries_of) => entries(entries_of, map, self.report),
            slot @ (Slot::Json(_) | Slot::Whole(_) | Slot::Foreign(_)) => {
                let json = Deserialize::deserialize(MapAccessDeserializer::new(map))?;
                buffered(slot, json, self.report);
                Ok(())
            }
            slot => number(slot, map, self.report),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.report.inside = true;
        match resolve(self.slot) {
            Slot::List(list) => {
                list.clear(seq.size_hint().unwrap_or(0));
                let mut index = 0;
                let mut mark = self.report.mark();
                while seq
                    .next_element_seed(Item {
                        list: &mut *list,
                        report: &mut *self.report,
                    })?
                    .is_some()
                {
                    self.report.in_item(mark, index);
                    mark = self.report.mark();
                    index += 1;
                }
                Ok(())
            }
            slot @ (Slot::Json(_) | Slot::Whole(_) | Slot::Foreign(_)) => {
                let json = Deserialize::deserialize(SeqAccessDeserializer::new(seq))?;
                buffered(slot, json, self.report);
                Ok(())
            }
            slot => {
                misplaced(&slot, "array", self.report);
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(())
            }
        }
    }
}

impl Fill<'_, '_> {
    /// Takes an integer beyond 64 bits.
    #[cold]
    fn digits(self, digits: &str) {
        if let Some(value) = Literal::number(digits) {
            literal(self.slot, value, self.report);
        }
    }
}

/// Appends the next item to a list.
struct Item<'l, 'r> {
    list: &'l mut dyn List,
    report: &'r mut Report,
}

impl<'de> DeserializeSeed<'de> for Item<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        Fill {
            slot: self.list.push(),
            report: self.report,
        }
        .deserialize(deserializer)
    }
}

fn fields<'de, A: MapAccess<'de>>(
    record: &mut dyn Record,
    mut map: A,
    report: &mut Report,
) -> Result<(), A::Error> {
    let names = record.names();
    let keep = record.rest_mut().is_some();
    let (mut next, mut highest) = (0, 0);
    while let Some(name) = map.next_key_seed(NameOf { names, next, keep })? {
        match name {
            Name::Field(index) => {
                if index < highest {
                    null(record.at(index)); // Maybe a duplicate key: the last one wins, without a merge.
                }
                next = index + 1;
                highest = highest.max(next);
                let mark = report.mark();
                map.next_value_seed(Fill {
                    slot: record.at(index),
                    report: &mut *report,
                })?;
                report.in_field(mark, names[index]);
            }
            Name::Unknown(Some(key)) => {
                let value = map.next_value()?;
                if let Some(rest) = record.rest_mut() {
                    rest.insert(key, value);
                }
            }
            Name::Unknown(None) => {
                map.next_value::<IgnoredAny>()?;
            }
            Name::Number => {
                map.next_value::<IgnoredAny>()?;
                report.wrong_type("number", "an object");
            }
        }
    }
    Ok(())
}

fn entries<'de, A: MapAccess<'de>>(
    out: &mut dyn Map,
    mut map: A,
    report: &mut Report,
) -> Result<(), A::Error> {
    out.clear();
    loop {
        let (mark, start) = (report.mark(), report.next_key());
        let Some(entry) = map.next_key_seed(EntryOf {
            map: &mut *out,
            report: &mut *report,
        })?
        else {
            return Ok(());
        };
        if let Some(slot) = entry {
            map.next_value_seed(Fill {
                slot,
                report: &mut *report,
            })?;
            report.leave_key(mark, start);
        } else {
            map.next_value::<IgnoredAny>()?;
            report.wrong_type("number", "an object");
        }
    }
}

/// Reads an object where a literal is expected: a number of `arbitrary_precision`, or the wrong type.
#[cold]
fn number<'de, A: MapAccess<'de>>(
    slot: Slot<'_>,
    mut map: A,
    report: &mut Report,
) -> Result<(), A::Error> {
    match map.next_key_seed(IsNumber)? {
        Some(true) => {
            let digits: String = map.next_value()?;
            match Literal::number(&digits) {
                Some(value) => literal(slot, value, report),
                None => misplaced(&slot, "number", report),
            }
        }
        Some(false) => {
            misplaced(&slot, "object", report);
            map.next_value::<IgnoredAny>()?;
        }
        None => misplaced(&slot, "object", report),
    }
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}
