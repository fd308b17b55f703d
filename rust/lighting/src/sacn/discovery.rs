//! Universe discovery packets (ANSI E1.31-2018, table 4-3).

use super::{Malformed, cid_at, length_at, name_at};
use crate::bytes::be32;
use crate::{Cid, Name, SacnUniverse};

/// VECTOR_E131_EXTENDED_DISCOVERY (ANSI E1.31-2018, 6.4.1).
pub(super) const VECTOR: u32 = 2;
/// VECTOR_UNIVERSE_DISCOVERY_UNIVERSE_LIST (ANSI E1.31-2018, 8.2).
pub(super) const LIST: u32 = 1;
/// The universe discovery layer's length counts from here.
pub(super) const LAYER: usize = 112;
/// Where the list begins.
pub(super) const UNIVERSES: usize = 120;
/// The universes of a page at most (ANSI E1.31-2018, 8.5).
pub const PAGE_UNIVERSES: usize = 512;

/// A page of the universes and synchronization addresses of a source, borrowed from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscoveryPage<'a> {
    /// The source.
    pub cid: Cid,
    /// The source's name.
    pub source_name: Name<64>,
    /// The page, from 0.
    pub page: u8,
    /// The last page.
    pub last_page: u8,
    list: &'a [u8],
}

impl<'a> DiscoveryPage<'a> {
    /// Reads the layers of a packet whose framing layer is as long as it says.
    pub(super) fn read(layers: &'a [u8]) -> Result<Self, Malformed> {
        if layers.len() < UNIVERSES {
            return Err(Malformed::FramingLength);
        }
        let list = &layers[UNIVERSES..];
        let is_list =
            length_at(layers, LAYER) == Some(layers.len() - LAYER) && be32(layers, 114) == Some(LIST);
        if !is_list || !list.len().is_multiple_of(2) || list.len() / 2 > PAGE_UNIVERSES {
            return Err(Malformed::Discovery);
        }
        let page = Self {
            cid: cid_at(layers),
            source_name: name_at(layers),
            page: layers[118],
            last_page: layers[119],
            list,
        };
        if page.page > page.last_page {
            return Err(Malformed::Page);
        }
        let is_ascending = page.numbers().zip(page.numbers().skip(1)).all(|(a, b)| a < b);
        let are_universes = page.numbers().all(|number| SacnUniverse::new(number).is_ok());
        if is_ascending && are_universes {
            Ok(page)
        } else {
            Err(Malformed::Universes)
        }
    }

    fn numbers(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.list
            .chunks_exact(2)
            .map(|field| u32::from(field[0]) << 8 | u32::from(field[1]))
    }

    /// The universes of the page, in ascending order.
    pub fn universes(&self) -> impl Iterator<Item = SacnUniverse> + use<'a> {
        self.numbers().filter_map(|number| SacnUniverse::new(number).ok())
    }
}
