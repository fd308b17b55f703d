//! Received universes and their sources as records.

use super::{RustleDMXSource, RustleDMXUniverseCounts, RUSTLE_DMX_TEXT_CAPACITY};
use crate::dmx::RustleDMXProtocol;
use crate::fault::Outcome;
use crate::lent::Choice;
use rustle_engines::{DmxError, DmxEventText, DmxProtocol, DmxSource, DmxUniverseCounts};
use rustle_lighting::receiver::{PortCounters, UniverseCounters};
use rustle_lighting::{Cid, PortAddress, SacnUniverse};

/// 8 bytes of a source's identifier, from a place on; 0 without one.
pub(super) fn half(cid: Option<&Cid>, first: usize) -> u64 {
    let bytes = cid.and_then(|cid| cid.bytes()[first..].first_chunk());
    bytes.map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// What a number without a source has.
pub(super) fn no_source() -> RustleDMXSource {
    RustleDMXSource {
        cid_high: 0,
        cid_low: 0,
        address: 0,
        physical: 0,
        priority: 0,
        sync_address: 0,
        has_priorities: false.into(),
        is_preview: false.into(),
        is_there: false.into(),
        text_length: 0,
        text: [0; RUSTLE_DMX_TEXT_CAPACITY],
    }
}

/// The record of a source.
pub(super) fn described(source: &DmxSource) -> RustleDMXSource {
    match source {
        DmxSource::Sacn(source) => {
            let name = source.name.text();
            let name = DmxEventText::new(&name);
            RustleDMXSource {
                cid_high: half(Some(&source.cid), 0),
                cid_low: half(Some(&source.cid), 8),
                address: source.address.to_bits(),
                priority: source.priority.into(),
                sync_address: source.sync_address.map_or(0, |address| address.get().into()),
                has_priorities: source.has_priorities.into(),
                is_preview: source.is_preview.into(),
                is_there: true.into(),
                text_length: name.as_str().len() as u32,
                text: name.padded(),
                ..no_source()
            }
        }
        DmxSource::ArtNet(source) => RustleDMXSource {
            address: source.address.to_bits(),
            physical: source.physical.into(),
            is_there: true.into(),
            ..no_source()
        },
    }
}

/// Whether a source is that of an identifier, of sACN, or of an address and a physical input.
pub(super) fn has_identity(source: &DmxSource, (high, low, address, physical): (u64, u64, u32, u32)) -> bool {
    match source {
        DmxSource::Sacn(source) => (half(Some(&source.cid), 0), half(Some(&source.cid), 8)) == (high, low),
        DmxSource::ArtNet(source) => {
            (source.address.to_bits(), u32::from(source.physical)) == (address, physical)
        }
    }
}

/// The counts of a universe; zeros without any.
pub(super) fn counted(counts: Option<DmxUniverseCounts>) -> RustleDMXUniverseCounts {
    match counts {
        Some(DmxUniverseCounts::Sacn(counts)) => counts,
        Some(DmxUniverseCounts::ArtNet(counts)) => of_port(counts),
        None => UniverseCounters::default(),
    }
    .into()
}

/// A universe of a protocol.
///
/// # Errors
/// The protocol does not have it.
pub(super) fn received(
    kind: Choice<RustleDMXProtocol>,
    universe: u32,
) -> Outcome<DmxError, (DmxProtocol, u16)> {
    let protocol = DmxProtocol::from(kind.get("kind")?);
    let number = match protocol {
        DmxProtocol::Sacn => SacnUniverse::new(universe).map(SacnUniverse::get),
        DmxProtocol::ArtNet => PortAddress::new(universe).map(PortAddress::get),
    };
    Ok((protocol, number.map_err(DmxError::Universe)?))
}

impl From<UniverseCounters> for RustleDMXUniverseCounts {
    fn from(counts: UniverseCounters) -> Self {
        Self {
            packets: counts.packets,
            out_of_order: counts.out_of_order,
            previews: counts.previews,
            excess: counts.excess,
            start_codes: counts.start_codes,
            terminations: counts.terminations,
            sources: counts.sources as u64,
            hertz: counts.hertz,
        }
    }
}

/// The counts of a Port-Address in the terms of sACN.
fn of_port(counts: PortCounters) -> UniverseCounters {
    UniverseCounters {
        packets: counts.packets,
        out_of_order: counts.out_of_order,
        excess: counts.excess,
        sources: counts.sources,
        hertz: counts.hertz,
        ..UniverseCounters::default()
    }
}
