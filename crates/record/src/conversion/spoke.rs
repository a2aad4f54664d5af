//! The differences between a version and the hub, and how they are applied to an object.
use serde_json::Value;

use super::{
    ConversionError,
    mapping::{Convert, Fill, IfAbsent, Mapping},
    path::{self, FieldPath, Key},
};

/// A version other than the hub, with the paths where it differs from the hub.
#[derive(Default)]
pub struct Spoke {
    pub(super) version: String,
    steps: Vec<Step>,
    pub(super) keyed: Vec<Keyed>,
}

/// A list of `x-kubernetes-list-type: map`, in both versions.
pub(super) struct Keyed {
    pub(super) path: FieldPath,
    pub(super) keys: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    ToHub,
    ToSpoke,
}

impl Direction {
    pub(super) fn reverse(self) -> Self {
        match self {
            Self::ToHub => Self::ToSpoke,
            Self::ToSpoke => Self::ToHub,
        }
    }
}

/// What happens at one path.
enum Step {
    /// Both versions have a value, at these paths.
    Map {
        spoke: FieldPath,
        hub: FieldPath,
        to_hub: Convert,
        to_spoke: Convert,
    },
    /// Conversion in this direction takes the value away.
    Remove {
        direction: Direction,
        path: FieldPath,
    },
    /// Conversion in this direction sets the value where it is absent.
    Fill {
        direction: Direction,
        path: FieldPath,
        value: Fill,
    },
    /// Conversion in this direction removes nulls.
    NotNull {
        direction: Direction,
        path: FieldPath,
    },
    /// Conversion in this direction keeps only these fields of the objects at the path.
    Prune {
        direction: Direction,
        path: FieldPath,
        known: &'static [&'static str],
    },
}

impl Spoke {
    /// Creates a spoke that is identical to the hub.
    pub fn new(version: impl Into<String>) -> Self {
        Self {
            version: version.into(),
            ..Self::default()
        }
    }

    /// Converts the value between a path of the spoke and a path of the hub.
    #[must_use]
    pub fn map<S, H>(
        mut self,
        spoke: impl Into<FieldPath>,
        hub: impl Into<FieldPath>,
        mapping: Mapping<S, H>,
    ) -> Self {
        let Mapping {
            to_hub, to_spoke, ..
        } = mapping;
        self.steps.push(Step::Map {
            spoke: spoke.into(),
            hub: hub.into(),
            to_hub,
            to_spoke,
        });
        self
    }

    /// Adds a path that the hub lacks, and the value for objects that come from the hub.
    #[must_use]
    pub fn only_in_spoke<T>(self, path: impl Into<FieldPath>, value: IfAbsent<T>) -> Self {
        let path = path.into();
        self.removed_in_hub(path.clone())
            .required_in_spoke(path, value)
    }

    /// Adds a path that the spoke lacks, and the value for objects that come from the spoke.
    #[must_use]
    pub fn only_in_hub<T>(self, path: impl Into<FieldPath>, value: IfAbsent<T>) -> Self {
        let path = path.into();
        self.removed_in_spoke(path.clone())
            .required_in_hub(path, value)
    }

    /// Sets a value in objects that come from the hub without it.
    #[must_use]
    pub fn required_in_spoke<T>(mut self, path: impl Into<FieldPath>, value: IfAbsent<T>) -> Self {
        let (direction, path, value) = (Direction::ToSpoke, path.into(), value.value);
        self.steps.push(Step::Fill {
            direction,
            path,
            value,
        });
        self
    }

    /// Sets a value in objects that come from the spoke without it.
    #[must_use]
    pub fn required_in_hub<T>(mut self, path: impl Into<FieldPath>, value: IfAbsent<T>) -> Self {
        let (direction, path, value) = (Direction::ToHub, path.into(), value.value);
        self.steps.push(Step::Fill {
            direction,
            path,
            value,
        });
        self
    }

    /// Removes a path that the hub lacks.
    #[must_use]
    pub fn removed_in_hub(mut self, path: impl Into<FieldPath>) -> Self {
        let (direction, path) = (Direction::ToHub, path.into());
        self.steps.push(Step::Remove { direction, path });
        self
    }

    /// Removes a path that the spoke lacks.
    #[must_use]
    pub fn removed_in_spoke(mut self, path: impl Into<FieldPath>) -> Self {
        let (direction, path) = (Direction::ToSpoke, path.into());
        self.steps.push(Step::Remove { direction, path });
        self
    }

    /// Removes nulls at a path of the spoke, because the hub does not accept them there.
    #[must_use]
    pub fn without_null_in_hub(mut self, path: impl Into<FieldPath>) -> Self {
        let (direction, path) = (Direction::ToHub, path.into());
        self.steps.push(Step::NotNull { direction, path });
        self
    }

    /// Removes nulls at a path of the hub, because the spoke does not accept them there.
    #[must_use]
    pub fn without_null_in_spoke(mut self, path: impl Into<FieldPath>) -> Self {
        let (direction, path) = (Direction::ToSpoke, path.into());
        self.steps.push(Step::NotNull { direction, path });
        self
    }

