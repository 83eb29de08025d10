#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { complain } from './commands/terminal.ts'
import { UsageError } from './commands/usage-error.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { MigrationError } from './platform/db/migrations/migration-error.ts'
import { EmbeddedPostgresError } from './platform/postgres/index.ts'

const HELP = `platen: a self-hosted service for made-to-order products

  platen serve                        run the service (API and jobs)
  platen work                         run jobs only, beside a service on the same PLATEN_DATABASE_URL
  platen migrate                      bring the database to this version, then end
  platen verify RECEIPT FILE...       check files against the receipt of a finalized design, without a service
                                      (RECEIPT: a file, or the receipt itself)
         --jwks ADDRESS|FILE          the service's public keys (default: those of the receipt's issuer)
         --issuer ORIGIN              the service that must have issued it; without, see whom the output names
                                      ends with 0: genuine, 1: not, 2: could not be found out
  platen users import FILE            add accounts from another system: JSON lines or a JSON array, with password hashes
         --dry-run                    only say what would be done
  platen keys rotate                  have the service sign with new keys; what was signed before stays good
         --purpose access_token|statement|all   (default: all)
         --now                        although the next keys were published a moment ago
         --revoke                     somebody else may have the keys: nothing they signed counts any more
  platen audit verify                 check the record of security events for changes, also while the service runs
         --head SEQUENCE:SEAL         what an earlier check said: nothing up to there may be cut off or exchanged
  platen storage collect              delete the stored files that nothing needs any more, as the service does every hour
         --dry-run                    only say what would be done
  platen orders list                  the orders that are to be made and shipped
         --status STATUS,...          those of these states
         --q TEXT                     those with this in number, name, company, postal code, e-mail or tracking number
         --limit COUNT                20, at most 100
  platen orders show NUMBER           one order
  platen orders record-payment NUMBER [--reference TEXT]
  platen orders start NUMBER          production begins
  platen orders hold NUMBER --reason TEXT
  platen orders release NUMBER
  platen orders ship NUMBER --carrier NAME [--tracking NUMBER] [--tracking-url ADDRESS]
  platen orders deliver NUMBER [--shipment ID]
  platen orders return NUMBER [--shipment ID] [--reason TEXT]
  platen orders refund NUMBER [--amount 12.50] [--reason TEXT]
  platen orders cancel NUMBER [--reason TEXT]
         --json                       with any of these: print what the API answers
  platen orders pick-list NUMBER > FILE.pdf

Settings are environment variables; see the README.
`

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      jwks: { type: 'string' },
      issuer: { type: 'string' },
      purpose: { type: 'string' },
      now: { type: 'boolean' },
      revoke: { type: 'boolean' },
      head: { type: 'string' },
      status: { type: 'string' },
      q: { type: 'string' },
      limit: { type: 'string' },
      reason: { type: 'string' },
      carrier: { type: 'string' },
      tracking: { type: 'string' },
      'tracking-url': { type: 'string' },
      shipment: { type: 'string' },
      amount: { type: 'string' },
      reference: { type: 'string' },
      json: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    },
  })
  const [command, ...rest] = positionals
  if (values.help === true || command === undefined) {
    process.stdout.write(HELP)
    return command === undefined && values.help !== true ? 2 : 0
  }
  // Each command loads only what it needs: `verify` starts no service.
  switch (command) {
    case 'serve':
      return withConfig(async (config) => (await import('./commands/serve.ts')).serve(config))
    case 'work':
      return withConfig(async (config) => (await import('./commands/serve.ts')).work(config))
    case 'migrate':
      return (await import('./commands/serve.ts')).migrateOnly()
    case 'verify':
      return (await import('./commands/verify.ts')).verify(rest, values)
    case 'audit':
      return (await import('./commands/audit.ts')).audit(rest, values)
    case 'storage':
      return (await import('./commands/storage.ts')).storage(rest, values)
    case 'users':
      return (await import('./commands/users.ts')).users(rest, values)
    case 'keys':
      return (await import('./commands/keys.ts')).keys(rest, values)
    case 'orders':
      return (await import('./commands/orders.ts')).orders(rest, values)
    default:
      throw new UsageError(`There is no command "${command}". Run "platen --help".`)
  }
}

/** Reads the settings before what a service consists of is loaded: a wrong one is told at once. */
function withConfig(run: (config: Config) => Promise<number>): Promise<number> {
  return run(readConfig())
}

const EXPECTED = [ConfigError, EmbeddedPostgresError, MigrationError, UsageError]

/** Describes an error: in plain words where the person at the terminal can act on it, with its stack where it is a fault. */
function explain(error: unknown): string {
  const isExpected = EXPECTED.some((kind) => error instanceof kind)
  const isBadOption = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!(error instanceof Error)) return String(error)
  return isExpected || isBadOption ? error.message : (error.stack ?? error.message)
}

// Who reads the output may have seen enough (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// Half of a start is reading modules; compiled once, they are kept beside the packages. Where that is read-only, not.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/platen'))

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  // A stack has several lines. Whatever else a message repeats must not do more than be read.
  for (const line of `platen: ${explain(error)}`.split('\n')) complain(line)
  // Something may still hold the process open; after a failed start it has nothing left to do.
  process.exit(1)
}
