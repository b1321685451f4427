//! The genomes that come with the program: the files of `genomes/`, each by its name.

use std::path::Path;

macro_rules! genomes {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of every genome that comes with the program.
        pub const BUILTIN: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../genomes/", $name, ".json")))),+];
    };
}

genomes! {
    "bred_angel",
    "bred_bear",
    "bred_butterfly",
    "bred_cat",
    "bred_diver",
    "bred_elder",
    "bred_face",
    "bred_fern",
    "bred_gaze",
    "bred_goblet",
    "bred_hearth",
    "bred_jupiter",
    "bred_lagoon",
    "bred_lamp",
    "bred_mask",
    "bred_moth",
    "bred_owl",
    "bred_robot",
    "bred_sail",
    "bred_shell",
    "bred_skull",
    "bred_storm",
    "bred_totem",
    "bred_volcano",
    "elite_bowl",
    "elite_dome",
    "elite_ember",
    "mask",
    "novelty_eye",
    "novelty_goggles",
    "novelty_island",
    "target_apple",
    "target_butterfly",
    "target_car",
    "target_cube_sphere",
    "target_face",
    "target_letter_a",
}

/// The genome that comes with the program and is called `path`: `bred_moth`, or `genomes/bred_moth.json` as in
/// a clone of the repository. Gives its name and its text. A file at `path` goes first: see [`read`](super::read).
///
/// ```
/// use picloom_engine::genome::builtin;
/// use std::path::Path;
///
/// assert_eq!(builtin(Path::new("bred_skull")).unwrap().0, "bred_skull");
/// assert_eq!(builtin(Path::new("genomes/bred_skull.json")).unwrap().0, "bred_skull");
/// assert!(builtin(Path::new("elsewhere/bred_skull.json")).is_none());
/// ```
pub fn builtin(path: &Path) -> Option<(&'static str, &'static str)> {
    let said = path.to_str()?;
    let name = said.strip_prefix("genomes/").and_then(|file| file.strip_suffix(".json"));
    let name = name.unwrap_or(said);
    BUILTIN.iter().find(|(known, _)| *known == name).copied()
}
