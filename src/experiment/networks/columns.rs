//! The columns of a networks study's table, and what each means.

use crate::score::measures::disentanglement;

/// Declares the columns in their order: the meaning, the name, where the value lies in a row if the name does not say it,
/// and `text` for one without numbers.
macro_rules! columns {
    ($($(#[doc = $says:literal])+ $name:ident $($path:literal)? $(: $kind:ident)?;)+) => {
        /// Columns in their order, each with its meaning.
        pub(super) const COLUMNS: &[(&str, &str)] =
            &[$((stringify!($name), concat!($($says),+).trim_ascii()),)+ (disentanglement::KEY, disentanglement::SAYS)];

        /// Names of columns that are not those of their fields: the path of the field, the column.
        /// The meaning of the last is told by the measure that a program adds.
        pub(super) const NAMES: &[(&str, &str)] =
            &[$($(($path, stringify!($name)),)?)+ ("result.recombination.plasticity", "plasticity")];

        /// Columns without numbers.
        pub(super) const TEXTS: &[&str] = &[$($({ stringify!($kind); stringify!($name) },)?)+];
    };
}

columns! {
    /// Name of the target, the picture that is drawn.
    target: text;
    /// PNG bytes / raw bytes of the target at the study's size: its complexity.
    png_ratio "about.png_ratio";
    /// R² of the best function of one linear coordinate to the target, in [0, 1]; a picture with parts is below .80.
    one_coordinate "about.one_coordinate";
    /// Links of the target's evolved network, layered; empty of a picture.
    evolved_links "about.evolved_links";
    /// Generations that led to the target, as its genome says.
    generations "about.generations";
    /// Family of pictures by its name; empty of one picture and of a genome's family.
    family "about.family": text;
    /// Which combinations of a family's factors training saw.
    support "about.support": text;
    /// Way of training; `base` is the study's own.
    variant: text;
    /// Hidden layers more than the reference's.
    offset;
    /// L, hidden layers; of a graph the units on its longest path without the output.
    layers;
    /// How the network was made.
    arm: text;
    /// Level of pruning, from 1; 0 is not pruned.
    level;
    /// Seed of the initial weights; empty for an evolved network.
    seed;
    /// R² at which the network was measured on its way; empty at the end of training.
    at;
    /// W, links of the topology.
    links;
    /// Links that the pruning rule kept.
    kept;
    /// kept / links, in [0, 1].
    share;
    /// kept / links of the evolved network.
    times;
    /// Kept links on a path from an input to an output.
    alive;
    /// Mean squared error to the target, channels in [0, 1].
    mse;
    /// R² to the target, at most 1: 1 − MSE / variance about its best constant colour.
    r2;
    /// R² on the combinations of factors that were held out; of families only.
    held_out_r2 "result.recombination.held_out_r2";
    /// R² − R² on the held-out combinations; compare it at equal R².
    gap "result.recombination.gap";
    /// R² of linear probes of the factors on the held-out combinations, best hidden layer.
    factors_decoded "result.recombination.factors_decoded";
    /// Whether R² is at least .95: only then a score counts.
    fit;
    /// Why training ended.
    stop "result.train.reason": text;
    /// Optimizer steps of the last attempt; on the way, steps that led there.
    steps;
    /// Gradient evaluations of the last attempt; of an evolution strategy, losses.
    evaluations;
    /// Attempts that collapsed into one colour.
    collapses;
    /// MSE before the first step.
    first_loss;
    /// Compositional score, in [0, 1]: mean P(clean) over the changed weights.
    score "result.score.score";
    /// Lower end of its 95 % interval.
    score_low;
    /// Upper end.
    score_high;
    /// Changes judged clean over judged ones, in [0, 1]: the paper's score.
    clean_share "result.score.clean_share";
    /// Changes judged clean, and those of silent weights, over all changes, in [0, 1].
    harmless;
    /// Weights that may be changed.
    non_zero;
    /// Weights that were changed.
    perturbed;
    /// Changes after which the picture was judged clean.
    clean;
    /// Changes of which the judge was not sure.
    unclear;
    /// Changes after which it was judged damaged.
    damaged;
    /// Changes that cannot alter the picture by the wanted effect; not judged.
    silent;
    /// Clean, damaged, silent and unclear changes of each layer, first hidden layer first.
    by_layer: text;
    /// Score where every weight is moved by the same δ, whatever the effect.
    fixed_score "result.fixed.score";
    /// Lower end of its 95 % interval.
    fixed_low "result.fixed.low";
    /// Upper end.
    fixed_high "result.fixed.high";
    /// Share of the changes by the same δ that were judged clean.
    fixed_clean_share "result.fixed.clean_share";
    /// Mean squared cosine of different maps of a layer, in [0, 1].
    interference;
    /// Interference above the Welch bound.
    excess;
    /// Mean of (|∂x| + |∂y|)/2 over the maps of living units.
    roughness;
    /// Share of the living maps that repeat another.
    duplicates;
    /// Mean effective number of inputs of a unit, exp of the entropy of their shares.
    effective_fan_in;
    /// Living links whose removal alone changes the picture by an RMSE above .01.
    needed_links;
    /// Links that weigh alike: sum over units of (Σw²)²/Σw⁴ over living inputs.
    participation;
    /// Mean living out-degree of hidden units, relays left out.
    reuse;
    /// Modules found in the weights.
    wiring_modules "result.measures.modules";
    /// Newman's Q of them.
    wiring_q "result.measures.q";
    /// Q as a z-score against weights shuffled within layers.
    wiring_q_z "result.measures.q_z";
    /// Held-out R² of ridge probes from the last hidden layer to attributes of the picture.
    decoded;
    /// The same from the first 8 principal components of all hidden maps.
    decoded_components;
    /// Interference and its bound for each hidden layer.
    orthogonality_by_layer "result.measures.layers";
    /// Why there is no result.
    error: text;
    /// Why the network was not to be made, though nothing failed.
    not_made: text;
    // Those of inner structs, by name.
    /// Gradient evaluations at the points of the loss curve, where they are not the steps.
    curve_evaluations;
    /// Loss curve of training: the mean squared error at some steps, and at the end.
    curve_loss;
    /// Steps at the points of the loss curve.
    curve_step;
    /// Step at which loss or gradient were no finite numbers.
    diverged_at "result.train.step";
    /// Loss there, if it was a number.
    diverged_loss "result.train.loss";
    /// Modules of hidden units that do like things to the picture when they are silenced.
    function_modules;
    /// Newman's Q of the likeness of units, in [−½, 1).
    function_q;
    /// Modules by function with a unit in every hidden layer that has units which do something.
    function_spanning;
    /// Hidden units whose silencing changes the picture.
    function_units;
    /// Newman's Q of |w| with the modules by function, less its mean over shuffled modules; 0: the links do not know
    /// the modules.
    function_wiring;
    /// The same over the standard deviation of the shuffles.
    function_wiring_z;
    /// Share of the links between hidden layers that the mask keeps, in [0, 1].
    modules_density;
    /// Hidden layers.
    modules_layers;
    /// Components of the kept links between hidden layers, dead units included.
    modules_least_touching;
    /// Whether every output hangs on an input.
    modules_outputs_driven;
    /// Components among living units and links that cover every hidden layer.
    modules_spanning;
    /// Units of a hidden layer.
    modules_width;
    /// Id of the network's run, a hash of its config; `path` is its folder. Empty for an evolved network.
    run_id: text;
    /// Folder of the network's run, relative to the study's folder in the store. Empty for an evolved network.
    path: text;
    /// Links on a path from an input to an output.
    sparsity_alive_links;
    /// Longest path from an input to an output, in units that are no relays.
    sparsity_computing_depth;
    /// Living units after the inputs that are no relays.
    sparsity_computing_units;
    /// Longest path from an input to an output, in units, relays counted.
    sparsity_depth;
    /// Most different sources, relays looked through, of a living unit that is no relay.
    sparsity_max_in_degree;
    /// Mean number of different sources of such a unit.
    sparsity_mean_in_degree;
    /// Changed weights whose pictures are kept: link, layer, what was added, how it was judged.
    views_changes;
    /// Activation of each unit whose map is kept.
    views_maps_activation;
    /// Whether each of these units is on a path from an input to an output.
    views_maps_alive;
    /// Picture of the map of every unit, beside the table.
    views_maps_file;
    /// Layer of each of these units.
    views_maps_layer;
    /// Maps in a row of that picture.
    views_maps_per_row;
    /// Side of a map in pixels.
    views_maps_side;
    /// Picture of the network, then of each of `views_changes`, side by side, beside the table.
    views_sweep: text;
}
