//! Picbreeder genome files: XML, or a zip with such XML. A file may hold a series, one generation
//! after the other; the last genome of it is the published one.
//!
//! Traps of the format (METHODS §1): a node's key is (branch, id) — with the branch dropped,
//! distinct nodes merge and false cycles appear; old files have one output, `ink`; outputs may
//! feed other nodes; activations are written `gaussian(x)`; files edited with cppnx have a second
//! root element and carry people's labels, which are kept. Input from strangers: sizes are capped,
//! document types that define entities are refused.

use super::{
    ConnectionGene, Genome, InnovationId, Input, Marking, NodeGene, NodeId, Output, Palette,
    Provenance, Role, SERIES,
};
use crate::base::hash::short_id;
use crate::base::refusal::Refusal;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{Cursor, Read, Write as _};

/// Largest XML text that is read, in bytes; the biggest known genome is under 0.1 MiB.
const LARGEST_XML: u64 = 16 << 20;

/// Most files of an archive that is read.
const MOST_ENTRIES: usize = 4096;

fn too_large() -> Refusal {
    let expected = format!("a genome of at most {LARGEST_XML} bytes");
    Refusal::new("", expected, "an entry that unpacks to more (a zip bomb?)")
}

/// The refusal of bytes that are no text.
pub(super) fn not_utf8(error: std::string::FromUtf8Error) -> Refusal {
    let at = error.utf8_error().valid_up_to();
    Refusal::new("", "UTF-8 text", format!("an invalid byte at {at}"))
}

/// A genome from a zip archive: the last, if there are several in its XML files.
///
/// # Errors
/// Not a zip, no XML in it, or over 16 MiB of it, or any error of [`from_picbreeder_xml`].
pub fn from_picbreeder_zip(bytes: &[u8]) -> Result<Genome, Refusal> {
    xml_of_several(&xml_in_zip(bytes)?, None)
}

/// The XML files in a zip archive, in its order, or its one file whatever its name. What the maker's system adds is left
/// out.
pub(super) fn xml_in_zip(bytes: &[u8]) -> Result<Vec<String>, Refusal> {
    let failed =
        |e: &dyn std::fmt::Display| Refusal::new("", "a zip archive", format!("other bytes: {e}"));
    let entries = |count| {
        let expected = format!("a zip with a genome's XML among at most {MOST_ENTRIES} files");
        Refusal::new("", expected, format!("{count} files"))
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| failed(&e))?;
    if archive.len() > MOST_ENTRIES {
        return Err(entries(archive.len()));
    }
    let is_own = |name: &str| {
        let mut parts = name.split('/');
        !name.ends_with('/') && !parts.any(|part| part == "__MACOSX" || part.starts_with("._"))
    };
    let names = archive.file_names().map(|name| name.map(String::from).map_err(|e| failed(&e)));
    let mut names = names.collect::<Result<Vec<_>, _>>()?;
    names.retain(|name| is_own(name));
    if names.len() != 1 {
        names.retain(|name| name.to_ascii_lowercase().ends_with(".xml"));
    }
    if names.is_empty() {
        return Err(entries(archive.len()));
    }
    let (mut texts, mut left) = (Vec::new(), LARGEST_XML);
    for name in names {
        let entry = archive.by_name(&name).map_err(|e| failed(&e))?;
        let mut xml = Vec::new();
        // The declared size can lie: count what really comes out.
        entry.take(left + 1).read_to_end(&mut xml).map_err(|e| failed(&e))?;
        left = left.checked_sub(xml.len() as u64).ok_or_else(too_large)?;
        texts.push(String::from_utf8(xml).map_err(not_utf8)?);
    }
    Ok(texts)
}

/// The genome as a zip archive with one entry.
///
/// # Errors
/// It reads inputs beside x, y, d and bias.
pub fn to_picbreeder_zip(genome: &Genome) -> Result<Vec<u8>, Refusal> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    // A fixed date: equal genomes give equal bytes.
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    zip.start_file("genome.xml", options).expect("writing to memory");
    zip.write_all(to_picbreeder_xml(genome)?.as_bytes()).expect("writing to memory");
    Ok(zip.finish().expect("writing to memory").into_inner())
}

