//! The state of a page, and the types that its answers share.

use crate::held::{Held, Loaded, short, stem};
use crate::sessions::{Kept, Sessions};
use picloom_engine::base::hash::short_id;
use picloom_engine::evolve::{Breeding, Session};
use picloom_engine::genome::{Genome, to_json};
use picloom_engine::network::Picture;
use picloom_engine::page::{self, About, Label, NetworkRequest, PageNetwork, Shelf, Watched};
use picloom_engine::probe::View;
use serde::Serialize;
use std::rc::Rc;
use std::sync::Arc;

/// Before the number of a session, in its id.
const BRED: &str = "bred/";

/// An answer, or why there is none, in words.
pub(crate) type Answered = Result<Answer, String>;

/// JSON, and bytes where there are pictures.
pub(crate) struct Answer {
    /// The JSON.
    pub json: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// Plain data.
    pub(crate) fn of(value: &impl Serialize) -> Answered {
        Answer::with(value, Vec::new())
    }

    /// Plain data and bytes.
    pub(crate) fn with(value: &impl Serialize, bytes: Vec<u8>) -> Answered {
        let json = serde_json::to_string(value).map_err(|e| e.to_string())?;
        Ok(Answer { json, bytes })
    }

    /// A genome as a file.
    pub(crate) fn file(name: &str, genome: &Genome) -> Answered {
        let (name, text) = (format!("{name}.json"), to_json(genome));
        Answer::of(&serde_json::json!({ "name": name, "text": text }))
    }
}

/// Everything that a page works with.
#[derive(Default)]
pub(crate) struct Desk {
    /// Networks by id.
    pub held: Held,
    /// Breeding sessions by number.
    pub sessions: Sessions,
    /// Trainings and scores that the page looks on at.
    pub watched: Arc<Watched>,
}

impl Desk {
    /// The genome at `bred/SESSION/SHEET/PLACE`; `None` for an id of another kind.
    pub(crate) fn bred(&mut self, id: &str) -> Result<Option<Genome>, String> {
        let Some(rest) = id.strip_prefix(BRED) else { return Ok(None) };
        let wrong = || "expected a session, a sheet and a place, found another id".to_string();
        let [session, sheet, place] = rest.split('/').collect::<Vec<_>>()[..] else {
            return Err(wrong());
        };
        let number = |text: &str| text.parse().map_err(|_| wrong());
        let (sheet, place) = (number(sheet)?, number(place)?);
        Ok(Some(page::placed(self, session, (Some(sheet), place))?))
    }
}

impl Shelf for Desk {
    type Network = Rc<Loaded>;
    const MADE_BY: &'static str = "picloom web";

    fn network(&mut self, request: &NetworkRequest) -> page::Answered<Rc<Loaded>> {
        let id = &request.id;
        // One on a sheet is held from then on.
        if !self.held.is_kept(id)
            && let Some(genome) = self.bred(id)?
        {
            self.held.hold(id, &to_json(&genome))?;
        }
        Ok(self.held.load(request)?)
    }

    fn parts(network: &Rc<Loaded>) -> PageNetwork<'_> {
        let &Loaded { ref model, ref genome, coords, size, palette, .. } = &**network;
        let (genome, trained) = (genome.as_ref(), network.learned.is_some());
        PageNetwork { model, genome, coords, size, trained, palette }
    }

    fn about(&mut self, _: &str, network: &Rc<Loaded>) -> About {
        let Loaded { name, what, learned, .. } = &**network;
        let target = learned.as_ref().map(|(target, _)| target).filter(|id| !id.is_empty());
        About {
            name: name.clone(),
            what: what.clone(),
            picture: target.map_or(name.clone(), |target| short(stem(target), 40)),
            target: target.cloned(),
            r2: learned.as_ref().and_then(|(_, r2)| *r2),
            seed: None,
            at: Vec::new(),
            own: false,
        }
    }

    fn target(
        &mut self,
        network: &Rc<Loaded>,
        _: Option<&str>,
        size: usize,
    ) -> page::Answered<Option<(String, Picture)>> {
        let Some((id, _)) = &network.learned else { return Ok(None) };
        let drawn_by = match id.as_str() {
            // One of the visitor's own: what it draws is all that is known.
            "" => network.clone(),
            id => self.network(&NetworkRequest::graph(id))?,
        };
        Ok(Some((id.clone(), drawn_by.model.picture(size, drawn_by.coords))))
    }

    fn view(&mut self, network: &Rc<Loaded>, size: usize) -> page::Answered<Arc<View>> {
        Ok(self.held.view(network, size)?)
    }

    fn begin(
        &mut self,
        name: &str,
        session: Session,
        ancestors: &[Genome],
    ) -> page::Answered<String> {
        let texts: Vec<String> = ancestors.iter().map(to_json).collect();
        let names = texts.iter().map(|text| format!("{}.json", short_id(text))).collect();
        let name = match name.trim() {
            "" => format!("Session {}", session.seed),
            name => short(name, 60),
        };
        let tree = Breeding::new(Session { ancestors: names, ..session }, ancestors);
        let tree = tree.map_err(|e| e.to_string())?;
        Ok(self.sessions.add(Kept { name, tree, ancestors: texts }))
    }

    fn tree(&mut self, session: &str) -> page::Answered<Breeding> {
        Ok(self.sessions.get(session)?.tree.clone())
    }

    fn keep<T>(
        &mut self,
        session: &str,
        _: &str,
        tree: &Breeding,
        meanwhile: impl FnOnce() -> T,
    ) -> page::Answered<T> {
        self.sessions.get(session)?.tree = tree.clone();
        Ok(meanwhile())
    }

    fn label(&mut self, session: &str) -> page::Answered<Label> {
        let name = self.sessions.get(session)?.name.clone();
        Ok(Label { id: format!("{BRED}{session}"), origin: name.clone(), name })
    }
}
