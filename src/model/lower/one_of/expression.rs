//! What constraints say about the presence of properties, and what of it is certain when only some presences are known.

/// A condition on an object, of a combinator or of a rule. Whatever says nothing about presence is [`Expr::Unknown`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// Any value, or an error.
    Unknown,
    Bool(bool),
    Int(i64),
    Text(String),
    /// The object itself.
    Object,
    /// Whether a property is present.
    Has(usize),
    /// The value of a property.
    Field(usize),
    /// A property as an optional value.
    Optional(usize),
    /// The variable of a macro.
    Variable(String),
    List(Vec<Expr>),
    /// A list of the elements for which these are true.
    Filtered(Vec<Expr>),
    /// How many of these are true.
    Count(Vec<Expr>),
    Sum(Vec<Expr>),
    Not(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
}

/// What is known about an object.
#[derive(Clone, Debug)]
pub(super) struct State<'a> {
    /// Whether each property is present.
    pub(super) present: Vec<Option<bool>>,
    /// A property with a text; without one, it has a text that no constraint contains.
    pub(super) chosen: Option<(usize, Option<&'a str>)>,
}

/// What is known about a value.
enum Known<'a> {
    Nothing,
    Bool(bool),
    /// An integer from the first to the last.
    Int(i64, i64),
    Text(Option<&'a str>),
}

impl Expr {
    pub(super) fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    pub(super) fn equal(self, other: Self) -> Self {
        Self::Compare(Comparison::Equal, Box::new(self), Box::new(other))
    }

    /// Returns whether exactly one of several conditions is true.
    pub(super) fn exactly_one(conditions: Vec<Self>) -> Self {
        Self::Count(conditions).equal(Self::Int(1))
    }

    /// Returns whether the condition certainly holds or does not hold.
    pub(super) fn certain(&self, state: &State<'_>) -> Option<bool> {
        match self.known(state) {
            Known::Bool(is_true) => Some(is_true),
            Known::Nothing | Known::Int(..) | Known::Text(_) => None,
        }
    }

    fn known<'a>(&'a self, state: &State<'a>) -> Known<'a> {
        let bool = |certain: Option<bool>| certain.map_or(Known::Nothing, Known::Bool);
        match self {
            Self::Bool(value) => Known::Bool(*value),
            Self::Int(value) => Known::Int(*value, *value),
            Self::Text(text) => Known::Text(Some(text)),
            Self::Has(field) => bool(state.present.get(*field).copied().flatten()),
            Self::Field(field) => match state.chosen {
                Some((chosen, text)) if chosen == *field => Known::Text(text),
                _ => Known::Nothing,
            },
            Self::Count(conditions) => {
                let (mut least, mut most) = (0, 0);
                for condition in conditions {
                    let certain = condition.certain(state);
                    least += i64::from(certain == Some(true));
                    most += i64::from(certain != Some(false));
                }
                Known::Int(least, most)
            }
            Self::Sum(parts) => {
                let (mut least, mut most) = (0_i64, 0_i64);
                for part in parts {
                    let Known::Int(low, high) = part.known(state) else {
                        return Known::Nothing;
                    };
                    let sums = (least.checked_add(low), most.checked_add(high));
                    let (Some(low), Some(high)) = sums else {
                        return Known::Nothing;
                    };
                    (least, most) = (low, high);
                }
                Known::Int(least, most)
            }
            Self::Not(inner) => bool(inner.certain(state).map(|it| !it)),
            Self::All(parts) => bool(all(parts, state, false)),
            Self::Any(parts) => bool(all(parts, state, true)),
            Self::Compare(how, a, b) => bool(compare(*how, &a.known(state), &b.known(state))),
            Self::If(condition, then, other) => match condition.certain(state) {
                Some(true) => then.known(state),
                Some(false) => other.known(state),
                None => either(then.known(state), other.known(state)),
            },
            Self::Unknown
            | Self::Object
            | Self::Optional(_)
            | Self::Variable(_)
            | Self::List(_)
            | Self::Filtered(_) => Known::Nothing,
        }
    }

