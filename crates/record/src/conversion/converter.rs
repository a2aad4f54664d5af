//! Converts an object from any version of a kind to any other.
use serde_json::Value;

use super::{
    error::{ConversionError, MAX_ANNOTATIONS},
    kept::Kept,
    spoke::{Direction, Spoke},
};

/// Converts objects of one kind between its versions.
pub struct Converter {
    group: String,
    kind: String,
    hub: String,
    spokes: Vec<Spoke>,
    annotation: String,
}

impl Converter {
    /// Creates a converter for a kind, with `hub` as the hub version.
    pub fn new(group: impl Into<String>, kind: impl Into<String>, hub: impl Into<String>) -> Self {
        let group = group.into();
        Self {
            annotation: format!("{group}/kept-by-conversion"),
            group,
            kind: kind.into(),
            hub: hub.into(),
            spokes: Vec::new(),
        }
    }

    /// Adds a version other than the hub.
    #[must_use]
    pub fn spoke(mut self, spoke: Spoke) -> Self {
        self.spokes.push(spoke);
        self
    }

    /// Returns the group.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// Returns the kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the versions, starting with the hub.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        let spokes = self.spokes.iter().map(|spoke| spoke.version.as_str());
        std::iter::once(self.hub.as_str()).chain(spokes)
    }

    /// Returns the name of the annotation that stores values without a place in the other version: `GROUP/kept-by-conversion`.
    pub fn annotation(&self) -> &str {
        &self.annotation
    }

    /// Converts an object to another version of its kind, such as `example.com/v2`.
    ///
    /// Of the metadata, only annotations change. If the object already has this version, it is returned unchanged.
    ///
    /// # Errors
    /// If the object has another kind or an unknown version, or if a value cannot be converted.
    pub fn convert(
        &self,
        mut object: Value,
        desired_api_version: &str,
    ) -> Result<Value, ConversionError> {
        let wanted = self.version(desired_api_version)?;
        let text = |name: &str| object[name].as_str().unwrap_or_default();
        if text("kind") != self.kind {
            return Err(ConversionError::Kind {
                expected: format!("{} of {}", self.kind, self.group),
                found: format!("{:?} of {:?}", text("kind"), text("apiVersion")),
            });
        }
        let found = self.version(text("apiVersion"))?;
        if found == wanted {
            return Ok(object);
        }
        if let Some(spoke) = self.find(found) {
            object = self.hop(spoke, Direction::ToHub, object)?;
        }
        if let Some(spoke) = self.find(wanted) {
            object = self.hop(spoke, Direction::ToSpoke, object)?;
        }
        Ok(object)
    }

    /// Returns the paths of the values that have no place in another version, and would be stored in the annotation.
    ///
    /// # Errors
    /// The same as for [`Converter::convert`].
    pub fn kept(
        &self,
        object: &Value,
        desired_api_version: &str,
    ) -> Result<Vec<String>, ConversionError> {
        let converted = self.convert(object.clone(), desired_api_version)?;
        let version = object["apiVersion"].as_str().unwrap_or_default();
        let version = version.rsplit('/').next().unwrap_or_default();
        Ok(Kept::read(&converted, &self.annotation).paths(version))
    }

    /// Returns the version of an `apiVersion`, as the converter has it.
    fn version(&self, api_version: &str) -> Result<&str, ConversionError> {
        let found = api_version.rsplit_once('/');
        let found = found.filter(|(group, _)| *group == self.group);
        let found = found.and_then(|(_, version)| self.versions().find(|it| *it == version));
        found.ok_or_else(|| {
            let known = self
                .versions()
                .map(|version| format!("{}/{version}", self.group));
            ConversionError::Version {
                version: api_version.to_owned(),
                known: known.collect::<Vec<_>>().join(", "),
            }
        })
    }

    fn find(&self, version: &str) -> Option<&Spoke> {
        self.spokes.iter().find(|spoke| spoke.version == version)
    }

    /// Converts between a spoke and the hub.
    fn hop(
        &self,
        spoke: &Spoke,
        direction: Direction,
        mut object: Value,
    ) -> Result<Value, ConversionError> {
        let (from, to) = match direction {
            Direction::ToHub => (&spoke.version, &self.hub),
            Direction::ToSpoke => (&self.hub, &spoke.version),
        };
        let mut kept = Kept::take(&mut object, &self.annotation);
        let mut target = object.clone();
        spoke.apply(direction, &mut target)?;
        kept.restore(to, &mut target);
        // What the way back does not bring back by itself is kept.
        let mut back = target.clone();
        spoke.apply(direction.reverse(), &mut back)?;
        kept.keep(from, &object, &back, &spoke.keyed);
        target["apiVersion"] = format!("{}/{to}", self.group).into();
        kept.write(&mut target, &self.annotation);
        let size = annotation_size(&target);
        if size > MAX_ANNOTATIONS {
            return Err(ConversionError::TooLarge {
                version: to.clone(),
                size,
            });
        }
        Ok(target)
    }
}

fn annotation_size(object: &Value) -> usize {
    let annotations = object["metadata"]["annotations"].as_object();
    let sizes = annotations
        .into_iter()
        .flatten()
        .map(|(name, value)| name.len() + value.as_str().map_or(0, str::len));
    sizes.sum()
}