/// A genome from Picbreeder XML: the last, if there are several.
///
/// Node and innovation ids are positions in the file; the original (branch, id) is kept as each
/// gene's [`Marking`]. Of several the note `series` says which: "9 of 9".
///
/// # Errors
/// Not well-formed, missing parts, unknown activation, dangling link, cycle, weight not finite.
pub fn from_picbreeder_xml(xml: &str) -> Result<Genome, Refusal> {
    in_document(xml, |root| {
        let all: Vec<Node> = genomes(root).collect();
        let genome = all.last().ok_or_else(|| content(root, "a <genome> element", "none"))?;
        in_series(genome_of(*genome)?, all.len(), all.len())
    })
}

/// The genome of this number, from 1, among those of all texts; by default the last.
pub(super) fn xml_of_several(texts: &[String], number: Option<&str>) -> Result<Genome, Refusal> {
    let mut counts = Vec::new();
    for xml in texts {
        counts.push(in_document(xml, |root| Ok(genomes(root).count()))?);
    }
    let count: usize = counts.iter().sum();
    let found = number.map_or(Some(count), |text| text.parse().ok());
    let mut place = match found.filter(|n| (1..=count).contains(n)) {
        Some(n) => n - 1,
        // Without any, the text itself says what it lacks.
        None if count == 0 => return from_picbreeder_xml(&texts[0]),
        None => {
            let expected = format!("the number of a genome, 1 to {count}");
            return Err(Refusal::new("", expected, format!("{:?}", number.unwrap_or_default())));
        }
    };
    let chosen = place + 1;
    let text = counts.iter().position(|n| {
        let is_here = place < *n;
        place -= if is_here { 0 } else { *n };
        is_here
    });
    let genome = in_document(&texts[text.expect("counted above")], |root| {
        genome_of(genomes(root).nth(place).expect("counted above"))
    })?;
    in_series(genome, chosen, count)
}

/// The genome, saying its number among those of its file.
fn in_series(mut genome: Genome, number: usize, count: usize) -> Result<Genome, Refusal> {
    if count > 1 {
        genome.provenance.notes.insert(SERIES.into(), format!("{number} of {count}"));
    }
    Ok(genome)
}

fn genomes<'a, 'i>(root: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    root.descendants().filter(|n| n.has_tag_name("genome"))
}

/// What `read` says of the root element of the XML.
fn in_document<T>(xml: &str, read: impl FnOnce(Node) -> Result<T, Refusal>) -> Result<T, Refusal> {
    if xml.len() as u64 > LARGEST_XML {
        return Err(too_large());
    }
    // Some files have two root elements. Wrapped into one they are well-formed; what stands before a root may not
    // stand inside an element, so it is left out (keeping line numbers).
    let xml = xml.trim_start_matches('\u{feff}');
    let (before, body) = xml.split_at(prolog(xml)?);
    few_attributes(body)?;
    let wrapped = format!("<file>{}{body}</file>", "\n".repeat(before.matches('\n').count()));
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: 2_000_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&wrapped, options)
        .map_err(|e| Refusal::other_text("well-formed XML", e))?;
    read(document.root_element())
}

