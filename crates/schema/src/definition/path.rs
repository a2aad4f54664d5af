//! A place in a definition or a schema: the steps from its root. It becomes text only if there is a violation.

use kube_codegen_formats::pointer;

/// A place in a definition or a schema.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Step<'a> {
    #[default]
    Root,
    Child(&'a str),
    Key(&'a str),
    Index(usize),
    /// A field, and how the server's path names it.
    Renamed(&'a str, &'a str),
    /// An index that the server's path leaves out.
    Unsaid(usize),
}

impl<'a> Path<'a> {
    fn step(&'a self, step: Step<'a>) -> Self {
        Self {
            parent: Some(self),
            step,
        }
    }

    /// Returns the place of a keyword.
    pub(super) fn child(&'a self, keyword: &'a str) -> Self {
        self.step(Step::Child(keyword))
    }

    /// Returns the place of an entry of a map.
    pub(super) fn key(&'a self, name: &'a str) -> Self {
        self.step(Step::Key(name))
    }

    /// Returns the place of an item of a list.
    pub(super) fn index(&'a self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// Returns the place of a field that the server's path names differently; it leaves out a field without a name.
    pub(super) fn child_as(&'a self, name: &'a str, said: &'a str) -> Self {
        self.step(Step::Renamed(name, said))
    }

    /// Returns the place of an item whose index the server's path leaves out.
    pub(super) fn unsaid(&'a self, index: usize) -> Self {
        self.step(Step::Unsaid(index))
    }

    /// Whether this is the root.
    pub(super) fn is_root(&self) -> bool {
        matches!(self.step, Step::Root)
    }

    /// Returns the JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = self.parent.map(Path::pointer).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Child(name) | Step::Key(name) | Step::Renamed(name, _) => {
                pointer::push(&mut pointer, name);
            }
            Step::Index(index) | Step::Unsaid(index) => {
                pointer::push_index(&mut pointer, index);
            }
        }
        pointer
    }

    /// Returns the server's path, which continues that of the schema.
    pub(super) fn field(&self) -> String {
        let parent = self.parent.map(Path::field).unwrap_or_default();
        match self.step {
            Step::Root | Step::Renamed(_, "") | Step::Unsaid(_) => parent,
            Step::Child(name) | Step::Renamed(_, name) => format!("{parent}.{name}"),
            Step::Key(name) => format!("{parent}[{name}]"),
            Step::Index(index) => format!("{parent}[{index}]"),
        }
    }
}
