//! `picloom sweep`: change weights one by one and draw the pictures.

use super::source::Usage;
use crate::network::Network;

/// Refuses link numbers that the network does not have, and sweeps of nothing.
pub fn check_links(links: &[usize], network: &Network) -> anyhow::Result<()> {
    let count = network.weight_count();
    if let Some(bad) = links.iter().find(|&&l| l >= count) {
        return Err(Usage(format!("expected link numbers below {count}, found {bad}")).into());
    }
    if links.is_empty() {
        anyhow::bail!("expected a network with non-zero weights, found none to change");
    }
    Ok(())
}
