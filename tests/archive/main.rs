//! Checks against other people's data: their genomes, networks, traces and labelled pictures.

#[path = "../common/archive.rs"]
mod archive;
#[path = "../common/reference_step.rs"]
mod reference_step;

mod genomes;
mod judge;
mod losses;
mod measures;
mod pruning;
mod training;

use archive::checks;

fn main() {
    archive::run(checks![
        genomes::skull_and_butterfly_have_the_published_counts,
        genomes::every_picbreeder_file_imports_and_its_layered_network_draws_the_same,
        genomes::renders_match_the_published_pictures_in_fer_coordinates_only,
        judge::the_embedded_judge_is_right_about_pictures_of_networks_that_nobody_fitted_it_to,
        judge::evolved_networks_score_half_above_fers_trained_ones,
        losses::the_fer_recipe_runs_along_the_published_curve,
        measures::evolved_maps_are_smoother_than_those_of_sgd,
        measures::raw_orthogonality_ranks_sgd_above_the_evolved_networks,
        measures::a_genome_and_its_layerized_twin_are_equally_sparse,
        pruning::one_threshold_near_a_third_gives_the_captions_counts_on_fers_networks,
        pruning::five_readings_of_similarity_lie_near_the_butterflys_count,
        pruning::budgets_of_the_captions_are_exact_and_alive_on_fers_networks,
        pruning::taylor_second_order_ranked_once_reaches_the_captions_1397_on_the_skull,
        pruning::the_evolved_mask_is_147_and_281_links_and_keeps_the_evolved_weights,
        pruning::every_relay_link_of_the_evolved_networks_scores_one,
        training::trained_networks_have_the_published_errors,
        training::the_reference_follows_the_traces,
        training::the_fast_path_starts_like_the_traces,
        training::the_fer_recipe_follows_the_float64_traces,
    ]);
}
