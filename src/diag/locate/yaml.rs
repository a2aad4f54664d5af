//! The scan of a YAML text: events move along the trail; aliases are not followed, what is below one is found at it.
use super::Events;
use super::{Position, Trail};
use saphyr_parser::{Event, Span};

/// A list or a map that the scan is in.
struct Open {
    /// To go up again when it ends.
    back: usize,
    inside: Inside,
}

enum Inside {
    List(usize),
    /// Before a key.
    Map,
    /// Before a value; the key's place, and the way back from the value.
    Value(Position, usize),
    /// In a key that is no scalar.
    ComplexKey,
}

/// Scans all documents, as far as something is wanted; of a broken one what is before the error.
pub(super) fn scan(text: &str, trail: &mut Trail) {
    let mut open: Vec<Open> = Vec::new();
    let mut events = Events::new(text);
    while !trail.is_over()
        && let Some(step) = events.next()
    {
        let Ok((event, span)) = step else {
            continue;
        };
        match event {
            Event::DocumentStart(_) => {
                trail.document(events.document());
                open.clear();
            }
            Event::Scalar(name, ..)
                if matches!(
                    open.last(),
                    Some(Open {
                        inside: Inside::Map,
                        ..
                    })
                ) =>
            {
                let back = trail.name(&name);
                if let Some(open) = open.last_mut() {
                    open.inside = Inside::Value(position(span), back);
                }
            }
            Event::Scalar(..) | Event::Alias(_) => {
                let back = enter(&mut open, trail, span);
                leave(&mut open, trail, back);
            }
            Event::SequenceStart(..) => {
                let back = enter(&mut open, trail, span);
                let inside = Inside::List(0);
                open.push(Open { back, inside });
            }
            Event::MappingStart(..) => {
                let back = enter(&mut open, trail, span);
                let inside = Inside::Map;
                open.push(Open { back, inside });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Open { back, .. }) = open.pop() {
                    leave(&mut open, trail, back);
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }
}

/// Steps to a node and notes it; gives the way back.
fn enter(open: &mut [Open], trail: &mut Trail, span: Span) -> usize {
    let position = position(span);
    let Some(open) = open.last_mut() else {
        trail.here(None, position);
        return 0;
    };
    match &mut open.inside {
        Inside::List(index) => {
            let back = trail.index(*index);
            *index += 1;
            trail.here(None, position);
            back
        }
        Inside::Value(key, back) => {
            trail.here(Some(*key), position);
            *back
        }
        Inside::Map => {
            open.inside = Inside::ComplexKey;
            trail.name("")
        }
        Inside::ComplexKey => trail.name(""),
    }
}

/// Steps back from a node.
fn leave(open: &mut [Open], trail: &mut Trail, back: usize) {
    trail.up(back);
    if let Some(open) = open.last_mut() {
        match open.inside {
            Inside::Value(..) => open.inside = Inside::Map,
            // Its value comes next, at a place that no pointer names.
            Inside::ComplexKey => open.inside = Inside::Value(Position::default(), trail.name("")),
            Inside::List(_) | Inside::Map => {}
        }
    }
}

fn position(span: Span) -> Position {
    let same_line = span.start.line() == span.end.line();
    Position {
        line: span.start.line(),
        column: span.start.col() + 1,
        length: if same_line { span.len() } else { 0 },
    }
}
