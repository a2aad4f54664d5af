//! The socket of a client, to drop its packets.

use std::{
    os::fd::{AsFd as _, OwnedFd},
    sync::Arc,
};

use tokio::net::TcpStream;

/// A handle on the socket of one client.
#[derive(Clone, Default)]
pub(super) struct Connection(Option<Arc<OwnedFd>>);

impl Connection {
    pub(super) fn new(stream: &TcpStream) -> Self {
        Self(stream.as_fd().try_clone_to_owned().ok().map(Arc::new))
    }

    /// Makes the kernel drop every packet from the client before TCP sees it.
    #[cfg(target_os = "linux")]
    pub(super) fn black_hole(&self) {
        use socket2::{SockFilter, SockRef};

        /// `BPF_RET | BPF_K`: accepts the given number of bytes of a packet.
        const RETURN: u16 = 0x06;
        if let Some(socket) = &self.0 {
            // The socket accepts filters as long as it is open.
            let _ = SockRef::from(&**socket).attach_filter(&[SockFilter::new(RETURN, 0, 0, 0)]);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn black_hole(&self) {}
}
