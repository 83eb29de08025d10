import { InvalidArgumentError, Option } from 'commander'
import { type CommandLine, numberOption, textOption } from '../command-line/command.ts'

const PASSPHRASE = [
  '--passphrase-file <file>',
  'file whose first line is the passphrase of the secret (default: PLATEN_BACKUP_PASSPHRASE',
] as const

const COUNTS = [1, 10_000] as const

/** Adds the commands that make, inspect and restore backups. */
export function addBackupCommands(program: CommandLine): void {
  const backup = program
    .command('backup')
    .description('Make a backup while the service runs (further subcommands: list, verify, prune)')
    .argument('<target>', 'folder of the backups, or s3://bucket/prefix')
    .addOption(textOption(PASSPHRASE[0], `${PASSPHRASE[1]})`))
    .option('--without-secret', 'leave out secret.key of the data folder, which you then have to keep elsewhere')
    .option('--allow-missing', 'make the backup although the storage has lost files')
    .runs(
      { 0: 'the backup is complete and verified', 1: 'no backup was made, or no base copy in PLATEN_WAL_ARCHIVE' },
      async () => (await import('./backup.ts')).backup,
    ) as CommandLine
  backup
    .command('list')
    .description('List the complete backups, oldest first')
    .argument('<target>', 'folder of the backups, or s3://bucket/prefix')
    .runs(
      { 0: 'all backups were listed', 1: 'a manifest is damaged' },
      async () => (await import('./inspect.ts')).listAll,
    )
  backup
    .command('verify')
    .description('Read a backup and PLATEN_WAL_ARCHIVE completely, and compare them with their checksums')
    .argument('<target>', 'folder of the backups, or s3://bucket/prefix')
    .addOption(textOption('--id <id>', 'id of the backup (default: the newest)'))
    .runs(
      { 0: 'the backup is complete and undamaged', 1: 'the backup or the archive is damaged, or there is no backup' },
      async () => (await import('./inspect.ts')).verifyOne,
    )
  backup
    .command('prune')
    .description(
      'Remove all backups but those to keep and the newest one, and the files that no other backup needs; the place must hold one installation only',
    )
    .argument('<target>', 'folder of the backups, or s3://bucket/prefix')
    .addOption(
      numberOption('--keep-last <n>', 'keep the newest n backups, and the newest one in any case (default: 0)', COUNTS),
    )
    .addOption(
      numberOption('--keep-daily <n>', 'keep the newest backup of each of the last n days, UTC (default: 0)', COUNTS),
    )
    .addOption(
      numberOption('--keep-weekly <n>', 'keep the newest backup of each of the last n weeks (default: 0)', COUNTS),
    )
    .addOption(
      numberOption('--keep-monthly <n>', 'keep the newest backup of each of the last n months (default: 0)', COUNTS),
    )
    .addOption(
      numberOption(
        '--point-in-time <days>',
        'keep in PLATEN_WAL_ARCHIVE what a restore to each point in time of the last days needs (default: 7)',
        COUNTS,
      ),
    )
    .option('--dry-run', 'report what would be removed, without removing')
    .runs(
      { 0: 'all other backups were removed', 1: 'a backup is being made or cannot be read, or the removal failed' },
      async () => (await import('./prune.ts')).prune,
    )
  program
    .command('restore')
    .description('Restore a backup into a new data folder, and into the empty database of PLATEN_DATABASE_URL')
    .argument('<source>', 'folder of the backups, or s3://bucket/prefix')
    .addOption(textOption('--id <id>', 'id of the backup (default: the newest)').conflicts('at'))
    .addOption(atOption())
    .addOption(
      textOption(
        '--log <name>',
        'with --at: log of PLATEN_WAL_ARCHIVE (default: the only one of this installation that has this time)',
      ),
    )
    .addOption(textOption('--data-dir <folder>', 'new data folder (default: PLATEN_DATA_DIR)'))
    .addOption(textOption(PASSPHRASE[0], `${PASSPHRASE[1]}, or else the terminal)`))
    .option('--without-secret', 'restore everything but secret.key')
    .runs(
      { 0: 'everything was restored', 1: 'nothing was restored' },
      async () => (await import('./restore/restore.ts')).restore,
    )
}

/** Without an archive, a restore gives a state that a backup has. */
function atOption(): Option {
  return new Option(
    '--at <time>',
    'the state of this time, such as 2026-11-28T12:00:00Z, from PLATEN_WAL_ARCHIVE, or "latest" for the last one that it has; without it, the newest backup of this time or earlier (default: the newest backup)',
  ).argParser((value) => {
    if (value === 'latest') return value
    const time = new Date(value)
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(time.getTime())) {
      return time
    }
    throw new InvalidArgumentError('Expected "latest", or a time with a time zone, such as 2026-11-28T12:00:00Z.')
  })
}
