//! What an apply has sent, and what the server has made of it.
use std::fmt;

use serde_json::Value;

use super::{
    Apply, ApplyError, Fields,
    extract::extract,
    fields::{FieldSet, Owned},
};

/// An apply that the server accepted. It tells you whether the same apply would change the object again.
///
/// Unlike [`Apply::diff`], it only needs the managed fields of the response, and values that the server or a webhook rewrote do not count
/// as changes.
#[derive(Clone)]
pub struct LastApplied {
    config: Value,
    fields: FieldSet,
    values: Value,
    /// The resource version of the response.
    version: Option<String>,
}

/// Without values: they may be those of a Secret.
impl fmt::Debug for LastApplied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LastApplied")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl LastApplied {
    /// Records that `manager` applied `config` and the server returned `response`.
    ///
    /// # Errors
    /// The same as for [`Apply::to_json`].
    pub fn new<K: Fields>(
        config: &Apply<K>,
        response: &K,
        manager: &str,
    ) -> Result<Self, ApplyError> {
        let fields = Owned::read(response.metadata(), manager, None, K::API_VERSION).own;
        Ok(Self {
            config: config.to_json()?,
            values: extract(&serde_json::to_value(response)?, &fields, None),
            version: response.metadata().resource_version.clone(),
            fields,
        })
    }

    /// Whether `config` is the applied configuration, and `object` still has its values and the uid of the response.
    ///
    /// # Errors
    /// The same as for [`Apply::to_json`].
    pub fn is_current<K: Fields>(&self, config: &Apply<K>, object: &K) -> Result<bool, ApplyError> {
        if self.config != config.to_json()? {
            return Ok(false);
        }
        // Of an object, a version has the same values each time.
        if self.version.is_some() && self.version == object.metadata().resource_version {
            return Ok(true);
        }
        Ok(self.values == extract(&serde_json::to_value(object)?, &self.fields, None))
    }
}
