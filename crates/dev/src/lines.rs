//! Reads the output of a program line by line, whatever it writes: bytes that are no text, colors, and lines without end.
//!
//! The pipe is read to its end in any case. A program whose output nobody reads any more would block or end.

use std::borrow::Cow;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The longest line that is shown, in bytes.
const LONGEST: usize = 64 * 1024;

/// Calls `show` for each line. One that is too long is shown as soon as that is known, and its rest is left out.
pub(super) async fn each(from: impl AsyncRead + Unpin, mut show: impl FnMut(&str)) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    let mut is_cut = false;
    loop {
        let (read, is_end) = match from.fill_buf().await {
            // After an error nothing more comes.
            Ok([]) | Err(_) => break,
            Ok(bytes) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                let part = &bytes[..end.unwrap_or(bytes.len())];
                let room = LONGEST - line.len();
                if !is_cut {
                    line.extend_from_slice(&part[..part.len().min(room)]);
                }
                if !is_cut && part.len() > room {
                    is_cut = true;
                    let start = whole(&line);
                    show(&format!(
                        "{} … (cut: the line is longer than {} KiB)",
                        text(start),
                        LONGEST / 1024
                    ));
                }
                (part.len() + usize::from(end.is_some()), end.is_some())
            }
        };
        from.consume(read);
        if is_end {
            if !is_cut {
                show(&text(&line));
            }
            line.clear();
            is_cut = false;
        }
    }
    if !line.is_empty() && !is_cut {
        show(&text(&line));
    }
}

/// Leaves out the part of a character at the end.
fn whole(line: &[u8]) -> &[u8] {
    match std::str::from_utf8(line) {
        Err(error) if error.error_len().is_none() => &line[..error.valid_up_to()],
        _ => line,
    }
}

/// Returns the text of a line. Bytes that are none become replacement characters.
fn text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    without_colors(&String::from_utf8_lossy(line)).into_owned()
}

/// Removes the sequences that select colors and styles: programs write them to pipes as well, and the lines of an operator have a style of
/// their own here. What else controls a terminal is escaped where it is printed.
fn without_colors(text: &str) -> Cow<'_, str> {
    const START: &str = "\u{1b}[";
    if !text.contains(START) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(START) {
        let (before, sequence) = rest.split_at(at);
        out.push_str(before);
        let after = sequence[START.len()..]
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | ':'));
        rest = after.strip_prefix('m').unwrap_or_else(|| {
            out.push_str(START);
            &sequence[START.len()..]
        });
    }
    out.push_str(rest);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(output: &[u8]) -> Vec<String> {
        let mut all = Vec::new();
        each(output, |line| all.push(line.to_owned())).await;
        all
    }

    #[tokio::test]
    async fn whatever_a_program_writes_is_read_to_the_end() {
        assert_eq!(lines(b"").await, [""; 0]);
        assert_eq!(
            lines(b"a\r\n\n\xffb\xc3\nlast").await,
            ["a", "", "\u{fffd}b\u{fffd}", "last"]
        );
        let long = "é".repeat(LONGEST);
        let text = format!("{long}\nnext\nx{long}");
        let shown = lines(text.as_bytes()).await;
        assert_eq!(shown.len(), 3);
        assert_eq!(shown[1], "next");
        for (line, letters) in [(&shown[0], LONGEST / 2), (&shown[2], LONGEST / 2 - 1)] {
            assert!(line.ends_with("é … (cut: the line is longer than 64 KiB)"));
            assert_eq!(line.matches('é').count(), letters);
        }
        // Exactly as long as a line may be.
        let most = "x".repeat(LONGEST);
        assert_eq!(
            lines(format!("{most}\n{most}").as_bytes()).await,
            [most.as_str(); 2]
        );
    }

    #[tokio::test]
    async fn colors_are_removed_and_nothing_else() {
        let line = b"\x1b[2m2026\x1b[0m \x1b[38;5;1mWARN\x1b[m a\x1b[2Jb\x1b[1;31 c\x1b]0;x\x07";
        let expected = "2026 WARN a\u{1b}[2Jb\u{1b}[1;31 c\u{1b}]0;x\u{7}";
        assert_eq!(lines(line).await, [expected]);
    }
}
