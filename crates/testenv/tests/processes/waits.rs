//! A wait takes any time.
use std::time::Duration;

use kube_codegen_testenv::{Error, eventually};

#[tokio::test]
async fn any_time_may_be_waited() {
    for within in [Duration::from_secs(i64::MAX as u64), Duration::MAX] {
        let found = eventually("a check", within, async || Ok::<_, Error>(1)).await;
        assert_eq!(found.unwrap(), 1);
    }
    for within in [Duration::ZERO, Duration::from_nanos(1)] {
        let missed = eventually("a check", within, async || Err::<(), _>("never")).await;
        assert!(matches!(missed, Err(Error::Timeout { .. })));
    }
}
