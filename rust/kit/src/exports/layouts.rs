//! The layout table, and the assertions about layouts and constants.

use crate::layout;
use crate::model::{Constant, Interface};
use std::fmt::Write;

/// Writes the layout table, and the assertion that the generator and the compiler agree about layouts and constants.
pub(super) fn write(interface: &Interface, out: &mut String) {
    let mut entries = String::new();
    let (mut asserted, mut values) = (String::new(), String::new());
    for module in &interface.modules {
        for Constant { name, value, .. } in &module.constants {
            let _ = writeln!(
                values,
                "    assert!(crate::{}::{name} as i128 == {value});",
                module.name
            );
        }
    }
    for record in interface.records() {
        let name = &record.name;
        let layout = layout::of_record(interface, record);
        let layout::Size { bytes, alignment } = layout.size;
        let _ = writeln!(
            entries,
            "    entry(c{name:?}, None, size_of::<{name}>(), align_of::<{name}>(), 0),"
        );
        let _ = writeln!(
            asserted,
            "    assert!(size_of::<{name}>() == {bytes} && align_of::<{name}>() == {alignment});"
        );
        for (field, offset) in record.fields.iter().zip(&layout.offsets) {
            let field = &field.name;
            let _ = writeln!(
                entries,
                "    entry(c{name:?}, Some(c{field:?}), 0, 0, offset_of!({name}, {field})),"
            );
            let _ = writeln!(asserted, "    assert!(offset_of!({name}, {field}) == {offset});");
        }
    }
    let _ = writeln!(
        out,
        "const fn entry(record: &'static CStr, field: Option<&'static CStr>, size: usize, alignment: usize, offset: usize) -> RustleLayoutEntry {{\n    \
         let field: *const c_char = match field {{ Some(field) => field.as_ptr(), None => std::ptr::null() }};\n    \
         RustleLayoutEntry {{ record: record.as_ptr(), field, size, alignment, offset }}\n}}\n\n\
         /// The layout of every record, each followed by its fields.\n\
         pub(crate) static LAYOUT: &[RustleLayoutEntry] = &[\n{entries}];\n\n\
         #[cfg(target_pointer_width = \"64\")]\nconst _: () = {{\n{asserted}}};\n\
         const _: () = {{\n{values}}};"
    );
}
