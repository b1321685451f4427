//! `docs/METHODS.md` has a definition of everything that has a name in a table.

use picloom::math::Activation;
use picloom::prune::Method;
use picloom::train::{OptimizerConfig, Scheme};

#[test]
fn the_methods_page_has_every_activation_scheme_optimizer_and_pruning_method() {
    let page = include_str!("../../docs/METHODS.md");
    let activations = Activation::ALL.iter().map(|a| a.name());
    let schemes = Scheme::ALL.iter().map(|s| s.name());
    let optimizers = OptimizerConfig::TABLE.iter().map(|row| row.name);
    let methods = Method::TABLE.iter().map(|row| row.name);
    for name in activations.chain(schemes).chain(optimizers).chain(methods) {
        assert!(page.contains(&format!("`{name}`")), "METHODS does not define {name}");
    }
}
