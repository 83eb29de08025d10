import { isLoopbackName } from '../../platform/http/operations/operations.ts'
import type { SiteSettings } from '../layout.ts'

/** Tells whether the page `/dev/outbox` exists for clients of the origin: only outside of production, and on the same machine. */
export function hasOutbox({ production, origin }: Pick<SiteSettings, 'production' | 'origin'>): boolean {
  return !production && isLoopbackName(new URL(origin).hostname)
}
