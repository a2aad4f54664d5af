//! A text comes in, and whether it is a file of items of plain shapes goes out.
use super::tokens::Tokens;

/// Whether a text is for sure a file of Rust.
pub(super) fn is_plain(text: &str) -> bool {
    Tokens::of(text).file().is_some()
}

impl Tokens<'_> {
    fn file(&mut self) -> Option<()> {
        loop {
            if self.sign("#![") {
                self.attribute()?;
            } else if !self.docs("//!") {
                break;
            }
        }
        while !self.are_over() {
            self.item()?;
        }
        Some(())
    }

    /// Takes docs and attributes; says whether there were any.
    fn attributes(&mut self) -> Option<bool> {
        let mut any = false;
        loop {
            if self.sign("#[") {
                self.attribute()?;
            } else if !self.docs("///") {
                return Some(any);
            }
            any = true;
        }
    }

    /// Takes an attribute behind its bracket: a path, and a list if it has one.
    fn attribute(&mut self) -> Option<()> {
        self.path()?;
        if self.sign("]") {
            return Some(());
        }
        self.group("(")?;
        self.expect("]")
    }

    fn path(&mut self) -> Option<()> {
        self.step()?;
        while self.sign("::") {
            self.name()?;
        }
        Some(())
    }

    fn item(&mut self) -> Option<()> {
        self.attributes()?;
        let public = self.keyword("pub");
        if self.keyword("use") {
            self.import()
        } else if self.keyword("mod") {
            self.name()?;
            self.expect(";")
        } else if self.keyword("struct") {
            self.head()?;
            self.body(Self::field)
        } else if self.keyword("enum") {
            self.head()?;
            self.body(Self::variant)
        } else if self.keyword("type") {
            self.alias()
        } else if public {
            None
        } else if self.keyword("impl") {
            self.implementation()
        } else {
            self.path()?;
            self.expect("!")?;
            self.group("{")
        }
    }

    /// Takes an import behind its keyword.
    fn import(&mut self) -> Option<()> {
        let relative = ["crate", "self", "super"];
        if relative.into_iter().any(|word| self.keyword(word)) {
            self.expect("::")?;
        }
        self.tree()?;
        self.expect(";")
    }

    /// Takes what an import names.
    fn tree(&mut self) -> Option<()> {
        loop {
            if self.sign("*") {
                return Some(());
            }
            if self.sign("{") {
                return self.list("}", Self::tree);
            }
            self.name()?;
            if !self.sign("::") {
                return Some(());
            }
        }
    }

    fn head(&mut self) -> Option<()> {
        self.name()?;
        self.lifetimes()
    }

    /// Takes the lifetimes that something is generic over, if it is.
    fn lifetimes(&mut self) -> Option<()> {
        if self.sign("<") {
            self.list(">", Self::lifetime)?;
        }
        Some(())
    }

    /// Takes members between braces, each below its docs.
    fn body(&mut self, member: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.expect("{")?;
        self.list("}", |tokens| {
            tokens.attributes()?;
            member(tokens)
        })
    }

    fn field(&mut self) -> Option<()> {
        self.keyword("pub");
        self.typed()
    }

    fn typed(&mut self) -> Option<()> {
        self.name()?;
        self.expect(":")?;
        self.ty()
    }

    fn variant(&mut self) -> Option<()> {
        self.name()?;
        if self.sign("(") {
            self.list(")", Self::ty)?;
        }
        Some(())
    }

    /// Takes an alias behind its keyword.
    fn alias(&mut self) -> Option<()> {
        self.name()?;
        self.expect("=")?;
        self.ty()?;
        self.expect(";")
    }

    /// Takes an implementation behind its keyword.
    fn implementation(&mut self) -> Option<()> {
        self.lifetimes()?;
        self.type_path()?;
        if self.keyword("for") {
            self.type_path()?;
        }
        self.expect("{")?;
        loop {
            let documented = self.attributes()?;
            if !documented && self.sign("}") {
                return Some(());
            }
            self.keyword("pub");
            if self.keyword("const") {
                self.typed()?;
                self.expect("=")?;
                self.expression()?;
                self.expect(";")?;
            } else if self.keyword("type") {
                self.alias()?;
            } else if self.keyword("fn") {
                self.function()?;
            } else {
                return None;
            }
        }
    }

    /// Takes a function behind its keyword, whose body is one expression.
    fn function(&mut self) -> Option<()> {
        self.name()?;
        self.expect("(")?;
        let mut first = true;
        self.list(")", |tokens| {
            if std::mem::take(&mut first) && tokens.receiver() {
                return Some(());
            }
            tokens.typed()
        })?;
        if self.sign("->") {
            self.ty()?;
        }
        self.expect("{")?;
        self.expression()?;
        self.expect("}")
    }

    fn receiver(&mut self) -> bool {
        let before = *self;
        let found = self.sign("&") && {
            self.keyword("mut");
            self.keyword("self")
        };
        if !found {
            *self = before;
        }
        found
    }
}
