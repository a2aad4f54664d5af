//! Tokens come in, and whether a type or an expression of a plain shape begins there goes out.
use super::tokens::Tokens;

impl Tokens<'_> {
    /// Takes things that a comma separates, up to the end of their list, which it takes too.
    pub(super) fn list(
        &mut self,
        end: &str,
        mut one: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        while !self.sign(end) {
            one(self)?;
            if !self.sign(",") {
                return self.expect(end);
            }
        }
        Some(())
    }

    /// Takes a sign that has to be there.
    pub(super) fn expect(&mut self, sign: &str) -> Option<()> {
        self.sign(sign).then_some(())
    }

    /// Takes a type.
    pub(super) fn ty(&mut self) -> Option<()> {
        if self.sign("&") {
            let before = *self;
            if self.lifetime().is_none() {
                *self = before;
            }
            self.keyword("mut");
            return self.ty();
        }
        if self.sign("[") {
            self.ty()?;
            return self.expect("]");
        }
        if self.sign("(") {
            return self.list(")", Self::ty);
        }
        self.keyword("impl");
        self.type_path()
    }

    /// Takes a path with arguments, as types have them.
    pub(super) fn type_path(&mut self) -> Option<()> {
        let mut named = self.step()?;
        loop {
            if named && self.sign("<") {
                self.arguments()?;
            }
            if !self.sign("::") {
                return Some(());
            }
            self.name()?;
            named = true;
        }
    }

    /// Takes generic arguments behind their bracket.
    fn arguments(&mut self) -> Option<()> {
        self.list(">", |tokens| {
            let before = *tokens;
            tokens.lifetime().or_else(|| {
                *tokens = before;
                tokens.ty()
            })
        })
    }

    /// Takes an expression.
    pub(super) fn expression(&mut self) -> Option<()> {
        while self.sign("&") {
            self.keyword("mut");
        }
        self.operand()?;
        loop {
            if self.sign(".") {
                self.name()?;
                if self.sign("::") {
                    self.expect("<")?;
                    self.arguments()?;
                    self.expect("(")?;
                    self.list(")", Self::expression)?;
                }
            } else if self.sign("(") {
                self.list(")", Self::expression)?;
            } else {
                return Some(());
            }
        }
    }

    fn operand(&mut self) -> Option<()> {
        if self.sign("(") {
            return self.list(")", Self::expression);
        }
        if self.sign("[") {
            return self.list("]", Self::expression);
        }
        if self.sign("-") || self.is_literal() {
            return self.literal();
        }
        if self.keyword("true") || self.keyword("false") {
            return Some(());
        }
        self.value_path()?;
        if self.sign("!") {
            return self.group("(");
        }
        if self.sign("{") {
            return self.members();
        }
        Some(())
    }

    fn is_literal(self) -> bool {
        let mut ahead = self;
        ahead.literal().is_some()
    }

    /// Takes a path with arguments, as values have them.
    fn value_path(&mut self) -> Option<()> {
        let mut named = self.step()?;
        while self.sign("::") {
            if named && self.sign("<") {
                self.arguments()?;
                named = false;
            } else {
                self.name()?;
                named = true;
            }
        }
        Some(())
    }

    /// Takes what a struct is made of, behind the brace.
    fn members(&mut self) -> Option<()> {
        while !self.sign("}") {
            if self.sign("..") {
                self.expression()?;
                return self.expect("}");
            }
            self.name()?;
            if self.sign(":") {
                self.expression()?;
            }
            if !self.sign(",") {
                return self.expect("}");
            }
        }
        Some(())
    }
}
