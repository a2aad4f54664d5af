//! Limits the depth of expressions as cel-go does, and gives deep ones the stack that they need.

use std::{panic, thread};

use cel::{
    IdedExpr,
    common::ast::{CallExpr, EntryExpr, Expr, operators},
};

/// The most expressions inside each other, and the most operators and fields on top of each other.
const LIMIT: usize = 250;
/// The most characters of a text.
const LENGTH: usize = 100_000;
/// By the bound of [`scan`], which counts each of the four precedences: such a tree is deeper than the limit.
const BOUND: usize = 8 * LIMIT;
/// What fits on the stack of any thread, also in a build without optimization.
const SHALLOW: usize = 32;
const STACK: usize = 64 << 20;

/// Returns a bound of the depth of a text's tree, or cel-go's message for a text that is too long or too deep.
pub(crate) fn of_text(source: &str) -> Result<usize, String> {
    let length = source.chars().count();
    if length > LENGTH {
        return Err(format!(
            "expression code point size exceeds limit: size: {length}, limit {LENGTH}"
        ));
    }
    let (nested, bound) = scan(source);
    if nested > LIMIT {
        return Err(format!("expression recursion limit exceeded: {LIMIT}"));
    }
    if bound > BOUND {
        return too_deep();
    }
    Ok(nested + bound)
}

fn too_deep<T>() -> Result<T, String> {
    Err("max recursion depth exceeded".to_owned())
}

/// Returns the depth of a tree, or cel-go's message for one that is too deep.
pub(crate) fn of_tree(expr: &IdedExpr) -> Result<usize, String> {
    let (depth, counted) = measure(expr, "");
    if counted > LIMIT {
        return too_deep();
    }
    Ok(depth)
}

/// Runs what descends into a tree of a depth.
pub(crate) fn within<T: Send>(depth: usize, run: impl FnOnce() -> T + Send) -> T {
    if depth <= SHALLOW {
        return run();
    }
    let mut run = Some(run);
    let result = thread::scope(|scope| {
        let started = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || run.take().map(|run| run()));
        started.ok().map(thread::ScopedJoinHandle::join)
    });
    match result {
        Some(Ok(Some(result))) => result,
        Some(Err(why)) => panic::resume_unwind(why),
        // No thread can be started: this one is the only one left.
        Some(Ok(None)) | None => match run {
            Some(run) => run(),
            None => unreachable!("a closure runs once"),
        },
    }
}

/// An expression in brackets, or the whole text.
#[derive(Default)]
struct Level {
    /// The conditionals around the current part.
    conditionals: usize,
    /// The depth of the parts that are complete.
    complete: usize,
    /// The depth of the operators before the current operand.
    operators: usize,
    operand: usize,
    has_tokens: bool,
}

impl Level {
    fn operator(&mut self) {
        self.operators = self.operators.max(self.operand) + 1;
        self.operand = 0;
    }

    fn end_part(&mut self) {
        self.complete = self.depth();
        (self.operators, self.operand) = (0, 0);
    }

    fn depth(&self) -> usize {
        self.complete.max(self.operators).max(self.operand)
    }
}

/// Returns how many expressions are inside each other, and a bound of how many operators and fields are on top of each other.
fn scan(source: &str) -> (usize, usize) {
    let mut levels = vec![Level::default()];
    let (mut open, mut nested, mut bound) = (1, 1, 0);
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = token(rest);
        let text = &rest[..length];
        rest = &rest[length..];
        if first.is_whitespace() || text.starts_with("//") {
            continue;
        }
        if matches!(first, ')' | ']' | '}') {
            if levels.len() > 1
                && let Some(inner) = levels.pop()
            {
                open -= 1 + inner.conditionals;
                let outer = levels.last_mut();
                if let Some(outer) = outer {
                    outer.operand = outer.operand.max(inner.depth()) + 1;
                    bound = bound.max(outer.depth());
                }
            }
            continue;
        }
        let Some(level) = levels.last_mut() else {
            continue;
        };
        if !level.has_tokens {
            level.has_tokens = true;
            nested = nested.max(open);
        }
        match text {
            "(" | "[" | "{" => {
                levels.push(Level::default());
                open += 1;
                continue;
            }
            "," => {
                level.end_part();
                open -= level.conditionals;
                level.conditionals = 0;
            }
            "?" => {
                level.end_part();
                level.conditionals += 1;
                open += 1;
                nested = nested.max(open);
            }
            "&&" | "||" | ":" => level.end_part(),
            "." => level.operand += 1,
            "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=" | "==" | "!=" | "in" => {
                level.operator();
            }
            _ => {}
        }
        bound = bound.max(level.depth());
    }
    (nested, bound)
}

