//! Finds the fields of a schema in a JSON text while it is read, and skips the rest.

use crate::message::{Fields, SlotBits};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A place in a message: the slots of its value, and the places inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// A bit for each slot of [`Fields`] that the value goes to.
    slots: SlotBits,
    children: Vec<Child>,
}

#[derive(Clone, Debug)]
struct Child {
    name: Box<str>,
    /// The name as an index of an array.
    position: Option<usize>,
    node: Node,
}

impl Node {
    /// Adds slots to the place that `path` leads to; the empty path is the node itself.
    pub(super) fn add(&mut self, path: &str, slots: SlotBits) {
        if path.is_empty() {
            self.slots |= slots;
            return;
        }
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let known = self.children.iter().position(|child| &*child.name == name);
        let at = known.unwrap_or_else(|| {
            self.children.push(Child {
                name: name.into(),
                position: name.parse().ok(),
                node: Self::default(),
            });
            self.children.len() - 1
        });
        self.children[at].node.add(rest, slots);
    }
}

/// Reads one value: takes it, descends into it, or both.
pub(super) struct Within<'n, 'f, 'de> {
    pub(super) node: &'n Node,
    pub(super) fields: &'f mut Fields<'de>,
}

impl<'de> DeserializeSeed<'de> for Within<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.node.slots == 0 {
            return deserializer.deserialize_any(self);
        }
        let raw: &'de RawValue = serde::Deserialize::deserialize(deserializer)?;
        self.fields.set(self.node.slots, raw.get());
        // A schema may name a value and something inside it.
        if !self.node.children.is_empty() && raw.get().starts_with(['{', '[']) {
            let mut inside = serde_json::Deserializer::from_str(raw.get());
            return Deserializer::deserialize_any(&mut inside, self).map_err(D::Error::custom);
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Within<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(child) = entries.next_key_seed(Key(self.node))? {
            match child {
                Some(node) => entries.next_value_seed(Within {
                    node,
                    fields: self.fields,
                })?,
                None => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        for position in 0.. {
            let child = self
                .node
                .children
                .iter()
                .find(|child| child.position == Some(position));
            let element = match child {
                Some(Child { node, .. }) => elements.next_element_seed(Within {
                    node,
                    fields: self.fields,
                })?,
                None => elements.next_element::<IgnoredAny>()?.map(|_| ()),
            };
            if element.is_none() {
                break;
            }
        }
        Ok(())
    }

    // A value without contents where the schema expects a field: the field is absent.

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Reads a name in an object and finds its place.
struct Key<'n>(&'n Node);

impl<'de, 'n> DeserializeSeed<'de> for Key<'n> {
    type Value = Option<&'n Node>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for Key<'n> {
    type Value = Option<&'n Node>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let child = self.0.children.iter().find(|child| &*child.name == name);
        Ok(child.map(|child| &child.node))
    }
}
