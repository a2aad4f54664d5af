//! Turns a response in CBOR (RFC 8949) into JSON as it arrives, so that decoders handle JSON only.
//!
//! Servers with the feature gate `CBORServingAndStorage` send the dialect of `k8s.io/apimachinery` (KEP-4222): texts and keys are byte strings, and
//! bytes, which JSON has in base64, are byte strings with tag 22. Text strings, and arrays and maps of unknown length are read, too.
use std::io::{self, Write as _};

use k8s_openapi::ByteString;

use super::limits::{KEPT_BUFFER, LARGEST};

/// Longest string: each of its bytes may become six in JSON, and one object has [`LARGEST`].
const LONGEST: usize = LARGEST / 6;
/// Maximum nesting of arrays and maps, as in `k8s.io/apimachinery`.
const DEEPEST: usize = 10_000;
/// The tag of bytes which JSON has in base64.
const BASE64: u64 = 22;
/// The tags of integers with more than 64 bits, which are byte strings, too.
const LARGE_INTEGERS: [u64; 2] = [2, 3];

/// The position in a sequence of CBOR items.
#[derive(Default)]
pub(super) struct Transcoder {
    /// The start of an item whose end has not arrived.
    rest: Vec<u8>,
    open: Vec<Open>,
    /// The next item has tag 22.
    base64: bool,
}

/// An array or a map that has begun.
struct Open {
    is_map: bool,
    /// Number of items that are missing; keys and values of a map are one each. `None` if a break ends them.
    missing: Option<u64>,
    /// The items that were read.
    read: u64,
}

impl Transcoder {
    /// Reads the next bytes of the response, and appends to `json` what they complete, with a line break after each outermost value.
    pub(super) fn feed(&mut self, bytes: &[u8], json: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = std::mem::take(&mut self.rest);
        if rest.is_empty() {
            let length = self.read(bytes, json)?;
            rest.extend_from_slice(&bytes[length..]);
        } else {
            rest.extend_from_slice(bytes);
            let length = self.read(&rest, json)?;
            rest.drain(..length);
            if rest.is_empty() && rest.capacity() > KEPT_BUFFER {
                rest = Vec::new();
            }
        }
        self.rest = rest;
        Ok(())
    }

    /// Reads all items that are complete, and returns their length.
    fn read(&mut self, bytes: &[u8], json: &mut Vec<u8>) -> io::Result<usize> {
        let mut left = bytes;
        while let Some(after) = self.read_head(left, json)? {
            left = after;
        }
        Ok(bytes.len() - left.len())
    }

    /// Reads a number, a string, a tag, or the start or end of an array or a map. Returns what follows it; `None` if it has not arrived whole.
    fn read_head<'b>(
        &mut self,
        bytes: &'b [u8],
        json: &mut Vec<u8>,
    ) -> io::Result<Option<&'b [u8]>> {
        let Some(Head {
            major,
            info,
            argument,
            after,
        }) = Head::read(bytes)?
        else {
            return Ok(None);
        };
        match (major, argument) {
            (0, Some(number)) => self.value(json, |json| write!(json, "{number}"))?,
            (1, Some(number)) => {
                self.value(json, |json| write!(json, "{}", -1 - i128::from(number)))?;
            }
            (2 | 3, Some(length)) => {
                let length = usize::try_from(length).ok();
                let length = length.filter(|length| *length <= LONGEST);
                let length = length.ok_or_else(|| malformed("a string is too long"))?;
                let Some((text, after)) = after.split_at_checked(length) else {
                    return Ok(None);
                };
                self.string(json, text)?;
                return Ok(Some(after));
            }
            (4 | 5, length) => self.begin(json, major == 5, length)?,
            (6, Some(tag)) if LARGE_INTEGERS.contains(&tag) => {
                return Err(malformed("an integer has more than 64 bits"));
            }
            (6, Some(tag)) => self.base64 |= tag == BASE64,
            (7, None) => self.end(json)?,
            (7, Some(bits)) => {
                let simple = match (info, bits) {
                    (..24, 20) => Some("false"),
                    (..24, 21) => Some("true"),
                    (..24, 22) => Some("null"),
                    _ => None,
                };
                if let Some(simple) = simple {
                    self.value(json, |json| json.write_all(simple.as_bytes()))?;
                } else {
                    let float = float(info, bits)?;
                    self.value(json, |json| write_float(json, float))?;
                }
            }
            _ => return Err(malformed("an integer, a string or a tag has no length")),
        }
        Ok(Some(after))
    }

    /// Writes a value that has no parts.
    fn value(
        &mut self,
        json: &mut Vec<u8>,
        write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.is_key() {
            return Err(malformed("a key is not a string"));
        }
        self.separate(json);
        write(json)?;
        self.done(json);
        Ok(())
    }

    fn string(&mut self, json: &mut Vec<u8>, text: &[u8]) -> io::Result<()> {
        self.separate(json);
        if std::mem::take(&mut self.base64) {
            serde_json::to_writer(&mut *json, &ByteString(text.to_vec()))?;
        } else {
            serde_json::to_writer(&mut *json, &String::from_utf8_lossy(text))?;
        }
        self.done(json);
        Ok(())
    }

    fn begin(&mut self, json: &mut Vec<u8>, is_map: bool, length: Option<u64>) -> io::Result<()> {
        if self.is_key() {
            return Err(malformed("a key is not a string"));
        }
        if self.open.len() >= DEEPEST {
            return Err(malformed("arrays and maps are nested too deeply"));
        }
        self.separate(json);
        self.base64 = false;
        json.push(if is_map { b'{' } else { b'[' });
        let items = |length: u64| length.saturating_mul(if is_map { 2 } else { 1 });
        self.open.push(Open {
            is_map,
            missing: length.map(items),
            read: 0,
        });
        self.close(json);
        Ok(())
    }

    /// Ends an array or a map of unknown length.
    fn end(&mut self, json: &mut Vec<u8>) -> io::Result<()> {
        let is_tagged = self.base64;
        let ends = |open: &Open| {
            open.missing.is_none() && !(open.is_map && open.read % 2 == 1) && !is_tagged
        };
        let open = self.open.last_mut().filter(|open| ends(open));
        let open = open.ok_or_else(|| malformed("a break ends nothing"))?;
        open.missing = Some(0);
        self.close(json);
        Ok(())
    }

    fn is_key(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| open.is_map && open.read.is_multiple_of(2))
    }

    /// Writes what is between the last item and the next.
    fn separate(&mut self, json: &mut Vec<u8>) {
        match self.open.last() {
            Some(open) if open.is_map && open.read % 2 == 1 => json.push(b':'),
            Some(open) if open.read > 0 => json.push(b','),
            _ => {}
        }
    }

    /// Counts an item that was written.
    fn done(&mut self, json: &mut Vec<u8>) {
        self.base64 = false;
        self.count(json);
        self.close(json);
    }

    fn count(&mut self, json: &mut Vec<u8>) {
        match self.open.last_mut() {
            Some(open) => {
                open.read += 1;
                open.missing = open.missing.map(|missing| missing.saturating_sub(1));
            }
            None => json.push(b'\n'),
        }
    }

    /// Ends the arrays and maps that are complete.
    fn close(&mut self, json: &mut Vec<u8>) {
        while let Some(closed) = self.open.pop_if(|open| open.missing == Some(0)) {
            json.push(if closed.is_map { b'}' } else { b']' });
            self.count(json);
        }
    }
}

