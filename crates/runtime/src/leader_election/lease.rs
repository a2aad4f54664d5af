//! A Lease with whatever times the API server accepts.
use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
    time::Duration,
};

use k8s_openapi::{api::coordination::v1, apimachinery::pkg::apis::meta::v1::MicroTime};
use kube::{Resource, core::ObjectMeta};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;
use tracing::warn;

/// A Lease as the API server stores it.
///
/// The server accepts times that `jiff` cannot hold, such as the last day of the year 9999. If such a Lease did not decode, nobody could ever take
/// it over. The times decide nothing here, so one that cannot be read counts as absent, and is logged.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Lease(v1::Lease);

impl Lease {
    /// The holder; `None` if the Lease is free.
    pub(crate) fn holder(&self) -> Option<&str> {
        let holder = self.spec.as_ref()?.holder_identity.as_deref();
        holder.filter(|holder| !holder.is_empty())
    }

    /// How long the holder may go without a renewal, as it wrote; nothing if that is missing or negative.
    pub(crate) fn duration(&self) -> Duration {
        let spec = self.spec.as_ref();
        let seconds = spec.and_then(|spec| spec.lease_duration_seconds);
        Duration::from_secs(u64::try_from(seconds.unwrap_or(0)).unwrap_or(0))
    }
}

impl<'de> Deserialize<'de> for Lease {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut lease = Value::deserialize(deserializer)?;
        for field in ["acquireTime", "renewTime"] {
            let Some(time) = lease.pointer_mut("/spec").and_then(|it| it.get_mut(field)) else {
                continue;
            };
            if let Err(error) = Option::<MicroTime>::deserialize(&*time) {
                let time = time.take();
                let name = lease.pointer("/metadata/name").and_then(Value::as_str);
                warn!(
                    lease = name,
                    "spec.{field} is {time}, and counts as absent: {error}"
                );
            }
        }
        serde_json::from_value(lease)
            .map(Self)
            .map_err(D::Error::custom)
    }
}

impl Deref for Lease {
    type Target = v1::Lease;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Resource for Lease {
    type DynamicType = ();
    type Scope = <v1::Lease as Resource>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        v1::Lease::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        v1::Lease::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        v1::Lease::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        v1::Lease::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        self.0.meta()
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.0.meta_mut()
    }
}
