//! `picloom genome list|info|render|convert|layerize|compose`.

use super::names::one_of;
use super::output::Output;
use super::render::PictureArgs;
use crate::base::files::write_atomic;
use crate::base::refusal::Refusal;
use crate::base::text::portable;
use crate::genome::{self, Collection, Composed, GenomeInfo};
use crate::network::transform::parts;
use crate::network::weight_files::write_weights;
use crate::network::{Coords, Model, Transform, Wiring, holdable, layerize, read_genome};
use crate::score::measures::one_coordinate::{PARTS, one_coordinate};
use clap::{Args, Subcommand};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct GenomeArgs {
    #[command(subcommand)]
    command: GenomeCommand,
}

#[derive(Subcommand)]
enum GenomeCommand {
    /// List the genomes that come with the program: their names stand wherever a genome is asked for
    List,
    /// Count its nodes and links, and the layered network it becomes
    Info {
        /// Genome file (.json, .zip, .xml), or one that comes with the program
        file: PathBuf,
    },
    /// Draw it (256 pixels a side without --size)
    Render {
        /// Genome file (.json, .zip, .xml)
        file: PathBuf,
        /// Coordinate convention
        #[arg(long, default_value = "fer", value_parser = one_of::<Coords>())]
        coords: Coords,
        #[command(flatten)]
        picture: PictureArgs,
    },
    /// Convert by extension: .json (own), .vlm.json (picbreeder-vlm), .zip/.xml (Picbreeder), .dot (Graphviz, write only)
    Convert {
        /// Genome file to read
        input: PathBuf,
        /// File to write
        output: PathBuf,
    },
    /// Assemble a picture from labelled parts: a network whose organisation is known
    Compose {
        /// What it shows
        #[arg(value_parser = one_of::<Composed>())]
        kind: Composed,
        /// Seed of places, sizes and colours
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// With two factors, z1 and z2, that move two of its parts: a family of pictures
        #[arg(long)]
        conditional: bool,
        /// Genome file to write (.json)
        #[arg(long)]
        out: PathBuf,
    },
    /// Write the weights of the layered network that draws the same picture
    Layerize {
        /// Genome file (.json, .zip, .xml)
        file: PathBuf,
        /// First reorganise it: permute, duplicate:K, insert:N, rescale, mix:DEG, split:R and mix-parts:DEG keep the
        /// picture, shuffle and redraw do not (docs/SPEC.md)
        #[arg(long)]
        transform: Option<Transform>,
        /// Seed of what is random in that
        #[arg(long, default_value_t = 0, requires = "transform")]
        seed: u64,
        /// Weights file to write (.npz or .safetensors)
        #[arg(long)]
        out: PathBuf,
    },
}

pub(super) fn run(args: GenomeArgs, out: &Output) -> anyhow::Result<()> {
    match args.command {
        GenomeCommand::List => list(out),
        GenomeCommand::Info { file } => info(&file, out),
        GenomeCommand::Render { file, coords, picture } => {
            let genome = genome::read(&file)?;
            let model = Model::of_genome(&genome, Wiring::Graph);
            let of = (&*portable(&file), &model, coords, genome.palette);
            picture.write(of, 256, ("picloom genome render", "genome"), out)
        }
        GenomeCommand::Convert { input, output } => {
            let genome = genome::read(&input)?;
            let bytes = genome::bytes_for(&genome, &output)?;
            let is_vlm = output.to_string_lossy().ends_with(".vlm.json");
            let is_own = output.extension().is_some_and(|end| end == "json") && !is_vlm;
            if !is_own && !genome.palette.is_free() {
                let palette = genome.palette;
                out.note(&format!("the palette {palette} is left out: this format has none"));
            }
            write_atomic(&output, &bytes)?;
            wrote(&output, out)
        }
        GenomeCommand::Compose { kind, seed, conditional, out: path } => {
            require_extension(&path, &["json"])?;
            let genome = if conditional { kind.conditional(seed) } else { kind.genome(seed) };
            write_atomic(&path, genome::to_json(&genome).as_bytes())?;
            wrote(&path, out)
        }
        GenomeCommand::Layerize { file, transform, seed, out: path } => {
            require_extension(&path, &["npz", "safetensors"])?;
            let genome = read_genome(&file, Wiring::Layerized)?;
            let layered = layerize(&genome);
            let labels = parts(&genome, &layered);
            let mut model = Model::new(layered.network, layered.weights);
            if let Some(transform) = transform {
                model = transform.apply(&model, &labels, seed)?;
            }
            write_weights(&path, &model.network, &model.weights)?;
            let arch = model.network.arch.as_ref().expect("layerizing gives an arch");
            let (weights, nonzero) = (model.network.weight_count(), model.non_zero());
            let written = path.display().to_string();
            let text =
                format!("{arch}: {weights} weights, {nonzero} of them non-zero\nwrote {written}");
            let json = json!({
                "arch": arch.to_string(), "dense_params": weights, "nonzero": nonzero, "written": written,
            });
            out.result(&json, &text)
        }
    }
}

