//! Figures of the theory and of structural compositionality, and the theory beside trained networks.

use super::{DrawError, Drawing, Sources, some};
use crate::experiment::Record;
use crate::experiment::claims::trained_points;
use crate::experiment::networks::NetworksRecord;
use crate::experiment::structural::StructuralRecord;
use crate::experiment::theory::record::TheoryRecord;
use crate::figures::theory::InterferencePoint;
use crate::figures::{structural, theory};

/// Parts P of the trained counterpart: the paper's caption's.
const PARTS: usize = 3;

/// A figure of the theory's own table.
pub fn of_theory(sources: &Sources, name: &str) -> Result<Drawing, DrawError> {
    let record = sources.read("theory", TheoryRecord::read)?;
    let figure = theory::figure(name).expect("a test holds the two tables together");
    Ok((figure.draw)(&record).into())
}

/// A figure of the structural study's own table.
pub fn of_structural(sources: &Sources, name: &str) -> Result<Drawing, DrawError> {
    let record = sources.read("structural", StructuralRecord::read)?;
    let figure = structural::figure(name).expect("a test holds the two tables together");
    Ok((figure.draw)(&record).into())
}

/// Trained networks of the depth study beside what the theory expects of their wiring.
pub fn counterpart(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.read("depth", NetworksRecord::read)?;
    let points = some(trained_points(&record), "depth", "networks that learned their picture")?;
    let svg = theory::trained_counterpart(&points, PARTS);
    svg.map(Drawing::from).map_err(|e| DrawError::Unreadable(e.to_string()))
}

/// Interference of every layer of the pruning study's networks against its Welch bound.
pub fn bounds(sources: &Sources) -> Result<Drawing, DrawError> {
    const ARMS: [&str; 4] = ["evolved", "dense", "sp", "sp-layer-counts"];
    let record = sources.read("pruning", NetworksRecord::read)?;
    let rows = record.rows.iter();
    let points = rows
        .filter(|row| ARMS.contains(&row.arm.as_str()) && row.level < 2)
        .filter_map(|row| Some((row, row.result.as_ref().filter(|r| r.fit)?)))
        .flat_map(|(row, result)| {
            let layers = result.measures.layers.iter().filter(|o| o.maps > 1);
            layers.map(|o| InterferencePoint {
                arm: row.arm.clone(),
                layers: row.layers,
                n: o.maps,
                rank: o.rank,
                interference: o.interference,
                welch: o.welch,
            })
        })
        .collect();
    let points = some(points, "pruning", "networks that learned their picture")?;
    Ok(theory::interference_bounds(&points).into())
}
