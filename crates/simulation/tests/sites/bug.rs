//! The mutants of the operator.

/// What is wrong with the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    None,
    /// Nothing: the informers list in pages.
    NoneInPages,
    /// If the Deployment exists, everything is taken as done.
    HalfDone,
    /// The account is deleted by its name.
    DeleteByName,
    /// The Deployment is changed only if this process saw another spec before.
    EdgeTriggered,
    /// The `ConfigMap` has no owner.
    NoOwner,
    /// A failed create is ignored, and the generation noted as observed.
    IgnoredError,
    /// The account has a generated name, which is remembered in the status afterwards.
    NotIdempotent,
    /// The status counts reconciles.
    StatusFlaps,
    /// Children have generated names, and the cache decides whether one exists.
    StaleRead,
    /// The account is deleted when the watch shows a deletion, without a finalizer.
    MissedDelete,
    /// The finalizer is removed before the account.
    FinalizerTooEarly,
    /// A conflict is taken as success, and the generation as observed.
    ConflictSwallowed,
    /// A replica goes on after its term as the leader.
    TwoLeaders,
    /// The `ConfigMap` of the former colour stays.
    LeakOnRename,
    /// The text of a `ConfigMap` that exists is not changed.
    OnlyCreated,
    /// Each reconcile asks for the next after a tenth of a second.
    HotLoop,
    /// Each reconcile rewrites the object.
    Rewrites,
    /// A status without the Deployment of the cache panics.
    Panics,
    /// The status is compared with the one that this process wrote last.
    RemembersStatus,
    /// What was created and is not seen after 20 seconds is created again, with another name.
    Impatient,
    /// A list from the cache of the API server decides whether a child exists.
    ListsAny,
    /// The change of a child that gets ready is acted on, not its state.
    SeesChange,
    /// Each event of an object without a status creates a child.
    ActsOnEvents,
    /// The time in a Lease is compared with the clock of the replica.
    WallClock,
}
