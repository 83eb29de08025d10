/** How many backups stay. Each rule selects backups of its own; a backup stays if one of the rules selects it. */
export interface Retention {
  /** The newest backups. */
  keepLast?: number | undefined
  /** The newest backup of each of the last days, weeks or months (UTC) that have one. */
  keepDaily?: number | undefined
  keepWeekly?: number | undefined
  keepMonthly?: number | undefined
}

interface Taken {
  id: string
  takenAt: string
}

interface WithSecret extends Taken {
  secret: { fingerprint?: string } | null
}

const DAY_MS = 86_400_000

/** Weeks begin on Monday. 1970-01-01 was a Thursday. */
const weekOf = (takenAt: string): number => Math.floor((Date.parse(takenAt) / DAY_MS + 3) / 7)

/** Selects the backups that stay and returns their ids. The newest one always stays. */
export function selectKept(backups: readonly Taken[], retention: Retention): Set<string> {
  const newestFirst = backups.toSorted((a, b) => b.takenAt.localeCompare(a.takenAt) || b.id.localeCompare(a.id))
  const { keepLast = 0, keepDaily = 0, keepWeekly = 0, keepMonthly = 0 } = retention
  return new Set([
    ...firstOfEach(newestFirst, Math.max(1, keepLast), ({ id }) => id),
    ...firstOfEach(newestFirst, keepDaily, ({ takenAt }) => takenAt.slice(0, 10)),
    ...firstOfEach(newestFirst, keepWeekly, ({ takenAt }) => weekOf(takenAt)),
    ...firstOfEach(newestFirst, keepMonthly, ({ takenAt }) => takenAt.slice(0, 7)),
  ])
}

/**
 * Selects the backups whose secret a restore to a point in time since `since` may need, and returns their ids: of each
 * secret that was in use since then, the newest backup. Of a rotation between two backups, both secrets are selected.
 */
export function selectForSecrets(backups: readonly WithSecret[], since: Date): Set<string> {
  const oldestFirst = backups
    .filter(({ secret }) => secret !== null)
    .sort((a, b) => a.takenAt.localeCompare(b.takenAt) || a.id.localeCompare(b.id))
  const before = oldestFirst.findLastIndex(({ takenAt }) => new Date(takenAt) <= since)
  const inUse = oldestFirst.slice(Math.max(0, before))
  // It is unknown which secret a backup of an earlier version has.
  const bySecret = new Map(inUse.map(({ id, secret }) => [secret?.fingerprint ?? id, id]))
  return new Set(bySecret.values())
}

function firstOfEach(backups: readonly Taken[], most: number, periodOf: (backup: Taken) => unknown): string[] {
  const byPeriod = Map.groupBy(backups, periodOf)
  return [...byPeriod.values()].slice(0, most).flatMap(([newest]) => (newest === undefined ? [] : [newest.id]))
}
