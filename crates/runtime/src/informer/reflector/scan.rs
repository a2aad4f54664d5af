//! Finds the end of a JSON value in text that arrives in chunks, wherever they are cut.

/// The position within one value. It finds where the value ends, and leaves it to the decoder whether the value is valid.
#[derive(Default)]
pub(super) struct Scan {
    state: ScanState,
    /// Number of open arrays and objects.
    depth: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum ScanState {
    #[default]
    Before,
    /// In a number, `true`, `false` or `null`, which only the next byte ends.
    Scalar,
    String,
    /// After a backslash in a string.
    Escape,
    /// In an array or an object.
    Inside,
}

impl Scan {
    /// Whether the value has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.state != ScanState::Before
    }

    /// Whether the end of the text may be the end of the value.
    pub(super) fn may_end(&self) -> bool {
        self.state == ScanState::Scalar
    }

    /// Continues with the next chunk. Returns how much of it belongs to the value and the white space before it, if the value ends in this chunk.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Option<usize> {
        for (at, byte) in chunk.iter().enumerate() {
            match (self.state, byte) {
                (ScanState::Before, b' ' | b'\t' | b'\r' | b'\n') => {}
                (ScanState::Scalar, byte) => {
                    if ends_scalar(*byte) {
                        return Some(at);
                    }
                }
                (ScanState::Escape, _) | (ScanState::Before | ScanState::Inside, b'"') => {
                    self.state = ScanState::String;
                }
                (ScanState::String, b'\\') => self.state = ScanState::Escape,
                (ScanState::String, b'"') if self.depth == 0 => return Some(at + 1),
                (ScanState::String, b'"') => self.state = ScanState::Inside,
                (ScanState::Before | ScanState::Inside, b'{' | b'[') => {
                    self.depth += 1;
                    self.state = ScanState::Inside;
                }
                (ScanState::Before | ScanState::Inside, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                (ScanState::Before, _) => self.state = ScanState::Scalar,
                (ScanState::String | ScanState::Inside, _) => {}
            }
        }
        None
    }
}

fn ends_scalar(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"')
}
