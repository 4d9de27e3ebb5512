use clap::CommandFactory as _;
use clap_complete::Shell;

use super::Cli;
use crate::console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  sref completions bash > ~/.local/share/bash-completion/completions/sref
  sref completions zsh > ~/.zfunc/_sref
  sref completions fish > ~/.config/fish/completions/sref.fish";

/// Print the completion script of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[arg(value_enum)]
    shell: Shell,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        // Into memory first: the generator panics when it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "sref", &mut script);
        console::print_exact(String::from_utf8_lossy(&script).trim_end().into())
    }
}