    /// Removes unknown fields from the objects at a path of the hub, because the hub does not preserve them there.
    #[must_use]
    pub fn pruned_in_hub(
        mut self,
        path: impl Into<FieldPath>,
        known: &'static [&'static str],
    ) -> Self {
        let (direction, path) = (Direction::ToHub, path.into());
        self.steps.push(Step::Prune {
            direction,
            path,
            known,
        });
        self
    }

    /// Removes unknown fields from the objects at a path of the spoke, because the spoke does not preserve them there.
    #[must_use]
    pub fn pruned_in_spoke(
        mut self,
        path: impl Into<FieldPath>,
        known: &'static [&'static str],
    ) -> Self {
        let (direction, path) = (Direction::ToSpoke, path.into());
        self.steps.push(Step::Prune {
            direction,
            path,
            known,
        });
        self
    }

    /// Names the keys that identify the items of a list (`x-kubernetes-list-map-keys`), so that a value stored for an item finds it again
    /// at any position in the list.
    #[must_use]
    pub fn keyed(mut self, path: impl Into<FieldPath>, keys: &'static [&'static str]) -> Self {
        let path = path.into();
        self.keyed.push(Keyed { path, keys });
        self
    }

    /// Converts an object, without what is kept.
    pub(super) fn apply(
        &self,
        direction: Direction,
        object: &mut Value,
    ) -> Result<(), ConversionError> {
        let source = object.clone();
        for step in &self.steps {
            if let Step::NotNull {
                direction: of,
                path,
            } = step
                && *of == direction
            {
                path::each_object(object, path, &mut |fields, name| {
                    if fields.get(name).is_some_and(Value::is_null) {
                        fields.remove(name);
                    }
                });
            }
        }
        let mut taken = self.take(direction, object);
        // A value that contains others goes first.
        taken.sort_by_key(|it| it.target.depth());
        for Taken {
            source: from,
            target,
            convert,
            values,
        } in taken
        {
            for (keys, value) in values {
                let converted = convert(Some(value), &source);
                if let Some(value) = converted.map_err(|error| fault(from, error))? {
                    path::put(object, target, &keys, value);
                }
            }
        }
        self.fill(direction, object, &source)?;
        for step in &self.steps {
            if let Step::Prune {
                direction: of,
                path,
                known,
            } = step
                && *of == direction
            {
                path::each_value(object, path, &mut |value| {
                    if let Some(fields) = value.as_object_mut() {
                        fields.retain(|name, _| known.contains(&name.as_str()));
                    }
                });
            }
        }
        Ok(())
    }

    /// Takes out the values that change, innermost first.
    fn take(&self, direction: Direction, object: &mut Value) -> Vec<Taken<'_>> {
        let mut paths: Vec<(&FieldPath, Option<(&FieldPath, &Convert)>)> = Vec::new();
        for step in &self.steps {
            match step {
                Step::Map {
                    spoke,
                    hub,
                    to_hub,
                    to_spoke,
                } => paths.push(match direction {
                    Direction::ToHub => (spoke, Some((hub, to_hub))),
                    Direction::ToSpoke => (hub, Some((spoke, to_spoke))),
                }),
                Step::Remove {
                    direction: of,
                    path,
                } if *of == direction => paths.push((path, None)),
                _ => {}
            }
        }
        paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.depth()));
        let taken = paths.into_iter().filter_map(|(source, target)| {
            let values = path::take(object, source);
            let (target, convert) = target?;
            Some(Taken {
                source,
                target,
                convert,
                values,
            })
        });
        taken.collect()
    }

    fn fill(
        &self,
        direction: Direction,
        object: &mut Value,
        source: &Value,
    ) -> Result<(), ConversionError> {
        // A mapping may make a value of an absent one.
        let fills = self.steps.iter().filter_map(|step| match step {
            Step::Fill {
                direction: of,
                path,
                value,
            } if *of == direction => Some((path, value(source))),
            Step::Map {
                spoke,
                hub,
                to_hub,
                to_spoke,
            } => Some(match direction {
                Direction::ToHub => (hub, to_hub(None, source)),
                Direction::ToSpoke => (spoke, to_spoke(None, source)),
            }),
            _ => None,
        });
        let mut fills: Vec<_> = fills.collect();
        fills.sort_by_key(|(path, _)| path.depth());
        for (path, value) in fills {
            let value = value.map_err(|error| fault(path, error))?;
            let Some(value) = value else {
                continue;
            };
            path::each_object(object, path, &mut |fields, name| {
                fields.entry(name).or_insert_with(|| value.clone());
            });
        }
        Ok(())
    }
}

/// The values of one path of the source.
struct Taken<'a> {
    source: &'a FieldPath,
    target: &'a FieldPath,
    convert: &'a Convert,
    values: Vec<(Vec<Key>, Value)>,
}

fn fault(path: &FieldPath, message: String) -> ConversionError {
    ConversionError::Value {
        path: path.to_string(),
        message,
    }
}