/// Returns the length of the token that a text starts with.
fn token(text: &str) -> usize {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let word = text.find(|letter| !is_word(letter)).unwrap_or(text.len());
    let prefix = &text[..word];
    let is_prefix = matches!(
        prefix,
        "" | "r" | "R" | "b" | "B" | "br" | "bR" | "Br" | "BR"
    );
    if is_prefix && let Some(length) = string(&text[word..], prefix.contains(['r', 'R'])) {
        return word + length;
    }
    if word > 0 {
        return word;
    }
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    let is_two = ["&&", "||", "<=", ">=", "==", "!="]
        .iter()
        .any(|it| text.starts_with(it));
    if is_two {
        return 2;
    }
    text.chars().next().map_or(0, char::len_utf8)
}

/// Returns the length of the string that a text starts with; none if it is not one, or has no end.
fn string(text: &str, is_raw: bool) -> Option<usize> {
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inner) = text.strip_prefix(quote)
            && let Some(length) = quoted(inner, quote, is_raw)
        {
            return Some(quote.len() + length);
        }
    }
    None
}

/// Returns the length of the inner part of a string with the quote after it.
fn quoted(text: &str, quote: &str, is_raw: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with(quote) {
            return Some(at + quote.len());
        }
        let mut letters = rest.chars();
        at += match letters.next()? {
            '\n' | '\r' if quote.len() == 1 => return None,
            '\\' if !is_raw => escape(letters.as_str())? + 1,
            letter => letter.len_utf8(),
        };
    }
}

/// Returns the length of what follows the backslash of an escape; none if cel-go has no such one.
fn escape(text: &str) -> Option<usize> {
    let digits = |count: usize, radix: u32| {
        let digits = text.chars().skip(1).take(count);
        (digits.filter(|it| it.is_digit(radix)).count() == count).then_some(count + 1)
    };
    match text.chars().next()? {
        'x' | 'X' => digits(2, 16),
        'u' => digits(4, 16),
        'U' => digits(8, 16),
        '0'..='3' => digits(2, 8),
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`' => Some(1),
        _ => None,
    }
}

/// Returns the depth of a tree, and how many operators and fields are on top of each other; `accumulator` is that of the macro whose step the
/// expression is.
fn measure(expr: &IdedExpr, accumulator: &str) -> (usize, usize) {
    let all = |inner: &[&IdedExpr]| deepest(inner.iter().map(|it| measure(it, "")));
    let ((depth, counted), own) = match &expr.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => ((0, 0), 0),
        Expr::Select(select) => (all(&[&select.operand]), 1),
        Expr::Call(call) => {
            let parts = call.target.iter().map(|it| &**it).chain(&call.args);
            let is_step = call.args.iter().any(
                |arg| matches!(&arg.expr, Expr::Ident(name) if name == accumulator && !name.is_empty()),
            );
            let inner = deepest(parts.map(|part| {
                let accumulator = if is_step { accumulator } else { "" };
                measure(part, accumulator)
            }));
            (inner, usize::from(!is_step && is_counted(call)))
        }
        Expr::List(list) => (all(&list.elements.iter().collect::<Vec<_>>()), 0),
        Expr::Map(map) => (deepest(map.entries.iter().map(|it| entry(&it.expr))), 0),
        Expr::Struct(it) => (deepest(it.entries.iter().map(|it| entry(&it.expr))), 0),
        Expr::Comprehension(it) => {
            let others = all(&[&it.iter_range, &it.accu_init, &it.result]);
            (
                deepest([others, measure(&it.loop_step, &it.accu_var)].into_iter()),
                1,
            )
        }
    };
    (depth + 1, counted + own)
}

fn entry(entry: &EntryExpr) -> (usize, usize) {
    match entry {
        EntryExpr::StructField(field) => measure(&field.value, ""),
        EntryExpr::MapEntry(entry) => {
            deepest([measure(&entry.key, ""), measure(&entry.value, "")].into_iter())
        }
    }
}

fn deepest(parts: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    parts.fold((0, 0), |most, it| (most.0.max(it.0), most.1.max(it.1)))
}

/// Returns whether cel-go counts a call for the depth: operators, items and member functions, but not `&&`, `||`, `!` and `-`.
fn is_counted(call: &CallExpr) -> bool {
    let is_operator = call.func_name.starts_with('_') || call.func_name == operators::IN;
    let is_free = [operators::LOGICAL_AND, operators::LOGICAL_OR];
    call.target.is_some() || is_operator && !is_free.contains(&call.func_name.as_str())
}
