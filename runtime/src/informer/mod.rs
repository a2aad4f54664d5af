//! List and watch into a shared cache.
