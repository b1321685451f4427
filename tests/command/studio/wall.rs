//! A folder of strangers holds links: what they lead to outside of the root is not opened.

#![cfg(unix)]

use crate::cases::cases;

cases! {
    wall:
    links_inside_of_folders_lead_nowhere,
    nothing_is_made_beyond_a_link_out_of_the_root,
}
