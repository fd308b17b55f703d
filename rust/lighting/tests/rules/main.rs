//! The rules of sACN and Art-Net, each a test named after it, over virtual time.

mod art_net_receiver;
mod art_net_sender;
mod nodes;
mod sacn_merge;
mod sacn_receiver;
mod sacn_sender;
mod sacn_sync;
mod support;
