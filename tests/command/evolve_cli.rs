//! `picloom evolve` from outside: what it writes, and how it goes on.

use crate::cases::cases;

cases! {
    evolve_cli:
    a_search_for_a_picture_learns_prices_links_and_says_where_everything_is,
    a_session_has_the_palette_symmetry_and_background_of_its_options,
    a_run_that_died_before_its_first_checkpoint_begins_anew,
    a_session_begins_in_its_folder_goes_on_and_keeps_genomes_by_name,
}
