//! The `picloom-experiments` command: everything is in `picloom_experiments::program`.

fn main() -> std::process::ExitCode {
    picloom_experiments::program::main()
}
