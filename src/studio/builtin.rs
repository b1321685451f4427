//! Networks that come with the program.

use super::state::Studio;
use crate::genome::builtin;
use crate::run::shipped;
use std::path::Path;

/// A network that comes with the program.
pub(super) enum Builtin {
    /// A genome, as text.
    Genome(&'static str),
    /// The trained network.
    Trained,
}

impl Studio {
    /// The network that comes with the program under this id; `None` where the root has a file or
    /// folder of its own there.
    pub(super) fn builtin(&self, id: &str) -> Option<Builtin> {
        let found = match builtin(Path::new(id)) {
            Some((_, text)) if id.contains('/') => Builtin::Genome(text),
            _ if id == shipped::TRAINED => Builtin::Trained,
            _ => return None,
        };
        self.root.path(id).is_err().then_some(found)
    }
}
