//! Enumerations whose cases have names in files.

/// Declares an enumeration with `ALL`, `name` and `named`.
macro_rules! named {
    ($(#[$attribute:meta])* pub enum $type:ident { $($(#[$doc:meta])* $case:ident => $name:literal,)+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$doc])* $case,)+ }

        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$case,)+];

            /// The name in files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$case => $name,)+ }
            }

            /// The one of a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|each| each.name() == name)
            }
        }
    };
}

pub(crate) use named;
