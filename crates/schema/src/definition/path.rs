//! A place in a schema: the steps from its root. It becomes text only if there is a violation.

/// A place in a schema.
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

    /// Whether this is the root.
    pub(super) fn is_root(&self) -> bool {
        matches!(self.step, Step::Root)
    }

    /// Returns the JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let parent = self.parent.map(Path::pointer).unwrap_or_default();
        match self.step {
            Step::Root => parent,
            Step::Child(name) | Step::Key(name) => {
                format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Step::Index(index) => format!("{parent}/{index}"),
        }
    }

    /// Returns the server's path, which continues that of the schema.
    pub(super) fn field(&self) -> String {
        let parent = self.parent.map(Path::field).unwrap_or_default();
        match self.step {
            Step::Root => parent,
            Step::Child(name) => format!("{parent}.{name}"),
            Step::Key(name) => format!("{parent}[{name}]"),
            Step::Index(index) => format!("{parent}[{index}]"),
        }
    }
}
