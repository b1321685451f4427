//! What an SVG says.

/// The text nodes of an SVG, in the order in which they are written.
pub(crate) fn words(svg: &str) -> Vec<String> {
    let tree = roxmltree::Document::parse(svg).unwrap();
    let nodes = tree.descendants().filter(|node| node.has_tag_name("text"));
    nodes.map(|node| node.text().unwrap_or_default().to_string()).collect()
}
