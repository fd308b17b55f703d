//! The declaration of the C interface's records, and their conversion from an engine's values.

/// Declares records with the layout of C: `pub struct RustlePoint { … }`. One with a `Lent` or a `RustleString` in it is `pub
/// struct RustlePath lending memory { … }`: it is not `Copy`, since a copy might outlive the memory.
///
/// `pub struct RustlePoint for Point` is also made from a `Point`, and `pub struct RustlePoint in lanes of Point` from one in a
/// lane, with the `gap` before it. A field is converted by `into` from the value's field of the same name, or by a closure: `pub
/// degrees: f64 = |point| point.angle.to_degrees(),`. Padding is the last field, `reserved: u32,`, and is 0.
macro_rules! records {
    (@struct [$($about:tt)*] $name:ident {
        $($(#[$doc:meta])* pub $field:ident: $type:ty $(= |$of:ident| $from:expr)?,)+
        $(reserved: $reserved:ty,)?
    }) => {
        $($about)*
        #[repr(C)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)+
            $(/// 0.
            pub reserved: $reserved,)?
        }
    };
    (@declared [] [$($about:tt)*] $name:ident $body:tt) => {
        $crate::records::records!(@struct [$($about)* #[derive(Clone, Copy)]] $name $body);
    };
    (@declared [memory] $about:tt $name:ident $body:tt) => {
        $crate::records::records!(@struct $about $name $body);
    };
    (@made $native:ident $gap:ident {
        $($(#[$doc:meta])* pub $field:ident: $type:ty $(= |$of:ident| $from:expr)?,)+
        $(reserved: $reserved:ty,)?
    }) => {
        Self {
            $($field: $crate::records::records!(@field $native $gap $field $(= |$of| $from)?),)+
            $(reserved: <$reserved>::default(),)?
        }
    };
    (@field $native:ident $gap:ident gap) => { $gap };
    (@field $native:ident $gap:ident $field:ident) => { $native.$field.into() };
    (@field $native:ident $gap:ident $field:ident = |$of:ident| $from:expr) => {{ let $of = $native; $from }};
    (@from [] $name:ident $body:tt) => {};
    (@from [for $native:ident] $name:ident $body:tt) => {
        impl From<&$native> for $name {
            fn from(native: &$native) -> Self {
                $crate::records::records!(@made native gap $body)
            }
        }

        impl From<$native> for $name {
            fn from(native: $native) -> Self {
                Self::from(&native)
            }
        }
    };
    (@from [in lanes of $native:ident] $name:ident $body:tt) => {
        impl $crate::lane::LaneRecord<$native> for $name {
            #[inline]
            fn new(native: &$native, gap: u32) -> Self {
                $crate::records::records!(@made native gap $body)
            }
        }
    };
    ($(
        $(#[$about:meta])*
        pub struct $name:ident $(lending $lent:ident)? $(for $native:ident)? $(in lanes of $waiting:ident)? {
            $($body:tt)+
        }
    )+) => {$(
        $crate::records::records!(@declared [$($lent)?] [$(#[$about])*] $name { $($body)+ });
        $crate::records::records!(@from [$(for $native)? $(in lanes of $waiting)?] $name { $($body)+ });
    )+};
}
pub(crate) use records;
