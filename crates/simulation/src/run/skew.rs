//! A replica with a wrong clock: what it writes into a Lease, and what it reads there, is moved by the difference.

use bytes::Bytes;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::connection::Connection;

impl Connection {
    /// Returns what the replica sends: its times are those of its clock.
    pub(super) fn as_it_writes(&self, resource: &str, body: Bytes) -> Bytes {
        self.moved(resource, body, 1)
    }

    /// Returns what the replica receives, as it looks to one whose clock is right.
    pub(super) fn as_its_clock_shows(&self, resource: &str, body: Bytes) -> Bytes {
        self.moved(resource, body, -1)
    }

    fn moved(&self, resource: &str, body: Bytes, sign: i64) -> Bytes {
        let skew = self.world.replicas.skew(self.replica);
        if resource != "leases" || skew == 0 {
            return body;
        }
        let Ok(mut value) = serde_json::from_slice::<Value>(&body) else {
            return body;
        };
        move_times(&mut value, SignedDuration::from_millis(skew * sign));
        format!("{value}\n").into()
    }
}

fn move_times(value: &mut Value, by: SignedDuration) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| move_times(item, by)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let is_time = name == "renewTime" || name == "acquireTime";
                let time = field
                    .as_str()
                    .and_then(|text| text.parse::<Timestamp>().ok());
                match time.and_then(|time| time.checked_add(by).ok()) {
                    Some(time) if is_time => *field = format!("{time:.6}").into(),
                    _ => move_times(field, by),
                }
            }
        }
        _ => {}
    }
}