/// Says that a file was written.
fn wrote(path: &Path, out: &Output) -> anyhow::Result<()> {
    let written = path.display().to_string();
    out.result(&json!({ "written": written }), &format!("wrote {written}"))
}

/// Lists the genomes that come with the program.
fn list(out: &Output) -> anyhow::Result<()> {
    let (mut all, mut text) = (Vec::new(), String::new());
    for (name, file) in genome::BUILTIN {
        let genome = genome::from_json(file)?;
        let (nodes, links) = (genome.nodes().len(), genome.connections().len());
        let made_by = genome.provenance.made_by;
        writeln!(text, "{name:<20}{nodes:>3} nodes {links:>4} links  {made_by}")?;
        all.push(json!({ "name": name, "nodes": nodes, "links": links, "made_by": made_by }));
    }
    out.result(&all, text.trim_end())
}

fn info(file: &Path, out: &Output) -> anyhow::Result<()> {
    if let Some(Collection { count, ids }) = genome::collection(file)? {
        let file = file.display().to_string();
        let text = format!(
            "file            {file}\ngenomes         {count}\nthe first       {}\none of them     {file}#{} or {file}#1",
            ids.join(", "),
            ids[0],
        );
        return out.result(&json!({ "file": file, "genomes": count, "ids": ids }), &text);
    }
    let genome = holdable(genome::read(file)?, file, Wiring::Layerized)?;
    let layered = layerize(&genome);
    let picture = Model::of_genome(&genome, Wiring::Graph).picture(64, Coords::default());
    let (one_coordinate, g) = (one_coordinate(&picture), GenomeInfo::of(&genome));
    let provenance = &genome.provenance;
    let (file, arch) = (file.display().to_string(), layered.arch().to_string());
    let (dense_params, nonzero) = (layered.network.weight_count(), layered.nonzero());
    let mut json = serde_json::to_value(&g)?;
    for (key, value) in [
        ("file", json!(file)),
        ("name", json!(provenance.name)),
        ("made_by", json!(provenance.made_by)),
        ("arch", json!(arch)),
        ("dense_params", json!(dense_params)),
        ("nonzero", json!(nonzero)),
        ("one_coordinate", json!(one_coordinate)),
    ] {
        json[key] = value;
    }
    let list = |items: Vec<String>| items.join(", ");
    let mut text = String::new();
    let mut row =
        |name: &str, value: String| writeln!(text, "{name:<16}{value}").expect("strings take text");
    row("file", file);
    row("name", provenance.name.clone());
    row("made by", provenance.made_by.clone());
    if let Some(series) = provenance.series() {
        json["series"] = json!(series);
        row("in its file", format!("genome {series}"));
    }
    row("nodes", g.nodes.to_string());
    row("hidden", g.hidden.to_string());
    let disabled = match g.disabled {
        0 => String::new(),
        count => format!(" ({count} disabled)"),
    };
    row("links", format!("{}{disabled}", g.links));
    row("depth", g.depth.to_string());
    let parts = if one_coordinate < PARTS { "a picture with parts" } else { "stripes" };
    row("one coordinate", format!("explains {one_coordinate:.2} of the picture: {parts}"));
    row("age", g.age.map_or("unknown".into(), |a| format!("{a} generations")));
    row("outputs", g.outputs.join(", "));
    row("activations", list(g.activations.iter().map(|(name, n)| format!("{name}:{n}")).collect()));
    row("arch", arch);
    row("dense params", dense_params.to_string());
    row("nonzero", nonzero.to_string());
    row("acyclic", if g.acyclic { "yes" } else { "no" }.into());
    if !g.labels.is_empty() {
        row("labels", list(g.labels.iter().map(|(name, n)| format!("{name} ({n})")).collect()));
    }
    out.result(&json, &text)
}

pub(super) fn require_extension(path: &Path, allowed: &[&str]) -> Result<(), Refusal> {
    let end = path.extension().and_then(|end| end.to_str());
    let expected = format!("an output ending in .{}", allowed.join(", ."));
    let found = end.map_or("none".into(), |end| format!(".{end}"));
    Refusal::unless(end.is_some_and(|end| allowed.contains(&end)), path.display(), expected, found)
}
