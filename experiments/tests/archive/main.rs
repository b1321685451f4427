//! Checks of the paper's measures against other people's genomes and networks.

#[path = "../../../tests/common/archive.rs"]
mod archive;
mod measures;

use archive::checks;

fn main() {
    archive::run(checks![
        measures::links_with_one_human_label_change_the_picture_more_alike,
        measures::learned_masks_draw_a_tone_of_the_skull_better_than_random_ones,
    ]);
}