fn genome_of(genome: Node) -> Result<Genome, Refusal> {
    let names: BTreeMap<&str, &str> = genome
        .descendants()
        .filter(|n| n.has_tag_name("colorButton"))
        .filter_map(|b| {
            Some((child(b, "color-label")?.attribute("id")?, child(b, "text")?.text()?.trim()))
        })
        .collect();
    let labels = |gene: Node| -> Vec<String> {
        let colour = child(gene, "color-label")
            .and_then(|c| c.attribute("id"))
            .and_then(|id| names.get(id))
            .copied();
        // Picbreeder has one, what we write as many as there are.
        let texts = gene.children().filter(|n| n.has_tag_name("text")).filter_map(|t| t.text());
        let texts = texts.map(|text| text.trim().trim_matches('"'));
        let mut found: Vec<String> = Vec::new();
        for label in colour.into_iter().chain(texts).filter(|l| !l.is_empty()) {
            if !found.iter().any(|f| f == label) {
                found.push(label.to_string());
            }
        }
        found
    };

    let (mut ids, mut offsets) = (BTreeMap::new(), BTreeMap::new());
    let mut built = Genome {
        graph: Default::default(),
        nodes: BTreeMap::new(),
        connections: BTreeMap::new(),
        provenance: provenance(genome),
        palette: Palette::Free,
    };
    let nodes = child(genome, "nodes").ok_or_else(|| content(genome, "a <nodes> list", "none"))?;
    for (position, node) in nodes.children().filter(|n| n.has_tag_name("node")).enumerate() {
        let marking = marking(node, "marking")?;
        let id = NodeId(position as u32);
        if ids.insert(marking, id).is_some() {
            return Err(content(
                node,
                "each (branch, id) once among the nodes",
                &format!("{}_{} again", marking.branch, marking.id),
            ));
        }
        let role = role(node)?;
        if let Some(offset) = offset(node, role)? {
            offsets.insert(id, offset);
        }
        let gene = NodeGene {
            id,
            role,
            activation: activation(node)?,
            labels: labels(node),
            marking: Some(marking),
        };
        built.take_node(gene).map_err(|refusal| refusal.within(at_line(node)))?;
    }

    let links = child(genome, "links").ok_or_else(|| content(genome, "a <links> list", "none"))?;
    let links = || links.children().filter(|n| n.has_tag_name("link"));
    let refuse = |link: Node, refusal: Refusal| {
        let end = |tag| marking(link, tag).map_or("?".into(), |m| format!("{}_{}", m.branch, m.id));
        let ends = format!("{} -> {}", end("source"), end("target"));
        refusal.within(format!("{} (branch_id of the ends: {ends})", at_line(link)))
    };
    // A node's bias adds to its sum, as a link from the bias does.
    let bias = built.nodes().find(|n| n.role == Role::Input(Input::Bias)).map(|n| n.id);
    let mut pairs = BTreeSet::new();
    for (position, link) in links().enumerate() {
        let (source, target) = (marking(link, "source")?, marking(link, "target")?);
        let end = |m: Marking| {
            ids.get(&m).copied().ok_or_else(|| {
                content(
                    link,
                    "both ends of the link among the nodes",
                    &format!("a dangling link to (branch {}, id {})", m.branch, m.id),
                )
            })
        };
        let weight_text = child(link, "weight").and_then(|w| w.text()).unwrap_or("").trim();
        let weight: f64 = weight_text
            .parse()
            .map_err(|_| content(link, "a number as <weight>", &format!("{weight_text:?}")))?;
        let (source, target) = (end(source)?, end(target)?);
        let offset = (Some(source) == bias).then(|| offsets.remove(&target)).flatten();
        let gene = ConnectionGene {
            labels: labels(link),
            marking: Some(marking(link, "marking")?),
            ..ConnectionGene::new(
                InnovationId(position as u64),
                source,
                target,
                weight + offset.unwrap_or(0.0),
            )
        };
        built.take_connection(gene, &mut pairs).map_err(|error| refuse(link, error))?;
    }
    for ((target, weight), number) in offsets.into_iter().zip(links().count() as u64..) {
        if let Some(bias) = bias {
            let gene = ConnectionGene::new(InnovationId(number), bias, target, weight);
            built.take_connection(gene, &mut pairs)?;
        }
    }
    if let Some(gene) = built.first_cycle() {
        let link = links().nth(gene.innovation.0 as usize).expect("numbered by position");
        return Err(refuse(link, super::cycle(gene.source, gene.target)));
    }
    built.check_complete()?;
    Ok(built)
}

/// The genome as Picbreeder XML. Genes without a Picbreeder origin get a branch of their own.
///
/// # Errors
/// It reads inputs beside x, y, d and bias.
pub fn to_picbreeder_xml(genome: &Genome) -> Result<String, Refusal> {
    genome.ensure_plain_inputs()?;
    let taken = |m: &Option<Marking>| m.map_or(0, |m| m.branch + 1);
    let own_branch = genome
        .nodes()
        .map(|n| taken(&n.marking))
        .chain(genome.connections().map(|c| taken(&c.marking)))
        .max()
        .unwrap_or(0);
    let node_marking = |id: NodeId| {
        genome
            .node(id)
            .and_then(|n| n.marking)
            .unwrap_or(Marking { branch: own_branch, id: u64::from(id.0) })
    };
    let age = genome.provenance.generations.map_or("unknown".to_string(), |g| g.to_string());
    let phenotype = if genome.is_colour() { "color" } else { "grey" };
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<data version=\"1.0\">\n",
    );
    let mut put = |line: std::fmt::Arguments| writeln!(xml, "{line}").expect("strings take text");
    put(format_args!("  <genome age=\"{age}\" phenotype=\"{phenotype}\">"));
    put(format_args!("    <nodes count=\"{}\">", genome.nodes().len()));
    for node in genome.nodes() {
        let (kind, label) = match node.role {
            Role::Input(i) => ("in", i.to_string()),
            Role::Output(o) => ("out", o.name().into()),
            Role::Hidden => ("hidden", String::new()),
        };
        let m = node_marking(node.id);
        put(format_args!("      <node label=\"{label}\" type=\"{kind}\">"));
        put(format_args!("        <marking branch=\"{}\" id=\"{}\"/>", m.branch, m.id));
        put(format_args!("        <activation>{}(x)</activation>", node.activation));
        for label in &node.labels {
            put(format_args!("        <text>{}</text>", escape(label)));
        }
        put(format_args!("      </node>"));
    }
    put(format_args!(
        "    </nodes>\n    <links count=\"{}\">",
        genome.connections().filter(|c| c.enabled).count()
    ));
    for link in genome.connections().filter(|c| c.enabled) {
        let m = link.marking.unwrap_or(Marking { branch: own_branch, id: link.innovation.0 });
        let (s, t) = (node_marking(link.source), node_marking(link.target));
        put(format_args!(
            "      <link>\n        <marking branch=\"{}\" id=\"{}\"/>",
            m.branch, m.id
        ));
        put(format_args!("        <source branch=\"{}\" id=\"{}\"/>", s.branch, s.id));
        put(format_args!("        <target branch=\"{}\" id=\"{}\"/>", t.branch, t.id));
        put(format_args!("        <weight>{}</weight>", link.weight));
        for label in &link.labels {
            put(format_args!("        <text>{}</text>", escape(label)));
        }
        put(format_args!("      </link>"));
    }
    put(format_args!("    </links>\n  </genome>\n</data>"));
    Ok(xml)
}

