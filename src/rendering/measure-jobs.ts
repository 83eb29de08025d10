import { Gauge, type Registry } from 'prom-client'
import type { Checker } from './checking/checker.ts'
import type { JobLoad } from './pool/pool.ts'
import type { Renderer } from './renderer.ts'

interface Pools {
  drawing: Pick<Renderer, 'load'>
  checking: Pick<Checker, 'load'>
}

/** Exposes `platen_render_jobs`: how many jobs wait for a process, and how many run. */
export function measureJobs(registry: Registry, pools: Pools): void {
  new Gauge({
    name: 'platen_render_jobs',
    help: 'Jobs of the processes that draw (`drawing`) and that lay out texts and check designs (`checking`).',
    labelNames: ['pool', 'priority', 'state'] as const,
    registers: [registry],
    collect() {
      for (const [pool, { load }] of Object.entries(pools)) {
        for (const [priority, counts] of Object.entries(load()) as [string, JobLoad[keyof JobLoad]][]) {
          for (const [state, count] of Object.entries(counts)) this.set({ pool, priority, state }, count)
        }
      }
    },
  })
}
