import { CHILD_ENV, CHILD_FLAGS } from '../../src/rendering/pool/child.ts'

/** Of a render process in production. */
const MEMORY_LIMIT_MB = 1024
/** Of one case. Production allows less; a case near that limit is slow, which is reported as such. */
const CPU_LIMIT_MS = 60_000

/** Time after which a case hangs that uses no processor. Busy machines leave a case without one for minutes. */
export const HANG_MS = 600_000

export const LIMITS = { memoryLimitMb: MEMORY_LIMIT_MB, cpuLimitMs: CPU_LIMIT_MS }

/** How processes are started: as render processes are. */
export const PROCESS = {
  env: CHILD_ENV,
  execArgv: [`--max-old-space-size=${MEMORY_LIMIT_MB / 2}`, ...CHILD_FLAGS],
}