fn provenance(genome: Node) -> Provenance {
    let name = |n: Node| {
        let id = child(n, "identifier").unwrap_or(n);
        Some(format!("{}_{}", id.attribute("branch")?, id.attribute("id")?))
    };
    let identifiers = child(genome, "parents")
        .into_iter()
        .flat_map(|p| p.children())
        .filter(|n| n.has_tag_name("identifier"));
    Provenance {
        name: name(genome).unwrap_or_default(),
        made_by: "imported from a Picbreeder file".to_string(),
        seed: None,
        generations: genome.attribute("age").and_then(|a| a.parse().ok()),
        parents: identifiers
            .filter_map(|n| Some(format!("{}_{}", n.attribute("branch")?, n.attribute("id")?)))
            .collect(),
        notes: BTreeMap::new(),
    }
}

/// Most attributes on one element; Picbreeder's have four.
const MOST_ATTRIBUTES: usize = 64;

/// Length of the comment, text or instruction that begins here; 0: none does. Quotes in them mean nothing.
fn without_attributes(xml: &[u8]) -> usize {
    let ends: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];
    let found = ends.iter().find(|(begin, _)| xml.starts_with(begin));
    found.map_or(0, |(begin, end)| {
        let place = xml[begin.len()..].windows(end.len()).position(|w| w == *end);
        place.map_or(xml.len(), |n| begin.len() + n + end.len())
    })
}

/// Length of what stands before the root element: the declaration, comments, and a document type, which says nothing
/// that is read here.
fn prolog(xml: &str) -> Result<usize, Refusal> {
    let (bytes, mut at) = (xml.as_bytes(), 0);
    loop {
        at += xml[at..].len() - xml[at..].trim_start().len();
        at += match without_attributes(&bytes[at..]) {
            0 if xml[at..].starts_with("<!DOCTYPE") => document_type(xml, at)?,
            0 => return Ok(at),
            length => length,
        };
    }
}

/// Length of the document type that begins here. One that defines entities is refused: they can stand for anything.
fn document_type(xml: &str, start: usize) -> Result<usize, Refusal> {
    let rest = &xml.as_bytes()[start..];
    let refuse = |found: &str| {
        let line = 1 + xml[..start].matches('\n').count();
        let expected = "a DOCTYPE that defines no entities, or none";
        Err(Refusal::new(format!("line {line}"), expected, found))
    };
    let (mut at, mut quote, mut depth) = (0, None, 0_usize);
    while let Some(&byte) = rest.get(at) {
        let skipped = if quote.is_none() { without_attributes(&rest[at..]) } else { 0 };
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'<') if rest[at..].starts_with(b"<!ENTITY") => return refuse("an <!ENTITY>"),
            (None, b'<') if skipped == 0 => depth += 1,
            (None, b'>') if depth == 1 => return Ok(at + 1),
            (None, b'>') => depth -= 1,
            _ => {}
        }
        at += skipped.max(1);
    }
    refuse("one that does not end")
}

