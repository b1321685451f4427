//! A breeding session as a tree: every sheet stays, undo and redo only move, and a selection on an older
//! sheet begins a branch.
//!
//! One session file is the whole tree: a step says on which sheet it was chosen where that is not the
//! sheet before it, and the session says where one is.

use super::{Breeding, BreedingError, Selection, Session, SessionError};
use crate::genome::Genome;
use std::sync::Arc;

/// Sheets and the way between them. Sheet 0 is the first; sheet `n` was bred by step `n`.
///
/// ```
/// use picloom::evolve::{BreedingTree, EvolveConfig, Preset, Selection, Session};
///
/// let session = Session::new(EvolveConfig::preset(Preset::Picbreeder), 7, Vec::new());
/// let mut tree = BreedingTree::replay(session, &[])?;
/// tree.select(Selection::of(&[3, 8]))?;
/// tree.undo();
/// tree.select(Selection::of(&[5]))?;
/// assert_eq!((tree.at(), tree.parent(1), tree.parent(2)), (2, Some(0), Some(0)));
/// let again = BreedingTree::replay(Session::from_toml(&tree.session().to_toml())?, &[])?;
/// assert_eq!(again.now().genomes(), tree.now().genomes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BreedingTree {
    session: Session,
    /// Sheet `n` as it lies there, without the way to it. Shared: a tree is copied before it is changed.
    sheets: Vec<Arc<Breeding>>,
    /// The sheet that redo leads to from each.
    onwards: Vec<Option<usize>>,
    at: usize,
}

impl BreedingTree {
    /// Breeds every sheet of a session anew; `ancestors` are the genomes of the files that it names.
    ///
    /// # Errors
    /// The first step that cannot be, or one of an unknown sheet.
    pub fn replay(mut session: Session, ancestors: &[Genome]) -> Result<Self, SessionError> {
        let first = Breeding::new(session.config.clone(), session.seed, ancestors);
        let steps = std::mem::take(&mut session.step);
        let at = session.at.unwrap_or(steps.len());
        let mut tree =
            BreedingTree { session, sheets: vec![Arc::new(first)], onwards: vec![None], at: 0 };
        for (i, step) in steps.into_iter().enumerate() {
            tree.at = step.after.unwrap_or(i);
            if tree.at > i {
                return Err(SessionError::Sheet { last: i, found: tree.at });
            }
            tree.select(step).map_err(|error| SessionError::Step { step: i + 1, error })?;
        }
        tree.go_to(at).map_err(|_| SessionError::Sheet { last: tree.last(), found: at })?;
        Ok(tree)
    }

    /// The session that replays to this tree.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The sheet one is on.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The sheet one is on, to choose from.
    pub fn now(&self) -> &Breeding {
        &self.sheets[self.at]
    }

    /// The newest sheet.
    pub fn last(&self) -> usize {
        self.sheets.len() - 1
    }

    /// Any sheet.
    pub fn sheet(&self, n: usize) -> Option<&Breeding> {
        self.sheets.get(n).map(|sheet| &**sheet)
    }

    /// The sheet on which the selection behind sheet `n` was made; none for the first.
    pub fn parent(&self, n: usize) -> Option<usize> {
        let step = self.session.step.get(n.checked_sub(1)?)?;
        Some(step.after.unwrap_or(n - 1))
    }

    /// The selection behind sheet `n`; none for the first.
    pub fn selection(&self, n: usize) -> Option<&Selection> {
        self.session.step.get(n.checked_sub(1)?)
    }

    /// Breeds a new sheet from the one one is on, goes there, and returns its number. What the selection
    /// says of its own sheet is not read.
    ///
    /// # Errors
    /// As [`Breeding::select`]; nothing changes.
    pub fn select(&mut self, selection: Selection) -> Result<usize, BreedingError> {
        let before = self.at;
        let mut next = self.sheets[before].without_past();
        next.select(selection.clone())?;
        let new = self.sheets.len();
        self.sheets.push(Arc::new(next.without_past()));
        self.onwards.push(None);
        let after = (before + 1 != new).then_some(before);
        self.session.step.push(Selection { after, ..selection });
        self.go_to(new)?;
        Ok(new)
    }

    /// Goes to the sheet before; false on the first.
    pub fn undo(&mut self) -> bool {
        self.parent(self.at).is_some_and(|parent| self.go_to(parent).is_ok())
    }

