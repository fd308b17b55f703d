//! Memory whose size a caller chooses.

use crate::engine::StartError;
use crate::runtime::RuntimeError;

/// An empty list with room for `count` elements, the number that `argument` asks for. An allocation that fails elsewhere ends the
/// process.
///
/// # Errors
/// [`RuntimeError::Memory`].
pub(crate) fn room<T>(argument: &'static str, count: usize) -> Result<Vec<T>, StartError> {
    let mut list = Vec::new();
    let bytes = count.saturating_mul(size_of::<T>());
    let refused = |_| StartError::Runtime(RuntimeError::Memory { argument, bytes });
    list.try_reserve_exact(count).map_err(refused)?;
    Ok(list)
}

/// As [`room`], filled with default elements.
///
/// # Errors
/// As [`room`].
pub(crate) fn filled<T: Default>(argument: &'static str, count: usize) -> Result<Box<[T]>, StartError> {
    let mut list = room(argument, count)?;
    list.resize_with(count, T::default);
    Ok(list.into())
}
