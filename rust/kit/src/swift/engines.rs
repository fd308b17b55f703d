//! Writes `Engines.swift`: the engines whose sessions need nothing but a lane.

use super::{camel, head, native};
use crate::model::{Does, Interface, number_name};
use std::fmt::Write;

/// `Engines.swift`: the engines that a request for a lane starts.
pub(crate) fn text(interface: &Interface) -> String {
    let mut out = head("The engines whose sessions need nothing but a lane.");
    for verb in interface.verbs() {
        let Does::Start {
            request,
            record: Some(record),
            ..
        } = &verb.does
        else {
            continue;
        };
        let made = interface.verbs().find_map(|made| match &made.does {
            Does::New { configuration, .. } if made.object == verb.object => {
                Some((&made.name, configuration))
            }
            _ => None,
        });
        let Some((new, configuration)) = made.filter(|_| request == "RustleLaneRequest") else {
            continue;
        };
        let (name, element) = (camel(&format!("native_{}", verb.object)), native(record));
        let name = name.replacen("native", "Native", 1);
        let _ = writeln!(
            out,
            "/// A native {}.\npackage typealias {name} = NativeEngine<{element}>\n\nextension NativeEngine<{element}> {{\n  \
             /// - Parameter runtime: a manual one for tests; nil for the one that all engines share.\n  \
             package init(_ configuration: {}, runtime: NativeRuntime? = nil) throws(NativeError) {{\n    \
             var configuration = configuration\n    configuration.runtime = runtime?.raw ?? 0\n    \
             try self.init({}, NativeLanes({}), configuration, runtime)\n  }}\n}}\n",
            verb.object,
            native(configuration),
            number_name("new", new),
            number_name("start", &verb.name),
        );
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}
