import { Command } from 'commander'

/**
 * Creates the command line of a script for developers. If the command line is invalid, the process ends with status 2.
 */
export function developerCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'Show this help')
    .showHelpAfterError(`Run "${name} --help" for the usage.`)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
}
