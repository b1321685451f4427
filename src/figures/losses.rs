//! Runs as a table of loss curves, which a figure of the kind `curves` draws.

use crate::base::real;
use crate::base::table::Table;
use crate::train::LogLine;

/// A table with the columns `run`, `curve_step` and `curve_loss`: a row for each named curve of (step, mean squared error).
pub(crate) fn table_of_curves(
    curves: impl IntoIterator<Item = (String, Vec<(f64, f64)>)>,
) -> Table {
    let mut table = Table::new(["run", "curve_step", "curve_loss"]);
    for (name, points) in curves {
        let (steps, losses): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let text = |numbers: Vec<f64>| serde_json::to_string(&numbers).expect("plain data");
        table.push(&[name, text(steps), text(losses)]);
    }
    table
}

/// The last attempt of a logged run. With more than `most` lines, each point is the geometric
/// mean of equally many neighbours: a recipe that bounces is drawn by its trend.
pub fn thinned(lines: &[LogLine], most: usize) -> Vec<(f64, f64)> {
    let attempt = lines.last().map_or(0, |l| l.attempt);
    let lines: Vec<&LogLine> = lines
        .iter()
        .filter(|l| l.attempt == attempt && l.loss > 0.0 && l.loss.is_finite())
        .collect();
    let group = lines.len().div_ceil(most.max(1)).max(1);
    let points = lines.chunks(group).map(|chunk| {
        let n = chunk.len() as f64;
        let step = chunk.iter().map(|l| l.step as f64).sum::<f64>() / n;
        let log = chunk.iter().map(|l| real::ln(l.loss)).sum::<f64>() / n;
        (step, real::exp(log))
    });
    points.collect()
}
