import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { usageError } from './command-error.ts'
import type { Terminal } from './terminal.ts'

/** Runs a command. It gets the arguments, the options and the terminal, and returns the exit status. */
export type Handler = (...args: never[]) => Promise<number>

/** What each exit status of a command means. */
export type ExitStatuses = Readonly<Record<number, string>>

const WRONG_USAGE = 'the command line is invalid, and nothing was done'

/**
 * A command of the library commander. It reports errors of the command line as `CommandError`, and returns the exit
 * status of its handler.
 */
export class CommandLine extends Command {
  private exitStatus = 0
  private hasHandler = false
  private readonly terminal: Terminal

  constructor(name: string, terminal: Terminal) {
    super(name)
    this.terminal = terminal
    // Options belong to the command that they follow, so that `backup list` does not take those of `backup`.
    this.enablePositionalOptions().helpCommand(false).helpOption('-h, --help', 'Show this help').exitOverride()
  }

  override createCommand(name: string): CommandLine {
    return new CommandLine(name, this.terminal)
  }

  /**
   * Sets the handler of the command. The handler is loaded when the command runs, so that `platen --help` does not wait
   * until the packages of the service are loaded.
   */
  runs(statuses: ExitStatuses, load: () => Promise<Handler>): this {
    const meanings = { ...statuses, 2: statuses[2] === undefined ? WRONG_USAGE : `${statuses[2]}, or ${WRONG_USAGE}` }
    const lines = Object.entries(meanings).map(([status, meaning]) => `  ${status}  ${meaning}`)
    this.hasHandler = true
    this.addHelpText('after', `\nExit status:\n${lines.join('\n')}`)
    return this.action(async (...args) => {
      const handler = await load()
      this.lineage[0].exitStatus = await handler(...([...args.slice(0, -1), this.terminal] as never[]))
    })
  }

  /** The chain of commands from the program down to this command. */
  private get lineage(): [CommandLine, ...CommandLine[]] {
    return this.parent instanceof CommandLine ? [...this.parent.lineage, this] : [this]
  }

  /** The words of the command line that select this command, such as `platen keys rotate`. */
  get path(): string {
    return this.lineage.map((command) => command.name()).join(' ')
  }

  /** The commands of this group. Includes the command itself if it can run. */
  get leaves(): readonly CommandLine[] {
    const children = this.commands as readonly CommandLine[]
    const own = this.hasHandler || children.length === 0 ? [this] : []
    return [...own, ...children.flatMap((child) => child.leaves)]
  }

  /** Commander calls this method for every error of the command line. */
  override error(message: string): never {
    const what = message.replace(/^error: /, '').replaceAll('\n', ' ')
    const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}${/[.)]$/.test(what) ? '' : '.'}`
    throw usageError(`${sentence} Run "${this.path} --help" for the usage.`)
  }

  /** Runs one command line, and returns the exit status. */
  async run(args: readonly string[]): Promise<number> {
    try {
      await this.parseAsync(args, { from: 'user' })
      return this.exitStatus
    } catch (error) {
      // Commander has printed the help, because it was requested or because the command line selects a group of
      // commands.
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
      throw error
    }
  }
}

/**
 * Makes an option whose value is a text. It rejects values that begin with `--`, because otherwise `--reason --json`
 * would use "--json" as the reason.
 */
export function textOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value) => {
    if (value.startsWith('--')) throw new InvalidArgumentError('Expected a value before the next option.')
    return value
  })
}

/** Makes an option whose value is a whole number from `min` to `max`. */
export function numberOption(flags: string, description: string, [min, max]: readonly [number, number]): Option {
  return new Option(flags, description).argParser((value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  })
}
