//! The configuration of a receiver as the engine has it.

use super::{RustleDMXLoss, RustleDMXReceiverConfiguration};
use crate::fault::Outcome;
use crate::lent::RustleString;
use crate::status::CallFault;
use rustle_engines::{DmxError, DmxReceiverConfiguration, DMX_RECEIVED_UNIVERSES};
use rustle_lighting::receiver::{OnLoss, UniverseSettings};
use rustle_lighting::{Name, PortAddress, SacnUniverse, UniverseError, SLOTS};
use std::ops::RangeInclusive;
use std::str::FromStr;

impl RustleDMXReceiverConfiguration {
    /// The engine's form of the record.
    pub(super) fn read(&self) -> Outcome<DmxError, DmxReceiverConfiguration> {
        let name = |text: &RustleString, argument| text.text(argument).map(str::to_owned);
        let short = name(&self.short_name, "configuration.short_name")?;
        let long = name(&self.long_name, "configuration.long_name")?;
        let names = (Name::new(&short), Name::new(&long));
        let made =
            DmxReceiverConfiguration::new(names.0.map_err(DmxError::Name)?, names.1.map_err(DmxError::Name)?);
        let port = |argument, given, usual| match u16::try_from(given) {
            Ok(0) => Ok(usual),
            Ok(port) => Ok(port),
            Err(_) => Err(CallFault::number(argument, "0 to 65535", given)),
        };
        let on_loss = match self.on_loss.get("configuration.on_loss")? {
            RustleDMXLoss::Hold => OnLoss::Hold,
            RustleDMXLoss::Zero if self.fade_ns == 0 => OnLoss::Zero,
            RustleDMXLoss::Zero => OnLoss::Fade {
                scene: Box::new([0; SLOTS]),
                over_ns: self.fade_ns,
            },
        };
        let sacn = self.sacn.text("configuration.sacn")?;
        let art_net = self.art_net.text("configuration.art_net")?;
        Ok(DmxReceiverConfiguration {
            interface: self.interface.text("configuration.interface")?.to_owned(),
            sacn: universes(sacn, SacnUniverse::get, SacnUniverse::new)?,
            art_net: universes(art_net, PortAddress::get, PortAddress::new)?,
            sync_rule: self.sync_rule.get("configuration.sync_rule")?.into(),
            universe: UniverseSettings {
                sources: self.sources as usize,
                settle_ns: self.settle_ns,
                includes_previews: self.includes_previews.is_set(),
                on_loss,
            },
            merge: self.merge.get("configuration.merge")?.into(),
            answers_polls: self.answers_polls.is_set(),
            sacn_port: port("configuration.sacn_port", self.sacn_port, made.sacn_port)?,
            art_net_port: port("configuration.art_net_port", self.art_net_port, made.art_net_port)?,
            levels_per_second: self.levels_per_second,
            levels_limit: (self.levels_limit != 0).then_some(self.levels_limit),
            ..made
        })
    }
}

/// The universes of numbers and ranges.
fn universes<U: FromStr<Err = UniverseError>>(
    text: &str,
    number: fn(U) -> u16,
    make: fn(u32) -> Result<U, UniverseError>,
) -> Outcome<DmxError, Vec<U>> {
    let mut all = Vec::new();
    for range in ranges(text, number)? {
        // A list that is too long is not made.
        if all.len() + range.len() > 2 * DMX_RECEIVED_UNIVERSES {
            let got = all.len() + range.len();
            return Err(DmxError::UniverseCount { got }.into());
        }
        for number in range {
            all.push(make(number.into()).map_err(DmxError::Universe)?);
        }
    }
    Ok(all)
}

/// Numbers and ranges of universes.
pub(crate) fn ranges<U: FromStr<Err = UniverseError>>(
    text: &str,
    number: fn(U) -> u16,
) -> Outcome<DmxError, Vec<RangeInclusive<u16>>> {
    let items = text.split(',').filter(|item| !item.is_empty());
    let ranges = items.map(|item| {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let end = |text: &str| text.parse().map(number).map_err(DmxError::Universe);
        let range = end(first)?..=end(last)?;
        if range.is_empty() {
            let expected = "ranges of universes that ascend";
            return Err(CallFault::number("configuration", expected, u32::from(*range.end())).into());
        }
        Ok(range)
    });
    ranges.collect()
}
