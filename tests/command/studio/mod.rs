//! `picloom studio` over real HTTP: what it answers, what it refuses, what survives a kill.

pub(crate) use crate::client;

mod breeding;
mod builtin;
mod guards;
mod ids;
mod keeping;
mod load;
mod memory;
mod networks;
mod page;
mod saves;
mod site;
mod wall;
mod watched;
mod work;