    /// Goes to the sheet that was left last of those after this one; false if there is none.
    pub fn redo(&mut self) -> bool {
        self.onwards[self.at].is_some_and(|next| self.go_to(next).is_ok())
    }

    /// True if [`redo`](Self::redo) leads anywhere.
    pub fn can_redo(&self) -> bool {
        self.onwards[self.at].is_some()
    }

    /// Goes to any sheet.
    ///
    /// # Errors
    /// There is no such sheet.
    pub fn go_to(&mut self, n: usize) -> Result<(), BreedingError> {
        if n > self.last() {
            return Err(BreedingError::NoSheet { last: self.last(), found: n });
        }
        self.at = n;
        self.session.at = (n != self.last()).then_some(n);
        // Undone from here, redo leads back here.
        let mut child = n;
        while let Some(parent) = self.parent(child) {
            self.onwards[parent] = Some(child);
            child = parent;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::{EvolveConfig, Preset};
    use crate::genome::to_json;

    fn tree(seed: u64) -> BreedingTree {
        let config = EvolveConfig::preset(Preset::Picbreeder);
        BreedingTree::replay(Session::new(config, seed, Vec::new()), &[]).unwrap()
    }

    fn texts(breeding: &Breeding) -> Vec<String> {
        breeding.genomes().iter().map(to_json).collect()
    }

    #[test]
    fn undo_and_redo_move_and_nothing_is_forgotten() {
        let mut tree = tree(3);
        for chosen in [[1, 2], [3, 4], [5, 6]] {
            tree.select(Selection::of(&chosen)).unwrap();
        }
        assert!(tree.undo() && tree.undo());
        assert_eq!((tree.at(), tree.can_redo()), (1, true));
        // A branch: redo now leads along it, and back on the old one after going there.
        assert_eq!(tree.select(Selection::of(&[7])), Ok(4));
        assert!(tree.undo() && tree.redo());
        assert_eq!((tree.at(), tree.parent(4), tree.parent(2)), (4, Some(1), Some(1)));
        tree.go_to(3).unwrap();
        assert!(tree.undo() && tree.undo() && tree.redo() && tree.redo());
        assert_eq!(tree.at(), 3);
        assert!(!tree.redo());
        let last = tree.go_to(9).unwrap_err();
        assert_eq!(last.to_string(), "expected sheets 0 to 4, found 9");
        assert!(tree.undo() && tree.undo() && tree.undo() && !tree.undo());
    }

    #[test]
    fn a_tree_replays_from_its_file_to_the_same_bits_on_every_sheet() {
        let mut grown = tree(11);
        for step in 0..12usize {
            if step % 3 == 2 {
                grown.go_to(step / 2).unwrap();
            }
            grown.select(Selection::of(&[step % 15, (step + 4) % 15])).unwrap();
        }
        grown.go_to(5).unwrap();
        let text = grown.session().to_toml();
        let again = BreedingTree::replay(Session::from_toml(&text).unwrap(), &[]).unwrap();
        assert_eq!((again.at(), again.last()), (5, 12));
        for n in 0..=12 {
            assert_eq!(texts(again.sheet(n).unwrap()), texts(grown.sheet(n).unwrap()), "sheet {n}");
            assert_eq!(again.parent(n), grown.parent(n));
        }
        assert_eq!(again.session().to_toml(), text);
        // The line that leads there is a session of the old kind, and breeds the same.
        let line = Session::from_toml(&text).unwrap().replay(&[]).unwrap();
        assert_eq!(texts(&line), texts(grown.now()));
        assert_eq!(line.births(), grown.now().births());
    }

    #[test]
    fn a_step_of_a_sheet_that_is_not_there_is_refused() {
        let head = "format = \"picloom-session/1\"\nseed = 1\n";
        for (text, found) in [
            (format!("{head}at = 2\n[[step]]\nchosen = [1]\n"), "expected sheets 0 to 1, found 2"),
            (
                format!("{head}[[step]]\nchosen = [1]\nafter = 1\n"),
                "expected sheets 0 to 0, found 1",
            ),
        ] {
            let session = Session::from_toml(&text).unwrap();
            assert_eq!(session.replay(&[]).unwrap_err().to_string(), found);
            assert_eq!(BreedingTree::replay(session, &[]).unwrap_err().to_string(), found);
        }
    }
}