/// The start of an item.
struct Head<'b> {
    major: u8,
    /// How the argument is encoded.
    info: u8,
    /// The argument; `None` for an unknown length.
    argument: Option<u64>,
    after: &'b [u8],
}

impl<'b> Head<'b> {
    /// Returns `None` if it has not arrived whole.
    fn read(bytes: &'b [u8]) -> io::Result<Option<Self>> {
        let Some((first, after)) = bytes.split_first() else {
            return Ok(None);
        };
        let (major, info) = (first >> 5, first & 0x1f);
        let length = match info {
            ..24 => {
                return Ok(Some(Self {
                    major,
                    info,
                    argument: Some(info.into()),
                    after,
                }));
            }
            24..28 => 1 << (info - 24),
            31 => 0,
            _ => return Err(malformed("the start of an item is reserved")),
        };
        let Some((argument, after)) = after.split_at_checked(length) else {
            return Ok(None);
        };
        let number = |argument: &[u8]| {
            argument
                .iter()
                .fold(0, |all, byte| all << 8 | u64::from(*byte))
        };
        Ok(Some(Self {
            major,
            info,
            argument: (info != 31).then(|| number(argument)),
            after,
        }))
    }
}

/// Returns a floating-point number of 16, 32 or 64 bits.
fn float(info: u8, bits: u64) -> io::Result<f64> {
    let narrow = |bits: u64| u32::try_from(bits).unwrap_or_default();
    let float = match info {
        25 => half(narrow(bits)),
        26 => f32::from_bits(narrow(bits)).into(),
        27 => f64::from_bits(bits),
        _ => return Err(malformed("a simple value is unknown")),
    };
    if float.is_finite() {
        Ok(float)
    } else {
        Err(malformed("a number is not finite"))
    }
}

/// Returns a number of 16 bits (RFC 8949, appendix D).
fn half(bits: u32) -> f64 {
    let mantissa = f64::from(bits & 0x3ff);
    let exponent = bits >> 10 & 0x1f;
    let magnitude = match exponent {
        0 => mantissa * 2_f64.powi(-24),
        31 => f64::INFINITY,
        _ => (mantissa + 1024.0) * 2_f64.powi(exponent.cast_signed() - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// Writes a number without a fraction if it has none, as the API server does in JSON; larger ones are integers in CBOR, too.
fn write_float(json: &mut Vec<u8>, float: f64) -> io::Result<()> {
    if float.fract() == 0.0 && float.abs() < 1e15 {
        write!(json, "{float:.0}")
    } else {
        Ok(serde_json::to_writer(json, &float)?)
    }
}

fn malformed(problem: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the response is not the CBOR of Kubernetes: {problem}"),
    )
}

#[cfg(test)]
#[path = "cbor_tests.rs"]
mod tests;
