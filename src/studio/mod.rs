//! The local page for breeding and comparing. It is not written yet: breeding works through
//! scripts (`picloom evolve --search interactive`), whose state machine, `evolve::Breeding`, the
//! page will only translate.
