//! Scans anchors, aliases, tags and directives.
use super::{Error, Kind, Scanner};

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl<'t> Scanner<'t> {
    pub(super) fn anchor(&mut self) -> Result<(), Error> {
        let start = self.cursor.at;
        let is_alias = self.cursor.byte(0) == b'*';
        self.cursor.skip(1);
        let name = self.name();
        let ends = self.cursor.is_blank_or_end(0) || b"?:,]}%@`".contains(&self.cursor.byte(0));
        if name.is_empty() || !ends {
            return Err(self.error("did not find expected alphabetic or numeric character"));
        }
        let kind = if is_alias {
            Kind::Alias(name)
        } else {
            Kind::Anchor(name)
        };
        self.push(kind, start, self.cursor.at);
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<(), Error> {
        let start = self.cursor.at;
        let (handle, suffix) = if self.cursor.byte(1) == b'<' {
            self.cursor.skip(2);
            let suffix = self.uri("")?;
            if self.cursor.byte(0) != b'>' {
                return Err(self.error("did not find the expected '>'"));
            }
            self.cursor.skip(1);
            ("", suffix)
        } else {
            let handle = self.handle(false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                (handle, self.uri("")?)
            } else {
                let suffix = self.uri(handle)?;
                if suffix.is_empty() {
                    ("", "!".to_owned())
                } else {
                    ("!", suffix)
                }
            }
        };
        if !self.cursor.is_blank_or_end(0) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        self.push(Kind::Tag { handle, suffix }, start, self.cursor.at);
        Ok(())
    }

    /// Reads a directive: the cursor is at its `%`.
    pub(super) fn directive(&mut self) -> Result<(), Error> {
        let start = self.cursor.at;
        self.cursor.skip(1);
        let name = self.name();
        if name.is_empty() {
            return Err(self.error("could not find expected directive name"));
        }
        if !self.cursor.is_blank_or_end(0) {
            return Err(self.error("found unexpected non-alphabetical character"));
        }
        self.cursor.skip_blanks();
        let kind = match name {
            "YAML" => {
                let major = self.version_number()?;
                if self.cursor.byte(0) != b'.' {
                    return Err(self.error("did not find expected digit or '.' character"));
                }
                self.cursor.skip(1);
                Kind::VersionDirective {
                    is_known: (major, self.version_number()?) == (1, 1),
                }
            }
            "TAG" => {
                let handle = self.handle(true)?;
                if !self.cursor.is_blank(0) {
                    return Err(self.error("did not find expected whitespace"));
                }
                self.cursor.skip_blanks();
                Kind::TagDirective {
                    handle,
                    prefix: self.uri("")?,
                }
            }
            _ => return Err(self.error("found unknown directive name")),
        };
        let end = self.cursor.at;
        if !self.cursor.is_blank_or_end(0) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_line_end() {
            return Err(self.error("did not find expected comment or line break"));
        }
        self.cursor.skip_break();
        self.push(kind, start, end);
        Ok(())
    }

    /// Reads letters, digits, `_` and `-`.
    fn name(&mut self) -> &'t str {
        let start = self.cursor.at;
        self.cursor.skip_until(|cursor| !is_name(cursor.byte(0)));
        self.cursor.slice(start, self.cursor.at)
    }

    fn version_number(&mut self) -> Result<u8, Error> {
        let start = self.cursor.at;
        self.cursor
            .skip_until(|cursor| !cursor.byte(0).is_ascii_digit());
        match self.cursor.slice(start, self.cursor.at) {
            "" => Err(self.error("did not find expected version number")),
            digits if digits.len() > 2 => Err(self.error("found extremely long version number")),
            digits => Ok(digits.parse().unwrap_or_default()),
        }
    }

    /// Reads `!`, `!!` or `!name!`; outside of directives also `!name`.
    fn handle(&mut self, in_directive: bool) -> Result<&'t str, Error> {
        let start = self.cursor.at;
        if self.cursor.byte(0) != b'!' {
            return Err(self.error("did not find expected '!'"));
        }
        self.cursor.skip(1);
        let name = self.name();
        if self.cursor.byte(0) == b'!' {
            self.cursor.skip(1);
        } else if in_directive && !name.is_empty() {
            return Err(self.error("did not find expected '!'"));
        }
        Ok(self.cursor.slice(start, self.cursor.at))
    }

    /// Reads the rest of a tag after its handle; what the handle has after its `!` is part of it.
    fn uri(&mut self, handle: &str) -> Result<String, Error> {
        let mut octets: Vec<u8> = handle.bytes().skip(1).collect();
        let start = self.cursor.at;
        loop {
            let byte = self.cursor.byte(0);
            if byte == b'%' {
                self.uri_escape(&mut octets)?;
            } else if is_name(byte) || b";/?:@&=+$,.!~*'()[]".contains(&byte) {
                octets.push(byte);
                self.cursor.skip(1);
            } else {
                break;
            }
        }
        if handle.is_empty() && self.cursor.at == start {
            return Err(self.error("did not find expected tag URI"));
        }
        Ok(String::from_utf8_lossy(&octets).into_owned())
    }

    /// Reads the escaped octets of one character, as `%C3%A4`.
    fn uri_escape(&mut self, octets: &mut Vec<u8>) -> Result<(), Error> {
        let mut left = None;
        while left != Some(0) {
            let digits = self
                .cursor
                .rest()
                .get(1..3)
                .filter(|_| self.cursor.byte(0) == b'%');
            let digits =
                digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let Some(octet) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
                return Err(self.error("did not find URI escaped octet"));
            };
            left = match (left, octet) {
                (None, 0x00..=0x7f) => Some(0),
                (None, 0xc0..=0xdf) => Some(1),
                (None, 0xe0..=0xef) => Some(2),
                (None, 0xf0..=0xf7) => Some(3),
                (None, _) => return Err(self.error("found an incorrect leading UTF-8 octet")),
                (Some(left), 0x80..=0xbf) => Some(left - 1),
                (Some(_), _) => return Err(self.error("found an incorrect trailing UTF-8 octet")),
            };
            octets.push(octet);
            self.cursor.skip(3);
        }
        Ok(())
    }
}
