//! Pieces that several emitters share.
pub(super) mod code;
pub(super) mod docs;
pub(super) mod imports;
