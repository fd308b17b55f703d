//! The rules of sACN and Art-Net, each a test named after it, over virtual time.

mod art_net_receiver;
mod art_net_sender;
mod art_net_sync_sources;
mod chroma_dmx;
mod node_changes;
mod nodes;
mod receiver_bounds;
mod sacn_announcements;
mod sacn_merge;
mod sacn_receiver;
mod sacn_sender;
mod sacn_sources;
mod sacn_sync;
mod sacn_sync_sources;
mod sent;
mod settings;
mod support;
