//! Problems in, one message with all paths out.
use super::Literal;
use std::fmt::Write;

/// Beyond this many, problems are counted alone: the message stays readable, and a hostile object cheap.
const TOLD: usize = 16;

/// One thing of an object that does not fit its type.
struct Problem {
    path: String,
    message: String,
}

/// The problems of one object, found while reading it.
#[derive(Default)]
pub(super) struct Report {
    problems: Vec<Problem>,
    untold: usize,
    /// Set once the outermost object or array is entered: `null` in its place is nothing to read.
    pub(super) inside: bool,
    /// The keys of the maps being read, end to end.
    keys: String,
}

impl Report {
    /// How many problems there are so far; to be handed to [`Report::prefix`].
    #[inline]
    pub(super) fn mark(&self) -> usize {
        self.problems.len()
    }

    #[cold]
    pub(super) fn add(&mut self, path: String, message: String) {
        if self.problems.len() < TOLD {
            self.problems.push(Problem { path, message });
        } else {
            self.untold += 1;
        }
    }

    #[cold]
    pub(super) fn wrong_type(&mut self, found: &str, expected: &str) {
        self.add(
            String::new(),
            format!("invalid type: {found}, expected {expected}"),
        );
    }

    #[cold]
    pub(super) fn wrong_value(&mut self, found: &Literal<'_>, expected: &str) {
        self.add(
            String::new(),
            format!("invalid value: {}, expected {expected}", found.told()),
        );
    }

    /// Puts a field's name before the paths of all problems since `mark`.
    #[inline]
    pub(super) fn in_field(&mut self, mark: usize, name: &str) {
        if self.problems.len() > mark {
            self.prefix(mark, &key_segment(name));
        }
    }

    /// Puts an item's index before the paths of all problems since `mark`.
    #[inline]
    pub(super) fn in_item(&mut self, mark: usize, index: usize) {
        if self.problems.len() > mark {
            self.prefix(mark, &format!("[{index}]"));
        }
    }

    #[cold]
    fn prefix(&mut self, mark: usize, segment: &str) {
        for problem in &mut self.problems[mark..] {
            prepend(&mut problem.path, segment);
        }
    }

    /// Remembers the key of a map while its value is read.
    #[inline]
    pub(super) fn enter_key(&mut self, key: &str) {
        self.keys.push_str(key);
    }

    /// Forgets the key whose text starts at `start`, and puts it before the paths of all problems since `mark`.
    #[inline]
    pub(super) fn leave_key(&mut self, mark: usize, start: usize) {
        if self.problems.len() > mark {
            let segment = key_segment(&self.keys[start..]);
            self.prefix(mark, &segment);
        }
        self.keys.truncate(start);
    }

    /// Where the text of the next key will start.
    #[inline]
    pub(super) fn next_key(&self) -> usize {
        self.keys.len()
    }

    /// All problems in one line; `None` if there are none.
    pub(super) fn finish(self) -> Option<String> {
        if self.problems.is_empty() {
            return None;
        }
        let mut all = String::new();
        for problem in &self.problems {
            if !all.is_empty() {
                all.push_str("; ");
            }
            if !problem.path.is_empty() {
                all.push_str(&problem.path);
                all.push_str(": ");
            }
            all.push_str(&problem.message);
        }
        if self.untold > 0 {
            let _ = write!(all, "; and {} more", self.untold);
        }
        Some(all)
    }
}

/// A key as part of a path: bare, or `["a.b"]` where bare would be read otherwise.
pub(super) fn key_segment(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '/' | '@');
    if !key.is_empty() && key.chars().all(plain) {
        key.to_owned()
    } else {
        format!("[{key:?}]")
    }
}

/// `segment` before `path`, joined as paths are written.
pub(super) fn prepend(path: &mut String, segment: &str) {
    let dot = !path.is_empty() && !path.starts_with('[');
    if dot {
        path.insert(0, '.');
    }
    path.insert_str(0, segment);
}
