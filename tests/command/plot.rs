//! `picloom plot`: figures from options and from a spec.

use crate::cases::cases;

cases! {
    plot:
    options_describe_a_figure,
    a_spec_describes_several_and_options_override_its_keys,
    a_table_of_losses_is_drawn_with_the_look_of_a_paper,
    texts_over_each_other_and_networks_that_stand_twice_are_refused_and_marks_beyond_the_range_counted,
}