    /// Replaces the variable of a macro.
    pub(super) fn with(&self, name: &str, value: &Self) -> Self {
        let each = |parts: &[Self]| parts.iter().map(|part| part.with(name, value)).collect();
        let one = |part: &Self| Box::new(part.with(name, value));
        match self {
            Self::Variable(variable) if variable == name => value.clone(),
            Self::List(parts) => Self::List(each(parts)),
            Self::Filtered(parts) => Self::Filtered(each(parts)),
            Self::Count(parts) => Self::Count(each(parts)),
            Self::Sum(parts) => Self::Sum(each(parts)),
            Self::All(parts) => Self::All(each(parts)),
            Self::Any(parts) => Self::Any(each(parts)),
            Self::Not(inner) => Self::Not(one(inner)),
            Self::Compare(how, a, b) => Self::Compare(*how, one(a), one(b)),
            Self::If(a, b, c) => Self::If(one(a), one(b), one(c)),
            Self::Unknown
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Text(_)
            | Self::Object
            | Self::Has(_)
            | Self::Field(_)
            | Self::Optional(_)
            | Self::Variable(_) => self.clone(),
        }
    }

    /// Returns how many parts the expression has.
    pub(super) fn size(&self) -> usize {
        let mut size = 0;
        self.walk(&mut |_| size += 1);
        size
    }

    /// Calls a function with the expression and with everything in it.
    pub(super) fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::List(parts)
            | Self::Filtered(parts)
            | Self::Count(parts)
            | Self::Sum(parts)
            | Self::All(parts)
            | Self::Any(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Self::Not(inner) => inner.walk(visit),
            Self::Compare(_, a, b) => [a, b].into_iter().for_each(|part| part.walk(visit)),
            Self::If(a, b, c) => [a, b, c].into_iter().for_each(|part| part.walk(visit)),
            Self::Unknown
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Text(_)
            | Self::Object
            | Self::Has(_)
            | Self::Field(_)
            | Self::Optional(_)
            | Self::Variable(_) => {}
        }
    }
}

/// Returns `decisive` if any part is certainly so, and the opposite if all parts certainly are.
fn all(parts: &[Expr], state: &State<'_>, decisive: bool) -> Option<bool> {
    let mut result = Some(!decisive);
    for part in parts {
        match part.certain(state) {
            Some(it) if it == decisive => return Some(decisive),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

fn compare(how: Comparison, a: &Known<'_>, b: &Known<'_>) -> Option<bool> {
    match (how, a, b) {
        (Comparison::Equal, Known::Bool(a), Known::Bool(b)) => Some(a == b),
        // Of two texts that no constraint contains, nothing is known.
        (Comparison::Equal, Known::Text(None), Known::Text(None)) => None,
        (Comparison::Equal, Known::Text(a), Known::Text(b)) => Some(a == b),
        (Comparison::Equal, Known::Int(low, high), Known::Int(other_low, other_high)) => {
            if high < other_low || other_high < low {
                Some(false)
            } else {
                (low == high && other_low == other_high).then_some(true)
            }
        }
        (Comparison::Less, Known::Int(low, high), Known::Int(other_low, other_high)) => {
            sure(high < other_low, low >= other_high)
        }
        (Comparison::LessOrEqual, Known::Int(low, high), Known::Int(other_low, other_high)) => {
            sure(high <= other_low, low > other_high)
        }
        _ => None,
    }
}

fn sure(is_true: bool, is_false: bool) -> Option<bool> {
    (is_true || is_false).then_some(is_true)
}

/// Returns what two values have in common.
fn either<'a>(a: Known<'a>, b: Known<'a>) -> Known<'a> {
    match (a, b) {
        (Known::Bool(a), Known::Bool(b)) if a == b => Known::Bool(a),
        (Known::Int(low, high), Known::Int(other_low, other_high)) => {
            Known::Int(low.min(other_low), high.max(other_high))
        }
        (Known::Text(Some(a)), Known::Text(Some(b))) if a == b => Known::Text(Some(a)),
        _ => Known::Nothing,
    }
}
