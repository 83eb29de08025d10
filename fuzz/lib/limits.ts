import { CHILD_ENV, CHILD_FLAGS } from '../../src/rendering/pool/child.ts'

/** As for a render process in production. */
const MEMORY_LIMIT_MB = 1024
/** Per case. Production allows less; cases near that limit are reported as slow. */
const CPU_LIMIT_MS = 60_000

/** A case that uses no CPU time for so long hangs. On a busy machine a case may wait minutes for a core. */
export const HANG_MS = 600_000

export const LIMITS = { memoryLimitMb: MEMORY_LIMIT_MB, cpuLimitMs: CPU_LIMIT_MS }

/** Options of child processes, as for render processes. */
export const PROCESS = {
  env: CHILD_ENV,
  execArgv: [`--max-old-space-size=${MEMORY_LIMIT_MB / 2}`, ...CHILD_FLAGS],
}
