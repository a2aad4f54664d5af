//! The lengths of the arrays in a JSON text, so that the lists of a decoded object are allocated once, in their final size.
//!
//! A list that grows item by item has the capacity of at least four items, and of up to twice the items that it has. The containers, volumes and
//! conditions of a Pod take hundreds of bytes each, and most Pods have few of them.
use std::cell::Cell;

/// The lengths of all arrays of a text, in the order of their opening brackets.
#[derive(Default)]
pub(super) struct Lengths {
    all: Vec<u32>,
    next: Cell<usize>,
}

impl Lengths {
    /// Reads the lengths of a valid text.
    pub(super) fn of(text: &str) -> Self {
        let mut all = Vec::new();
        // The arrays and objects around the current byte; `None` for an object.
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut is_empty = false;
        let mut bytes = text.as_bytes().iter();
        while let Some(byte) = bytes.next() {
            if is_empty && !byte.is_ascii_whitespace() {
                is_empty = false;
                if let (b'"' | b'[' | b'{' | b'-' | b'0'..=b'9' | b'a'..=b'z', Some(Some(array))) =
                    (byte, open.last())
                {
                    all[*array] = 1;
                }
            }
            match byte {
                b'"' => skip_string(&mut bytes),
                b'{' => open.push(None),
                b'[' => {
                    open.push(Some(all.len()));
                    all.push(0);
                    is_empty = true;
                }
                b'}' | b']' => drop(open.pop()),
                b',' => {
                    if let Some(Some(array)) = open.last() {
                        all[*array] += 1;
                    }
                }
                _ => {}
            }
        }
        Self {
            all,
            next: Cell::new(0),
        }
    }

    /// Returns the length of the next array.
    pub(super) fn take(&self) -> Option<usize> {
        let next = self.next.replace(self.next.get() + 1);
        self.all
            .get(next)
            .and_then(|length| usize::try_from(*length).ok())
    }

    /// Passes over the arrays of a part that is not decoded item by item.
    pub(super) fn pass(&self, part: &str) {
        if self.next.get() >= self.all.len() {
            return;
        }
        let mut arrays = 0;
        let mut bytes = part.as_bytes().iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => skip_string(&mut bytes),
                b'[' => arrays += 1,
                _ => {}
            }
        }
        self.next.set(self.next.get() + arrays);
    }
}

/// Continues after the closing quote of a string.
fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<u32> {
        Lengths::of(text).all
    }

    #[test]
    fn arrays_are_measured_in_the_order_of_their_brackets() {
        assert_eq!(
            lengths(r#"{"a":[1,2,[ ],{"b":[true]}],"c":[ null ]}"#),
            [4, 0, 1, 1]
        );
        assert_eq!(lengths(r#"[["[,]\"[",""],{"x":1,"y":{}},-1.5e3]"#), [3, 2]);
        assert_eq!(lengths(r#"{"a":"[1,2]","\"[":3}"#), [0_u32; 0]);
        assert_eq!(lengths("[\n{}\n,\n[]\n]"), [2, 0]);
    }

    #[test]
    fn parts_are_passed_over() {
        let lengths = Lengths::of(r#"[[1],[[2,3],"]["],[4,5,6]]"#);
        assert_eq!((lengths.take(), lengths.take()), (Some(3), Some(1)));
        lengths.pass(r#"[[2,3],"]["]"#);
        assert_eq!((lengths.take(), lengths.take()), (Some(3), None));
    }

    #[test]
    fn any_depth_is_measured() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(lengths(&deep).len(), 100_000);
    }
}
