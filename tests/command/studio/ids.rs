//! Ids of studio jobs that must not change.

use crate::cases::cases;

cases! {
    ids:
    studio_jobs_keep_their_ids,
}
