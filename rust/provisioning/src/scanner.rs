//! The list of a scanner.

use crate::advertisement::Advertisement;
use crate::flag::Flag;
use std::time::Duration;

/// After this time without an advertisement a node is gone.
pub const GONE_AFTER: Duration = Duration::from_secs(10);
/// The most nodes of a list; further ones wait until one is gone.
pub const MOST_NODES: usize = 1_024;
/// The signal is an average over about this time: single advertisements differ by 10 dB at the same place.
const SMOOTHING: Duration = Duration::from_secs(1);
/// A change of the signal alone is reported at most this often.
const PAUSE: Duration = Duration::from_millis(250);

/// What happened to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeChange {
    /// It is new.
    Appeared,
    /// Its name, flag, firmware or signal changed, or it was seen again.
    Changed,
    /// It was not seen for [`GONE_AFTER`].
    Gone,
}

/// A node of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What the radio calls it.
    pub id: String,
    /// Its name; empty: none.
    pub name: String,
    /// Its signal in dBm, smoothed.
    pub rssi: f32,
    /// Its flag, if it advertises it.
    pub flag: Option<Flag>,
    /// Its firmware's major and minor version, if it advertises them.
    pub firmware: Option<(u8, u8)>,
    /// When it was last seen.
    pub last_seen: Duration,
    reported: Duration,
}

/// The nodes that are in range. A node keeps its place while it is there.
#[derive(Clone, Debug, Default)]
pub struct NodeList {
    places: Vec<Option<Node>>,
}

impl NodeList {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// The nodes with their places, 0 to [`MOST_NODES`] - 1.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Node)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(place, node)| Some((place, node.as_ref()?)))
    }

    /// Takes an advertisement. Returns the change to report and its place, if there is one.
    pub fn see(&mut self, seen: &Advertisement, now: Duration) -> Option<(NodeChange, usize)> {
        let heard = f32::from(seen.rssi?);
        let flag = seen.state.map(|state| Flag::of(state[0]));
        let firmware = seen.state.map(|state| (state[1], state[2]));
        let known = self.places.iter_mut().enumerate();
        let known = known.filter_map(|(place, node)| Some((place, node.as_mut()?)));
        if let Some((place, node)) = known.into_iter().find(|(_, node)| node.id == seen.id) {
            let elapsed = now.saturating_sub(node.last_seen).as_secs_f32();
            node.rssi += (heard - node.rssi) * (1.0 - (-elapsed / SMOOTHING.as_secs_f32()).exp());
            node.last_seen = now;
            let mut is_news = now.saturating_sub(node.reported) >= PAUSE;
            // An advertisement without a part does not revoke it: scan responses carry the rest.
            if !seen.name.is_empty() && seen.name != node.name {
                node.name.clone_from(&seen.name);
                is_news = true;
            }
            if flag.is_some() && (flag, firmware) != (node.flag, node.firmware) {
                (node.flag, node.firmware) = (flag, firmware);
                is_news = true;
            }
            if is_news {
                node.reported = now;
            }
            return is_news.then_some((NodeChange::Changed, place));
        }
        let free = self.places.iter().position(Option::is_none);
        let place = free.unwrap_or(self.places.len());
        if place >= MOST_NODES {
            return None;
        }
        if place == self.places.len() {
            self.places.push(None);
        }
        self.places[place] = Some(Node {
            id: seen.id.clone(),
            name: seen.name.clone(),
            rssi: heard,
            flag,
            firmware,
            last_seen: now,
            reported: now,
        });
        Some((NodeChange::Appeared, place))
    }

    /// Removes a node that is gone by now, with its place; to be called until there is none.
    pub fn take_gone(&mut self, now: Duration) -> Option<(usize, Node)> {
        let is_gone = |node: &Node| now.saturating_sub(node.last_seen) >= GONE_AFTER;
        let place = self
            .places
            .iter()
            .position(|node| node.as_ref().is_some_and(is_gone))?;
        Some((place, self.places[place].take()?))
    }

    /// When the next node is gone if it is not seen.
    pub fn deadline(&self) -> Option<Duration> {
        self.nodes().map(|(_, node)| node.last_seen + GONE_AFTER).min()
    }

    /// The node at a place.
    pub fn node(&self, place: usize) -> Option<&Node> {
        self.places.get(place)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(id: &str, rssi: i16) -> Advertisement {
        Advertisement {
            id: id.to_owned(),
            name: "lamp".to_owned(),
            rssi: Some(rssi),
            state: Some([0, 1, 2]),
        }
    }

    const fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn signal_is_smoothed_over_about_a_second() {
        let mut list = NodeList::new();
        assert_eq!(list.see(&seen("a", -40), at(0)), Some((NodeChange::Appeared, 0)));
        // One advertisement of 10 dB less, soon after, moves it by a dB.
        assert_eq!(list.see(&seen("a", -50), at(100)), None);
        let rssi = list.node(0).expect("there").rssi;
        assert!((rssi + 40.95).abs() < 0.01, "{rssi}");
        for turn in 2..60 {
            list.see(&seen("a", -50), at(turn * 100));
        }
        let rssi = list.node(0).expect("there").rssi;
        assert!((rssi + 50.0).abs() < 0.1, "{rssi}");
    }

    #[test]
    fn changes_are_reported_at_once_and_signals_four_times_a_second() {
        let mut list = NodeList::new();
        list.see(&seen("a", -40), at(0));
        let reports = (1..=100).filter(|turn| list.see(&seen("a", -41), at(turn * 10)).is_some());
        assert_eq!(reports.count(), 4);
        let mut news = seen("a", -41);
        news.state = Some([1, 1, 2]);
        assert_eq!(list.see(&news, at(1_010)), Some((NodeChange::Changed, 0)));
        assert_eq!(list.node(0).and_then(|node| node.flag), Some(Flag::Provisioned));
        (news.name, news.state) = (String::new(), None);
        assert_eq!(list.see(&news, at(1_020)), None);
        let node = list.node(0).expect("there");
        assert_eq!((node.name.as_str(), node.flag), ("lamp", Some(Flag::Provisioned)));
    }

    #[test]
    fn node_is_gone_after_ten_seconds_and_its_place_is_free() {
        let mut list = NodeList::new();
        list.see(&seen("a", -40), at(0));
        list.see(&seen("b", -40), at(1));
        assert_eq!(list.deadline(), Some(at(10_000)));
        assert_eq!(list.take_gone(at(9_999)), None);
        assert_eq!(
            list.take_gone(at(10_000)).map(|(place, node)| (place, node.id)),
            Some((0, "a".to_owned()))
        );
        assert_eq!(list.take_gone(at(10_000)), None);
        assert_eq!(
            list.see(&seen("c", -40), at(10_000)),
            Some((NodeChange::Appeared, 0))
        );
        assert_eq!(list.nodes().count(), 2);
    }

    #[test]
    fn node_that_is_only_remembered_is_not_in_range() {
        let mut list = NodeList::new();
        assert_eq!(
            list.see(
                &Advertisement {
                    rssi: None,
                    ..seen("a", 0)
                },
                at(0)
            ),
            None
        );
        assert_eq!(list.nodes().count(), 0);
    }

    #[test]
    fn list_has_an_end() {
        let mut list = NodeList::new();
        for number in 0..MOST_NODES + 10 {
            list.see(&seen(&number.to_string(), -40), at(0));
        }
        assert_eq!(list.nodes().count(), MOST_NODES);
    }
}
