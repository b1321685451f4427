//! Measures under the keys that a study may ask for, as a program with measures of its own adds them. They have no columns.

use picloom::score::JudgeError;
use picloom::score::measures::own::{Column, Measures, Numbers, Subject, add_measures};
use std::sync::Once;

/// The key.
struct Asked(&'static str);

impl Measures for Asked {
    fn key(&self) -> &'static str {
        self.0
    }

    fn columns(&self) -> &[Column] {
        &[]
    }

    fn of(&self, _network: &Subject<'_>) -> Result<Numbers, JudgeError> {
        Ok(Vec::new())
    }
}

/// Adds them, once.
pub(crate) fn add() {
    static ADDED: Once = Once::new();
    static ALL: [Asked; 2] = [Asked("mechanisms"), Asked("organisation")];
    ADDED.call_once(|| ALL.iter().for_each(|asked| add_measures(asked).unwrap()));
}
