//! The `picloom-experiments` command: everything is in `picloom_experiments::program`.

use picloom::base::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> std::process::ExitCode {
    picloom_experiments::program::main()
}