/// Refuses an element with very many attributes: the parser compares each with all before it.
fn few_attributes(xml: &str) -> Result<(), Refusal> {
    let (mut line, mut count, mut inside, mut quote) = (1, 0, false, None);
    let mut skipped = 0;
    for (at, byte) in xml.bytes().enumerate() {
        line += u32::from(byte == b'\n');
        if at >= skipped && !inside && byte == b'<' {
            skipped = at + without_attributes(&xml.as_bytes()[at..]);
        }
        if at < skipped {
            continue;
        }
        match (inside, quote, byte) {
            (true, Some(open), _) if byte == open => quote = None,
            (true, Some(_), _) => {}
            (true, None, b'"' | b'\'') => (quote, count) = (Some(byte), count + 1),
            (true, None, b'>') => inside = false,
            (false, _, b'<') => (inside, count, quote) = (true, 0, None),
            _ => {}
        }
        if count > MOST_ATTRIBUTES {
            let expected = format!("at most {MOST_ATTRIBUTES} attributes on an element");
            return Err(Refusal::new(format!("line {line}"), expected, "more"));
        }
    }
    Ok(())
}

fn role(node: Node) -> Result<Role, Refusal> {
    let label = node.attribute("label").unwrap_or("");
    match node.attribute("type") {
        Some("hidden") => Ok(Role::Hidden),
        Some("in") => Input::OF_PIXEL
            .into_iter()
            .find(|i| i.to_string() == label)
            .map(Role::Input)
            .ok_or_else(|| {
                content(node, "an input labelled x, y, d or bias", &format!("{label:?}"))
            }),
        Some("out") => [Output::Hue, Output::Saturation, Output::Brightness, Output::Ink]
            .into_iter()
            .find(|o| o.name() == label)
            .map(Role::Output)
            .ok_or_else(|| {
                content(
                    node,
                    "an output labelled hue, saturation, brightness or ink",
                    &format!("{label:?}"),
                )
            }),
        other => Err(content(node, "type in, hidden or out", &format!("{other:?}"))),
    }
}

/// The bias of a node, if it is not 0.
fn offset(node: Node, role: Role) -> Result<Option<f64>, Refusal> {
    let text = node.attribute("bias").unwrap_or("0").trim();
    let offset = text.parse().ok().filter(|offset: &f64| offset.is_finite());
    let refuse = |expected| Err(content(node, expected, &format!("{text:?}")));
    match (offset, role) {
        (None, _) => refuse("a number as bias of a node"),
        (Some(0.0), _) => Ok(None),
        (_, Role::Input(_)) => refuse("bias 0 of an input"),
        (offset, _) => Ok(offset),
    }
}

fn activation(node: Node) -> Result<crate::math::Activation, Refusal> {
    let text = child(node, "activation").and_then(|a| a.text()).unwrap_or("").trim();
    let name = text.strip_suffix("(x)").unwrap_or(text);
    name.parse().map_err(|refusal: Refusal| refusal.within(at_line(node)))
}

fn marking(parent: Node, tag: &str) -> Result<Marking, Refusal> {
    let element = child(parent, tag)
        .ok_or_else(|| content(parent, &format!("a <{tag}> with branch and id"), "none"))?;
    let number = |name: &str| match element.attribute(name).map_or("", str::trim) {
        "" => Err(content(element, &format!("{name} of <{tag}>"), "none")),
        text => Ok(text.parse().unwrap_or_else(|_| of_text(text))),
    };
    Ok(Marking { branch: number("branch")?, id: number("id")? })
}

/// The number of a name: a series that is not published has a word as its branch. Above those that Picbreeder gave.
fn of_text(text: &str) -> u64 {
    let hash = u64::from_str_radix(&short_id(text)[..7], 16).expect("hexadecimal digits");
    (1 << 30) | hash
}

fn child<'a, 'i>(parent: Node<'a, 'i>, tag: &str) -> Option<Node<'a, 'i>> {
    parent.children().find(|n| n.has_tag_name(tag))
}

fn at_line(node: Node) -> String {
    format!("line {}", node.document().text_pos_at(node.range().start).row)
}

fn content(node: Node, expected: &str, found: &str) -> Refusal {
    Refusal::new(at_line(node), expected, found)
}

/// A text as XML has it; control characters, which it cannot have, become the replacement character.
fn escape(text: &str) -> String {
    text.replace(|c: char| c.is_control() && !c.is_whitespace(), "\u{fffd}")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
