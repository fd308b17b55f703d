//! XML that others wrote.

use super::{ImportError, check_size, wrong};
use roxmltree::{Document, Node, ParsingOptions};

/// The most elements, attributes' owners and texts of a document.
const MAX_NODES: u32 = 500_000;

/// A document. Its type may be declared, but no entities: some grow without bound, and no fixture needs them.
pub(super) fn document(bytes: &[u8]) -> Result<&str, ImportError> {
    check_size(bytes)?;
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ImportError::Syntax(format!("expected UTF-8, {error}")))?;
    let text = text.trim_start_matches('\u{feff}');
    if text.contains("<!ENTITY") {
        return Err(ImportError::Syntax(
            "expected no declared entities, got one".to_owned(),
        ));
    }
    Ok(text)
}

/// The document of a text.
pub(super) fn parse(text: &str) -> Result<Document<'_>, ImportError> {
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MAX_NODES,
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| ImportError::Syntax(format!("expected XML, got {error}")))?;
    let root = document.root_element();
    // The parser takes the end of a file for that of its elements.
    let last = text
        .rfind("</")
        .map(|at| text[at + 2..].split('>').next().unwrap_or_default());
    let last = last.and_then(|name| name.trim().rsplit(':').next());
    if root.has_children() && last != Some(root.tag_name().name()) {
        return Err(ImportError::Syntax(
            "expected the end of the root element, got the end of the file".to_owned(),
        ));
    }
    Ok(document)
}

/// The elements of a name within another one, whatever its namespace.
pub(super) fn children<'a, 'd: 'a>(
    node: Node<'a, 'd>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'd>> + 'a {
    node.children()
        .filter(move |child| child.tag_name().name() == name)
}

pub(super) fn child<'a, 'd: 'a>(node: Node<'a, 'd>, name: &'a str) -> Option<Node<'a, 'd>> {
    children(node, name).next()
}

/// The text of an element without the space around it; empty for none.
pub(super) fn text<'a>(node: Option<Node<'a, '_>>) -> &'a str {
    node.and_then(|node| node.text()).unwrap_or_default().trim()
}

/// An attribute that must be there.
pub(super) fn attribute<'a>(node: Node<'a, '_>, path: &str, name: &str) -> Result<&'a str, ImportError> {
    node.attribute(name)
        .ok_or_else(|| wrong(&format!("{path}@{name}"), "a text", "nothing"))
}

/// An attribute that is a number, or nothing.
pub(super) fn number(node: Option<Node<'_, '_>>, name: &str) -> Option<f32> {
    let number: f32 = node?.attribute(name)?.trim().parse().ok()?;
    number.is_finite().then_some(number)
}
