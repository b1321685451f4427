//! The trained network that comes with the program: the dense twin of one of its genomes, so that both can be
//! looked at side by side before anything is trained. `genomes/README.md` has the command that trained it.

use super::{LoadOptions, LoadedRun, RunConfig, RunError, RunResult, Source, Target, json_of};
use crate::base::refusal::Refusal;
use crate::genome;
use crate::network::Model;
use crate::network::weight_files::from_safetensors;
use std::path::Path;

/// The genome whose picture it learned.
pub const EVOLVED: &str = "genomes/bred_moth.json";
/// Its run, as it lies in a clone of the repository.
pub const TRAINED: &str = "genomes/trained/bred_moth";

/// The run [`TRAINED`] as [`load_run`](super::load_run) reads it from its folder, without the folder.
///
/// # Errors
/// None, as long as the program was built from files that fit together: a test loads it.
pub(crate) fn run() -> Result<LoadedRun, RunError> {
    macro_rules! shipped_file {
        ($name:literal) => {
            concat!("../../genomes/trained/bred_moth/", $name)
        };
    }
    let folder = Path::new(TRAINED);
    let config: RunConfig = toml::from_str(include_str!(shipped_file!("config.toml")))
        .map_err(|e| Refusal::other_text("a config", e.message()))?;
    let result: RunResult = json_of(folder, include_str!(shipped_file!("result.json")))?;
    let arch = config.arch.as_ref().ok_or_else(|| RunError::folder(folder, "an arch", "none"))?;
    let network = arch.network();
    let bytes = include_bytes!(shipped_file!("weights.safetensors"));
    let weights = from_safetensors(bytes, folder, &network)?;
    let path = Path::new(EVOLVED);
    let (_, text) = genome::builtin(path).expect("it comes with the program");
    let evolved = genome::from_json(text)?;
    let target = Target::of_genome(&evolved, path, config.size, config.coords)?.picture;
    let (model, evolved) = (Model::new(network, weights), Some(evolved));
    Ok(LoadedRun { config, result, model, start: None, target, genome: None, evolved })
}

/// The same as [`Source::load`] reads it.
///
/// # Errors
/// None, as long as the program was built from files that fit together.
pub fn trained() -> Result<Source, RunError> {
    let LoadedRun { config, result, model, target, .. } = run()?;
    let wanted =
        LoadOptions { size: Some(config.size), coords: Some(config.coords), ..Default::default() };
    Ok(Source {
        target: Some(target),
        config: Some(config),
        trained: true,
        fit: Some(result.fit),
        ..Source::plain(Path::new(TRAINED), model, wanted)
    })
}
