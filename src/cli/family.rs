//! `picloom family`: families of pictures, drawn by code.

use super::names::one_of;
use super::output::Output;
use super::source::Usage;
use crate::base::files::{create_folder, write_atomic};
use crate::base::folder::FolderKind;
use crate::base::memory;
use crate::base::text::portable;
use crate::genome;
use crate::network::family::{Conditions, Family, Support};
use crate::network::{Coords, Model, Picture, Wiring};
use crate::run::is_genome_file;
use clap::{Args, Subcommand};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct FamilyArgs {
    #[command(subcommand)]
    command: FamilyCommand,
}

#[derive(Subcommand)]
enum FamilyCommand {
    /// List the families and their factors
    List,
    /// Draw one under every combination of its factors, and say which of them training would see
    Draw(DrawArgs),
}

#[derive(Args)]
struct DrawArgs {
    /// A family by name, or a genome with factors
    #[arg(value_name = "FAMILY|GENOME")]
    of: String,
    /// Values of each factor, evenly from −1 to 1
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..=16))]
    values: u64,
    /// Which combinations are seen: random:SHARE, connected, minimal, disconnected or value
    #[arg(long, default_value = "random:0.6")]
    support: Support,
    /// Seed of a random support
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Side of a picture in pixels
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(2..=4096))]
    size: u64,
    /// Coordinate convention
    #[arg(long, default_value = "fer", value_parser = one_of::<Coords>())]
    coords: Coords,
    /// Also write a mask of each part of each picture (a family by name)
    #[arg(long)]
    masks: bool,
    /// Folder to write pictures, conditions.csv and sheet.png to
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(args: FamilyArgs, out: &Output) -> anyhow::Result<()> {
    match args.command {
        FamilyCommand::List => list(out),
        FamilyCommand::Draw(args) => draw(&args, out),
    }
}

fn list(out: &Output) -> anyhow::Result<()> {
    let (mut all, mut text) = (Vec::new(), String::new());
    for family in Family::ALL {
        let (name, factors) = (family.name(), family.factors());
        let _ = writeln!(text, "{name:<8} {}", factors.join(", "));
        all.push(json!({ "name": name, "factors": factors }));
    }
    out.result(&all, text.trim_end())
}

/// The source of the pictures.
enum Drawer {
    Family(Family),
    Genome(Box<Model>),
}

impl Drawer {
    fn of(text: &str) -> anyhow::Result<Self> {
        let path = Path::new(text);
        if let Ok(family) = text.parse() {
            return Ok(Drawer::Family(family));
        }
        if !is_genome_file(path) || path.extension().is_none() {
            let names: Vec<&str> = Family::ALL.iter().map(|f| f.name()).collect();
            let known = names.join(", ");
            let says = format!("expected a family ({known}) or a genome file, found {text:?}");
            return Err(Usage(says).into());
        }
        let genome = genome::read(path)?;
        if genome.factors() == 0 {
            let says =
                "expected a genome with factors (inputs z1, z2, …), found one of one picture";
            return Err(Usage(format!("{}: {says}", portable(path))).into());
        }
        Ok(Drawer::Genome(Box::new(Model::of_genome(&genome, Wiring::Graph))))
    }

    fn factors(&self) -> usize {
        match self {
            Drawer::Family(family) => family.factors().len(),
            Drawer::Genome(model) => model.network.factors(),
        }
    }

    fn picture(&self, z: &[f64], size: usize, coords: Coords) -> Picture {
        match self {
            Drawer::Family(family) => family.picture(z, size, coords),
            Drawer::Genome(model) => model.at(z).picture(size, coords),
        }
    }
}

fn draw(args: &DrawArgs, out: &Output) -> anyhow::Result<()> {
    let drawer = Drawer::of(&args.of)?;
    let (factors, values, size) = (drawer.factors(), args.values as usize, args.size as usize);
    if args.masks && matches!(drawer, Drawer::Genome(_)) {
        let says = "--masks: expected a family by name, whose parts are known, found a genome";
        return Err(Usage(says.into()).into());
    }
    FolderKind::Family.ensure(&args.out)?;
    let pictures = values.checked_pow(factors as u32).unwrap_or(usize::MAX);
    // The sheet, as floats and as bytes.
    let pixels = [(size, "pixels"), (size, "pixels"), (pictures, "pictures")];
    memory::ensure("size, values", &pixels, 3 * (4 + 1))?;
    let Conditions { seen, held_out } = args.support.conditions(factors, values, args.seed);
    let all = Support::combinations(factors, values);
    let text = [("command", "picloom family draw")];
    FolderKind::Family.mark(&args.out)?;
    create_folder(&args.out.join("pictures"))?;
    let names: Vec<String> = (1..=factors).map(|k| format!("z{k}")).collect();
    let mut table = format!("picture,{},seen\n", names.join(","));
    // The last factor runs to the right, the others down.
    let (columns, gap) = (values, 2);
    let side = size + gap;
    let rows = all.len() / columns;
    let mut sheet = Picture::filled(columns * side + gap, rows * side + gap, [1.0; 3]);
    for (i, z) in all.iter().enumerate() {
        let picture = drawer.picture(z, size, args.coords);
        let is_seen = seen.contains(z);
        let name = format!("{:03}", i + 1);
        write_atomic(&args.out.join(format!("pictures/{name}.png")), &picture.to_png(&text))?;
        let numbers: Vec<String> = z.iter().map(f64::to_string).collect();
        let _ = writeln!(table, "pictures/{name}.png,{},{is_seen}", numbers.join(","));
        lay(&mut sheet, &picture, (gap + i / columns * side, gap + i % columns * side), is_seen);
        if let (true, Drawer::Family(family)) = (args.masks, &drawer) {
            create_folder(&args.out.join("masks"))?;
            for (part, mask) in family.scene(z).masks(size, args.coords) {
                let rgb = mask.iter().flat_map(|inside| [f32::from(*inside as u8); 3]).collect();
                let mask = Picture { width: size, height: size, rgb };
                let file = format!("masks/{name}-{}.png", part.replace(' ', "-"));
                write_atomic(&args.out.join(file), &mask.to_png(&text))?;
            }
        }
    }
    write_atomic(&args.out.join("conditions.csv"), table.as_bytes())?;
    write_atomic(&args.out.join("sheet.png"), &sheet.to_png(&text))?;
    let (seen, held_out, written) = (seen.len(), held_out.len(), args.out.display().to_string());
    let says = format!(
        "{} pictures, {seen} seen and {held_out} held out (pale on the sheet)\nwrote {written}",
        all.len(),
    );
    out.result(&json!({ "written": written, "seen": seen, "held_out": held_out }), &says)
}

/// Lays a picture on the sheet; one that is held out is pale.
fn lay(sheet: &mut Picture, picture: &Picture, (top, left): (usize, usize), is_seen: bool) {
    for row in 0..picture.height {
        for column in 0..picture.width {
            let at = 3 * ((top + row) * sheet.width + left + column);
            for c in 0..3 {
                let v = picture.rgb[3 * (row * picture.width + column) + c];
                sheet.rgb[at + c] = if is_seen { v } else { 1.0 - 0.4 * (1.0 - v) };
            }
        }
    }
}
