//! Breeding: every sheet stays, undo and redo only move, and a selection on an older sheet begins a branch.
//!
//! One session file is the whole tree: a step says on which sheet it was chosen where that is not the
//! sheet before it, and the session says where one is.

use super::sheet::not_on_sheet;
use super::{Birth, Selection, Session, Sheet};
use crate::base::refusal::Refusal;
use crate::genome::Genome;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Sheets and the way between them. Sheet 0 is the first; sheet `n` was bred by step `n`.
///
/// ```
/// use picloom_engine::evolve::{Breeding, EvolveConfig, Preset, Selection, Session};
///
/// let session = Session::new(EvolveConfig::preset(Preset::Picbreeder), 7, Vec::new());
/// let mut breeding = Breeding::new(session, &[])?;
/// breeding.select(Selection::of(&[3, 8]))?;
/// breeding.undo();
/// breeding.select(Selection::of(&[5]))?;
/// assert_eq!((breeding.at(), breeding.parent(1), breeding.parent(2)), (2, Some(0), Some(0)));
/// let again = Breeding::new(Session::from_toml(&breeding.session().to_toml())?, &[])?;
/// assert_eq!(again.now().genomes(), breeding.now().genomes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Breeding {
    session: Session,
    /// Shared: a tree is copied before it is changed.
    sheets: Vec<Arc<Sheet>>,
    /// The sheet that redo leads to from each.
    onwards: Vec<Option<usize>>,
    at: usize,
}

impl Breeding {
    /// Breeds every sheet of a session; `ancestors` are the genomes of the files that it names.
    ///
    /// # Errors
    /// The first step that cannot be, or one of an unknown sheet.
    pub fn new(mut session: Session, ancestors: &[Genome]) -> Result<Self, Refusal> {
        session.check()?;
        session.check_memory()?;
        let first = Sheet::first(session.config.clone(), session.seed, ancestors, session.distinct);
        let steps = std::mem::take(&mut session.step);
        let at = session.at.unwrap_or(steps.len());
        let mut breeding =
            Breeding { session, sheets: vec![Arc::new(first)], onwards: vec![None], at: 0 };
        for (i, step) in steps.into_iter().enumerate() {
            breeding.at = step.after.unwrap_or(i);
            breeding.select(step).map_err(|error| error.within(format!("step {}", i + 1)))?;
        }
        breeding.go_to(at).expect("checked above");
        Ok(breeding)
    }

    /// The session that breeds these sheets again.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The sheet one is on.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The sheet one is on, to choose from.
    pub fn now(&self) -> &Sheet {
        &self.sheets[self.at]
    }

    /// The newest sheet.
    pub fn last(&self) -> usize {
        self.sheets.len() - 1
    }

    /// Any sheet.
    ///
    /// # Errors
    /// There is no such sheet.
    pub fn sheet(&self, n: usize) -> Result<&Sheet, Refusal> {
        self.sheets.get(n).map(|sheet| &**sheet).ok_or_else(|| self.no_sheet(n))
    }

    /// The sheet on which the selection behind sheet `n` was made; `None` for the first.
    pub fn parent(&self, n: usize) -> Option<usize> {
        self.session.before(n)
    }

    fn no_sheet(&self, n: usize) -> Refusal {
        Refusal::new("", format!("sheets 0 to {}", self.last()), n.to_string()).as_failure()
    }

    /// The selection behind sheet `n`; `None` for the first.
    pub fn selection(&self, n: usize) -> Option<&Selection> {
        self.session.step.get(n.checked_sub(1)?)
    }

    /// Births of all that were chosen on the way to this sheet, in the order of the sheets; each once.
    pub fn lineage(&self) -> Vec<Birth> {
        let mut way: Vec<usize> =
            std::iter::successors(Some(self.at), |n| self.parent(*n)).collect();
        way.reverse();
        let (mut seen, mut lineage) = (BTreeSet::new(), Vec::new());
        for pair in way.windows(2) {
            let births = self.sheets[pair[0]].births();
            let chosen = self.selection(pair[1]).into_iter().flat_map(|step| &step.chosen);
            let mut new: Vec<Birth> = chosen
                .map(|&place| births[place].clone())
                .filter(|birth| seen.insert(birth.id))
                .collect();
            new.sort_by_key(|birth| birth.id);
            lineage.extend(new);
        }
        lineage
    }

