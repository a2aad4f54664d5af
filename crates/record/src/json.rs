//! Raw JSON as a field: kept as it is, `null` included.
use super::{Slot, Value, View};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::FieldsV1;

impl Value for serde_json::Value {
    #[inline]
    fn blank() -> Self {
        Self::Null
    }
    #[inline]
    fn view(&self) -> View<'_> {
        View::Json(self)
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Json(self)
    }
    #[inline]
    fn null() -> Option<Self> {
        Some(Self::Null)
    }
}

impl Value for FieldsV1 {
    #[inline]
    fn blank() -> Self {
        Self::default()
    }
    #[inline]
    fn view(&self) -> View<'_> {
        View::Json(&self.0)
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Json(&mut self.0)
    }
}
