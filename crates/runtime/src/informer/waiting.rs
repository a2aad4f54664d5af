//! Waits until a list is complete, or cancelled.
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::error::Stopped;

/// Waits until `synced` is true, or `stop` is cancelled.
pub(super) async fn wait_synced(
    synced: &watch::Sender<bool>,
    stop: &CancellationToken,
) -> Result<(), Stopped> {
    let mut synced = synced.subscribe();
    tokio::select! {
        biased;
        result = synced.wait_for(|synced| *synced) => result.map(drop).map_err(|_| Stopped),
        () = stop.cancelled() => Err(Stopped),
    }
}