    /// The genome at a place of a sheet, and before it its mother, her mother, and so on from the first one.
    ///
    /// # Errors
    /// There is no such sheet or place.
    pub fn ancestry(&self, sheet: usize, place: usize) -> Result<Vec<&Genome>, Refusal> {
        let found = self.sheet(sheet)?;
        let none = || not_on_sheet(found.genomes().len(), place);
        let mut birth = found.births().get(place).ok_or_else(none)?;
        let mut line = vec![&found.genomes()[place]];
        let mut n = Some(sheet);
        while let Some(on) = n {
            let sheet = &self.sheets[on];
            // A mother that was kept stands beside her children, too.
            let mother = birth.parents.first();
            let at = mother.and_then(|id| sheet.births().iter().position(|b| b.id == *id));
            match at {
                Some(at) => {
                    line.push(&sheet.genomes()[at]);
                    birth = &sheet.births()[at];
                }
                None => n = self.parent(on),
            }
        }
        line.reverse();
        Ok(line)
    }

    /// The genome at a place of sheet `sheet`, named, and saying how it was bred.
    ///
    /// # Errors
    /// There is no such sheet or place.
    pub fn keep(&self, sheet: usize, place: usize, name: &str) -> Result<Genome, Refusal> {
        let found = self.sheet(sheet)?;
        let none = || not_on_sheet(found.genomes().len(), place);
        let birth = found.births().get(place).ok_or_else(none)?;
        let hash = self.session.settings_hash();
        let mut genome = birth.sign(&found.genomes()[place], "interactive", &hash);
        genome.provenance.name = name.to_string();
        let notes = &mut genome.provenance.notes;
        notes.insert("sheet".into(), sheet.to_string());
        notes.insert("place".into(), place.to_string());
        Ok(genome)
    }

    /// The selection with the first roll that it was not yet bred with here: once more, it draws other children.
    pub fn rolled(&self, selection: Selection) -> Selection {
        let plain =
            |s: &Selection| Selection { roll: 0, after: None, why: String::new(), ..s.clone() };
        let same = plain(&selection);
        let steps = (1..=self.last()).filter(|n| self.parent(*n) == Some(self.at));
        let rolls: BTreeSet<u64> = steps
            .filter_map(|n| self.selection(n))
            .filter(|step| plain(step) == same)
            .map(|step| step.roll)
            .collect();
        let roll = (0..).find(|roll| !rolls.contains(roll)).unwrap_or_default();
        Selection { roll, ..selection }
    }

