import { CHILD_ENV, CHILD_FLAGS } from '../../src/rendering/pool/child.ts'

/** The memory limit of a process, which is that of a rendering process in production. */
const MEMORY_LIMIT_MB = 1024
/**
 * The limit for the CPU time of a case. Production allows less. Cases that exceed the budget of their target
 * (`budgetMs`) are reported as slow.
 */
const CPU_LIMIT_MS = 60_000

/**
 * A worker that makes no progress for this long counts as hanging. On a busy computer, a case may wait minutes for a
 * core.
 */
export const HANG_MS = 600_000

export const LIMITS = { memoryLimitMb: MEMORY_LIMIT_MB, cpuLimitMs: CPU_LIMIT_MS }

/** Options of child processes, which are those of rendering processes. */
export const PROCESS = {
  env: CHILD_ENV,
  execArgv: [`--max-old-space-size=${MEMORY_LIMIT_MB / 2}`, ...CHILD_FLAGS],
}
