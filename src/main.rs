//! The `picloom` command: everything is in `picloom::cli`.

use picloom::base::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> std::process::ExitCode {
    picloom::cli::main()
}