    /// Breeds a new sheet from the one one is on, goes there, and returns its number. What the selection
    /// says of its own sheet is not read. The new sheet has the chosen parents first (if `keep_parents`),
    /// then children, each of one parent drawn uniformly among the chosen, or of two with `crossover.rate`;
    /// where only a part may change, each has one parent: a cross mixes everything.
    ///
    /// # Errors
    /// The selection cannot be; nothing changes.
    pub fn select(&mut self, selection: Selection) -> Result<usize, Refusal> {
        let (before, new) = (self.at, self.sheets.len());
        let next = self.sheets[before].bred(&selection)?;
        self.sheets.push(Arc::new(next));
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
    pub(crate) fn can_redo(&self) -> bool {
        self.onwards[self.at].is_some()
    }

    /// Goes to any sheet.
    ///
    /// # Errors
    /// There is no such sheet.
    pub fn go_to(&mut self, n: usize) -> Result<(), Refusal> {
        if n > self.last() {
            return Err(self.no_sheet(n));
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

    fn begun(seed: u64) -> Breeding {
        let config = EvolveConfig::preset(Preset::Picbreeder);
        Breeding::new(Session::new(config, seed, Vec::new()), &[]).unwrap()
    }

    fn texts(sheet: &Sheet) -> Vec<String> {
        sheet.genomes().iter().map(to_json).collect()
    }

    #[test]
    fn undo_and_redo_move_and_nothing_is_forgotten() {
        let mut tree = begun(3);
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
    fn an_ancestry_goes_from_mother_to_child_along_the_own_branch() {
        let mut tree = begun(5);
        for chosen in [2, 9, 4] {
            tree.select(Selection::of(&[chosen])).unwrap();
        }
        tree.go_to(1).unwrap();
        tree.select(Selection::of(&[7])).unwrap();
        for (sheet, way) in [(3, vec![(0, 2), (1, 9), (2, 4)]), (4, vec![(0, 2), (1, 7)])] {
            let line = tree.ancestry(sheet, 8).unwrap();
            let expected = way.iter().map(|&(n, place)| &tree.sheet(n).unwrap().genomes()[place]);
            let own = &tree.sheet(sheet).unwrap().genomes()[8];
            assert!(line.iter().copied().eq(expected.chain([own])), "sheet {sheet}");
        }
        // The kept parent has its own ancestry, without itself twice.
        assert_eq!(tree.ancestry(3, 0).unwrap().len(), 3);
        assert!(tree.ancestry(3, 15).is_err() && tree.ancestry(5, 0).is_err());
    }

    #[test]
    fn a_tree_replays_from_its_file_to_the_same_bits_on_every_sheet() {
        let mut grown = begun(11);
        for step in 0..12usize {
            if step % 3 == 2 {
                grown.go_to(step / 2).unwrap();
            }
            grown.select(Selection::of(&[step % 15, (step + 4) % 15])).unwrap();
        }
        grown.go_to(5).unwrap();
        let text = grown.session().to_toml();
        let again = Breeding::new(Session::from_toml(&text).unwrap(), &[]).unwrap();
        assert_eq!((again.at(), again.last()), (5, 12));
        for n in 0..=12 {
            assert_eq!(again.sheet(n), grown.sheet(n), "sheet {n}");
            assert_eq!(again.parent(n), grown.parent(n));
        }
        assert_eq!((again.session().to_toml(), again.lineage()), (text, grown.lineage()));
        // The way there is a session of its own, and breeds the same.
        let mut way: Vec<usize> =
            std::iter::successors(Some(5), |n| grown.parent(*n)).filter(|n| *n > 0).collect();
        way.reverse();
        assert_eq!(grown.session().generation(), way.len());
        let mut line = begun(11);
        for n in way {
            line.select(grown.selection(n).unwrap().clone()).unwrap();
        }
        assert_eq!((line.now(), line.lineage()), (grown.now(), grown.lineage()));
    }

    #[test]
    fn the_same_choice_once_more_keeps_its_parents_and_draws_other_children() {
        let mut tree = begun(3);
        let rolled = tree.rolled(Selection::of(&[2, 9]));
        assert_eq!(rolled.roll, 0);
        tree.select(rolled).unwrap();
        let once = texts(tree.now());
        tree.undo();
        let rolled = tree.rolled(Selection::of(&[2, 9]));
        assert_eq!((rolled.roll, tree.rolled(Selection::of(&[2])).roll), (1, 0));
        tree.select(rolled).unwrap();
        let again = texts(tree.now());
        assert_eq!(again[..2], once[..2]);
        assert_ne!(again[2..], once[2..]);
    }

    #[test]
    fn the_lineage_has_every_chosen_picture_of_the_way_once() {
        let mut tree = begun(5);
        // The kept parent stands first on the next sheet and is chosen there again.
        for chosen in [&[8, 3][..], &[0, 6]] {
            tree.select(Selection::of(chosen)).unwrap();
        }
        let ids: Vec<u64> = tree.lineage().iter().map(|birth| birth.id).collect();
        assert_eq!((ids.len(), &ids[..2]), (3, &[3, 8][..]));
        tree.go_to(1).unwrap();
        assert_eq!(tree.lineage().len(), 2);
    }

    #[test]
    fn impossible_selections_change_nothing() {
        let mut tree = begun(3);
        let sliding = |slider| Selection { slider: Some(slider), ..Selection::of(&[1]) };
        let refused = |tree: &mut Breeding, wanted| tree.select(wanted).unwrap_err().to_string();
        assert!(refused(&mut tree, Selection::of(&[])).contains("at least one chosen picture"));
        assert_eq!(refused(&mut tree, Selection::of(&[15])), "expected places 0 to 14, found 15");
        assert!(refused(&mut tree, Selection::of(&[4, 4])).contains("place 4 twice"));
        assert!(refused(&mut tree, sliding(1.5)).contains("a slider in [0, 1], found 1.5"));
        assert_eq!((tree.last(), tree.session()), (0, begun(3).session()));
    }

    #[test]
    fn sessions_that_cannot_be_bred_are_refused() {
        let head = "format = \"picloom-session/1\"\nseed = 1\n";
        let refusal = |text: &str| {
            let session = Session::from_toml(&format!("{head}{text}"))?;
            Breeding::new(session, &[]).map(drop)
        };
        for (text, found) in [
            ("at = 2\n[[step]]\nchosen = [1]\n", "expected sheets 0 to 1, found 2"),
            ("[[step]]\nchosen = [1]\nafter = 1\n", "expected sheets 0 to 0, found 1"),
            ("[[step]]\nchosen = [99]\n", "step 1: expected places 0 to 14, found 99"),
        ] {
            assert_eq!(refusal(text).unwrap_err().to_string(), found);
        }
        assert!(refusal("colour = 3\n").unwrap_err().to_string().contains("colour"));
    }
}
