import type { JobDefinition } from '../platform/jobs.ts'
import { prunePools } from './attempts/store.ts'
import type { AuthDeps } from './context.ts'
import { pruneMail } from './mail/store.ts'
import { pruneSessions } from './sessions/store.ts'

/** An ended session is of interest for a while to whoever looks into what happened. */
const KEEP_SESSIONS_SECONDS = 30 * 24 * 3600

export function authJobs({ db, clock, config }: Pick<AuthDeps, 'db' | 'clock' | 'config'>): JobDefinition[] {
  return [
    {
      name: 'auth.prune',
      cron: '17 * * * *',
      handle: async () => {
        const now = clock.now()
        await pruneMail(db, now)
        await prunePools(db, config.login, now)
        const { replaySeconds } = config.tokens
        await pruneSessions(db, now, { keepSeconds: KEEP_SESSIONS_SECONDS, replaySeconds })
      },
    },
  ]
}
