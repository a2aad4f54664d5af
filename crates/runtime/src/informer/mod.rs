//! Shared informers: list and watch a kind into one cache that handlers, indexes and listers share.
//!
//! ```no_run
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_codegen_runtime::informer::{EventHandlerFuncs, InformerFactory};
//!
//! # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let factory = InformerFactory::builder(client).namespace("default").build();
//! let pods = factory.informer::<Pod>();
//! let handler = pods.add_event_handler(EventHandlerFuncs::<Pod>::new().on_add(|pod, _| println!("new: {:?}", pod.metadata.name)));
//! factory.start();
//! factory.wait_for_cache_sync().await?;
//! handler.wait_synced().await?;
//! println!("{} pods", pods.lister().all().len());
//! factory.shutdown().await;
//! # Ok(())
//! # }
//! ```
mod absence;
mod builder;
mod config;
mod divided;
mod error;
mod factory;
mod follow;
mod handler;
mod listener;
mod own_writes;
mod part;
mod reflected;
mod reflector;
mod registration;
mod relist;
mod scope;
mod selects;
mod served;
mod shared;
mod state;
mod status;
mod stream;
mod synced;
mod tasks;
mod untyped;
mod waiting;
mod written;

pub use builder::InformerFactoryBuilder;
pub use config::{InformerConfig, InitialList, InvalidNamespace, Namespaces};
pub use error::{DecodeError, InformerError, Started, Stopped, WatchFailure};
pub use factory::InformerFactory;
pub use handler::{Deleted, EventHandler, EventHandlerFuncs, InformerEvent};
pub(crate) use part::Division;
pub use registration::HandlerRegistration;
pub(crate) use registration::Registration;
pub(crate) use scope::is_earlier;
pub use shared::SharedInformer;
pub use status::{HandlerStatus, InformerMetrics, InformerStatus};
pub use stream::EventStream;
pub use synced::NotSynced;
pub(crate) use untyped::{Informer, InformerId};

pub use crate::cache::{IndexError, NAMESPACE_INDEX, ObjectKey};
