//! Linear assignment: match rows to columns at least total cost (the Hungarian problem).

use nalgebra::DMatrix;

/// `assign(cost)[row]` = the column given to `row`; `None` for rows left over when there are more
/// rows than columns. Min(rows, columns) pairs, each column at most once, least total cost. `None` for a NaN or an
/// infinity among the costs.
///
/// `cost` is (R, C), any shape, negative costs allowed. Shortest augmenting paths with dual
/// potentials, O(min² · max). Equal costs: the lower column wins, so the answer is deterministic.
///
/// Sources: H. W. Kuhn, *The Hungarian method*, 1955; Jonker & Volgenant 1987 for the augmenting
/// paths.
pub(crate) fn assign(cost: &DMatrix<f64>) -> Option<Vec<Option<usize>>> {
    if cost.iter().any(|found| !found.is_finite()) {
        return None;
    }
    if cost.nrows() <= cost.ncols() {
        return Some(wide(cost).into_iter().map(Some).collect());
    }
    let mut rows = vec![None; cost.nrows()];
    for (column, row) in wide(&cost.transpose()).into_iter().enumerate() {
        rows[row] = Some(column);
    }
    Some(rows)
}

/// Column of every row, for a matrix with rows ≤ columns.
fn wide(cost: &DMatrix<f64>) -> Vec<usize> {
    let (rows, columns) = cost.shape();
    let mut row_price = vec![0.0; rows];
    let mut column_price = vec![0.0; columns];
    let mut owner: Vec<Option<usize>> = vec![None; columns];
    for start in 0..rows {
        // Dijkstra over reduced costs from `start` to the nearest column without an owner.
        let mut distance = vec![f64::INFINITY; columns];
        let mut parent = vec![start; columns];
        let mut done = vec![false; columns];
        let (mut row, mut reached) = (start, 0.0);
        let mut scanned = vec![(start, 0.0)];
        let last = loop {
            let mut next: Option<usize> = None;
            for column in 0..columns {
                if done[column] {
                    continue;
                }
                let through = reached + cost[(row, column)] - row_price[row] - column_price[column];
                if through < distance[column] {
                    distance[column] = through;
                    parent[column] = row;
                }
                if next.is_none_or(|n| distance[column] < distance[n]) {
                    next = Some(column);
                }
            }
            let column = next.expect("rows ≤ columns: a free column is left");
            done[column] = true;
            reached = distance[column];
            match owner[column] {
                Some(taken) => {
                    row = taken;
                    scanned.push((taken, reached));
                }
                None => break column,
            }
        };
        for &(row, at) in &scanned {
            row_price[row] += reached - at;
        }
        for column in 0..columns {
            if done[column] {
                column_price[column] += distance[column] - reached;
            }
        }
        let mut column = last;
        loop {
            let row = parent[column];
            let before = owner.iter().position(|&o| o == Some(row));
            owner[column] = Some(row);
            match before {
                Some(given_up) if row != start => column = given_up,
                _ => break,
            }
        }
    }
    let mut chosen = vec![0; rows];
    for (column, row) in owner.iter().enumerate() {
        if let Some(row) = row {
            chosen[*row] = column;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;

    fn total(cost: &DMatrix<f64>, rows: &[Option<usize>]) -> f64 {
        rows.iter().enumerate().filter_map(|(r, c)| c.map(|c| cost[(r, c)])).sum()
    }

    /// Least cost by trying every injection of rows into columns.
    fn brute(cost: &DMatrix<f64>, row: usize, used: u32) -> f64 {
        if row == cost.nrows() {
            return 0.0;
        }
        (0..cost.ncols())
            .filter(|c| used >> c & 1 == 0)
            .map(|c| cost[(row, c)] + brute(cost, row + 1, used | 1 << c))
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn random_matrices_reach_the_brute_force_cost() {
        let mut rng = SimRng::new(2, "test", 0);
        for trial in 0..200 {
            let (rows, columns) = (1 + trial % 6, 1 + (trial / 6) % 7);
            let cost = DMatrix::from_fn(rows, columns, |_, _| (10.0 * rng.normal()).round());
            let found = assign(&cost).unwrap();
            let mut used: Vec<usize> = found.iter().flatten().copied().collect();
            assert_eq!(used.len(), rows.min(columns));
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), rows.min(columns));
            let least =
                if rows <= columns { brute(&cost, 0, 0) } else { brute(&cost.transpose(), 0, 0) };
            assert_eq!(total(&cost, &found), least, "{cost}");
        }
    }

    #[test]
    fn leftover_rows_are_none_and_nan_is_refused() {
        let tall = DMatrix::from_row_slice(3, 1, &[1.0, 0.0, 2.0]);
        assert_eq!(assign(&tall).unwrap(), [None, Some(0), None]);
        assert!(assign(&DMatrix::from_row_slice(1, 2, &[1.0, f64::NAN])).is_none());
        assert_eq!(assign(&DMatrix::zeros(0, 3)).unwrap(), []);
    }
}
