//! The radios of sessions.

use super::bus::BusRadio;
use super::program::ProgramRadio;
use crate::job::PollContext;
use rustle_provisioning::{Radio, ScriptedRadio};

/// A radio of a session.
pub(super) enum Source {
    Bus(Box<BusRadio>),
    Program(ProgramRadio),
    /// Of the demonstration: there is nothing to disconnect.
    Demo(Box<ScriptedRadio>),
    #[cfg(test)]
    Scripted(Box<ScriptedRadio>),
}

impl Source {
    pub(super) fn radio(&mut self) -> &mut dyn Radio {
        match self {
            Self::Bus(radio) => &mut **radio,
            Self::Program(radio) => radio,
            Self::Demo(radio) => &mut **radio,
            #[cfg(test)]
            Self::Scripted(radio) => &mut **radio,
        }
    }

    /// Wakes the polled job from now on.
    pub(super) fn watch(&mut self, context: &PollContext<'_>) {
        match self {
            Self::Bus(radio) => radio.watch(context),
            Self::Program(radio) => radio.watch(context),
            _ => {}
        }
    }

    /// Whether it is the demonstration's.
    pub(super) fn is_demo(&self) -> bool {
        matches!(self, Self::Demo(_))
    }

    /// Whether it is the calling program.
    pub(super) fn is_program(&self) -> bool {
        matches!(self, Self::Program(_))
    }

    /// Whether it is of no use any more.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self, Self::Bus(radio) if radio.is_closed())
    }
}
